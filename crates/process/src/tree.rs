//! Ends process trees.

use std::time::Duration;

use rustix::process::{Signal, kill_process_group};

use crate::{
    ending::end_descendants,
    name::{Process, number},
};

/// Kills all descendants of a process at once, then the process.
pub fn end_tree(root: Process) {
    // A root that goes on starting processes would keep `end_descendants` from returning.
    root.signal(Signal::STOP);
    end_descendants(root, Duration::ZERO);
    root.signal(Signal::KILL);
    root.reap();
}

/// Kills what is left in the process group that an ended process led. Does nothing on Linux, where
/// orphans come to their subreaper.
pub fn end_group(leader: Process) {
    if cfg!(not(target_os = "linux"))
        && let Some(group) = number(leader)
    {
        let _ = kill_process_group(group, Signal::KILL);
    }
}

/// Makes this process the subreaper of its descendants. Does nothing off Linux.
pub fn adopt_orphans() -> std::io::Result<()> {
    #[cfg(target_os = "linux")]
    rustix::process::set_child_subreaper(Some(rustix::process::getpid()))?;
    Ok(())
}
