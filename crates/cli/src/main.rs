//! The one binary: the command line, the daemon, and the worker that the daemon starts.

use std::{env, path::Path, process::ExitCode, time::Duration};

use agent_worker_cli::{
    Wish,
    args::{
        Cli,
        host::{Machine, machines as machines_of},
    },
    commands::{
        completions,
        daemon::{command::Daemon, panic::end_at_panic},
        tui::{self, Tui},
    },
    exit::{Exit, Refusal, report},
    offline::{Broken, Offline},
    perform,
    session::{Session, program},
};
use agent_worker_daemon::{
    DEFAULT_SETTINGS, NotTheDaemon, Options, RestoreError, all_settings, check_settings,
    examine_idle, restore, serve,
};
use agent_worker_protocol::{Examination, Name, Restored};
use agent_worker_tui::check_config;
use agent_worker_workflow_file::prices;
use anyhow::Context as _;
use clap::CommandFactory as _;
use futures::future::BoxFuture;

/// Threads of the daemon; its store has its own.
const DAEMON_THREADS: usize = 2;

/// How long the daemon keeps a thread that has no blocking work.
const THREAD_KEPT: Duration = Duration::from_mins(10);

fn main() -> ExitCode {
    // Nothing may have been started in a worker's process before it knows what it is.
    if env::args_os().nth(1).is_some_and(|first| first == "worker") {
        return agent_worker_worker::main();
    }
    completions::answer_shell(Cli::command, all_settings);
    match Wish::of(Cli::read(), &House) {
        Wish::Serve(session, daemon) => be_daemon(&session, &daemon)
            .unwrap_or_else(|error| report(&session.output, &error))
            .into(),
        Wish::Control(session, machines, tui) => control(&session, machines, &tui)
            .unwrap_or_else(|error| report(&session.output, &error).into()),
        Wish::Refused(session, error) => report(&session.output, &error).into(),
        Wish::Perform(session, command) => perform(&session, *command).into(),
    }
}

/// Opens the control room of the daemons of these machines, or says what it would show.
fn control(session: &Session, machines: Vec<Machine>, tui: &Tui) -> anyhow::Result<ExitCode> {
    session.outside_runs_only("the control room")?;
    session.plain_member_only(Cli::command)?;
    if tui.linear && session.output.json {
        let refusal = Refusal::usage("--linear prints text: it has no --json");
        return Err(refusal.hint("agent-worker events --follow").into());
    }
    let config = session.home()?.path().join("config.toml");
    if tui.check_config {
        return Ok(tui::checked(session.output, &check_config(&config))?.into());
    }
    let sessions: Vec<Session> = if !machines.is_empty() {
        machines.into_iter().map(|machine| session.clone().on(machine)).collect()
    } else if tui.linear || session.member().is_some() {
        vec![session.clone()]
    } else {
        let machines = machines_of(&agent_worker_tui::hosts(&config))?;
        machines.into_iter().map(|machine| session.also_on(machine)).collect()
    };
    let ended = shown(session, &sessions, tui);
    sessions.iter().for_each(Session::close);
    ended
}

/// The control room of these daemons.
fn shown(session: &Session, sessions: &[Session], tui: &Tui) -> anyhow::Result<ExitCode> {
    let output = session.output;
    tui::connect(sessions)?;
    let mut all = sessions.iter().map(|session| {
        Ok(agent_worker_tui::Options {
            home: session.home()?,
            program: program()?,
            target: None,
            identity: session.member().cloned().unwrap_or_else(Name::person),
            read_only: tui.read_only,
            collect: tui::collector(session.host()),
            record: None,
        })
    });
    let mut first: agent_worker_tui::Options = all.next().context("no daemon to show")??;
    let others = all.collect::<anyhow::Result<Vec<_>>>()?;
    first.target.clone_from(&tui.target);
    first.record = tui.record.as_deref().map(tui::recording).transpose()?;
    if let Some(size) = tui.dump {
        let lines = agent_worker_tui::dump(&first, &others, size)
            .map_err(|problem| Refusal::new(problem).hint("agent-worker list"))?;
        output.show(&serde_json::json!({ "lines": lines }), |_| lines.join("\n"))?;
        return Ok(Exit::Done.into());
    }
    if tui.linear {
        let input = std::io::BufReader::new(std::io::stdin());
        let (ended, told) = agent_worker_tui::linear(&first, input, std::io::stdout().lock());
        tui::unsaved(output, &ended.unsaved);
        told.map_err(tui::not_printed)?;
        return Ok(ExitCode::from(u8::try_from(ended.code).unwrap_or(1)));
    }
    let ended = agent_worker_tui::run(&first, &others).map_err(|error| {
        // The recording did not begin. What is left if this fails is an empty file.
        tui.record.iter().for_each(|path| drop(std::fs::remove_file(path)));
        Refusal::usage(error.to_string())
    })?;
    if let Some(path) = &tui.record {
        output.note(&tui::recorded(path));
    }
    tui::unsaved(output, &ended.unsaved);
    output.note(&tui::farewell(ended.drafts, ended.unsaved.len(), ended.running));
    Ok(ExitCode::from(u8::try_from(ended.code).unwrap_or(1)))
}

