//! Which process is meant.

use rustix::process::{Pid, WaitOptions, waitpid};
use serde::{Deserialize, Serialize};

/// Process, identified by its pid and start time, because the kernel reuses pids.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Process {
    /// Process ID
    pub pid: i32,
    /// Start time: on Linux in clock ticks since boot, elsewhere in seconds since 1970
    pub started: i64,
}

/// Result of sending a signal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Told {
    Yes,
    /// The process no longer exists.
    Gone,
    /// The process belongs to a user whose processes this one may not signal.
    Refused,
}

impl Process {
    /// Collects the exit status if it is an ended child of this process, so that it leaves the
    /// process table. Other children are not touched.
    pub fn reap(self) {
        // It may be another process's child, or already collected: then there is nothing to do.
        let _ = number(self).map(|pid| waitpid(Some(pid), WaitOptions::NOHANG));
    }
}

/// Returns the pid as system calls take it.
pub(crate) fn number(process: Process) -> Option<Pid> {
    if process.pid > 0 { Pid::from_raw(process.pid) } else { None }
}
