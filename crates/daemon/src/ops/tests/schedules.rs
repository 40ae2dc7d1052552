use agent_worker_protocol::{
    AgentResume, AgentShow, AgentStop, DeliveryRetry, Due, ErrorCode, EventBody, FireOutcome,
    Intent, MessageType, Missed, Overlap, Reason, RunCancel, RunContext, RunKind, Schedule,
    ScheduleClear, ScheduleDetail, ScheduleId, ScheduleList, SchedulePause, ScheduleResume,
    ScheduleRun, ScheduleSet, ScheduleShow, ScheduleState, Timestamp, Why, WorkflowResume,
    WorkflowStop,
};
use rusqlite::{StatementStatus, params};
use serde_json::{Value, json};

use super::*;
use crate::{
    changes::{agent::state, daemon::sweep, schedule::fire},
    entities::{feed, snapshot},
    rows::schedule::{NEWEST_TELLING, next_due},
    rules::schedule::spec::NewSchedule,
};
mod held;
mod polls;
mod random;
mod waits;

const SECOND: i64 = 1000;

const MINUTE: i64 = 60 * SECOND;

const HOUR: i64 = 60 * MINUTE;

const DAY: i64 = 24 * HOUR;

fn world() -> World {
    let world = World::with_settings("[guard]\nruns = 1000000\n");
    world.start_with(&["alice", "bob"], "hello", Mode::Start, Limits::default());
    world
}

fn setting(spec: &str, fields: &Value) -> ScheduleSet {
    let mut all = json!({ "target": "alice@team", "spec": spec, "timezone": "UTC" });
    for (name, value) in fields.as_object().unwrap() {
        all[name] = value.clone();
    }
    serde_json::from_value(all).unwrap()
}

/// What became of a due time, so long after the world began: `10m ran`, `20m skipped overlap`.
fn shown(due_at: i64, outcome: &str, reason: &str) -> String {
    let word = if outcome == "ran" { "" } else { reason.split([':', ',']).next().unwrap() };
    let at = due_at - BEGIN;
    format!("{}m {outcome} {word}", at / MINUTE).trim_end().to_owned()
}

impl World {
    fn set(&self, spec: &str, fields: &Value) -> Schedule {
        self.call("", setting(spec, fields)).unwrap()
    }

    /// Judges what has come due, as the daemon does when it wakes; gives when the next is.
    fn look(&self) -> Option<i64> {
        let next = self.daemon(|cx| {
            fire::fire_due(cx)?;
            next_due(cx.db, cx.now)
        });
        next.map(|at| at.0 - BEGIN)
    }

    /// Time passes while a daemon is there, which wakes for each due time.
    fn wait(&self, ms: i64) {
        let until = self.now() + ms;
        while let Some(next) = self.look().map(|next| next + BEGIN).filter(|next| *next <= until) {
            self.pass(next - self.now());
        }
        self.pass(until - self.now());
        self.look();
    }

    /// Time passes while none is there.
    fn down(&self, ms: i64) {
        self.pass(ms);
        self.daemon(|cx| recover::begin(cx, "epoch"));
    }

    fn now(&self) -> i64 {
        self.daemon(|cx| Ok(cx.now.0))
    }

    /// Does all work there is, which takes no time.
    fn work_off(&self) -> usize {
        let mut runs = 0;
        while let Some(run) = self.try_claim() {
            self.succeed(&run, "");
            self.look();
            runs += 1;
        }
        runs
    }

    /// What became of all due times, in order.
    fn ledger(&self) -> Vec<String> {
        self.daemon(|cx| {
            let sql =
                "SELECT due_at, outcome, reason FROM schedule_fires ORDER BY schedule, due_at";
            let mut statement = cx.conn.prepare(sql)?;
            let rows = statement.query_map([], |row| {
                let (outcome, reason): (String, String) = (row.get(1)?, row.get(2)?);
                Ok(shown(row.get(0)?, &outcome, &reason))
            })?;
            Ok(rows.collect::<Result<_, _>>()?)
        })
    }

    fn count(&self, outcome: &str) -> usize {
        self.ledger().iter().filter(|line| line.contains(outcome)).count()
    }

    fn schedules(&self) -> Vec<ScheduleDetail> {
        let show = ScheduleShow { target: target("alice@team") };
        self.call("", show).unwrap().schedules
    }

    fn schedule(&self) -> Schedule {
        self.schedules().remove(0).schedule
    }
}

