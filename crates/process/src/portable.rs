//! Processes where the system has no `/proc`.
//!
//! No process inherits orphans here. What has lost its parents is found by its process group.

use std::{collections::HashSet, ffi::OsStr};

use rustix::{
    fd::OwnedFd,
    io::Errno,
    process::{Signal, getpgid, kill_process},
};
use sysinfo::{Pid, ProcessRefreshKind, ProcessStatus, ProcessesToUpdate, System, UpdateKind};

use crate::{
    look::Look,
    name::{Process, Told, number},
};

pub(crate) fn find(pid: i32) -> Option<Process> {
    one(pid, ProcessRefreshKind::nothing(), |process| Some(name(process)))
}

pub(crate) fn is_alive(process: Process) -> bool {
    status(process).is_some_and(runs)
}

pub(crate) fn is_stopped(process: Process) -> bool {
    status(process) == Some(ProcessStatus::Stop)
}

pub(crate) fn signal(process: Process, signal: Signal) -> Told {
    let Some(pid) = number(process).filter(|_| find(process.pid) == Some(process)) else {
        return Told::Gone;
    };
    match kill_process(pid, signal) {
        Ok(()) => Told::Yes,
        Err(Errno::PERM) => Told::Refused,
        Err(_) => Told::Gone,
    }
}

pub(crate) fn ended_children(process: Process) -> Vec<Process> {
    let source = Source::best();
    let is_child = |of: &&sysinfo::Process| of.parent().map(raw) == Some(process.pid);
    let ended = source.processes().filter(is_child).filter(|of| !runs(of.status()));
    ended.map(name).collect()
}

pub(crate) fn with_variable(variable: &str) -> Vec<(Process, String)> {
    let environment = ProcessRefreshKind::nothing().with_environ(UpdateKind::Always);
    let source = look(ProcessesToUpdate::All, environment);
    let value = |process: &sysinfo::Process| {
        let pairs = process.environ().iter().filter_map(|pair| pair.to_str()?.split_once('='));
        pairs.into_iter().find(|(name, _)| *name == variable).map(|(_, value)| value.to_owned())
    };
    let running = source.processes().filter(|process| runs(process.status()));
    running.filter_map(|process| Some((name(process), value(process)?))).collect()
}

pub(crate) fn command(process: Process) -> Option<String> {
    let words = ProcessRefreshKind::nothing().with_cmd(UpdateKind::Always);
    let words = one(process.pid, words, |found| {
        (name(found) == process && runs(found.status())).then(|| found.cmd().join(OsStr::new(" ")))
    });
    words.map(|words| words.to_string_lossy().into_owned())
}

pub(crate) fn descendants(process: Process) -> Vec<Process> {
    Look::with(process, &Source::best(), &|_| false).living
}

/// Handle of a process. This system has none.
pub(crate) enum Watch {
    #[expect(dead_code, reason = "the system has none")]
    On(OwnedFd),
    Gone,
    Unknown,
}

pub(crate) fn watch(process: Process) -> Watch {
    if is_alive(process) { Watch::Unknown } else { Watch::Gone }
}

fn look(which: ProcessesToUpdate<'_>, what: ProcessRefreshKind) -> Source {
    let mut system = System::new().ok();
    if let Some(system) = &mut system {
        system.refresh_processes_specifics(which, true, what.without_tasks());
    }
    Source(system)
}

fn one<T>(
    pid: i32,
    what: ProcessRefreshKind,
    told: impl FnOnce(&sysinfo::Process) -> Option<T>,
) -> Option<T> {
    let pid = Pid::from_u32(u32::try_from(pid).ok()?);
    let source = look(ProcessesToUpdate::Some(&[pid]), what);
    source.0.as_ref().and_then(|system| system.process(pid)).and_then(told)
}

fn status(process: Process) -> Option<ProcessStatus> {
    let is_same = |found: &sysinfo::Process| (name(found) == process).then(|| found.status());
    one(process.pid, ProcessRefreshKind::nothing(), is_same)
}

fn runs(status: ProcessStatus) -> bool {
    !matches!(status, ProcessStatus::Zombie | ProcessStatus::Dead)
}

fn name(process: &sysinfo::Process) -> Process {
    Process { pid: raw(process.pid()), started: process.start_time().cast_signed() }
}

fn raw(pid: Pid) -> i32 {
    pid.as_u32().cast_signed()
}

/// All processes.
pub(crate) struct Source(Option<System>);

impl Source {
    pub(crate) fn best() -> Self {
        look(ProcessesToUpdate::All, ProcessRefreshKind::nothing())
    }

    fn processes(&self) -> impl Iterator<Item = &sysinfo::Process> {
        self.0.iter().flat_map(|system| system.processes().values())
    }
}

impl Look {
    /// Leaves out some of the root's children, and what is below them. Includes the process group
    /// that the root leads or led.
    pub(crate) fn with(
        root: Process,
        source: &Source,
        is_spared: &dyn Fn(Process) -> bool,
    ) -> Self {
        let is_member = |process: Process| {
            number(process).and_then(|pid| getpgid(Some(pid)).ok()) == number(root)
        };
        let mut look = Self::default();
        let mut parents = HashSet::from([root.pid]);
        let mut others: Vec<_> = source.processes().collect();
        others.retain(|process| raw(process.pid()) != root.pid);
        for is_first in std::iter::successors(Some(true), |_| Some(false)) {
            let is_below = |process: &mut &sysinfo::Process| {
                let is_child = process.parent().is_some_and(|of| parents.contains(&raw(of)));
                is_child || is_first && is_member(name(process))
            };
            let found: Vec<_> = others.extract_if(.., is_below).collect();
            if found.is_empty() {
                break;
            }
            parents.clear();
            for process in found {
                let (process, runs) = (name(process), runs(process.status()));
                if is_first && is_spared(process) {
                    continue;
                }
                parents.insert(process.pid);
                if runs { look.living.push(process) } else { look.dead.push(process) }
            }
        }
        look
    }
}
