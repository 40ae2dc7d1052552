use agent_worker_protocol::Overlap;

use super::*;
use crate::text::{Clock, plain};

fn sample() -> Schedule {
    serde_json::from_value(serde_json::json!({
        "id": "sched_3", "scope": "@team", "agent": "alice@team", "name": "main",
        "maker": "user", "spec": "0 9 * * 1-5", "timezone": "UTC",
        "prompt": "write\u{1b}[2J it", "only_if_unread": true, "overlap": "skip", "context": "isolated",
        "missed": "once", "max_fires": 5, "fires": 2, "state": "active",
        "next_due": 32_400_000,
        "last": { "due_at": 60_000, "outcome": "skipped", "reason": "nothing unread",
            "message": null, "fired_at": 60_000 },
        "created_at": 0
    }))
    .unwrap()
}

fn view() -> View {
    View { clock: Clock::standing(agent_worker_protocol::Timestamp(0)), width: None }
}

#[test]
fn a_list_shows_when_each_is_due_next_and_what_became_of_the_last_time() {
    let list = Schedules { schedules: vec![sample()] };
    insta::assert_snapshot!(plain(&table(&view(), &list.schedules)), @r"
    AGENT       SCHEDULE  DUE              NEXT   LAST           STATE   PROMPT
    alice@team  main      0 9 * * 1-5 UTC  09:00  00:01 skipped  active  write⟦esc⟧ it
    ");
    assert_eq!(table(&view(), &[]), "no schedules");
}

#[test]
fn a_list_tells_that_the_message_of_a_date_is_held() {
    let reason = Some(format!("{}: budget: 7 of 5 tokens are used", Fire::HELD));
    let last = sample().last.map(|last| Fire { reason, ..last });
    let state = ScheduleState::Completed;
    let over = Schedule { spec: "2030-01-31T09:00".parse().unwrap(), last, state, ..sample() };
    let text = plain(&table(&view(), &[over]));
    assert!(text.contains("00:01 skipped, message held  completed"), "{text}");
}

#[test]
fn a_schedule_that_is_set_tells_a_due_time_of_tomorrow_with_its_date() {
    let evening = View { clock: Clock::standing(Timestamp(72_000_000)), width: None };
    let of = |next_due| Schedules {
        schedules: vec![Schedule { next_due: Some(Timestamp(next_due)), ..sample() }],
    };
    let tomorrow = changed(&evening, &of(91_800_000));
    assert_eq!(tomorrow, "main of alice@team: active, due next 1970-01-02 01:30:00");
    let today = changed(&evening, &of(75_600_000));
    assert_eq!(today, "main of alice@team: active, due next 21:00:00");
    let mut there = of(75_600_000);
    there.schedules[0].timezone = "Europe/Berlin".parse().unwrap();
    let told = "main of alice@team: active, due next 22:00:00 Europe/Berlin";
    assert_eq!(changed(&evening, &there), told);
}

#[test]
fn cleared_schedules_tell_of_their_messages_that_are_still_held() {
    let state = ScheduleState::Completed;
    let schedules = vec![Schedule { state, next_due: None, ..sample() }];
    let told = |held: &[&str]| {
        let held = held.iter().map(|id| id.parse().unwrap()).collect();
        let cleared = SchedulesCleared { schedules: schedules.clone(), held };
        super::cleared(&cleared)
    };
    assert_eq!(told(&[]), "main of alice@team: removed");
    insta::assert_snapshot!(told(&["msg_4", "msg_9"]), @r"
    main of alice@team: removed
    2 messages are still held
    hint: agent-worker drop msg_4
    hint: agent-worker drop msg_9
    ");
}

#[test]
fn a_list_shows_a_due_time_of_tomorrow_with_its_date() {
    let evening = View { clock: Clock::standing(Timestamp(72_000_000)), width: None };
    let tomorrow = Schedule { next_due: Some(Timestamp(91_800_000)), ..sample() };
    let text = plain(&table(&evening, &[tomorrow]));
    assert!(text.contains("1970-01-02 01:30"), "{text}");
}

#[test]
fn a_list_shows_the_next_time_by_the_clock_of_the_schedule_with_its_zone() {
    let of = |spec: &str| {
        let timezone = "Asia/Tokyo".parse().unwrap();
        let there = Schedule { spec: spec.parse().unwrap(), timezone, ..sample() };
        plain(&table(&view(), &[there]))
    };
    let daily = of("0 18 * * *");
    assert!(daily.contains("  0 18 * * * Asia/Tokyo  18:00 Asia/Tokyo  "), "{daily}");
    let often = of("2s");
    assert!(often.contains("  every 2s  18:00:00 Asia/Tokyo  "), "{often}");
}

#[test]
fn a_list_shows_the_seconds_of_a_schedule_that_is_due_more_than_once_a_minute() {
    let of = |spec: &str| {
        let next_due = Some(Timestamp(32_402_000));
        let often = Schedule { spec: spec.parse().unwrap(), next_due, ..sample() };
        plain(&table(&view(), &[often]))
    };
    let text = of("2s");
    assert!(text.contains("  09:00:02  00:01:00 skipped  "), "{text}");
    let text = of("1m");
    assert!(text.contains("  09:00  00:01 skipped  "), "{text}");
}

#[test]
fn the_next_times_are_those_of_the_clock_of_the_schedule_with_its_zone() {
    let of = |zone: &str| {
        let mut schedule = serde_json::to_value(sample()).unwrap();
        schedule["timezone"] = zone.into();
        let schedule = serde_json::from_value(schedule).unwrap();
        let detail = ScheduleDetail {
            schedule,
            next: vec![Timestamp(32_400_000), Timestamp(118_800_000)],
            fired: vec![],
        };
        plain(&super::detail(&view(), &detail))
    };
    let there = of("Asia/Tokyo");
    let next = "next     18:00:00 Asia/Tokyo, 1970-01-02 18:00:00 Asia/Tokyo\n";
    assert!(there.contains(next), "{there}");
    assert!(of("UTC").contains("next     09:00:00, 1970-01-02 09:00:00\n"), "{}", of("UTC"));
}

#[test]
fn a_heartbeat_tells_its_part_of_the_day() {
    let hours = Some("08:00-22:00".parse().unwrap());
    let heartbeat = Schedule { spec: "30m".parse().unwrap(), hours, ..sample() };
    assert_eq!(due(&heartbeat), "every 30m, 08:00-22:00 UTC");
}

#[test]
fn a_date_has_one_zone() {
    let at = |spec: &str| due(&Schedule { spec: spec.parse().unwrap(), ..sample() });
    assert_eq!(at("2030-01-31T09:00"), "2030-01-31T09:00 UTC");
    assert_eq!(at("2030-01-31T09:00:00+02:00"), "2030-01-31T09:00:00+02:00");
}

#[test]
fn a_due_time_whose_message_no_run_has_did_not_run() {
    let fired = serde_json::json!({ "due_at": 0, "outcome": "ran", "reason": null,
        "message": "msg_4", "fired_at": 0, "run": null });
    let told = plain(&judged(&view(), &serde_json::from_value(fired).unwrap()));
    assert!(told.ends_with("  sent msg_4, which no run has"), "{told}");
}

#[test]
fn a_due_time_that_ran_tells_what_holds_its_message() {
    let reason = format!("{}: budget: 7 of 5 tokens are used", Fire::HELD);
    let fired = serde_json::json!({ "due_at": 0, "outcome": "ran", "reason": reason,
        "message": "msg_4", "fired_at": 0, "run": "run_7" });
    let told = plain(&judged(&view(), &serde_json::from_value(fired).unwrap()));
    let expected = "  ran: run_7, its message is held: budget: 7 of 5 tokens are used";
    assert!(told.ends_with(expected), "{told}");
}

#[test]
fn a_due_time_that_has_come_waits_for_the_last_run_where_it_is_queued() {
    let noon = View { clock: Clock::standing(Timestamp(43_200_000)), width: None };
    let queues = Schedule { overlap: Overlap::Queue, ..sample() };
    let listed = plain(&table(&noon, std::slice::from_ref(&queues)));
    assert!(listed.contains("  09:00  00:01 skipped  waits for its last run  "), "{listed}");
    let told = changed(&noon, &Schedules { schedules: vec![queues.clone()] });
    assert_eq!(told, "main of alice@team: waits for its last run, due since 09:00:00");
    let detail = ScheduleDetail { schedule: queues, next: Vec::new(), fired: Vec::new() };
    let shown = plain(&super::detail(&noon, &detail));
    assert!(shown.contains("state    waits for its last run\n"), "{shown}");
    assert!(shown.ends_with("\n  09:00:00  waits for its last run"), "{shown}");
    assert_eq!(state(&noon, &sample()), "active", "it skips that time");
}

#[test]
fn a_schedule_is_shown_with_its_rules_and_times() {
    let fire = |due_at, outcome, message: Option<&str>, fired_at: i64| {
        serde_json::json!({ "due_at": due_at, "outcome": outcome, "reason": "nothing unread",
            "message": message, "fired_at": fired_at, "run": message.map(|_| "run_7") })
    };
    let detail = ScheduleDetail {
        schedule: sample(),
        next: vec![Timestamp(32_400_000)],
        fired: vec![
            serde_json::from_value(fire(60_000, "skipped", None, 60_000)).unwrap(),
            serde_json::from_value(fire(0, "ran", Some("msg_1"), 600_000)).unwrap(),
        ],
    };
    let details = ScheduleDetails { schedules: vec![detail] };
    let target = "alice@team".parse().unwrap();
    insta::assert_snapshot!(plain(&super::details(&view(), &target, &details)), @r"
    main of alice@team
    due      0 9 * * 1-5 UTC
    state    active
    next     09:00:00
    fired    2 times of 5
    rules    only with unread messages; skips while its last run continues; one run for all missed times; each run has a new session
    created  00:00:00 by user
    prompt   write⟦esc⟧ it
      00:01:00  skipped: nothing unread
      00:00:00  ran: run_7, 10m 0s late
    ");
}