#[test]
fn a_schedule_that_is_due_starts_its_agent_once_and_it_answers_in_the_channel() {
    let world = world();
    let made = world.set("10m", &json!({ "prompt": "look at the news" }));
    assert_eq!((made.id, made.name.as_str()), (ScheduleId::new(1), "main"));
    assert_eq!(
        (made.maker.as_str(), made.next_due),
        ("user", Some(Timestamp(BEGIN + 10 * MINUTE)))
    );
    assert!(!made.only_if_unread, "it has a prompt");
    assert_eq!(world.look(), Some(10 * MINUTE));
    world.pass(10 * MINUTE - 1);
    assert_eq!((world.look(), world.ledger()), (Some(10 * MINUTE), vec![]));
    world.pass(1);
    assert_eq!(world.look(), Some(20 * MINUTE));
    assert_eq!(world.look(), Some(20 * MINUTE), "it is judged");
    let told = world.last_message();
    assert_eq!((told.kind, told.intent, told.hop), (MessageType::System, Intent::Request, 0));
    assert_eq!(
        told.content,
        "alice, your schedule main (10m) is due since 2023-11-14 22:23:20 UTC.\n\nlook at the news"
    );
    assert_eq!(world.delivery("alice", told.id).reason, Reason::Schedule);
    let run = world.claim();
    assert_eq!(run.agent(), "alice");
    assert_eq!(world.run(run.run()).kind, RunKind::Scheduled);
    world.succeed(&run, "nothing new");
    let answer = world.last_message();
    assert_eq!(
        (answer.content.as_str(), answer.group.to_string()),
        ("nothing new", "channel".into())
    );
    assert!(world.try_claim().is_none());
    assert_eq!(world.ledger(), ["10m ran"]);
    let detail = world.schedules().remove(0);
    let next: Vec<_> = detail.next.iter().map(|at| (at.0 - BEGIN) / MINUTE).collect();
    assert_eq!(next, [20, 30, 40, 50, 60]);
    let fired = &detail.fired[0];
    assert_eq!((fired.run, fired.fire.message), (Some(run.run()), Some(told.id)));
    assert_eq!(
        (detail.schedule.fires, detail.schedule.last.unwrap().outcome),
        (1, FireOutcome::Ran)
    );
}

#[test]
fn an_interval_alone_passes_by_when_nothing_is_unread() {
    let world = world();
    assert!(world.set("30s", &json!({})).only_if_unread);
    world.wait(MINUTE);
    assert_eq!(world.ledger(), ["0m skipped nothing unread", "1m skipped nothing unread"]);
    let inform = ChannelSend { intent: Some(Intent::Inform), ..say("@alice by the way") };
    let sent = world.call("@team", inform).unwrap();
    assert!(world.try_claim().is_none(), "it wakes nobody");
    world.wait(30 * SECOND);
    let run = world.claim();
    assert_eq!(world.run(run.run()).kind, RunKind::Scheduled);
    world.succeed(&run, "");
    assert_eq!(world.delivery_state("alice", sent.id), DeliveryState::Acked, "it was in the run");
    world.wait(30 * SECOND);
    assert_eq!(world.count("ran"), 1);
    assert_eq!(world.count("nothing unread"), 3);
    assert!(!world.set("0 9 * * *", &json!({})).only_if_unread);
    assert!(world.set("1m", &json!({ "prompt": "x", "only_if_unread": true })).only_if_unread);
}

#[test]
fn while_its_last_run_goes_on_a_schedule_passes_by_or_queues_one_more() {
    for (overlap, after) in [("skip", vec![]), ("queue", vec!["30m ran"])] {
        let world = world();
        world.set("10m", &json!({ "prompt": "go", "overlap": overlap }));
        world.wait(10 * MINUTE);
        let run = world.claim();
        world.wait(25 * MINUTE);
        assert!(world.try_claim().is_none());
        world.succeed(&run, "");
        world.look();
        let mut expected = vec!["10m ran", "20m skipped overlap"];
        expected.extend(after.iter().copied());
        if overlap == "skip" {
            expected.push("30m skipped overlap");
        }
        assert_eq!(world.ledger(), expected, "{overlap}");
        assert_eq!(world.work_off(), after.len());
        world.wait(5 * MINUTE);
        assert_eq!(world.ledger().last().unwrap(), "40m ran", "{overlap}");
        world.work_off();
    }
}

#[test]
fn a_dead_letter_that_is_retried_after_its_agent_was_stopped_holds_back_the_next_time() {
    let world = World::with_settings("[guard]\nruns = 1000000\n[runs]\nattempts = 1\n");
    world.start_with(&["alice"], "hello", Mode::Start, Limits::default());
    world.set("10m", &json!({ "prompt": "go" }));
    world.wait(10 * MINUTE);
    world.fail(&world.claim(), EndCause::Transient);
    let alice = || target("alice@team");
    world.call("", AgentStop { target: alice(), now: true }).unwrap();
    world.wait(10 * MINUTE);
    world.call("", AgentResume { target: alice() }).unwrap();
    world.call("", DeliveryRetry { target: Some(alice()), message: None }).unwrap();
    world.wait(10 * MINUTE);
    let expected = ["10m ran", "20m skipped stopped", "30m skipped overlap"];
    assert_eq!(world.ledger(), expected);
    let refused = world.call("", ScheduleRun { target: alice(), name: None }).unwrap_err();
    assert!(refused.to_string().contains("is still open"), "{refused}");
    assert_eq!(world.work_off(), 1);
    world.wait(10 * MINUTE);
    assert_eq!(world.ledger()[3..], ["40m ran"]);
    world.work_off();
}

