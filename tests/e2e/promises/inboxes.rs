//! Deliveries that do not wake are read by the next run, whatever conversation they are of (§5).

use agent_worker_protocol::{FireOutcome, Run, RunId, RunKind, RunState, ScheduleShow};

use crate::support::{Home, Watch, block_on};

const IVY: &str = "- times: 0\n  do: [ { say: noted } ]\n";

/// A home in which ivy, who answers everything with a word, is in the default scope.
fn home_of_ivy(schedule: &[&str]) -> (Home, crate::support::Running) {
    let home = Home::new();
    let daemon = home.daemon();
    home.write("ivy.yaml", IVY);
    let new = ["new", "ivy", "--backend", "mock", "--script", "ivy.yaml"];
    home.ok(&new.iter().chain(schedule).copied().collect::<Vec<_>>());
    (home, daemon)
}

fn has_succeeded(run: &Run) -> bool {
    run.state == RunState::Succeeded
}

/// How many messages wait in an inbox.
fn waiting(home: &Home, agent: &str) -> usize {
    home.json(&["inbox", agent])["messages"].as_array().unwrap().len()
}

fn transcript(home: &Home, run: RunId) -> String {
    home.ok(&["logs", &run.to_string()])
}

#[test]
fn information_sent_directly_is_read_by_the_next_run_in_the_channel() {
    let (home, _daemon) = home_of_ivy(&[]);
    home.ok(&["send", "ivy", "FYI: the deadline is Friday", "--inform"]);
    home.ok(&["send", "@global", "@ivy what is new?", "--inform"]);
    home.ok(&["group", "create", "inner", "ivy"]);
    home.ok(&["send", "inner", "FYI: the room is free"]);
    let mut watch = block_on(Watch::now(&home.client()));
    home.ok(&["send", "@global", "@ivy please begin"]);
    let run = block_on(watch.run_ended(has_succeeded));
    assert_eq!(waiting(&home, "ivy"), 0);
    let shown = transcript(&home, run.id);
    for text in ["the deadline is Friday", "what is new?", "the room is free", "please begin"] {
        assert!(shown.contains(text), "{text}: {shown}");
    }
    assert!(shown.contains("private to ivy+user"), "{shown}");
    assert!(shown.contains("private to the group inner"), "{shown}");
}

#[test]
fn a_poll_reads_what_it_was_started_for_and_does_not_run_again() {
    let (home, _daemon) = home_of_ivy(&["--schedule", "1s"]);
    block_on(async {
        let client = home.client();
        let mut watch = Watch::now(&client).await;
        home.ok(&["send", "ivy", "FYI: the deadline is Friday", "--inform"]);
        let run = watch.run_ended(has_succeeded).await;
        assert_eq!(run.kind, RunKind::Scheduled);
        assert!(transcript(&home, run.id).contains("the deadline is Friday"));
        assert_eq!(waiting(&home, "ivy"), 0);
        // The due times after it find nothing unread, so that it costs nothing.
        let show = ScheduleShow { target: "ivy".parse().unwrap() };
        watch
            .wait("two due times have passed", |event| {
                (event.body.kind() == "schedule.changed").then_some(())
            })
            .await;
        watch
            .wait("two due times have passed", |event| {
                (event.body.kind() == "schedule.changed").then_some(())
            })
            .await;
        let shown = client.call(&show).await.unwrap();
        let fires = &shown.schedules[0].fired;
        let ran = fires.iter().filter(|one| one.fire.outcome == FireOutcome::Ran).count();
        assert_eq!(ran, 1, "{fires:?}");
    });
}
