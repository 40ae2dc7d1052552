//! §6, §13: who is not meant is not met: neither a stranger with an old number nor a worker by what
//! its own commands send around.

use std::process::{Child, Command, Stdio};

use agent_worker_process::Process;
use agent_worker_protocol::{DeliveryState, RunShow, RunState};
use rustix::process::{Pid, Signal, kill_process};

use super::stage::{ONCE, Stage, shell};
use crate::support::{Watch, block_on, not_permitted, wait_until};

/// A process with this number, where the system lets one choose.
fn stranger(pid: i32) -> Option<Child> {
    for _ in 0..200 {
        std::fs::write("/proc/sys/kernel/ns_last_pid", (pid - 1).to_string()).ok()?;
        let mut sleep = Command::new("sleep");
        let mut child = sleep.arg("300").stdin(Stdio::null()).spawn().unwrap();
        if Pid::from_child(&child).as_raw_nonzero().get() == pid {
            return Some(child);
        }
        child.kill().unwrap();
        child.wait().unwrap();
    }
    None
}

#[test]
fn a_stranger_with_the_number_of_an_old_worker_is_left_alone() {
    let mut stage = Stage::new(ONCE);
    let run = block_on(async {
        let mut watch = Watch::now(&stage.client()).await;
        stage.begin("- think: hm\n- sleep: 10m").await;
        watch.run_works("alice").await
    });
    let shown = block_on(stage.client().call(&RunShow { id: run.id })).unwrap();
    let pid = i32::try_from(shown.pid.expect("it is noted")).unwrap();
    let Stage { home, daemon, .. } = stage;
    daemon.kill();
    home.assert_nobody_is_left();
    wait_until("its number is free", || Process::of(pid).is_none());
    let Some(mut stranger) = stranger(pid) else {
        return not_permitted(
            "a_stranger_with_the_number_of_an_old_worker_is_left_alone",
            "no such number",
        );
    };
    let _daemon = home.daemon();
    let shown = block_on(home.client().call(&RunShow { id: run.id })).unwrap();
    let status = stranger.try_wait();
    stranger.kill().unwrap();
    stranger.wait().unwrap();
    assert_eq!(shown.run.state, RunState::Lost);
    assert!(status.unwrap().is_none(), "nobody has sent it anything");
}

#[test]
fn what_a_killed_worker_left_to_a_killed_daemon_is_ended_by_the_next() {
    let mut stage = Stage::new(ONCE);
    block_on(async {
        let mut watch = Watch::now(&stage.client()).await;
        let left = shell("setsid sleep 350 & echo $! >pids");
        stage.begin(&format!("{left}\n- think: hm\n- sleep: 10m")).await;
        watch.run_is("alice", "thinking").await;
    });
    let left = stage.noted();
    assert_eq!(left.len(), 1);
    let worker = stage.home.members().beginning("agent-worker worker")[0];
    let Stage { home, daemon, .. } = stage;
    // Neither is there any more when the other's end would be noticed.
    daemon.signal(Signal::STOP);
    kill_process(worker, Signal::KILL).unwrap();
    daemon.kill();
    assert!(left[0].is_alive(), "nobody was there to end it");
    // A process with a similar environment that is not of a run.
    let mut other = Command::new("sleep");
    other.arg("351").env("AGENT_WORKER_TOKEN", "x").env("AGENT_WORKER_HOME", home.path());
    let mut other = other.spawn().unwrap();
    let _daemon = home.daemon();
    let status = other.try_wait();
    other.kill().unwrap();
    other.wait().unwrap();
    wait_until("it is ended", || !left[0].is_alive());
    assert!(status.unwrap().is_none(), "it has a token, but none of a run");
}

#[test]
fn a_command_that_kills_its_group_does_not_meet_its_worker() {
    let mut stage = Stage::new(ONCE);
    for signal in ["TERM", "INT", "HUP", "KILL"] {
        let command = format!("sleep 330 & trap 'kill -{signal} 0' EXIT; exit 0");
        let outcome = block_on(stage.play(&format!("{}\n- say: done", shell(&command))));
        assert_eq!(outcome.run.state, RunState::Succeeded, "{signal}: {outcome:?}");
        assert_eq!(outcome.mail.state, DeliveryState::Acked);
        assert_eq!(outcome.left, Vec::<String>::new());
    }
}

#[test]
fn what_ends_below_a_worker_leaves_the_table_at_once() {
    let mut stage = Stage::new(ONCE);
    block_on(async {
        let mut watch = Watch::now(&stage.client()).await;
        let orphans = shell("for i in $(seq 300); do (setsid true &); done");
        stage.begin(&format!("{orphans}\n- think: hm\n- sleep: 10m")).await;
        watch.run_is("alice", "thinking").await;
        let worker = stage.home.members().beginning("agent-worker worker")[0];
        let worker = Process::of(worker.as_raw_nonzero().get()).unwrap();
        wait_until("all were noticed", || worker.ended_children().is_empty());
    });
}