/// The first run of a schedule of alice was cancelled.
fn cancelled() -> (World, Claim) {
    let world = world();
    world.set("10m", &json!({ "prompt": "go" }));
    world.wait(10 * MINUTE);
    let run = world.claim();
    world.call("", RunCancel { id: run.run() }).unwrap();
    world.fail(&run, EndCause::Cancelled);
    (world, run)
}

#[test]
fn a_schedule_goes_on_after_one_of_its_runs_was_cancelled() {
    let (world, _) = cancelled();
    world.wait(10 * MINUTE);
    assert_eq!(world.ledger(), ["10m ran", "20m ran"]);
    assert_eq!(world.work_off(), 1);
}

#[test]
fn what_was_missed_in_3_hours_is_made_up_for_as_the_schedule_says() {
    for (missed, ran, first, last) in [
        ("skip", 0, "10m skipped missed", "180m skipped missed"),
        ("once", 1, "10m skipped missed", "180m ran"),
        ("all", 18, "10m ran", "180m ran"),
    ] {
        let world = world();
        world.set("10m", &json!({ "prompt": "go", "missed": missed }));
        world.down(3 * HOUR + 5 * MINUTE);
        assert_eq!(world.work_off(), ran, "{missed}: each in a run of its own");
        let ledger = world.ledger();
        assert_eq!((ledger.len(), world.count("ran")), (18, ran), "{missed}");
        assert_eq!((ledger[0].as_str(), ledger[17].as_str()), (first, last), "{missed}");
        world.wait(5 * MINUTE);
        assert_eq!(world.ledger().last().unwrap(), "190m ran", "{missed}: it goes on as before");
        world.work_off();
    }
}

#[test]
fn what_was_missed_in_30_days_is_made_up_for_as_the_schedule_says() {
    for (missed, ran) in [("skip", 0), ("once", 1), ("all", 30)] {
        let world = world();
        world.set("0 9 * * *", &json!({ "missed": missed, "timezone": "Europe/Berlin" }));
        world.down(30 * DAY);
        assert_eq!(world.work_off(), ran, "{missed}");
        assert_eq!((world.ledger().len(), world.count("ran")), (30, ran), "{missed}");
    }
    // Of very many the newest are told one by one.
    let world = world();
    world.set("10s", &json!({ "prompt": "go" }));
    world.down(30 * DAY);
    assert_eq!((world.work_off(), world.ledger().len(), world.count("ran")), (1, 1001, 1));
    let reason: String = world.daemon(|cx| {
        let sql = "SELECT reason FROM schedule_fires ORDER BY due_at LIMIT 1";
        Ok(cx.conn.query_row(sql, [], |row| row.get(0))?)
    });
    assert_eq!(reason, "missed, as were all times before 2023-12-14T19:26:50Z");
    assert!(
        world.last_message().content.contains("and more than 1000 times before it were missed")
    );
}

#[test]
fn a_restart_every_4_minutes_leaves_an_interval_of_6_as_it_is() {
    for missed in ["skip", "once", "all"] {
        let world = world();
        world.set("6m", &json!({ "prompt": "go", "missed": missed }));
        let mut runs = 0;
        for _ in 0..30 {
            world.wait(4 * MINUTE - 10 * SECOND);
            runs += world.work_off();
            world.down(10 * SECOND);
            runs += world.work_off();
        }
        let expected: Vec<_> = (1..=20).map(|n| format!("{}m ran", 6 * n)).collect();
        assert_eq!((world.ledger(), runs), (expected, 20), "{missed}");
    }
}

#[test]
fn a_suspended_machine_fires_once_and_no_storm() {
    let world = world();
    world.set("30s", &json!({ "prompt": "go" }));
    world.wait(30 * SECOND);
    assert_eq!(world.work_off(), 1);
    // The timers stood still; the sweep looks at the clock.
    world.pass(8 * HOUR);
    world.daemon(sweep::sweep);
    assert_eq!(world.work_off(), 1);
    assert_eq!(world.count("ran"), 2);
    assert_eq!(world.count("missed"), 959);
}

