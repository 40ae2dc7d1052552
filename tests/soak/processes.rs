//! Processes of the daemon, and what they take.

use std::{fs, path::Path};

/// Counts the processes with this state directory in their environment: those below the daemon, and
/// the orphans. The daemon itself is not counted.
pub fn count(home: &Path, daemon: u32) -> (usize, usize) {
    let wanted = format!("AGENT_WORKER_HOME={}", home.display());
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    let pids = entries.filter_map(|entry| {
        let pid: u32 = entry.file_name().to_str()?.parse().ok()?;
        let environ = fs::read(entry.path().join("environ")).ok()?;
        let is_ours = environ.split(|byte| *byte == 0).any(|pair| pair == wanted.as_bytes());
        (is_ours && pid != daemon && is_agent_work(pid)).then_some(pid)
    });
    let (below, orphans): (Vec<u32>, Vec<u32>) = pids.partition(|pid| is_below(*pid, daemon));
    (below.len(), orphans.iter().filter(|pid| status(**pid).is_some()).count())
}

/// Whether a process belongs to a run. Commands of the user, such as a backup, do not.
fn is_agent_work(pid: u32) -> bool {
    let command = fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
    !command.is_empty() && !command.windows(6).any(|word| word == b"backup")
}

/// The state and the parent of a process that has not ended.
fn status(pid: u32) -> Option<(char, u32)> {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    let mut fields = stat.rsplit(')').next()?.split_ascii_whitespace();
    let state = fields.next()?.chars().next()?;
    let parent = fields.next()?.parse().ok()?;
    (state != 'Z').then_some((state, parent))
}

fn is_below(mut pid: u32, daemon: u32) -> bool {
    while let Some((_, parent)) = status(pid) {
        if parent == daemon {
            return true;
        }
        pid = parent;
    }
    false
}

/// Anonymous memory of a process, in KiB.
pub fn anonymous(pid: u32) -> u64 {
    let text = fs::read_to_string(format!("/proc/{pid}/smaps_rollup")).unwrap_or_default();
    let line = text.lines().find_map(|line| line.strip_prefix("Anonymous:"));
    line.and_then(|line| line.trim().trim_end_matches(" kB").parse().ok()).unwrap_or(0)
}

/// Open descriptors of a process.
pub fn descriptors(pid: u32) -> usize {
    fs::read_dir(format!("/proc/{pid}/fd")).map_or(0, Iterator::count)
}
