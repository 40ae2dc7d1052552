//! Due times whose message a limit of the workflow holds.

use agent_worker_protocol::{DeliveryDrop, Event, LimitsSet};

use super::*;

fn lasting(limit: &str) -> Limits {
    Limits { duration: Some(limit.parse().unwrap()), ..Limits::default() }
}

/// A schedule of alice has fired after the time of its workflow was used up.
fn over_budget() -> World {
    let world = World::new();
    world.start_with(&["alice", "bob"], "hello", Mode::Start, lasting("5m"));
    world.set("10m", &json!({ "prompt": "go" }));
    world.wait(10 * MINUTE);
    assert!(world.try_claim().is_none());
    world
}

/// The schedule as the feed told it last.
fn told_last(world: &World) -> Schedule {
    let mut told: Vec<Schedule> = world.daemon(|cx| {
        let filter = feed::Filter::new(None, Some("schedule.changed")).unwrap();
        let (lines, _) = feed::page(cx.db, &filter, 0, usize::MAX)?;
        let schedule = |line: &feed::FeedLine| {
            let event: Event = serde_json::from_str(&line.json).unwrap();
            match event.body {
                EventBody::ScheduleChanged(schedule) => *schedule,
                other => panic!("{other:?}"),
            }
        };
        Ok(lines.iter().map(schedule).collect())
    });
    told.pop().unwrap()
}

#[test]
fn a_due_time_is_skipped_with_the_reason_while_a_budget_holds_its_message() {
    let world = over_budget();
    let held = world.schedule().last.unwrap();
    assert_eq!(held.outcome, FireOutcome::Skipped);
    let reason = held.reason.as_deref().unwrap();
    let expected = "its message is held: budget: the time limit of 5m";
    assert!(held.is_held() && reason.starts_with(expected), "{reason}");
    assert_eq!(told_last(&world), world.schedule());
    let fired = world.schedules().remove(0).fired.remove(0);
    assert_eq!((fired.fire, fired.run), (held, None));

    let raised = LimitsSet { key: team(), limits: lasting("1h"), unset: Vec::new() };
    world.call("", raised).unwrap();
    let run = world.claim();
    let last = world.schedule().last.unwrap();
    assert_eq!((last.outcome, last.reason), (FireOutcome::Ran, None));
    assert_eq!(told_last(&world), world.schedule());
    assert_eq!(world.schedules().remove(0).fired.remove(0).run, Some(run.run()));
}

#[test]
fn a_due_time_whose_message_is_held_after_its_run_tells_both() {
    let (world, run) = cancelled();
    let fired = world.schedules().remove(0).fired.remove(0);
    assert_eq!((fired.fire.outcome, fired.run), (FireOutcome::Ran, Some(run.run())));
    assert_eq!(fired.fire.reason.as_deref(), Some("its message is held: cancelled"));
    assert_eq!(told_last(&world), world.schedule());

    let discard = DeliveryDrop { target: Some(target("alice@team")), message: None };
    world.call("", discard).unwrap();
    let last = world.schedule().last.unwrap();
    assert_eq!((last.outcome, last.reason), (FireOutcome::Ran, None));
    assert_eq!(told_last(&world), world.schedule());
}

#[test]
fn a_due_time_whose_held_message_is_discarded_stays_skipped() {
    let world = over_budget();
    let discard = DeliveryDrop { target: Some(target("alice@team")), message: None };
    world.call("", discard).unwrap();
    let last = world.schedule().last.unwrap();
    assert_eq!(last.outcome, FireOutcome::Skipped);
    assert_eq!(last.reason.as_deref(), Some("its message was discarded"));
    assert_eq!(told_last(&world), world.schedule());
}

#[test]
fn due_times_after_a_held_message_are_skipped_with_what_holds_it() {
    let world = over_budget();
    world.wait(10 * MINUTE);
    assert_eq!(world.ledger(), ["10m ran", "20m skipped overlap"]);
    let reason = world.schedule().last.unwrap().reason.unwrap();
    let expected = "overlap, its last message is held: budget: the time limit of 5m";
    assert!(reason.starts_with(expected), "{reason}");
    assert_eq!(told_last(&world), world.schedule());

    let raised = LimitsSet { key: team(), limits: lasting("1h"), unset: Vec::new() };
    world.call("", raised).unwrap();
    world.wait(10 * MINUTE);
    assert_eq!(world.schedule().last.unwrap().reason.as_deref(), Some("overlap"));
    assert_eq!(world.work_off(), 1);
    world.wait(10 * MINUTE);
    assert_eq!(world.ledger()[3..], ["40m ran"]);
}

#[test]
fn times_that_passed_behind_a_held_message_are_not_shown_as_next() {
    let world = World::new();
    world.start_with(&["alice", "bob"], "hello", Mode::Start, lasting("5m"));
    world.set("10m", &json!({ "prompt": "go", "overlap": "queue" }));
    world.wait(10 * MINUTE);
    assert!(world.try_claim().is_none());
    world.pass(35 * MINUTE);
    world.look();
    let next = world.schedules().remove(0).next;
    assert_eq!(next[0], Timestamp(BEGIN + 50 * MINUTE), "{next:?}");
}

#[test]
fn a_schedule_that_has_fired_for_the_last_time_is_shown_while_its_message_is_held() {
    let world = World::new();
    world.start_with(&["alice", "bob"], "hello", Mode::Start, lasting("5m"));
    world.set("10m", &json!({ "prompt": "go", "max_fires": 1 }));
    world.set("2023-11-14T22:20", &json!({ "name": "once", "prompt": "go" }));
    world.wait(10 * MINUTE);
    assert!(world.try_claim().is_none());
    let shown = world.schedules();
    assert_eq!(shown.len(), 2);
    for one in shown {
        assert_eq!((one.schedule.state, one.next.len()), (ScheduleState::Completed, 0));
        assert!(one.schedule.last.unwrap().is_held(), "{}", one.schedule.name);
        assert!(one.fired[0].fire.is_held());
    }
    let discard = DeliveryDrop { target: Some(target("alice@team")), message: None };
    world.call("", discard).unwrap();
    assert!(world.schedules().is_empty());
}

#[test]
fn a_cleared_schedule_tells_which_of_its_messages_are_still_held() {
    let world = over_budget();
    let message = world.schedule().last.unwrap().message.unwrap();
    world.set("1h", &json!({ "name": "other", "prompt": "go" }));
    let clear = |name: Option<&str>| {
        let name = name.map(|name| name.parse().unwrap());
        world.call("", ScheduleClear { target: target("alice@team"), name }).unwrap()
    };
    assert!(clear(Some("other")).held.is_empty());
    let cleared = clear(None);
    assert_eq!((cleared.schedules.len(), cleared.held), (1, vec![message]));
    assert_eq!(world.delivery_state("alice", message), DeliveryState::Held);
}

#[test]
fn a_cleared_date_that_was_only_run_by_hand_is_not_shown() {
    let world = World::new();
    world.start_with(&["alice", "bob"], "hello", Mode::Start, lasting("5m"));
    world.set("2030-01-31T09:00", &json!({ "prompt": "go" }));
    world.call("", ScheduleRun { target: target("alice@team"), name: None }).unwrap();
    world.wait(10 * MINUTE);
    assert!(world.try_claim().is_none());
    assert!(world.schedule().last.unwrap().is_held());
    let clear = ScheduleClear { target: target("alice@team"), name: None };
    assert_eq!(world.call("", clear).unwrap().held.len(), 1);
    assert!(world.schedules().is_empty(), "the user has ended it before its date");
}