#[test]
fn a_clock_that_is_set_back_holds_no_schedule_up_and_no_time_is_judged_twice() {
    for (spec, wait) in [("10m", 10 * MINUTE), ("0 * * * *", HOUR), ("0 9 * * *", DAY)] {
        let world = world();
        world.set(spec, &json!({ "prompt": "go" }));
        world.pass(40 * DAY);
        world.daemon(sweep::sweep);
        assert_eq!(world.work_off(), 1, "{spec}");
        world.pass(-40 * DAY);
        world.daemon(sweep::sweep);
        assert_eq!(world.work_off(), 0, "{spec}");
        world.wait(wait);
        assert_eq!(world.work_off(), 1, "{spec}");
        // By a little: what has just been judged is not judged again.
        world.wait(wait);
        world.work_off();
        let before = world.ledger();
        world.pass(-200);
        world.daemon(sweep::sweep);
        assert_eq!((world.work_off(), world.ledger()), (0, before), "{spec}");
    }
}

#[test]
fn an_agent_that_is_kept_from_working_passes_its_times_by() {
    let world = world();
    world.set("10m", &json!({ "prompt": "go" }));
    world.call("", AgentStop { target: target("alice@team"), now: false }).unwrap();
    world.wait(20 * MINUTE);
    world.call("", AgentResume { target: target("alice@team") }).unwrap();
    world.daemon(|cx| {
        let alice: i64 =
            cx.conn.query_row("SELECT id FROM agents WHERE name = 'alice'", [], |r| r.get(0))?;
        state::pause(cx, alice, "no key")
    });
    world.wait(10 * MINUTE);
    assert_eq!(
        world.ledger(),
        ["10m skipped stopped", "20m skipped stopped", "30m skipped paused"]
    );
    assert!(world.try_claim().is_none());
    world.call("", AgentResume { target: target("alice@team") }).unwrap();
    world.wait(10 * MINUTE);
    assert_eq!(world.work_off(), 1);
}

#[test]
fn why_an_agent_is_idle_is_that_its_schedule_is_paused() {
    let world = World::new();
    world.start_with(&["alice", "bob"], "hello", Mode::Start, Limits::default());
    world.set("10m", &json!({ "prompt": "go" }));
    let why = || {
        let why = world.call("", Why { subject: "alice@team".to_owned() }).unwrap();
        let texts: Vec<_> = why.because.into_iter().map(|link| link.text).collect();
        (texts.concat(), why.hint)
    };
    assert_eq!(why(), ("nothing waits for it".to_owned(), None));
    let alice = target("alice@team");
    world.call("", SchedulePause { target: alice, name: None }).unwrap();
    let hint = "agent-worker schedule alice@team resume main".to_owned();
    assert_eq!(why(), ("its schedule `main` is paused".to_owned(), Some(hint)));
}

#[test]
fn a_paused_schedule_passes_its_times_by_and_goes_on_in_its_rhythm() {
    let world = world();
    world.set("10m", &json!({ "prompt": "go" }));
    world.wait(MINUTE);
    let (alice, name) = (target("alice@team"), None::<Name>);
    let paused =
        world.call("", SchedulePause { target: alice.clone(), name: name.clone() }).unwrap();
    assert_eq!(
        (paused.schedules[0].state, paused.schedules[0].next_due),
        (ScheduleState::Paused, None)
    );
    assert_eq!(world.look(), None);
    world.down(30 * MINUTE);
    assert_eq!(world.ledger(), [""; 0]);
    let resumed = world.call("", ScheduleResume { target: alice, name }).unwrap();
    assert_eq!(resumed.schedules[0].next_due, Some(Timestamp(BEGIN + 40 * MINUTE)));
    let skipped = ["10m skipped paused", "20m skipped paused", "30m skipped paused"];
    assert_eq!(world.ledger(), skipped);
    world.wait(9 * MINUTE);
    assert_eq!(world.work_off(), 1);
}

#[test]
fn a_workflow_is_not_kept_alive_by_its_schedules_and_they_fire_while_it_lasts() {
    let world = World::new();
    let mut launch = launch_of(&["alice"], "@alice begin", Mode::Run, Limits::default());
    launch.agents[0].schedules = vec![of_file("main", "10m")];
    world.try_start(launch.clone()).unwrap();
    let begin = world.claim();
    world.wait(10 * MINUTE);
    world.succeed(&begin, "begun");
    assert_eq!(world.state(), WorkflowState::Running, "there is work: the time that came");
    assert_eq!(world.work_off(), 1);
    assert_eq!(world.state(), WorkflowState::Completed);
    assert_eq!(world.schedule().next_due, None);
    world.wait(HOUR);
    assert_eq!((world.state(), world.ledger().len()), (WorkflowState::Completed, 1));
    // A message lets it go on, and its schedule with it, in its rhythm.
    world.send("@alice once more");
    assert_eq!(world.schedule().next_due, Some(Timestamp(BEGIN + 80 * MINUTE)));
    assert_eq!((world.count("ran"), world.count("skipped stopped")), (1, 6));
    world.work_off();
    // A new start begins anew.
    world.pass(MINUTE);
    world.try_start(launch).unwrap();
    let begin = world.now();
    assert_eq!(world.schedule().next_due, Some(Timestamp(begin + 10 * MINUTE)));
    world.work_off();
}

