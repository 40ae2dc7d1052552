//! `agent-worker run` and `agent-worker start`

use std::{ops::ControlFlow, time::Duration};

use agent_worker_client::Client;
use agent_worker_protocol::{
    Interval, Mode, Source, Started, Tag, Workflow, WorkflowStart, WorkflowState, WorkflowStop,
};
use anyhow::Context as _;
use clap::Args;
use tokio::time::Instant;

use super::{
    elsewhere,
    live::{Happening, Signal, Signals, Watch},
    problems, text as workflows,
};
use crate::{
    commands::{config, daemon::grace::Grace},
    exit::{Exit, Refusal},
    output::{Closed, reader_gone},
    session::Session,
    source::GivenFile,
};

/// How much later than its reader's end a Ctrl-C may come that has ended both.
const SIGNAL_LIMIT: Duration = Duration::from_millis(200);

/// What `run` and `start` share.
#[derive(Debug, Args)]
pub struct Of {
    /// The file and what stands in place of its own values
    #[command(flatten)]
    pub file: GivenFile,
    /// Tag of a separate team, as in `@review:TAG` [default: main]
    #[arg(long)]
    pub tag: Option<Tag>,
    /// Archive earlier messages and documents first
    #[arg(long)]
    pub fresh: bool,
    /// Print only messages and the outcome
    #[arg(short, long)]
    pub quiet: bool,
}

/// `agent-worker run`
#[derive(Debug, Args)]
pub struct Run {
    /// Workflow to start
    #[command(flatten)]
    pub of: Of,
    /// Stop the workflow after SPAN, such as `10m`; exit code 4
    #[arg(long, value_name = "SPAN")]
    pub timeout: Option<Interval>,
}

/// `agent-worker start`
#[derive(Debug, Args)]
pub struct Start {
    /// Workflow to start
    #[command(flatten)]
    pub of: Of,
    /// Do not follow the channel
    #[arg(short = 'd', long, visible_alias = "detach")]
    pub background: bool,
}

/// How far a command is with its workflow.
#[derive(Debug, Clone, Copy)]
enum Phase {
    /// It shows what happens, perhaps not for ever.
    Following(Option<Instant>),
    /// It waits for the last runs to end.
    Stopping { exit: Exit, until: Instant },
}

/// What was started, and the signal that came meanwhile; or the signal that ended the command.
type Launched = ControlFlow<Signal, (Started, Option<Signal>)>;

/// Runs a workflow to its end.
pub async fn run(session: &Session, args: Run) -> anyhow::Result<Exit> {
    let (quiet, timeout) = (args.of.quiet, args.timeout);
    let (client, mut signals) = begin(session, "running a workflow").await?;
    let until = timeout.map(|timeout| Instant::now() + timeout.duration());
    let launched = launch(session, &client, &mut signals, args.of, Mode::Run).await?;
    let (started, signal) = match launched {
        ControlFlow::Continue(launched) => launched,
        ControlFlow::Break(signal) => return Ok(signal.exit()),
    };
    let mut watch = match Watch::begin(session, &client, &started, quiet).await {
        Err(error) if error.is::<Closed>() => {
            let late = signal_of_end(&mut signals).await;
            return unheard(session, &client, &started.workflow, signal.or(late)).await;
        }
        watch => watch?,
    };
    let daemon = session.existing().await.ok().flatten().map(|(file, _)| file);
    let limit = Grace::of(session, daemon.as_ref()).of_runs();
    let mut phase = Phase::Following(until);
    if let Some(signal) = signal {
        phase = interrupt(&mut watch, signal, limit).await?;
    }
    match follow(&mut watch, phase, &mut signals, (timeout, limit)).await {
        Err(error) if error.is::<Closed>() => {
            let signal = signal_of_end(&mut signals).await;
            let (client, workflow) = watch.leave();
            unheard(session, &client, &workflow, signal).await
        }
        ended => ended,
    }
}

/// Says that the workflow goes on, if it does, to a shell whose next program has read enough.
fn unread(session: &Session, workflow: &Workflow, ended: impl FnOnce(&Workflow) -> Exit) -> Exit {
    if !workflow.state.is_live() {
        return ended(workflow);
    }
    session.output.note(&workflows::left_running(workflow));
    Exit::Unread
}

