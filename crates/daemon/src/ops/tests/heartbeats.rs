use agent_worker_protocol::{
    Conversation, RunKind, ScheduleClear, ScheduleList, ScheduleSet, ScheduleShow, Timestamp,
};

use serde_json::json;

use super::*;
use crate::{
    changes::schedule::fire,
    rows::message,
    rules::schedule::spec::{self, NewSchedule},
};

const MINUTE: i64 = 60_000;

const HOUR: i64 = 60 * MINUTE;

/// A team whose alice has a heartbeat of 30 minutes, perhaps in a part of the day alone.
fn world(hours: Option<&str>) -> World {
    world_of("30m", "UTC", hours)
}

fn world_of(every: &str, zone: &str, hours: Option<&str>) -> World {
    let world = World::new();
    let mut launch = launch_of(&["alice", "bob"], "hello", Mode::Start, Limits::default());
    launch.agents[0].schedules =
        vec![NewSchedule::heartbeat(every.parse().unwrap(), zone.parse().unwrap())];
    launch.agents[0].config.hours = hours.map(|hours| hours.parse().unwrap());
    world.try_start(launch).unwrap();
    world
}

impl World {
    /// Time passes, and heartbeats that are due are judged.
    fn beat(&self, ms: i64, why_not: Option<&'static str>) {
        self.pass(ms);
        self.daemon(move |cx| {
            for row in fire::fire_due(cx)? {
                fire::beat(cx, row.id, why_not)?;
            }
            Ok(())
        });
    }

    /// What became of the last heartbeat that was due.
    fn last_beat(&self) -> String {
        let show = ScheduleShow { target: target("alice@team") };
        let shown = self.call("", show).unwrap();
        let last = shown.schedules[0].schedule.last.clone().unwrap();
        last.reason.unwrap_or_else(|| last.outcome.as_str().to_owned())
    }

    /// What is kept as the answer of a run.
    fn answer(&self, claim: &Claim) -> String {
        let run = claim.run().number();
        self.daemon(move |cx| {
            Ok(cx
                .conn
                .query_row("SELECT result FROM runs WHERE id = ?1", [run], |row| row.get(0))?)
        })
    }

    /// What was said between alice and the person.
    fn said_to_user(&self) -> Vec<String> {
        self.daemon(|cx| {
            let newest = message::newest_seq(cx.db)?;
            let all = (1..=newest).map(|seq| message::by_seq(cx.db, seq));
            let all: Vec<_> = all.collect::<Result<_, _>>()?;
            let name = Conversation::direct("alice".parse().unwrap(), Name::person());
            Ok(all.into_iter().filter(|one| one.group == name).map(|one| one.content).collect())
        })
    }
}

#[test]
fn a_heartbeat_is_a_run_of_its_own_kind_that_tells_the_person_what_it_finds() {
    let world = world(None);
    world.beat(30 * MINUTE, None);
    let run = world.claim();
    let entity = world.run(run.run());
    assert_eq!(
        (entity.kind, entity.agent.to_string().as_str()),
        (RunKind::Heartbeat, "alice@team")
    );
    assert_eq!(world.last_beat(), "ran");
    world.succeed(&run, "The disk is nearly full.");
    assert_eq!(world.said_to_user(), ["The disk is nearly full."]);
    assert!(world.try_claim().is_none());
}

#[test]
fn a_reply_to_the_daemon_is_refused_with_how_it_can_be_sent() {
    let world = world(None);
    world.beat(30 * MINUTE, None);
    let run = world.claim();
    let asked = world.last_message().id;
    let reply = ChannelSend { reply_to: Some(asked), ..tell(&["user"], "the disk is full") };
    let body = world.tool(&run, reply).unwrap_err().into_body();
    assert!(body.message.contains("it is in `alice+system` of @team"), "{body:?}");
    assert_eq!(body.hint.as_deref(), Some("send the message without `reply_to`"));
}