#[test]
fn runs_of_schedules_that_overlap_keep_no_workflow_alive_but_what_they_cause_does() {
    let world = World::new();
    let mut launch = launch_of(&["alice", "bob"], "@alice begin", Mode::Run, Limits::default());
    for agent in &mut launch.agents {
        agent.schedules = vec![of_file("main", "10m")];
    }
    world.try_start(launch).unwrap();
    let begin = world.claim();
    world.wait(10 * MINUTE);
    world.succeed(&begin, "begun");
    let (alice, bob) = (world.claim(), world.claim());
    assert_eq!((alice.agent(), bob.agent()), ("alice", "bob"));
    world.succeed(&alice, "");
    // A message of a scheduled run is work: the next time of its recipient fires.
    world.tool(&bob, say("@alice look here")).unwrap();
    world.wait(10 * MINUTE);
    assert_eq!(world.work_off(), 1);
    assert_eq!(world.ledger()[..2], ["10m ran", "20m ran"]);
    // Now nothing but the scheduled run of bob is left.
    world.wait(10 * MINUTE);
    assert_eq!(world.ledger()[2], "30m skipped nothing else is left to do");
    assert!(world.try_claim().is_none());
    assert_eq!(world.state(), WorkflowState::Running);
    world.succeed(&bob, "");
    assert_eq!(world.state(), WorkflowState::Completed);
}

#[test]
fn a_single_due_time_fires_also_where_only_runs_of_schedules_are_left() {
    // Each run of an agent could plan the next: what it plans for itself does not fire then.
    for (maker, outcome) in [("system", "16m ran"), ("alice", "16m skipped nothing else is left")] {
        let world = World::new();
        let mut launch = launch_of(&["alice", "bob"], "@alice begin", Mode::Run, Limits::default());
        let once = of_file("once", "2023-11-14T22:30");
        launch.agents[0].schedules = vec![NewSchedule { maker: maker.parse().unwrap(), ..once }];
        launch.agents[1].schedules = vec![of_file("main", "10m")];
        world.try_start(launch).unwrap();
        let begin = world.claim();
        world.wait(10 * MINUTE);
        world.succeed(&begin, "begun");
        let bob = world.claim();
        world.wait(10 * MINUTE);
        let alice = world.try_claim();
        assert_eq!((bob.agent(), alice.is_some()), ("bob", maker == "system"));
        let ledger = world.ledger();
        assert!(ledger.iter().any(|line| line.starts_with(outcome)), "{ledger:?}");
        if let Some(alice) = alice {
            world.succeed(&alice, "");
        }
        world.succeed(&bob, "");
        assert_eq!(world.state(), WorkflowState::Completed);
    }
}

fn of_file(name: &str, spec: &str) -> NewSchedule {
    NewSchedule {
        name: name.parse().unwrap(),
        maker: Name::system(),
        spec: spec.parse().unwrap(),
        prompt: Some("go".to_owned()),
        timezone: "UTC".parse().unwrap(),
        only_if_unread: false,
        overlap: Overlap::Skip,
        missed: Missed::Once,
        context: RunContext::Main,
        max_fires: None,
        hop: 0,
    }
}

#[test]
fn a_stopped_workflow_has_no_due_times_until_it_goes_on() {
    let world = world();
    world.set("10m", &json!({ "prompt": "go" }));
    world.call("", WorkflowStop { key: team(), purge: false, now: false, timeout: None }).unwrap();
    assert_eq!((world.schedule().next_due, world.look()), (None, None));
    let refused = world.call("", ScheduleRun { target: target("alice@team"), name: None });
    assert!(refused.unwrap_err().to_string().contains("cannot run the schedule: @team is stopped"));
    world.down(25 * MINUTE);
    assert_eq!(world.try_claim().map(|run| run.run()), None);
    world.call("", WorkflowResume { key: team() }).unwrap();
    assert_eq!(world.ledger(), ["10m skipped stopped", "20m skipped stopped"]);
    world.wait(5 * MINUTE);
    assert_eq!(world.work_off(), 1);
}

