//! Processes as Linux shows them in `/proc`.

use std::{collections::HashMap, fs, path::Path, sync::OnceLock};

use rustix::{
    fd::OwnedFd,
    io::Errno,
    process::{PidfdFlags, Signal, kill_process, pidfd_open, pidfd_send_signal},
};

use crate::{
    look::Look,
    name::{Process, Told, number},
};

pub(crate) fn find(pid: i32) -> Option<Process> {
    Some(Process { pid, started: status(pid)?.started })
}

pub(crate) fn is_alive(process: Process) -> bool {
    status(process.pid).is_some_and(|status| status.started == process.started && status.runs())
}

pub(crate) fn is_stopped(process: Process) -> bool {
    let status = status(process.pid).filter(|status| status.started == process.started);
    status.is_some_and(|status| matches!(status.state, 'T' | 't'))
}

pub(crate) fn signal(process: Process, signal: Signal) -> Told {
    let Some(pid) = number(process) else { return Told::Gone };
    let sent = match watch(process) {
        Watch::On(pidfd) => pidfd_send_signal(pidfd, signal),
        Watch::Gone => return Told::Gone,
        Watch::Unknown if find(process.pid) != Some(process) => return Told::Gone,
        Watch::Unknown => kill_process(pid, signal),
    };
    match sent {
        Ok(()) => Told::Yes,
        Err(Errno::PERM) => Told::Refused,
        Err(_) => Told::Gone,
    }
}

pub(crate) fn ended_children(process: Process) -> Vec<Process> {
    let mut look = Look::default();
    look.direct(process.pid, &Source::best());
    look.dead
}

pub(crate) fn with_variable(name: &str) -> Vec<(Process, String)> {
    let found = entries("/proc").into_iter().filter_map(|pid| {
        let status = status(pid).filter(|status| status.runs())?;
        let environ = fs::read(format!("/proc/{pid}/environ")).ok()?;
        let value = environ.split(|byte| *byte == 0).find_map(|pair| {
            pair.strip_prefix(name.as_bytes()).and_then(|rest| rest.strip_prefix(b"="))
        })?;
        let value = std::str::from_utf8(value).ok()?.to_owned();
        Some((Process { pid, started: status.started }, value))
    });
    found.collect()
}

pub(crate) fn command(process: Process) -> Option<String> {
    /// Enough to recognize a process by, in bytes.
    const READ: usize = 80;
    let words = fs::read(format!("/proc/{}/cmdline", process.pid)).ok()?;
    // If the pid was reused meanwhile, this is another process's command.
    let words = is_alive(process).then_some(words)?;
    let words = String::from_utf8_lossy(&words).trim_end_matches('\0').replace('\0', " ");
    let cut = words.floor_char_boundary(READ);
    let more = if cut < words.len() { "…" } else { "" };
    (!words.is_empty()).then(|| format!("{}{more}", &words[..cut]))
}

pub(crate) fn descendants(process: Process) -> Vec<Process> {
    Look::with(process, &Source::best(), &|_| false).living
}

/// Handle of a process that cannot be confused with another.
pub(crate) enum Watch {
    /// Signals through it reach this process only, and it becomes readable when the process ends.
    On(OwnedFd),
    Gone,
    /// The kernel is too old for pidfds, or has no more of them.
    Unknown,
}

pub(crate) fn watch(process: Process) -> Watch {
    let Some(pid) = number(process) else { return Watch::Gone };
    let pidfd = match pidfd_open(pid, PidfdFlags::empty()) {
        Ok(pidfd) => pidfd,
        Err(Errno::SRCH | Errno::INVAL) => return Watch::Gone,
        Err(_) => return Watch::Unknown,
    };
    // From here on the pid cannot be reused.
    if find(process.pid) == Some(process) { Watch::On(pidfd) } else { Watch::Gone }
}

/// State of a process as the kernel reports it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Status {
    pub(crate) state: char,
    pub(crate) parent: i32,
    pub(crate) threads: i64,
    pub(crate) started: i64,
}

