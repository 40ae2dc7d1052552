//! One piece of work of one agent, in a process of its own. It knows nothing of schedules and of
//! other runs: it is told on its standard input who it is, asks the daemon over MCP what there is
//! to do, reports on its standard output, and leaves nothing behind.

mod acts;
mod backend;
mod diary;
mod failure;
mod farewell;
mod history;
mod lenient;
mod mcp;
mod model;
mod own_home;
mod own_tools;
mod preview;
mod processes;
mod prompt;
mod reports;
mod run;
mod servers;
mod session;
mod stdin;
mod step;
mod tools;
mod transcript;
mod web;
mod workspace;

use std::{env, io, path::Path, process::ExitCode, sync::OnceLock, time::Duration};

use agent_worker_protocol::{WorkerConfig, WorkerReport};
use tokio::{
    signal::unix::{SignalKind, signal},
    time::Instant,
};

use crate::{diary::Diary, failure::Failure, processes::tree, reports::Reports};

/// What a shell says of a program that TERM ended.
const TERMINATED: i32 = 143;

/// Does what the first line of standard input says. Nothing may have been started in this process
/// before, and it is over afterwards: the caller has but to return the code.
pub fn main() -> ExitCode {
    tree::adopt();
    let reports = Reports::stdout();
    let config = match stdin::config() {
        Ok(Some(config)) => config,
        Ok(None) => return ExitCode::FAILURE,
        Err(bad) => return give_up(&reports, Failure::permanent(bad)),
    };
    tree::name(&config);
    let cannot_begin =
        |error: io::Error| Failure::of_system(&error, format!("the worker cannot begin: {error}"));
    // Under guard already, so that a worker whose folder hangs ends with its daemon.
    let entered = stdin::guard().map_err(cannot_begin).and_then(|()| enter_folder(&config));
    let code = match entered.and_then(|()| work(config, &reports).map_err(cannot_begin)) {
        Ok(code) => code,
        Err(failure) => return give_up(&reports, failure),
    };
    tree::end(tree::GRACE);
    code
}

/// Enters the folder that the agent works in. The daemon does not start the worker there, because
/// a folder on a disk that hangs would hold up all other workers.
fn enter_folder(config: &WorkerConfig) -> Result<(), Failure> {
    let run = match config {
        WorkerConfig::Run(run) => &**run,
        WorkerConfig::Preview(preview) => &preview.run,
        // Its command alone works there.
        WorkerConfig::Step(_) => return Ok(()),
    };
    let Some(folder) = &run.cwd else { return Ok(()) };
    let Err(error) = env::set_current_dir(folder) else { return Ok(()) };
    if Path::new(folder).is_dir() {
        return Err(Failure::transient(format!("cannot enter its folder `{folder}`: {error}")));
    }
    let cure = format!("create it, then agent-worker resume {}", run.target());
    Err(Failure::permanent(format!("its folder `{folder}` does not exist: {cure}")))
}

fn give_up(reports: &Reports, failure: Failure) -> ExitCode {
    reports.last(failure.into());
    ExitCode::FAILURE
}

fn work(config: WorkerConfig, reports: &Reports) -> io::Result<ExitCode> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let code = runtime.block_on(async {
        let mut terminate = signal(SignalKind::terminate())?;
        // When the daemon dies and the worker is stopped, the system wakes it with this.
        let mut hang_up = signal(SignalKind::hangup())?;
        let mut orphans = signal(SignalKind::child())?;
        let diary = OnceLock::new();
        let end_early = || {
            diary.get().into_iter().for_each(|diary: &Diary| diary.break_off(reports));
            tree::end_and_exit(grace(), TERMINATED)
        };
        let mut work = std::pin::pin!(perform(config, &diary, reports));
        let mut end = std::pin::pin!(tokio::time::sleep(Duration::ZERO));
        let mut is_leaving = false;
        loop {
            tokio::select! {
                biased;
                _ = terminate.recv() => match farewell::begin() {
                    Some(patience) if !tree::has_lost_its_daemon() => {
                        end.as_mut().reset(Instant::now() + patience);
                        is_leaving = true;
                    }
                    _ => end_early(),
                },
                () = &mut end, if is_leaving => end_early(),
                _ = hang_up.recv() => {}
                _ = orphans.recv() => tree::reap_orphans(),
                code = &mut work => return Ok(code),
            }
        }
    });
    runtime.shutdown_background();
    code
}

/// How long what runs has to end. After the death of the daemon nothing is waited for.
fn grace() -> Duration {
    if tree::has_lost_its_daemon() { Duration::ZERO } else { tree::grace() }
}

/// The whole work up to its last report.
async fn perform(config: WorkerConfig, diary: &OnceLock<Diary>, reports: &Reports) -> ExitCode {
    reports.send(&WorkerReport::Started);
    let end = match config {
        WorkerConfig::Run(config) => {
            reports.beat(config.heartbeat.duration());
            let diary = diary.get_or_init(|| Diary::of(&config));
            run::run(*config, diary, reports).await
        }
        WorkerConfig::Preview(config) => preview::preview(*config, reports),
        WorkerConfig::Step(config) => {
            reports.beat(step::HEARTBEAT);
            step::step(&config).await
        }
    };
    match end {
        Ok(end) => {
            reports.last(end);
            ExitCode::SUCCESS
        }
        Err(failure) => give_up(reports, failure),
    }
}

#[cfg(test)]
#[path = "../../../tests/cases.rs"]
mod cases;