#[test]
fn a_start_makes_the_schedules_those_of_the_file_and_keeps_those_that_were_set() {
    let world = World::new();
    let mut launch = launch_of(&["alice"], "hello", Mode::Start, Limits::default());
    launch.agents[0].schedules = vec![of_file("main", "10m"), of_file("daily", "0 9 * * *")];
    world.try_start(launch.clone()).unwrap();
    world.set("1h", &json!({ "name": "own", "prompt": "mine" }));
    world.set("2h", &json!({ "name": "daily", "prompt": "other" }));
    let before = world.schedules();
    let ids = |all: &[ScheduleDetail]| -> Vec<(i64, String)> {
        let id = |one: &ScheduleDetail| (one.schedule.id.number(), one.schedule.name.to_string());
        all.iter().map(id).collect()
    };
    assert_eq!(ids(&before), [(1, "main".into()), (3, "own".into()), (4, "daily".into())]);
    world.call("", SchedulePause { target: target("alice@team"), name: None }).unwrap();
    world.call("", WorkflowStop { key: team(), purge: false, now: false, timeout: None }).unwrap();
    world.pass(MINUTE);
    // Going on leaves what is as it was as it is.
    launch.agents[0].schedules[1].prompt = Some("changed".to_owned());
    let warnings = world.try_start(launch.clone()).unwrap().warnings;
    let told: Vec<_> = warnings.iter().map(|warning| warning.message.as_str()).collect();
    let text = "schedule daily of alice@team, which you set, was replaced by the file's";
    assert_eq!(told, [text], "its own that goes on is not told of");
    let after = world.schedules();
    assert_eq!(ids(&after), [(1, "main".into()), (3, "own".into()), (5, "daily".into())]);
    assert_eq!(after[0].schedule.state, ScheduleState::Paused);
    assert_eq!(after[2].schedule.prompt.as_deref(), Some("changed"));
    assert_eq!(after[2].schedule.spec.to_string(), "0 9 * * *");
    world.call("", WorkflowStop { key: team(), purge: false, now: false, timeout: None }).unwrap();
    launch.agents[0].schedules.truncate(1);
    world.try_start(launch).unwrap();
    assert_eq!(ids(&world.schedules()), [(1, "main".into()), (3, "own".into())]);
    let all = world.call("@team", ScheduleList { all: true }).unwrap().schedules;
    assert_eq!(all.len(), 5, "those that are over are listed if they are asked for");
}

#[test]
fn a_schedule_is_over_when_it_has_fired_often_enough_or_its_moment_has_come() {
    let world = world();
    world.set("10m", &json!({ "prompt": "go", "max_fires": 2 }));
    world.set("2023-11-14T22:30", &json!({ "name": "once", "prompt": "now" }));
    world.wait(10 * MINUTE);
    assert_eq!(world.work_off(), 1);
    world.wait(HOUR);
    assert_eq!(world.ledger(), ["10m ran", "20m ran", "16m ran"]);
    assert_eq!(world.work_off(), 1, "what comes together is done together");
    assert_eq!((world.schedules().len(), world.look()), (0, None));
}

#[test]
fn a_schedule_fires_beside_its_times_when_it_is_told_to() {
    let world = world();
    world.set("10m", &json!({ "prompt": "go" }));
    world.pass(MINUTE);
    let run = |name: Option<&str>| ScheduleRun {
        target: target("alice@team"),
        name: name.map(|name| name.parse().unwrap()),
    };
    let fired = world.call("", run(None)).unwrap();
    assert_eq!((fired.fires, fired.next_due), (1, Some(Timestamp(BEGIN + 10 * MINUTE))));
    let refused = world.call("", run(Some("main"))).unwrap_err().to_string();
    assert_eq!(refused, "the last message of schedule main of `alice@team` is still open");
    world.work_off();
    world.set("1h", &json!({ "name": "other" }));
    let several = world.call("", run(None)).unwrap_err().to_string();
    assert_eq!(several, "`alice@team` has several schedules");
    world.call("", AgentStop { target: target("alice@team"), now: true }).unwrap();
    let stopped = world.call("", run(Some("main"))).unwrap_err().to_string();
    assert_eq!(stopped, "cannot wake `alice@team`: it is stopped");
    world.call("", AgentResume { target: target("alice@team") }).unwrap();
    world.wait(9 * MINUTE);
    assert_eq!(world.ledger(), ["1m ran", "10m ran"]);
    world.work_off();
}

#[test]
fn a_schedule_that_is_completed_is_refused_as_such() {
    let world = world();
    world.set("10m", &json!({ "name": "once", "prompt": "go", "max_fires": 1 }));
    world.wait(10 * MINUTE);
    assert_eq!(world.work_off(), 1);
    let name = Some("once".parse().unwrap());
    let run = ScheduleRun { target: target("alice@team"), name };
    let refused = world.call("", run).unwrap_err().into_body();
    assert_eq!(refused.message, "the schedule `once` of `alice@team` is completed or was removed");
    assert_eq!(refused.hint.as_deref(), Some("agent-worker schedule list alice@team --all"));
    assert_eq!(world.ledger(), ["10m ran"]);
}

