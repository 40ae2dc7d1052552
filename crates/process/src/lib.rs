//! Processes, named so that none is ever taken for another, and the end of all that runs below
//! one. A worker uses it on what it has started itself, the daemon on what runs below a worker.

#[cfg(target_os = "linux")]
mod ending;
#[cfg(not(target_os = "linux"))]
mod group;
#[cfg(target_os = "linux")]
mod proc;
#[cfg(test)]
mod tests;

#[cfg(not(target_os = "linux"))]
use self::group as system;
#[cfg(target_os = "linux")]
use self::proc as system;
use std::{ffi::OsStr, time::Duration};

pub use rustix::process::Signal;
use rustix::process::{Pid, WaitOptions, getpid, waitpid};
use serde::{Deserialize, Serialize};

/// Variables that workers and agent programs inherit, beside `LC_*`.
const INHERITED: [&str; 17] = [
    "PATH",
    "HOME",
    "USER",
    "LOGNAME",
    "SHELL",
    "LANG",
    "LANGUAGE",
    "TZ",
    "TMPDIR",
    "TERM",
    "COLORTERM",
    "SSL_CERT_FILE",
    "SSL_CERT_DIR",
    "XDG_CONFIG_HOME",
    "XDG_DATA_HOME",
    "XDG_CACHE_HOME",
    "XDG_RUNTIME_DIR",
];

/// Returns whether workers and agent programs inherit this variable. All others are left out.
pub fn is_inherited(name: &OsStr) -> bool {
    name.to_str().is_some_and(|name| INHERITED.contains(&name) || name.starts_with("LC_"))
}

/// A process. Numbers are given again to others, so the time of its start belongs to its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Process {
    /// Its number
    pub pid: i32,
    /// When it was started, in ticks since the machine was; 0 where the system does not tell
    pub started: i64,
}

impl Process {
    /// The process that has this number now, if there is one.
    pub fn of(pid: i32) -> Option<Self> {
        system::find(pid)
    }

    /// This very process.
    pub fn current() -> Self {
        let pid = getpid().as_raw_nonzero().get();
        Self::of(pid).unwrap_or(Self { pid, started: 0 })
    }

    /// Whether it still runs. One that has ended and waits for its parent to notice does not.
    pub fn is_alive(self) -> bool {
        system::is_alive(self)
    }

    /// Whether it was stopped, by Ctrl-Z for one, and waits to be continued. Only Linux tells.
    pub fn is_stopped(self) -> bool {
        system::is_stopped(self)
    }

    /// Sends it a signal, and never to another process that has got its number meanwhile. Says
    /// whether there was somebody to get it.
    pub fn signal(self, signal: Signal) -> bool {
        matches!(system::signal(self, signal), Told::Yes)
    }

    /// Those it has started, or has inherited, that still run. Only Linux tells.
    pub fn children(self) -> Vec<Self> {
        system::children(self)
    }

    /// Those it has started, or has inherited, that have ended without it taking note. Only Linux
    /// tells.
    pub fn ended_children(self) -> Vec<Self> {
        system::ended_children(self)
    }

    /// All that run below it. Only Linux tells.
    pub fn descendants(self) -> Vec<Self> {
        system::descendants(self)
    }

    /// All that run and were started with a variable of this name in their environment, each with
    /// its value. Only Linux tells, and only of one's own.
    pub fn with_variable(name: &str) -> Vec<(Self, String)> {
        system::with_variable(name)
    }

    /// What it was started as: its program and the arguments, as far as one would read them. Only
    /// Linux tells.
    pub fn command(self) -> Option<String> {
        system::command(self)
    }

    /// Takes note of its end, if it was a child of this process and has ended, so that it leaves
    /// the system's table. No other child's end is taken from whoever waits for it.
    pub fn reap(self) {
        // It may be somebody else's child, or noticed already: then there is nothing to do.
        let _ = number(self).map(|pid| waitpid(Some(pid), WaitOptions::NOHANG));
    }
}

/// Ends all that runs below a process, which itself is left alone: asks them with TERM, gives them
/// some time, then kills them until none is left. Blocks for as long as that takes.
///
/// What has lost its parents is found only if `root` is a sub-reaper. A root that goes on starting
/// processes keeps this from coming to an end, so it is for the caller to see that it does not.
///
/// Off Linux it is the process group led by `root` that is ended, and what has left it is not
/// found; a process that ends its own group asks with TERM only, or without grace dies with it.
pub fn end_descendants(root: Process, term_grace: Duration) {
    #[cfg(target_os = "linux")]
    ending::end_descendants(root, term_grace);
    #[cfg(not(target_os = "linux"))]
    group::end(root, term_grace);
}

/// Ends all that runs below this process, at once, and takes note of it, but for those of its
/// children that are spared, with all below them. What their ends bring home meanwhile is ended
/// too. Says whether nothing is left; if not, what is left cannot be ended in this time. Blocks for
/// as long as that takes. Off Linux nothing is found.
///
/// `is_spared` is asked of a child after the child was found.
pub fn end_strays(is_spared: &dyn Fn(Process) -> bool, longest: Duration) -> bool {
    #[cfg(target_os = "linux")]
    let is_done = ending::end_strays(is_spared, longest);
    #[cfg(not(target_os = "linux"))]
    let is_done = group::end_strays(is_spared, longest);
    is_done
}

/// Ends a process and all that runs below it, at once, the process itself last.
pub fn end_tree(root: Process) {
    // A root that goes on starting others would keep their end from coming to an end.
    root.signal(Signal::STOP);
    end_descendants(root, Duration::ZERO);
    root.signal(Signal::KILL);
    root.reap();
}

/// Makes this process the parent of all that is left below it when others end, wherever it went.
/// Off Linux nothing does.
pub fn adopt_orphans() -> std::io::Result<()> {
    #[cfg(target_os = "linux")]
    rustix::process::set_child_subreaper(Some(getpid()))?;
    Ok(())
}

/// What became of a signal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Told {
    /// It was sent.
    Yes,
    /// There is no such process any more.
    Gone,
    /// It belongs to somebody whose processes this one may not signal.
    #[cfg_attr(not(target_os = "linux"), expect(dead_code, reason = "only pidfds tell"))]
    Refused,
}

/// Its number, as the system's calls take it.
fn number(process: Process) -> Option<Pid> {
    if process.pid > 0 { Pid::from_raw(process.pid) } else { None }
}
