//! Processes below the daemon that it did not start: a shell may start a service and then become
//! the daemon.

use std::collections::HashSet;

use agent_worker_process::Process;

/// What runs below the daemon before it starts a process, and what those processes start. Once the
/// daemon has started one, an orphan is known only if it was seen below a known process: others are
/// taken for orphans of workers.
#[derive(Debug, Default)]
pub struct Foreign {
    known: HashSet<Process>,
    has_started: bool,
}

impl Foreign {
    /// Notes what runs below the known processes, and forgets those that have ended.
    pub fn look(&mut self) {
        self.known.retain(|process| process.is_alive());
        if self.has_started {
            let known: Vec<Process> = self.known.iter().copied().collect();
            self.known.extend(known.into_iter().flat_map(Process::descendants));
        } else {
            self.known.extend(Process::current().descendants());
        }
    }

    /// Notes that the daemon starts a process.
    pub fn note_start(&mut self) {
        self.look();
        self.has_started = true;
    }

    /// Whether a child of the daemon is left alone. What has ended is not: only the daemon can
    /// reap it.
    pub fn spares(&self, child: Process) -> bool {
        self.known.contains(&child) && child.is_alive()
    }
}