#[test]
fn what_is_no_schedule_is_refused_and_nothing_is_stored() {
    let world = world();
    for (fields, says) in [
        (json!({ "spec": "0 0 30 2 *" }), "`0 0 30 2 *` never occurs"),
        (json!({ "spec": "*/90 * * * *" }), "steps by `90`"),
        (json!({ "spec": "2020-01-01T09:00" }), "`2020-01-01T09:00` is in the past"),
        (json!({ "timezone": "Mars/Olympus" }), "unknown time zone `Mars/Olympus`"),
        (json!({ "prompt": " " }), "the prompt of a schedule is empty"),
        (json!({ "prompt": "x".repeat(70_000) }), "has 70000 bytes, and it has at most 65536"),
        (json!({ "max_fires": 0 }), "`max_fires` is at least 1"),
        (json!({ "target": "user@team" }), "`user@team` is the user, not an agent"),
        (json!({ "target": "nobody@team" }), "no agent named `nobody`"),
    ] {
        let refused = world.call("", setting("10m", &fields)).unwrap_err().to_string();
        assert!(refused.contains(says), "{fields}: {refused}");
    }
    for spec in ["200ms", "soon", "1 2 3", "0 0 9 * * 1"] {
        let fields = json!({ "target": "alice", "spec": spec });
        assert!(serde_json::from_value::<ScheduleSet>(fields).is_err(), "{spec}");
    }
    assert!(world.schedules().is_empty());
    let clear = ScheduleClear { target: target("alice@team"), name: None };
    let refused = world.call("", clear.clone()).unwrap_err().to_string();
    assert_eq!(refused, "`alice@team` has no schedule");
    world.send("@alice go");
    let run = world.claim();
    match world.tool(&run, setting("10m", &json!({ "target": "alice" }))).unwrap_err() {
        OpError::Refused(body) => assert_eq!(body.code, ErrorCode::Denied),
        other => panic!("{other}"),
    }
    assert!(world.tool(&run, ScheduleList::default()).unwrap().schedules.is_empty());
    world.succeed(&run, "");
}

#[test]
fn a_schedule_goes_with_its_agent_and_with_its_clear() {
    let world = world();
    let made = world.set("10m", &json!({ "prompt": "go" }));
    world.set("20m", &json!({ "name": "other", "prompt": "go" }));
    let replaced = world.set("30m", &json!({ "prompt": "go" }));
    assert_ne!(made.id, replaced.id);
    let names = |world: &World| -> Vec<String> {
        world.schedules().iter().map(|one| one.schedule.name.to_string()).collect()
    };
    assert_eq!(names(&world), ["other", "main"]);
    let clear = |name: Option<&str>| ScheduleClear {
        target: target("alice@team"),
        name: name.map(|name| name.parse().unwrap()),
    };
    let wrong = world.call("", clear(Some("othr"))).unwrap_err();
    assert!(
        matches!(&wrong, OpError::Refused(body) if body.hint.as_deref() == Some("did you mean `other`?"))
    );
    world.call("", clear(Some("other"))).unwrap();
    assert_eq!(names(&world), ["main"]);
    let shown = world.call("", AgentShow { target: target("alice@team") }).unwrap();
    assert_eq!(shown.schedules.len(), 1);
    world.call("", AgentRemove { target: target("alice@team") }).unwrap();
    world.wait(HOUR);
    assert_eq!(world.ledger(), [""; 0]);
    let create: AgentCreate =
        serde_json::from_value(json!({ "name": "alice", "backend": "mock", "schedule": "5m" }))
            .unwrap();
    world.call("@team", create).unwrap();
    assert_eq!(
        (names(&world), world.schedule().spec),
        (vec!["main".into()], "5m".parse::<Due>().unwrap())
    );
}

#[test]
fn the_schedules_of_an_agent_are_not_those_of_an_earlier_one_with_its_name() {
    let world = world();
    world.set("10m", &json!({ "prompt": "go" }));
    let listed = |of: &str| world.call(of, ScheduleList { all: true });
    assert_eq!(listed("alice@team").unwrap().schedules.len(), 1);
    world.call("", AgentRemove { target: target("alice@team") }).unwrap();
    assert!(listed("alice@team").is_err(), "an agent that is not there has no list");
    let create = json!({ "name": "alice", "backend": "mock" });
    world.call("@team", serde_json::from_value::<AgentCreate>(create).unwrap()).unwrap();
    assert_eq!(listed("alice@team").unwrap().schedules, []);
    assert_eq!(listed("@team").unwrap().schedules.len(), 1);
}