impl Status {
    /// A process whose first thread has ended looks like a dead one, but for its other threads.
    pub(crate) fn runs(self) -> bool {
        !matches!(self.state, 'Z' | 'X' | 'x') || self.threads > 1
    }
}

fn status(pid: i32) -> Option<Status> {
    parse(&fs::read(format!("/proc/{pid}/stat")).ok()?)
}

pub(crate) fn parse(stat: &[u8]) -> Option<Status> {
    // A process calls itself what it likes, also `) Z 1`: only the last parenthesis ends the name.
    let end = stat.iter().rposition(|byte| *byte == b')')?;
    let mut fields = std::str::from_utf8(stat.get(end + 1..)?).ok()?.split_ascii_whitespace();
    let state = fields.next()?.chars().next()?;
    let parent = fields.next()?.parse().ok()?;
    let threads = fields.nth(15)?.parse().ok()?;
    let started = fields.nth(1)?.parse().ok()?;
    Some(Status { state, parent, threads, started })
}

/// Where the children of a process are found.
#[derive(Debug, Clone)]
pub(crate) enum Source {
    /// The kernel has a list for each thread.
    Lists,
    /// The kernel has no lists: the parents of all processes, inverted.
    Parents(HashMap<i32, Vec<i32>>, bool),
}

impl Source {
    pub(crate) fn best() -> Self {
        static HAS_LISTS: OnceLock<bool> = OnceLock::new();
        let has_lists = *HAS_LISTS.get_or_init(|| Path::new("/proc/thread-self/children").exists());
        if has_lists { Self::Lists } else { Self::parents() }
    }

    pub(crate) fn parents() -> Self {
        let numbers = entries("/proc");
        let mut children: HashMap<i32, Vec<i32>> = HashMap::new();
        let mut has_moved = false;
        for pid in numbers {
            match status(pid) {
                Some(status) => children.entry(status.parent).or_default().push(pid),
                None => has_moved = true,
            }
        }
        Self::Parents(children, has_moved)
    }

    /// Returns the pids of a process's children, and whether some may be missing because they
    /// were reparented meanwhile.
    fn children(&self, pid: i32) -> (Vec<i32>, bool) {
        match self {
            Self::Parents(children, has_moved) => {
                (children.get(&pid).cloned().unwrap_or_default(), *has_moved)
            }
            Self::Lists => {
                let mut pids = Vec::new();
                let mut has_moved = false;
                for thread in entries(&format!("/proc/{pid}/task")) {
                    let list = fs::read_to_string(format!("/proc/{pid}/task/{thread}/children"));
                    has_moved |= list.is_err();
                    let list = list.unwrap_or_default();
                    let numbers = list.split_ascii_whitespace();
                    pids.extend(numbers.filter_map(|pid| pid.parse::<i32>().ok()));
                }
                (pids, has_moved)
            }
        }
    }
}

/// Returns the numbers among the names in a folder.
fn entries(folder: &str) -> Vec<i32> {
    let names = fs::read_dir(folder).into_iter().flatten().flatten();
    names.filter_map(|entry| entry.file_name().to_str()?.parse().ok()).collect()
}

impl Look {
    /// Leaves out some of the root's children, and what is below them.
    pub(crate) fn with(
        root: Process,
        source: &Source,
        is_spared: &dyn Fn(Process) -> bool,
    ) -> Self {
        let mut look = Self::default();
        look.direct(root.pid, source);
        look.living.retain(|child| !is_spared(*child));
        look.dead.retain(|child| !is_spared(*child));
        let mut next = 0;
        while let Some(parent) = look.living.get(next).copied() {
            look.direct(parent.pid, source);
            next += 1;
        }
        look
    }

    fn direct(&mut self, pid: i32, source: &Source) {
        let (pids, has_moved) = source.children(pid);
        self.has_moved |= has_moved;
        for pid in pids {
            match status(pid) {
                Some(status) => {
                    let process = Process { pid, started: status.started };
                    let kept = if status.runs() { &mut self.living } else { &mut self.dead };
                    // A process that is reparented between the two reads is found twice.
                    if !kept.contains(&process) {
                        kept.push(process);
                    }
                }
                None => self.has_moved = true,
            }
        }
    }
}