#[test]
fn an_answer_that_all_is_well_is_kept_and_posted_nowhere() {
    let world = world(None);
    for said in ["HEARTBEAT_OK", "**HEARTBEAT_OK**.", "`HEARTBEAT_OK`\n"] {
        world.beat(30 * MINUTE, None);
        let run = world.claim();
        let before = world.daemon(|cx| message::newest_seq(cx.db));
        world.succeed(&run, said);
        assert_eq!(world.daemon(|cx| message::newest_seq(cx.db)), before);
        assert_eq!(world.answer(&run), said);
    }
    assert!(!RunKind::Heartbeat.is_silent("HEARTBEAT_OK, but the disk is full"));
    assert!(!RunKind::Mention.is_silent("HEARTBEAT_OK"));
}

#[test]
fn a_heartbeat_is_passed_by_where_there_is_nothing_to_check() {
    let world = world(None);
    world.beat(30 * MINUTE, Some("nothing to check"));
    assert!(world.try_claim().is_none());
    assert_eq!(world.last_beat(), "nothing to check");
}

#[test]
fn a_heartbeat_is_passed_by_while_its_agent_is_busy() {
    let world = world(None);
    world.send("@alice do it");
    world.beat(30 * MINUTE, None);
    assert_eq!(world.last_beat(), "overlap: alice was busy");
    let run = world.claim();
    assert_eq!(world.run(run.run()).kind, RunKind::Mention);
    world.beat(30 * MINUTE, None);
    assert_eq!(world.last_beat(), "overlap: alice was busy");
    world.succeed(&run, "done");
    world.beat(30 * MINUTE, None);
    assert_eq!(world.last_beat(), "ran");
}

#[test]
fn a_heartbeat_runs_after_a_schedule_that_is_due_at_the_same_times() {
    let world = world(None);
    let usual = ScheduleSet::usual(target("alice@team"), "30m".parse().unwrap());
    world.call("", ScheduleSet { only_if_unread: Some(false), ..usual }).unwrap();
    let claimed = || {
        let run = world.claim();
        world.succeed(&run, "HEARTBEAT_OK");
        world.run(run.run()).kind
    };
    world.beat(30 * MINUTE, None);
    assert_eq!(world.last_beat(), "ran");
    assert_eq!((claimed(), claimed()), (RunKind::Scheduled, RunKind::Heartbeat));
    // The daemon starts what is due before it judges heartbeats.
    world.pass(30 * MINUTE);
    let due = world.daemon(fire::fire_due);
    let run = world.claim();
    world.daemon(move |cx| due.iter().try_for_each(|row| fire::beat(cx, row.id, None)));
    assert_eq!(world.last_beat(), "ran");
    world.succeed(&run, "done");
    assert_eq!(claimed(), RunKind::Heartbeat);
}

#[test]
fn an_agent_made_by_hand_has_a_heartbeat_where_it_has_a_home() {
    let world = world(None);
    let make = |given: serde_json::Value| {
        let made = serde_json::from_value::<AgentCreate>(given).unwrap();
        world.call("@team", made).map_err(|refused| refused.to_string())
    };
    let refused = make(json!({ "name": "carol", "backend": "mock", "heartbeat": "30m" }));
    assert!(refused.unwrap_err().contains("it has no home to look after"));
    let refused = make(json!({ "name": "carol", "backend": "mock", "hours": "08:00-22:00" }));
    assert!(refused.unwrap_err().contains("set `heartbeat` too"));
    make(json!({
        "name": "carol", "backend": "mock", "home": true, "heartbeat": "30m",
        "hours": "08:00-22:00",
    }))
    .unwrap();
    let shown = world.call("", ScheduleShow { target: target("carol@team") }).unwrap();
    let beat = &shown.schedules[0].schedule;
    assert_eq!((beat.name.as_str(), beat.spec.to_string().as_str()), ("heartbeat", "30m"));
    assert_eq!(beat.hours, Some("08:00-22:00".parse().unwrap()));
    let hours = world.daemon(|cx| {
        let scope = WorkflowRow::by_name(cx.db, &team())?;
        AgentRow::by_name(cx.db, &scope, &"carol".parse().unwrap())?.config(cx.db)
    });
    assert_eq!(hours.hours, Some("08:00-22:00".parse().unwrap()));
}

