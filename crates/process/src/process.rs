//! What the system knows of one process.

use std::time::{Duration, Instant};

use rustix::process::{Signal, getpid};

#[cfg(not(target_os = "linux"))]
use crate::portable as system;
#[cfg(target_os = "linux")]
use crate::proc as system;
use crate::{
    ending::wait,
    name::{Process, Told},
};

impl Process {
    /// Returns the process that has this pid now.
    pub fn of(pid: i32) -> Option<Self> {
        system::find(pid)
    }

    pub fn current() -> Self {
        let pid = getpid().as_raw_nonzero().get();
        Self::of(pid).unwrap_or(Self { pid, started: 0 })
    }

    /// Returns whether it is running. A zombie is not.
    pub fn is_alive(self) -> bool {
        system::is_alive(self)
    }

    /// Blocks until it has ended, at most for `longest`. Returns whether it has.
    pub fn ends_within(self, longest: Duration) -> bool {
        let deadline = Instant::now() + longest;
        while self.is_alive() {
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return false;
            }
            wait(&[self], left);
        }
        true
    }

    /// Returns whether it is stopped, for example by Ctrl-Z.
    pub fn is_stopped(self) -> bool {
        system::is_stopped(self)
    }

    /// Sends a signal, never to another process that has reused the pid. Returns whether it was
    /// delivered.
    pub fn signal(self, signal: Signal) -> bool {
        matches!(system::signal(self, signal), Told::Yes)
    }

    /// Returns its children that have ended and are not reaped yet.
    pub fn ended_children(self) -> Vec<Self> {
        system::ended_children(self)
    }

    /// Returns all running descendants.
    pub fn descendants(self) -> Vec<Self> {
        system::descendants(self)
    }

    /// Returns the running processes of this user that were started with this environment
    /// variable, each with its value. macOS hides the environment of its own programs.
    pub fn with_variable(name: &str) -> Vec<(Self, String)> {
        system::with_variable(name)
    }

    /// Returns its command line, cut to 80 bytes.
    pub fn command(self) -> Option<String> {
        system::command(self)
    }
}
