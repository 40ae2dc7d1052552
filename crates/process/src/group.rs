//! Processes where the system shows only process groups.

use std::time::{Duration, Instant};

use rustix::{
    event::{Timespec, poll},
    process::{
        Pid, Signal, getpgid, getpid, kill_process, kill_process_group, test_kill_process,
        test_kill_process_group,
    },
};

use crate::name::{Process, Told, number};

pub(super) fn find(pid: i32) -> Option<Process> {
    let process = Process { pid, started: 0 };
    test_kill_process(number(process)?).is_ok().then_some(process)
}

pub(super) fn is_alive(process: Process) -> bool {
    find(process.pid).is_some()
}

pub(super) fn is_stopped(_: Process) -> bool {
    false
}

pub(super) fn signal(process: Process, signal: Signal) -> Told {
    let sent = number(process).map(|pid| kill_process(pid, signal));
    if matches!(sent, Some(Ok(()))) { Told::Yes } else { Told::Gone }
}

pub(super) fn ended_children(_: Process) -> Vec<Process> {
    Vec::new()
}

pub(super) fn with_variable(_: &str) -> Vec<(Process, String)> {
    Vec::new()
}

pub(super) fn command(_: Process) -> Option<String> {
    None
}

pub(super) fn descendants(_: Process) -> Vec<Process> {
    Vec::new()
}

pub(super) fn end_strays(_: &dyn Fn(Process) -> bool, _: Duration) -> bool {
    true
}

/// How long to wait before looking again whether a group still exists.
const PATIENCE: Duration = Duration::from_millis(20);

pub(super) fn end_descendants(root: Process, term_grace: Duration) {
    let Some(group) = number(root) else { return };
    // A process that is not a leader shares its group with processes it did not start.
    if getpgid(Some(group)) != Ok(group) {
        return;
    }
    let _ = kill_process_group(group, Signal::TERM);
    // Killing its own group is the last thing a process does: it is left to its parent, unless
    // the process means to end at once too.
    let is_own = group == getpid();
    if is_own && !term_grace.is_zero() {
        return;
    }
    let deadline = Instant::now() + term_grace;
    while is_there(group) && Instant::now() < deadline {
        wait(&[], PATIENCE);
    }
    let _ = kill_process_group(group, Signal::KILL);
}

/// Waits for a moment, because no end is announced here.
pub(super) fn wait(_: &[Process], longest: Duration) {
    let _ = poll(&mut [], Timespec::try_from(PATIENCE.min(longest)).ok().as_ref());
}

fn is_there(group: Pid) -> bool {
    test_kill_process_group(group).is_ok()
}
