//! Due times that wait for the last run of their schedule.

use super::*;

/// The second time of a schedule of alice has come while the message of the first is open.
fn waiting() -> World {
    let world = world();
    world.set("10m", &json!({ "prompt": "go", "overlap": "queue" }));
    world.wait(20 * MINUTE);
    assert_eq!(world.ledger(), ["10m ran"]);
    world
}

#[test]
fn a_due_time_that_has_come_is_told_as_waiting_until_the_last_run_is_over() {
    let world = waiting();
    let told = || world.schedule().waiting(Timestamp(world.now()));
    assert_eq!(told(), Some(Timestamp(BEGIN + 20 * MINUTE)));
    assert_eq!(world.work_off(), 2);
    assert_eq!((told(), world.ledger()), (None, vec!["10m ran".to_owned(), "20m ran".to_owned()]));
}

#[test]
fn a_due_time_that_waits_when_a_run_ends_is_skipped_with_the_reason() {
    let world = World::new();
    let mut launch = launch_of(&["alice"], "@alice begin", Mode::Run, Limits::default());
    launch.agents[0].schedules =
        vec![NewSchedule { overlap: Overlap::Queue, ..of_file("main", "10m") }];
    world.try_start(launch).unwrap();
    let begin = world.claim();
    world.wait(20 * MINUTE);
    world.succeed(&begin, "begun");
    world.succeed(&world.claim(), "");
    assert_eq!(world.state(), WorkflowState::Completed);
    assert_eq!(world.ledger(), ["10m ran", "20m skipped stopped"]);
    let last = world.schedule().last.unwrap();
    let expected = "stopped: its workflow did not run long enough for its turn";
    assert_eq!(last.reason.as_deref(), Some(expected));
}

#[test]
fn a_due_time_that_waits_when_its_workflow_stops_leaves_the_last_message_open() {
    let world = waiting();
    world.call("", WorkflowStop { key: team(), purge: false, now: false, timeout: None }).unwrap();
    assert_eq!(world.ledger(), ["10m ran", "20m skipped stopped"]);
    world.call("", WorkflowResume { key: team() }).unwrap();
    world.wait(10 * MINUTE);
    assert_eq!(world.ledger().len(), 2, "the next one waits for the last run too");
    assert_eq!(world.work_off(), 2);
    assert_eq!(world.ledger()[2..], ["30m ran"]);
}

#[test]
fn a_due_time_that_waits_when_its_schedule_is_paused_is_skipped_at_once() {
    let world = waiting();
    world.call("", SchedulePause { target: target("alice@team"), name: None }).unwrap();
    assert_eq!(world.ledger(), ["10m ran", "20m skipped paused"]);
    world.work_off();
}
