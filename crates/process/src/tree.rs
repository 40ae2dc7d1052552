//! Ends process trees.

use std::time::Duration;

use rustix::process::Signal;

#[cfg(target_os = "linux")]
use crate::ending as system;
#[cfg(not(target_os = "linux"))]
use crate::group as system;
use crate::name::Process;

/// Ends all descendants of a process, but not the process: sends TERM, waits for the grace period,
/// then sends KILL until none is left. Blocks until then.
///
/// Orphans are found only if `root` is a subreaper. A root that goes on starting processes keeps
/// this from returning, so the caller must prevent that.
///
/// Off Linux it ends the process group led by `root`, and processes that left the group are not
/// found. A process that ends its own group sends only TERM, or without a grace period dies too.
pub fn end_descendants(root: Process, term_grace: Duration) {
    system::end_descendants(root, term_grace);
}

/// Kills and reaps all descendants of this process at once, except spared children and their
/// descendants. Orphans that arrive meanwhile are ended too. Returns whether none is left within
/// `longest`, and blocks up to that long. Off Linux it finds none.
///
/// `is_spared` is called for a child after the child was found.
pub fn end_strays(is_spared: &dyn Fn(Process) -> bool, longest: Duration) -> bool {
    system::end_strays(is_spared, longest)
}

/// Kills all descendants of a process at once, then the process.
pub fn end_tree(root: Process) {
    // A root that goes on starting processes would keep `end_descendants` from returning.
    root.signal(Signal::STOP);
    end_descendants(root, Duration::ZERO);
    root.signal(Signal::KILL);
    root.reap();
}

/// Makes this process the subreaper of its descendants. Does nothing off Linux.
pub fn adopt_orphans() -> std::io::Result<()> {
    #[cfg(target_os = "linux")]
    rustix::process::set_child_subreaper(Some(rustix::process::getpid()))?;
    Ok(())
}
