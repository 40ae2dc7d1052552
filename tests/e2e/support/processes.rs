//! The processes of a test, found by the state directory in their environment.

use std::{path::Path, time::Instant};

use rustix::process::Pid;

use super::DEADLINE;

/// Processes of a state directory.
#[derive(Debug)]
pub struct Members {
    found: Vec<(Pid, String)>,
}

impl Members {
    /// Every process that has this state directory in its environment, or works beside it, and has
    /// not ended.
    pub fn of(home: &Path) -> Self {
        let wanted = format!("AGENT_WORKER_HOME={}", home.display());
        let folder = home.parent().unwrap_or(home);
        let entries = std::fs::read_dir("/proc").into_iter().flatten().flatten();
        let found = entries.filter_map(|entry| {
            let number: i32 = entry.file_name().to_str()?.parse().ok()?;
            let environ = std::fs::read(entry.path().join("environ")).ok()?;
            // As text, which the standard library searches: it is optimised, and tests are not.
            let environ = String::from_utf8_lossy(&environ);
            let is_named = environ.split('\0').any(|pair| pair == wanted);
            let is_beside = || {
                let cwd = std::fs::read_link(entry.path().join("cwd"));
                cwd.is_ok_and(|cwd| cwd.starts_with(folder))
            };
            if !is_named && !is_beside() {
                return None;
            }
            let command = std::fs::read(entry.path().join("cmdline")).ok()?;
            let command = String::from_utf8_lossy(&command).replace('\0', " ");
            (!command.is_empty()).then_some((Pid::from_raw(number)?, command))
        });
        Self { found: found.collect() }
    }

    pub fn is_empty(&self) -> bool {
        self.found.is_empty()
    }

    pub fn pids(&self) -> impl Iterator<Item = Pid> {
        self.found.iter().map(|(pid, _)| *pid)
    }

    /// Each with its command line.
    pub fn described(&self) -> impl Iterator<Item = (Pid, &str)> {
        self.found.iter().map(|(pid, line)| (*pid, line.as_str()))
    }

    /// Those whose command line begins so, whatever folder the program is in.
    pub fn beginning(&self, text: &str) -> Vec<Pid> {
        let begins = |line: &str| {
            let (program, rest) = line.split_once(' ').unwrap_or((line, ""));
            let name = program.rsplit('/').next().unwrap_or(program);
            format!("{name} {rest}").starts_with(text)
        };
        self.found.iter().filter(|(_, line)| begins(line)).map(|(pid, _)| *pid).collect()
    }
}

/// The most memory that a process has ever held, in KiB.
pub fn peak_memory(process: Pid) -> u64 {
    memory(process, "VmHWM:")
}

/// The same without the pages of its program, which are as many as an unoptimised build has.
pub fn own_memory(process: Pid) -> u64 {
    peak_memory(process).saturating_sub(memory(process, "RssFile:"))
}

fn memory(process: Pid, kind: &str) -> u64 {
    let path = format!("/proc/{}/status", process.as_raw_nonzero());
    let status = std::fs::read_to_string(path).expect("it runs");
    let line = status.lines().find_map(|line| line.strip_prefix(kind)).expect("it has memory");
    line.trim().trim_end_matches("kB").trim().parse().expect("a number")
}

/// Waits for something about processes that no event reports.
#[expect(
    clippy::disallowed_methods,
    reason = "the system tells nobody when a foreign process ends"
)]
pub fn wait_until(what: &str, mut is_so: impl FnMut() -> bool) {
    let begun = Instant::now();
    while !is_so() {
        assert!(begun.elapsed() < DEADLINE, "not within {DEADLINE:?}: {what}");
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
}
