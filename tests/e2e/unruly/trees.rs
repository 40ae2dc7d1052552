//! §6: after a run, and after a daemon killed with SIGKILL, no process of a run is left, whatever
//! it has started and however that hides.

use agent_worker_process::Process;
use agent_worker_protocol::{DeliveryState, FailureClass, RunState};
use rustix::process::{Pid, Signal, kill_process};

use super::{
    litter,
    stage::{ONCE, Outcome, Stage, shell},
};
use crate::support::{Watch, block_on, wait_until};

/// A run that does nothing more is soon given up.
const IDLE: &str = "idle = \"3s\"\n";

/// Plays a run that leaves everything behind and then does this.
fn littering(then: &str, config: &str) -> (Stage, Outcome) {
    let mut stage = Stage::new(&format!("{ONCE}{config}"));
    let outcome = block_on(stage.play(&format!("{}\n{then}", shell(&litter::command()))));
    (stage, outcome)
}

fn assert_nothing_is_left(stage: &Stage, outcome: &Outcome) {
    assert_eq!(outcome.left, Vec::<String>::new(), "{outcome:?}");
    assert_eq!(stage.noted(), []);
    stage.home.assert_only_the_daemon_is_left();
}

#[test]
fn nothing_is_left_of_a_run_that_ended_well() {
    let (stage, outcome) = littering("- say: done", "");
    assert_eq!(outcome.run.state, RunState::Succeeded, "{outcome:?}");
    assert_eq!((outcome.mail.state, outcome.mail.attempts), (DeliveryState::Acked, 1));
    assert_nothing_is_left(&stage, &outcome);
}

#[test]
fn nothing_is_left_of_a_worker_that_was_killed() {
    let (stage, outcome) = littering("- fail: crash", "");
    assert_eq!(outcome.run.class, Some(FailureClass::Transient), "{outcome:?}");
    assert_eq!((outcome.mail.state, outcome.mail.attempts), (DeliveryState::Waiting, 1));
    assert!(outcome.run.error.as_deref().unwrap().contains("signal 9"), "{outcome:?}");
    assert_nothing_is_left(&stage, &outcome);
}

#[test]
fn nothing_is_left_of_a_worker_that_hangs() {
    let (stage, outcome) = littering("- fail: hang", IDLE);
    assert_eq!(outcome.run.class, Some(FailureClass::TimedOut), "{outcome:?}");
    assert_eq!((outcome.mail.state, outcome.mail.attempts), (DeliveryState::Waiting, 1));
    assert_nothing_is_left(&stage, &outcome);
}

#[test]
fn nothing_is_left_of_a_worker_that_is_stopped() {
    let (stage, outcome) = littering(&shell("kill -STOP $PPID"), IDLE);
    assert_eq!(outcome.run.class, Some(FailureClass::TimedOut), "{outcome:?}");
    assert_eq!((outcome.mail.state, outcome.mail.attempts), (DeliveryState::Waiting, 1));
    assert_nothing_is_left(&stage, &outcome);
}

/// Kills the daemon while a run is in the middle of this, and waits until nothing of it is
/// there. `then` is what the worker is doing, and `stopped` who is stopped by then.
fn daemon_killed_during(then: &str, stopped: Option<&str>) {
    let mut stage = Stage::new(ONCE);
    block_on(async {
        let mut watch = Watch::now(&stage.client()).await;
        stage.begin(&format!("{}\n- think: ready\n{then}", shell(&litter::command()))).await;
        if stopped.is_none() {
            watch.run_is("alice", "thinking").await;
        }
    });
    if let Some(stopped) = stopped {
        wait_until("it is stopped", || {
            stage.home.members().beginning(stopped).into_iter().any(is_stopped)
        });
    }
    let noted = stage.noted();
    assert!(noted.len() > 9, "{noted:?}");
    killed(stage, &noted);
}

fn killed(stage: Stage, noted: &[Process]) {
    let Stage { home, daemon, .. } = stage;
    daemon.kill();
    home.assert_nobody_is_left();
    wait_until("all are gone", || !noted.iter().any(|process| process.is_alive()));
}

fn is_stopped(process: Pid) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{}/stat", process.as_raw_nonzero()));
    let stat = stat.unwrap_or_default();
    stat.rsplit(')').next().is_some_and(|fields| fields.trim_start().starts_with('T'))
}

#[test]
fn a_killed_daemon_leaves_nothing_of_a_busy_worker() {
    daemon_killed_during("- sleep: 10m", None);
}

#[test]
fn a_killed_daemon_leaves_nothing_of_a_stopped_worker() {
    daemon_killed_during(&shell("kill -STOP $PPID"), Some("agent-worker worker"));
}

#[test]
fn a_killed_daemon_leaves_nothing_of_a_worker_with_stopped_children() {
    daemon_killed_during(&shell("kill -STOP $$"), Some("sh -c kill -STOP"));
}

#[test]
fn a_killed_daemon_leaves_nothing_of_a_worker_that_is_about_to_end() {
    let mut stage = Stage::new(&format!("{ONCE}stop_grace = \"0s\"\n"));
    block_on(async {
        let mut watch = Watch::now(&stage.client()).await;
        stage.begin(&format!("{}\n- think: ready\n- say: done", shell(&litter::command()))).await;
        watch.run_is("alice", "writing").await;
    });
    let noted = stage.noted();
    killed(stage, &noted);
}

#[test]
fn a_killed_tree_is_a_crash() {
    let mut stage = Stage::new(ONCE);
    block_on(async {
        let mut watch = Watch::now(&stage.client()).await;
        let steps = format!("{}\n- think: ready\n- sleep: 10m", shell(&litter::command()));
        let alice = stage.begin(&steps).await;
        watch.run_is("alice", "thinking").await;
        let daemon = stage.home.daemon_file().unwrap().pid;
        for process in stage.home.members().pids() {
            if process.as_raw_nonzero().get().unsigned_abs() != daemon {
                let _ = kill_process(process, Signal::KILL);
            }
        }
        let outcome = stage.outcome(&mut watch, &alice).await;
        assert_eq!(outcome.run.class, Some(FailureClass::Transient), "{outcome:?}");
        assert_eq!((outcome.mail.state, outcome.mail.attempts), (DeliveryState::Waiting, 1));
        assert_nothing_is_left(&stage, &outcome);
    });
}
