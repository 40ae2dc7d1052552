//! Ends process trees.

use std::time::Duration;

use rustix::process::Signal;

use crate::{ending::end_descendants, name::Process};

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