#[test]
fn a_heartbeat_is_due_in_its_part_of_the_day_alone() {
    let at = |time: i64| jiff::Timestamp::from_millisecond(time).unwrap();
    let begin = at(BEGIN).to_zoned(jiff::tz::TimeZone::UTC);
    let time = |hours: i64| (&begin + jiff::Span::new().hours(hours)).strftime("%H:%M").to_string();
    let world = world(Some(&format!("{}-{}", time(2), time(4))));
    let shown = world.call("", ScheduleShow { target: target("alice@team") }).unwrap();
    let half_hours = [4, 5, 6, 7].map(|number| Timestamp(BEGIN + number * 30 * MINUTE));
    assert_eq!(shown.schedules[0].next[..4], half_hours, "its next times are within its hours");
    let next_due = || {
        let listed = world.call("@team", ScheduleList { all: false }).unwrap();
        listed.schedules[0].next_due
    };
    assert_eq!(next_due(), Some(half_hours[0]));
    world.beat(HOUR, None);
    assert!(world.last_beat().starts_with("outside of "), "{}", world.last_beat());
    assert_eq!(next_due(), Some(half_hours[0]));
    world.beat(90 * MINUTE, None);
    assert_eq!(world.last_beat(), "ran");
    assert_eq!(next_due(), Some(half_hours[2]));
    world.succeed(&world.claim(), "HEARTBEAT_OK");
    world.beat(2 * HOUR, None);
    assert!(world.last_beat().starts_with("outside of "), "{}", world.last_beat());
}

#[test]
fn a_heartbeat_that_misses_its_hours_every_day_comes_when_they_begin() {
    let world = world_of("24h", "UTC", Some("08:00-22:00"));
    let shown = world.call("", ScheduleShow { target: target("alice@team") }).unwrap();
    let eight = 9 * HOUR + 46 * MINUTE + 40_000;
    let days = [0, 1, 2, 3, 4].map(|day| Timestamp(BEGIN + eight + day * 24 * HOUR));
    assert_eq!(shown.schedules[0].next, days);
    world.beat(eight, None);
    assert_eq!(world.last_beat(), "ran");
}

#[test]
fn a_heartbeat_that_summer_time_moves_out_of_its_hours_comes_when_they_begin() {
    let world = world_of("24h", "Europe/Berlin", Some("23:00-23:30"));
    for _ in 0..137 {
        world.beat(24 * HOUR, Some("nothing to check"));
    }
    assert_eq!(world.last_beat(), "nothing to check");
    world.beat(24 * HOUR, None);
    assert_eq!(world.last_beat(), "outside of 23:00-23:30");
    world.beat(22 * HOUR + 46 * MINUTE + 40_000, None);
    assert_eq!(world.last_beat(), "ran");
}

#[test]
fn what_was_missed_while_no_daemon_was_there_is_not_made_up_for() {
    let world = world(None);
    world.beat(10 * HOUR + 10 * MINUTE, None);
    assert!(world.try_claim().is_none());
    let show = ScheduleShow { target: target("alice@team") };
    let next = world.call("", show).unwrap().schedules[0].schedule.next_due;
    assert_eq!(next, Some(Timestamp(BEGIN + 10 * HOUR + 30 * MINUTE)));
}

#[test]
fn no_other_schedule_is_called_heartbeat() {
    let world = world(None);
    let mut set = ScheduleSet::usual(target("bob@team"), "1h".parse().unwrap());
    set.name = Some(spec::heartbeat());
    let error = world.call("", set).unwrap_err().into_body();
    assert_eq!(error.message, spec::TAKEN);
}

#[test]
fn a_heartbeat_is_not_removed_with_the_schedules_of_its_agent() {
    let world = world(None);
    let clear = |name| world.call("", ScheduleClear { target: target("alice@team"), name });
    for name in [None, Some(spec::heartbeat())] {
        let refused = clear(name).unwrap_err().into_body();
        assert_eq!(refused.hint.unwrap(), "agent-worker schedule alice@team pause heartbeat");
    }
    world.call("", ScheduleSet::usual(target("alice@team"), "1h".parse().unwrap())).unwrap();
    let cleared = clear(None).unwrap().schedules;
    assert_eq!(cleared.iter().map(|one| one.name.as_str()).collect::<Vec<_>>(), ["main"]);
    let shown = world.call("", ScheduleShow { target: target("alice@team") }).unwrap();
    assert_eq!(shown.schedules[0].schedule.name, spec::heartbeat());
}
