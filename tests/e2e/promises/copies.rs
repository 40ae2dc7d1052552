//! A copy of a state directory touches nothing of the original: neither its processes nor its
//! tokens (§2, §13).

use std::{fs, path::Path};

use agent_worker_protocol::{FailureClass, Mode, RunState};
use rustix::process::{Pid, Signal, kill_process};

use crate::support::{Home, Team, Watch, block_on, mock, wait_until};

/// Runs until the file `go` is there, and finishes well only then.
const PATIENT: &str = "\
- shell: \"while [ ! -e go ]; do sleep 0.05; done; echo waited\"
- say: done";

/// `copy` makes a copy of a home with a live run. The original's run must succeed after the copy's
/// daemon has begun and ended.
fn assert_leaves_the_original_alone(copy: impl FnOnce(&Home) -> Home) {
    let home = Home::new();
    let _daemon = home.daemon();
    block_on(async {
        let client = home.client();
        let mut watch = Watch::now(&client).await;
        let team = Team::new("team", "@ann please wait").agent("ann", &mock(PATIENT));
        team.start(&home, &client, Mode::Start).await;
        let run = watch.run_is("ann", "calling shell").await;
        wait_until("the command runs", || !home.members().beginning("sh -c while").is_empty());
        let copied = copy(&home);
        let epoch = client.snapshot().await.unwrap().epoch;
        copied.assert_sound();
        let daemon = copied.daemon();
        assert_ne!(copied.client().snapshot().await.unwrap().epoch, epoch);
        copied.assert_sound();
        // A crash of the copy does not let it look for the original's processes either.
        daemon.kill();
        let daemon = copied.daemon();
        daemon.stop();
        home.write("go", "");
        let ended = watch.run_ended(|ended| ended.id == run.id).await;
        assert_eq!(ended.state, RunState::Succeeded, "{ended:?}");
        let told = home.ok(&["logs", &run.id.to_string()]);
        assert!(told.contains("waited"), "its command was not ended: {told}");
    });
}

/// The home of a copy. Its daemon starts the run again, and is not to wait for its end.
fn other() -> Home {
    Home::with_config("[runs]\nstop_grace = \"100ms\"\n")
}

#[test]
fn a_restored_backup_leaves_the_originals_work_alone() {
    assert_leaves_the_original_alone(|home| {
        home.ok(&["backup", "copy.db"]);
        let other = other();
        other.ok(&["restore", home.work().join("copy.db").to_str().unwrap()]);
        other
    });
}

#[test]
fn a_copied_state_directory_leaves_the_originals_work_alone() {
    assert_leaves_the_original_alone(|home| {
        let other = other();
        // Files that are written meanwhile would be copied as they were at different times.
        let daemon = Pid::from_raw(home.daemon_file().unwrap().pid.try_into().unwrap()).unwrap();
        kill_process(daemon, Signal::STOP).unwrap();
        copy_files(&home.path(), &other.path());
        kill_process(daemon, Signal::CONT).unwrap();
        other
    });
}

fn copy_files(from: &Path, to: &Path) {
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        if entry.file_type().unwrap().is_file() {
            fs::copy(entry.path(), to.join(entry.file_name())).unwrap();
        }
    }
}

#[test]
fn a_moved_state_directory_is_no_copy() {
    let home = Home::new();
    let daemon = home.daemon();
    let epoch = block_on(async { home.client().snapshot().await.unwrap().epoch });
    daemon.stop();
    let other = Home::new();
    for name in ["agent-worker.db", "agent-worker.db-wal"] {
        // Without a log there is nothing to move.
        drop(fs::rename(home.path().join(name), other.path().join(name)));
    }
    let _daemon = other.daemon();
    let moved = block_on(async { other.client().snapshot().await.unwrap().epoch });
    assert_eq!(moved, epoch);
}

#[test]
fn a_worker_that_somebody_else_ends_is_tried_again() {
    for signal in [Signal::TERM, Signal::KILL] {
        let home = Home::with_config("[runs]\nretry_delay = \"1ms\"\n");
        let _daemon = home.daemon();
        block_on(async {
            let client = home.client();
            let mut watch = Watch::now(&client).await;
            let team = Team::new("team", "@ann please wait").agent("ann", &mock(PATIENT));
            team.start(&home, &client, Mode::Start).await;
            let run = watch.run_is("ann", "calling shell").await;
            let worker = home.members().beginning("agent-worker worker")[0];
            kill_process(worker, signal).unwrap();
            let ended = watch.run_ended(|ended| ended.id == run.id).await;
            assert_eq!(ended.class, Some(FailureClass::Transient), "{signal:?}: {ended:?}");
            home.write("go", "");
            watch.run_ended(|ended| ended.state == RunState::Succeeded).await;
        });
    }
}