/// The daemon's crate, for commands that do without a daemon.
#[derive(Debug)]
struct House;

impl Offline for House {
    fn examine<'a>(&'a self, home: &'a Path) -> BoxFuture<'a, anyhow::Result<Examination>> {
        Box::pin(async move { examine_idle(home).await.map_err(unless_served) })
    }

    fn check_settings(&self, path: &Path) -> Result<String, Broken> {
        let broken = |is_of_prices, why, hint| Broken { is_of_prices, why, hint };
        let digest = check_settings(path)
            .map_err(|(at, why, hint)| broken(at.ends_with(prices::FILE), why, hint))?;
        let hint = "agent-worker config edit".to_owned();
        match check_config(path).first() {
            Some(problem) => Err(broken(false, problem.message.clone(), hint)),
            None => Ok(digest),
        }
    }

    fn default_settings(&self) -> &'static str {
        DEFAULT_SETTINGS
    }

    fn all_settings(&self) -> String {
        all_settings()
    }

    fn restore<'a>(
        &'a self,
        home: &'a Path,
        file: &'a Path,
    ) -> BoxFuture<'a, anyhow::Result<Restored>> {
        Box::pin(async move {
            restore(home, file).await.map_err(|error| match error {
                RestoreError::NotTheDaemon(error) => unless_served(error),
                error => match error.hint() {
                    Some(hint) => Refusal::new(error.to_string()).hint(hint).into(),
                    None => error.into(),
                },
            })
        })
    }
}

/// What helps where a daemon has what none should have.
fn unless_served(error: NotTheDaemon) -> anyhow::Error {
    match error {
        NotTheDaemon::Another { .. } => {
            Refusal::new(error.to_string()).hint("agent-worker daemon stop").into()
        }
        NotTheDaemon::Unusable(unusable) => {
            Refusal::new(unusable.to_string()).hint(unusable.hint()).into()
        }
        error @ NotTheDaemon::Directory { .. } => error.into(),
    }
}

/// Runs the daemon until it is told to end.
fn be_daemon(session: &Session, daemon: &Daemon) -> anyhow::Result<Exit> {
    session.person_only("running the daemon")?;
    if let Some(warning) = daemon.warning()? {
        session.output.note(&warning);
    }
    if daemon.detached {
        // A program that leads a session already needs no other.
        let _ = rustix::process::setsid();
    }
    let options = Options {
        home: session.home()?.path().to_owned(),
        host: daemon.address()?,
        port: daemon.port,
        allowed_hosts: daemon.allow_host.clone(),
    };
    let output = session.output;
    let started = end_at_panic(output, daemon.detached);
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(DAEMON_THREADS)
        .thread_keep_alive(THREAD_KEPT)
        .enable_all()
        .build()
        .context("cannot start")?;
    // One thread for blocking work is always kept: without any, such work panics where the system
    // gives no more threads, and a run whose task has panicked would never end.
    runtime.spawn(async {
        while tokio::task::spawn_blocking(|| ()).await.is_ok() {
            tokio::time::sleep(THREAD_KEPT / 2).await;
        }
    });
    let ready = move |url: &str| {
        started();
        // The reader of this line may have gone; the daemon runs anyway.
        drop(output.print(&format!("ready {url}")));
    };
    let served = runtime.block_on(serve(options, ready));
    // A thread that hangs on a disk would never end.
    runtime.shutdown_timeout(Duration::from_secs(1));
    match served {
        Ok(()) => Ok(Exit::Done),
        Err(error) => {
            let hint = error.hint();
            let error = anyhow::Error::from(error);
            if daemon.detached {
                // The command that started it reads this: the log may be on a disk without room.
                let hint = hint.as_ref().map_or_else(String::new, |hint| format!("\nhint: {hint}"));
                drop(output.print(&format!("failed {error:#}{hint}")));
            }
            Err(match hint {
                Some(hint) => Refusal::new(format!("{error:#}")).hint(hint).into(),
                None => error,
            })
        }
    }
}