#[test]
fn the_feed_tells_of_each_schedule_and_the_snapshot_agrees() {
    let world = world();
    let before = world.daemon(|cx| Ok(snapshot::take(cx)?.seq));
    world.set("10m", &json!({ "prompt": "go" }));
    world.wait(10 * MINUTE);
    world.work_off();
    let told: Vec<Schedule> = world.daemon(move |cx| {
        let filter = feed::Filter::new(None, Some("schedule.changed")).unwrap();
        let (lines, _) = feed::page(cx.db, &filter, before, 100)?;
        let body =
            |line: &feed::FeedLine| match serde_json::from_str::<agent_worker_protocol::Event>(
                &line.json,
            )
            .unwrap()
            .body
            {
                EventBody::ScheduleChanged(schedule) => *schedule,
                other => panic!("{other:?}"),
            };
        Ok(lines.iter().map(body).collect())
    });
    assert_eq!(told.iter().map(|one| one.fires).collect::<Vec<_>>(), [0, 1]);
    let snapshot = world.daemon(|cx| snapshot::take(cx));
    assert_eq!(snapshot.schedules, told[1..]);
}

#[test]
fn the_ledger_is_kept_for_30_days_and_schedules_that_are_over_go_with_it() {
    let world = world();
    world.set("24h", &json!({ "prompt": "go" }));
    for _ in 0..40 {
        world.wait(DAY);
        world.work_off();
    }
    world.daemon(sweep::sweep);
    assert_eq!(world.ledger().len(), 31);
    world.call("", ScheduleClear { target: target("alice@team"), name: None }).unwrap();
    world.daemon(sweep::sweep);
    assert_eq!(world.call("@team", ScheduleList { all: true }).unwrap().schedules.len(), 1);
    world.pass(40 * DAY);
    world.daemon(sweep::sweep);
    assert_eq!(world.call("@team", ScheduleList { all: true }).unwrap().schedules.len(), 0);
}

#[test]
fn a_schedule_that_cannot_be_reckoned_any_more_is_paused_and_stops_nobody_else() {
    let world = world();
    world.set("10m", &json!({ "prompt": "go" }));
    world.set("20m", &json!({ "name": "other", "prompt": "go" }));
    world.daemon(|cx| {
        let sql = "UPDATE schedules SET timezone = ?1 WHERE name = 'main'";
        cx.conn.execute(sql, params!["Gone/Away"])?;
        Ok(())
    });
    world.wait(10 * MINUTE);
    assert_eq!(world.schedule().state, ScheduleState::Paused);
    let told = "the schedule main of alice is paused: unknown time zone `Gone/Away`: ";
    let notice = world.last_message().content;
    assert!(notice.starts_with(told), "{notice}");
    world.wait(10 * MINUTE);
    assert_eq!(world.work_off(), 1);
}

/// The steps of a look at the newest time that tells whether the last run was over, after minutes
/// of the schedule.
fn steps_after(world: &World, minutes: i64) -> i32 {
    for _ in 0..minutes {
        world.wait(MINUTE);
    }
    world.daemon(|cx| {
        let looks = cx.conn.prepare_cached(NEWEST_TELLING)?;
        Ok(looks.reset_status(StatementStatus::VmStep))
    });
    world.wait(MINUTE);
    world.daemon(|cx| {
        let looks = cx.conn.prepare_cached(NEWEST_TELLING)?;
        Ok(looks.get_status(StatementStatus::VmStep))
    })
}

#[test]
fn a_due_time_costs_no_more_the_longer_the_agent_is_paused() {
    let world = world();
    world.work_off();
    world.set("1m", &json!({}));
    world.wait(MINUTE);
    world.work_off();
    let alice = world.agent("alice").id;
    world.daemon(move |cx| state::pause(cx, alice, "no key"));
    let (early, late) = (steps_after(&world, 2), steps_after(&world, 60));
    assert!(0 < early && late <= 2 * early, "{early} steps, then {late}");
}

#[test]
fn a_due_time_costs_no_more_the_longer_the_last_message_is_open() {
    let world = world();
    world.work_off();
    world.set("1m", &json!({ "prompt": "go" }));
    world.wait(MINUTE);
    let (early, late) = (steps_after(&world, 2), steps_after(&world, 60));
    assert!(0 < early && late <= 2 * early, "{early} steps, then {late}");
    assert_eq!((world.count("ran"), world.count("skipped overlap")), (1, 64));
}

#[test]
fn a_message_that_is_open_for_40_days_holds_back_the_next_time() {
    let world = world();
    world.set("24h", &json!({ "prompt": "go" }));
    for _ in 0..41 {
        world.wait(DAY);
    }
    world.daemon(sweep::sweep);
    world.wait(DAY);
    assert_eq!((world.schedule().fires, world.count("ran")), (1, 1));
    assert_eq!(world.work_off(), 1);
    world.wait(DAY);
    assert_eq!(world.schedule().fires, 2);
}
