//! The processor time of a thread of another process, as Linux tells it.

use std::{fs, path::PathBuf, time::Duration};

/// A thread.
pub struct Thread(PathBuf);

impl Thread {
    /// The thread of a process that has this name.
    pub fn of(pid: u32, name: &str) -> Self {
        threads(pid).into_iter().find(|thread| thread.name() == name).expect("it has the thread")
    }

    /// What all threads of a process took.
    pub fn all(pid: u32) -> Duration {
        threads(pid).iter().map(Self::cpu).sum()
    }

    /// How long it was at work.
    pub fn cpu(&self) -> Duration {
        let text = fs::read_to_string(self.0.join("schedstat")).unwrap_or_default();
        let nanos = text.split_whitespace().next().and_then(|word| word.parse().ok());
        Duration::from_nanos(nanos.unwrap_or(0))
    }

    fn name(&self) -> String {
        fs::read_to_string(self.0.join("comm")).unwrap_or_default().trim().to_owned()
    }
}

fn threads(pid: u32) -> Vec<Thread> {
    let folder = fs::read_dir(format!("/proc/{pid}/task")).expect("Linux tells its threads");
    folder.map(|entry| Thread(entry.expect("it is read").path())).collect()
}
