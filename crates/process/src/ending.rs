//! The end of all that runs below a process.

use std::{
    collections::HashSet,
    time::{Duration, Instant},
};

use rustix::{
    event::{PollFd, PollFlags, Timespec, poll},
    fd::OwnedFd,
    io::Errno,
    process::{Signal, WaitId, WaitIdOptions, getpid, waitid},
};

#[cfg(not(target_os = "linux"))]
use crate::portable::{self as system, Source, Watch};
#[cfg(target_os = "linux")]
use crate::proc::{self as system, Source, Watch};
use crate::{
    look::Look,
    name::{Process, Told, number},
};

/// How long to wait for signalled processes before looking again: new ones are not announced.
const PATIENCE: Duration = Duration::from_millis(50);

/// The same where the end of a process is not announced either.
const BLIND_PATIENCE: Duration = Duration::from_millis(5);

/// How many processes are watched at once, so that a storm of them leaves file descriptors free.
const MOST_WATCHED: usize = 128;

/// Ends all descendants of a process, but not the process: sends TERM, waits for the grace period,
/// then sends KILL until none is left. Blocks until then.
///
/// Orphans are found only if `root` is a subreaper. A root that goes on starting processes keeps
/// this from returning, so the caller must prevent that.
///
/// Off Linux no process is a subreaper: of orphans it finds those in the process group that `root`
/// leads.
pub fn end_descendants(root: Process, term_grace: Duration) {
    // Elsewhere a process without children can have orphans in its group.
    if cfg!(target_os = "linux") && number(root) == Some(getpid()) && !has_children() {
        return;
    }
    let mut ending = Ending::of(root, &|_| false);
    let is_over = !term_grace.is_zero() && ending.drive(Signal::TERM, Some(term_grace));
    if !is_over {
        ending.drive(Signal::KILL, None);
    }
}

/// Kills and reaps all descendants of this process at once, except spared children and their
/// descendants. Orphans that arrive meanwhile are ended too. Returns whether none is left within
/// `longest`, and blocks up to that long.
///
/// `is_spared` is called for a child after the child was found.
pub fn end_strays(is_spared: &dyn Fn(Process) -> bool, longest: Duration) -> bool {
    Ending::of(Process::current(), is_spared).drive(Signal::KILL, Some(longest))
}

/// Whether this process has children, also such as have ended and are not reaped. One call tells
/// it. A look at `/proc` opens a file for each thread, and the parent of this process would wait
/// until the kernel has forgotten all of them.
fn has_children() -> bool {
    let look = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
    !matches!(waitid(WaitId::All, look), Err(Errno::CHILD))
}

struct Ending<'a> {
    root: Process,
    /// Children of the root to leave alone with their descendants, asked after they were found.
    is_spared: &'a dyn Fn(Process) -> bool,
    /// Processes that had ended before the last look began.
    dead: HashSet<Process>,
    /// Processes of other users, which cannot be ended.
    foreign: HashSet<Process>,
}

impl<'a> Ending<'a> {
    fn of(root: Process, is_spared: &'a dyn Fn(Process) -> bool) -> Self {
        Self { root, is_spared, dead: HashSet::new(), foreign: HashSet::new() }
    }

    /// Sends a signal to all, also to those that appear meanwhile, until none is left or the time
    /// is over. Returns whether none is left.
    fn drive(&mut self, signal: Signal, longest: Option<Duration>) -> bool {
        let deadline = longest.map(|longest| Instant::now() + longest);
        let mut told = HashSet::new();
        loop {
            let Some(living) = self.look() else { return true };
            for process in &living {
                let is_new = told.insert(*process);
                if is_new && system::signal(*process, signal) == Told::Refused {
                    self.foreign.insert(*process);
                }
            }
            let left = deadline.map_or(PATIENCE, |deadline| {
                PATIENCE.min(deadline.saturating_duration_since(Instant::now()))
            });
            if left.is_zero() {
                return false;
            }
            wait(&living, left);
        }
    }

    /// Returns the running processes; `None` if it is certain that none is left.
    fn look(&mut self) -> Option<Vec<Process>> {
        loop {
            let look = Look::with(self.root, &Source::best(), self.is_spared);
            let dead: HashSet<_> = look.dead.iter().copied().collect();
            for process in &dead {
                process.reap();
            }
            // A process that ended during the look may have left a child to a parent that was
            // already looked at, so only a look during which no process ends is conclusive.
            let is_certain = !look.has_moved && dead.is_subset(&self.dead);
            self.dead = dead;
            let mut living = look.living;
            living.retain(|process| !self.foreign.contains(process));
            if !living.is_empty() {
                return Some(living);
            }
            if is_certain {
                return None;
            }
        }
    }
}

/// Waits until these have ended, at most for `longest`.
pub(super) fn wait(processes: &[Process], longest: Duration) {
    let deadline = Instant::now() + longest;
    let mut is_blind = false;
    let mut watched: Vec<OwnedFd> = Vec::new();
    for process in processes.iter().take(MOST_WATCHED) {
        match system::watch(*process) {
            Watch::On(pidfd) => watched.push(pidfd),
            Watch::Gone => {}
            Watch::Unknown => is_blind = true,
        }
    }
    if watched.is_empty() && is_blind {
        rest(BLIND_PATIENCE.min(longest));
    }
    while !watched.is_empty() {
        let left = deadline.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return;
        }
        let mut polled: Vec<_> =
            watched.iter().map(|pidfd| PollFd::new(pidfd, PollFlags::IN)).collect();
        match poll(&mut polled, timespec(left).as_ref()) {
            Ok(_) | Err(Errno::INTR) => {}
            Err(_) => return rest(BLIND_PATIENCE.min(left)),
        }
        let has_ended: Vec<_> = polled.iter().map(|fd| !fd.revents().is_empty()).collect();
        let mut has_ended = has_ended.into_iter();
        watched.retain(|_| !has_ended.next().unwrap_or(true));
    }
}

/// Sleeps where no event can be waited for.
fn rest(span: Duration) {
    let _ = poll(&mut [], timespec(span).as_ref());
}

fn timespec(span: Duration) -> Option<Timespec> {
    Timespec::try_from(span).ok()
}