/// Shows a workflow until it ends, or until its output has no reader. It has a time, and its live
/// runs have one to end.
async fn follow(
    watch: &mut Watch<'_>,
    mut phase: Phase,
    signals: &mut Signals,
    (timeout, limit): (Option<Interval>, Duration),
) -> anyhow::Result<Exit> {
    let reader_end = reader_gone();
    tokio::pin!(reader_end);
    loop {
        let next = tokio::select! {
            next = watch.next(signals, phase.deadline()) => next,
            () = &mut reader_end => Err(Closed.into()),
        };
        let happening = match (next, phase) {
            (Err(error), Phase::Stopping { exit, .. }) if error.is::<Closed>() => return Ok(exit),
            (next, _) => next?,
        };
        phase = match (phase, happening) {
            (_, Happening::Signal(signal @ Signal::HangUp))
            | (Phase::Stopping { .. }, Happening::Signal(signal)) => return Ok(signal.exit()),
            (_, Happening::Removed) => return Err(gone(watch.workflow())),
            (phase, Happening::Over) => {
                match watch.conclude().await {
                    // How it ended is the same without a reader.
                    Err(error) if error.is::<Closed>() => {}
                    concluded => concluded?,
                }
                return Ok(phase.exit(watch.workflow()));
            }
            (Phase::Following(_), Happening::Signal(signal)) => {
                interrupt(watch, signal, limit).await?
            }
            (Phase::Following(_), Happening::Deadline) => time_out(watch, timeout, limit).await?,
            (Phase::Stopping { exit, .. }, Happening::Deadline) => {
                watch.note("some runs have not ended yet: see agent-worker status");
                return Ok(exit);
            }
        };
    }
}

/// Ends a command whose reader has gone. Ctrl-C ends the reader too: if there was one, the workflow
/// is stopped.
async fn unheard(
    session: &Session,
    client: &Client,
    workflow: &Workflow,
    signal: Option<Signal>,
) -> anyhow::Result<Exit> {
    let Some(signal) = signal else { return Ok(unread(session, workflow, finite)) };
    if signal.stops() {
        session.output.note(&format!("stopping {}", workflow.scope));
        let key = workflow.scope.clone();
        client.call(&WorkflowStop { key, now: false, purge: false, timeout: None }).await?;
    }
    Ok(signal.exit())
}

/// Returns the signal that has ended the reader too, if there is one.
async fn signal_of_end(signals: &mut Signals) -> Option<Signal> {
    tokio::time::timeout(SIGNAL_LIMIT, signals.next()).await.ok()
}

/// Starts a workflow that stays.
pub async fn start(session: &Session, args: Start) -> anyhow::Result<Exit> {
    let quiet = args.of.quiet;
    let (client, mut signals) = begin(session, "starting a workflow").await?;
    let launched = launch(session, &client, &mut signals, args.of, Mode::Start).await?;
    let (started, signal) = match launched {
        ControlFlow::Continue(launched) => launched,
        ControlFlow::Break(signal) => return Ok(signal.exit()),
    };
    if args.background {
        return session.show(&started, workflows::background);
    }
    if let Some(signal) = signal {
        session.output.note(&workflows::background(&started));
        return Ok(signal.exit());
    }
    let mut watch = match Watch::begin(session, &client, &started, quiet).await {
        Err(error) if error.is::<Closed>() => {
            return Ok(leave(session, &started.workflow, &mut signals).await);
        }
        watch => watch?,
    };
    let ended = tokio::select! {
        ended = stay(&mut watch, &mut signals) => ended,
        () = reader_gone() => Err(Closed.into()),
    };
    match ended {
        Err(error) if error.is::<Closed>() => {
            Ok(leave(session, watch.workflow(), &mut signals).await)
        }
        ended => ended,
    }
}

/// Leaves a workflow that stays, because the reader has gone: perhaps by a Ctrl-C that comes here
/// too.
async fn leave(session: &Session, workflow: &Workflow, signals: &mut Signals) -> Exit {
    let exit = unread(session, workflow, lasting);
    if exit != Exit::Unread {
        return exit;
    }
    signal_of_end(signals).await.map_or(exit, Signal::exit)
}

