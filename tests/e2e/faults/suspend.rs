//! Time that passes without the daemon, and clocks that are set: a run or client that could not
//! report is not taken for dead, and no due time is lost (§§6, 9, 13).

use std::time::Duration;

use agent_worker_protocol::{Mode, Run, RunState, WorkflowState};
use rustix::process::{Signal, kill_process};

use crate::support::{Home, Team, Watch, block_on, mock};

/// Limits that a stop of this length goes beyond, however it falls between two beats.
const CONFIG: &str = "[runs]\nheartbeat = \"200ms\"\nheartbeat_lost = \"2500ms\"\nidle = \"2800ms\"\n\
    total = \"5s\"\n";
const STOPPED: Duration = Duration::from_millis(3200);

/// Stops the daemon, and its workers with it if that is wanted, while a run is at work.
fn suspended(with_workers: bool) -> Run {
    let home = Home::with_config(CONFIG);
    let daemon = home.daemon();
    let run = block_on(async {
        let client = home.client();
        // It works for less than its limits, and for longer than that by the clock.
        let team = Team::new("team", "@alice go").agent(
            "alice",
            &mock("- think: hm\n- sleep: 1s\n- think: so\n- sleep: 1s\n- say: done"),
        );
        let mut watch = team.watched(&home, &client, Mode::Run).await;
        watch.run_works("alice").await;
        let workers = home.members().beginning("agent-worker worker");
        assert_eq!(workers.len(), 1);
        let stopped = if with_workers { workers } else { Vec::new() };
        for pid in stopped.iter().chain([&daemon.pid()]) {
            kill_process(*pid, Signal::STOP).unwrap();
        }
        // Nothing can be waited for but that the time passes.
        tokio::time::sleep(STOPPED).await;
        daemon.signal(Signal::CONT);
        for pid in &stopped {
            kill_process(*pid, Signal::CONT).unwrap();
        }
        let run = watch.run_ended(|_| true).await;
        watch.workflow(WorkflowState::Completed).await;
        home.assert_promises_kept().await;
        run
    });
    daemon.stop();
    home.assert_nobody_is_left();
    run
}

#[test]
fn a_suspended_machine_takes_no_worker_for_dead() {
    let run = suspended(true);
    assert_eq!(run.state, RunState::Succeeded, "{run:?}");
}

#[test]
fn a_suspended_daemon_hears_the_beats_that_it_has_missed() {
    let run = suspended(false);
    assert_eq!(run.state, RunState::Succeeded, "{run:?}");
}

const DAY: i64 = 86_400_000;

/// The clock is set in the middle of the work, and once more before the next start.
fn clocks(first: i64, second: i64) {
    let home = Home::with_config(
        "[runs]\nretry_delay = \"300ms\"\nsweep = \"200ms\"\nstarts_after_restart = 100\n",
    );
    let alice = "- do: [ { think: hm }, { fail: transient } ]\n\
                 - do: [ { think: hm }, { fail: rate_limited 300ms } ]\n\
                 - do: [ { say: \"@bob ping\" } ]\n- times: 0\n  do: [ { say: \"\" } ]\n";
    let bob = "- do: [ { think: hm }, { sleep: 300ms }, { say: pong } ]\n";
    let team = Team::new("team", "@alice go").agent("alice", alice).agent("bob", bob);
    let mut daemon = home.failing_daemon(&format!("clock=20*off->return({first})"));
    assert!(daemon.first_line().starts_with("ready"));
    block_on(async {
        let client = home.client();
        let mut watch = team.watched(&home, &client, Mode::Run).await;
        watch.run_works("bob").await;
    });
    daemon.kill();
    let mut daemon = home.failing_daemon(&format!("clock=return({second})"));
    assert!(daemon.first_line().starts_with("ready"));
    block_on(async {
        let client = home.client();
        let mut watch = Watch::all(&client).await;
        watch.workflow(WorkflowState::Completed).await;
        let ledger = home.assert_promises_kept().await;
        assert!(ledger.runs.len() >= 5, "{:?}", ledger.runs);
    });
    daemon.stop();
    home.assert_nobody_is_left();
}

#[test]
fn a_clock_that_is_set_back_holds_nothing_up() {
    clocks(-DAY, -30 * DAY);
}

#[test]
fn a_clock_that_is_set_ahead_loses_nothing() {
    clocks(DAY, 40 * DAY);
}

#[test]
fn a_clock_that_goes_ahead_and_comes_back_holds_nothing_up() {
    clocks(30 * DAY, 0);
}
