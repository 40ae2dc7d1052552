//! Processes against runs: none of a run that is over, and one for each run at work.

use std::{collections::HashMap, path::Path};

use agent_worker_process::Process;
use agent_worker_protocol::{Case, Finding};

use crate::{
    engine::doctor::{files, tables::processes::KnownRun},
    token::token_hash,
};

/// How many checks are made here.
pub const CHECKS: usize = 2;

/// What a run's programs find its token in.
const TOKEN: &[u8] = b"AGENT_WORKER_TOKEN=";

/// Something that is not as it should be, unless it is just about to be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Suspect {
    /// A process of a run that is over, or of a daemon that is gone
    Left {
        run: i64,
        process: Process,
        /// What it is called
        command: String,
    },
    /// A run at work without its worker
    Deserted {
        run: i64,
        /// The worker that was
        process: Process,
    },
}

/// Looks at all processes of this user. Only Linux tells. Without a daemon no run is at work.
pub async fn look(home: &Path, runs: Vec<KnownRun>, has_daemon: bool) -> Vec<Suspect> {
    let home = home.to_owned();
    let looked = tokio::task::spawn_blocking(move || {
        let mut suspects = left(&home, &runs, has_daemon);
        if has_daemon {
            suspects.extend(deserted(&runs));
        }
        suspects
    });
    looked.await.unwrap_or_default()
}

fn deserted(runs: &[KnownRun]) -> impl Iterator<Item = Suspect> {
    let live = runs.iter().filter(|run| run.is_live);
    let workers = live.filter_map(|run| Some((run.id, worker(run)?)));
    workers
        .filter(|(_, process)| !process.is_alive())
        .map(|(run, process)| Suspect::Deserted { run, process })
}

fn worker(run: &KnownRun) -> Option<Process> {
    let (pid, started) = run.process?;
    Some(Process { pid: i32::try_from(pid).ok()?, started })
}

fn left(home: &Path, runs: &[KnownRun], has_daemon: bool) -> Vec<Suspect> {
    let over = |run: &&KnownRun| !(has_daemon && run.is_live);
    let workers: HashMap<Process, i64> =
        runs.iter().filter(over).filter_map(|run| Some((worker(run)?, run.id))).collect();
    let tokens: HashMap<[u8; 32], i64> =
        runs.iter().filter(over).filter_map(|run| Some((run.token_hash?, run.id))).collect();
    let mut suspects = Vec::new();
    for pid in numbers() {
        let Some(process) = Process::of(pid).filter(|process| process.is_alive()) else { continue };
        let of_token = || tokens.get(&token_hash(&token(pid, home)?)).copied();
        if let Some(run) = workers.get(&process).copied().or_else(of_token) {
            suspects.push(Suspect::Left { run, process, command: command(pid) });
        }
    }
    suspects
}

pub fn numbers() -> impl Iterator<Item = i32> {
    let entries = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok())
}

/// The token in a process's environment, if it is one of this state directory's.
fn token(pid: i32, home: &Path) -> Option<String> {
    let environ = std::fs::read(format!("/proc/{pid}/environ")).ok()?;
    let mut pairs = environ.split(|byte| *byte == 0);
    let token = pairs.find_map(|pair| pair.strip_prefix(TOKEN))?;
    let place = format!("AGENT_WORKER_HOME={}", home.display());
    let is_here = environ.split(|byte| *byte == 0).any(|pair| pair == place.as_bytes());
    is_here.then(|| String::from_utf8_lossy(token).into_owned())
}

fn command(pid: i32) -> String {
    let line = std::fs::read(format!("/proc/{pid}/comm")).unwrap_or_default();
    String::from_utf8_lossy(&line).trim_end().to_owned()
}

/// What suspects are when they stay so.
pub fn findings(suspects: &[Suspect]) -> Vec<Finding> {
    let mut found = Vec::new();
    for suspect in suspects {
        let finding = finding(suspect, &found);
        files::add(&mut found, finding);
    }
    found
}

fn finding(suspect: &Suspect, found: &[Finding]) -> Finding {
    match suspect {
        Suspect::Left { run, process, command } => {
            let what = format!("`{command}` of run_{run} still runs");
            let case = Case::new(format!("process {}", process.pid), what);
            let (check, promise) = ("processes.left", "no process of an ended run is left");
            let hint = files::command(found, check, "kill", &process.pid.to_string());
            Finding::broken(check, promise, case).hint(hint)
        }
        Suspect::Deserted { run, process } => {
            let what = format!("its worker, process {}, is gone", process.pid);
            let case = Case::new(format!("run_{run}"), what);
            let promise = "a run at work has its worker";
            let hint = "agent-worker daemon restart";
            Finding::broken("processes.deserted", promise, case).hint(hint)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(id: i64, is_live: bool, process: Process) -> KnownRun {
        let process = Some((process.pid.into(), process.started));
        KnownRun { id, is_live, process, token_hash: None }
    }

    #[tokio::test]
    async fn a_run_at_work_has_a_process_and_one_that_is_over_has_none() {
        let here = Process::current();
        let gone = Process { started: here.started - 1, ..here };
        let home = Path::new(".");
        assert_eq!(look(home, vec![run(1, true, here), run(2, false, gone)], true).await, []);
        let suspects = look(home, vec![run(1, false, here), run(2, true, gone)], true).await;
        assert!(matches!(suspects[0], Suspect::Left { run: 1, process, .. } if process == here));
        assert_eq!(suspects[1], Suspect::Deserted { run: 2, process: gone });
        let names: Vec<_> = findings(&suspects).into_iter().map(|found| found.check).collect();
        assert_eq!(names, ["processes.left", "processes.deserted"]);
        let idle = look(home, vec![run(1, true, here), run(2, true, gone)], false).await;
        assert_eq!(idle.len(), 1, "without a daemon no run is at work: {idle:?}");
    }

    #[test]
    fn one_command_ends_all_processes_that_are_left() {
        let left = [7, 8].map(|pid| {
            let process = Process { pid, started: 1 };
            Suspect::Left { run: 1, process, command: "sleep".to_owned() }
        });
        let found = findings(&left);
        assert_eq!((found.len(), found[0].hint.as_deref()), (1, Some("kill 7 8")));
    }
}