/// Shows a workflow that stays, until it is stopped or the user leaves.
async fn stay(watch: &mut Watch<'_>, signals: &mut Signals) -> anyhow::Result<Exit> {
    match watch.next(signals, None).await? {
        Happening::Signal(signal) => {
            if signal.stops() {
                watch.note(&workflows::left_running(watch.workflow()));
            }
            Ok(signal.exit())
        }
        Happening::Deadline => Ok(Exit::Interrupted),
        Happening::Removed => Err(gone(watch.workflow())),
        Happening::Over => {
            watch.conclude().await?;
            Ok(lasting(watch.workflow()))
        }
    }
}

/// What the end of a workflow that was run means for the shell.
fn finite(workflow: &Workflow) -> Exit {
    Phase::Following(None).exit(workflow)
}

/// What the end of a workflow that stays means for the shell: to be stopped is how it ends.
fn lasting(workflow: &Workflow) -> Exit {
    if workflow.state == WorkflowState::Failed { Exit::Failed } else { Exit::Done }
}

async fn begin(session: &Session, what: &str) -> anyhow::Result<(Client, Signals)> {
    session.person_only(what)?;
    let client = session.client().await?;
    Ok((client, Signals::listen().context("cannot listen for signals")?))
}

/// Starts the workflow, and returns the signal that came meanwhile: it may be running by then and
/// must be stopped.
async fn launch(
    session: &Session,
    client: &Client,
    signals: &mut Signals,
    of: Of,
    mode: Mode,
) -> anyhow::Result<Launched> {
    let source = of.file.collect(of.tag)?;
    if !of.fresh
        && let Some(warning) = elsewhere::warning(client, &source).await
    {
        session.output.note(&warning);
    }
    let start = WorkflowStart { source, mode, fresh: of.fresh };
    let call = client.call(&start);
    tokio::pin!(call);
    let mut pending = None;
    let started = loop {
        tokio::select! {
            started = &mut call => break match started {
                Ok(started) => started,
                Err(error) => {
                    config::note(session).await;
                    return Err(error.into());
                }
            },
            signal = signals.next() => {
                if !signal.stops() || pending.is_some() {
                    let scope = elsewhere::scope(&start.source);
                    session.output.note(&workflows::still_starting(scope));
                    return Ok(ControlFlow::Break(signal));
                }
                pending = Some(signal);
            }
        }
    };
    warn(session, &start.source, &started);
    Ok(ControlFlow::Continue((started, pending)))
}

fn warn(session: &Session, source: &Source, started: &Started) {
    for warning in &started.warnings {
        session.output.note(&format!("warning: {}", problems::problem(source, warning)));
    }
    if started.continued && !source.params.is_empty() {
        session.output.note(workflows::UNUSED_PARAMS);
    }
}

/// Stops the workflow because the user interrupts, and says so.
async fn interrupt(
    watch: &mut Watch<'_>,
    signal: Signal,
    limit: Duration,
) -> anyhow::Result<Phase> {
    let scope = &watch.workflow().scope;
    watch.note(&format!("stopping {scope} (press Ctrl-C again to exit at once)"));
    watch.stop(None).await?;
    Ok(Phase::stopping(signal.exit(), limit))
}

/// Stops the workflow because its time is over, and says so.
async fn time_out(
    watch: &mut Watch<'_>,
    timeout: Option<Interval>,
    limit: Duration,
) -> anyhow::Result<Phase> {
    let (scope, after) = (&watch.workflow().scope, timeout.map(|timeout| timeout.to_string()));
    watch.note(&format!("timed out after {}: stopping {scope}", after.unwrap_or_default()));
    watch.stop(timeout).await?;
    Ok(Phase::stopping(Exit::TimedOut, limit))
}

fn gone(workflow: &Workflow) -> anyhow::Error {
    Refusal::new(format!("{} was removed", workflow.scope)).into()
}

impl Phase {
    fn stopping(exit: Exit, limit: Duration) -> Self {
        Self::Stopping { exit, until: Instant::now() + limit }
    }

    fn deadline(self) -> Option<Instant> {
        match self {
            Self::Following(until) => until,
            Self::Stopping { until, .. } => Some(until),
        }
    }

    /// What the end of the workflow means for the shell.
    fn exit(self, workflow: &Workflow) -> Exit {
        match self {
            Self::Stopping { exit, .. } => exit,
            Self::Following(_) => match workflow.state {
                WorkflowState::Completed => Exit::Done,
                WorkflowState::Stalled => Exit::Stalled,
                _ => Exit::Failed,
            },
        }
    }
}

#[cfg(test)]
#[path = "tests/command.rs"]
mod tests;
