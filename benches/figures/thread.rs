//! The processor time of a thread of another process, as Linux tells it.

use std::{fs, path::PathBuf, time::Duration};

/// A thread.
pub struct Thread(PathBuf);

impl Thread {
    /// The thread of a process that has this name.
    pub fn of(pid: u32, name: &str) -> Self {
        threads(pid).into_iter().find(|thread| thread.name() == name).expect("it has the thread")
    }

    /// The thread that calls this.
    pub fn here() -> Self {
        let link = fs::read_link("/proc/thread-self").expect("Linux tells it");
        Self(PathBuf::from("/proc").join(link))
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

/// The CPU time of the children of a process that have ended, to 10 ms.
pub fn children(pid: u32) -> Duration {
    let text = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    let fields = text.rsplit(')').next().unwrap_or_default().split_whitespace();
    let ticks = fields.skip(13).take(2).filter_map(|field| field.parse::<u64>().ok());
    Duration::from_millis(ticks.sum::<u64>() * 10)
}

fn threads(pid: u32) -> Vec<Thread> {
    let folder = fs::read_dir(format!("/proc/{pid}/task")).expect("Linux tells its threads");
    folder.map(|entry| Thread(entry.expect("it is read").path())).collect()
}
