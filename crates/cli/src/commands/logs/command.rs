//! `agent-worker logs`: the transcript of a run, or those of a workflow's runs as one

use std::str::FromStr;

use agent_worker_client::{Client, OutputItem, RunOutput};
use agent_worker_protocol::{
    id::RunId,
    run::{OutputEvent, RunList, RunShow},
    target::Target,
    time::Interval,
};
use clap::Args;

use super::{
    lines::{Recent, Sink, Stored, cutoff},
    merged,
    text::Transcript,
};
use crate::{
    complete,
    exit::{Exit, Refusal},
    output::reader_gone,
    parse,
    session::Session,
    text::View,
};

/// `agent-worker logs`
#[derive(Debug, Args)]
pub struct Logs {
    /// Run (`run_12`), agent (latest run), workflow (last 100 runs)
    #[arg(add = complete::runs())]
    pub of: Of,
    /// Follow until the run ends; of a workflow, follow all runs
    #[arg(short, long)]
    pub follow: bool,
    /// Print only the last lines
    #[arg(short = 'n', long, value_name = "LINES")]
    pub tail: Option<usize>,
    /// Print only what was written in the last SPAN, such as `10m`
    #[arg(long, value_name = "SPAN")]
    pub since: Option<Interval>,
}

/// Run or agent of the transcript.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Of {
    /// One run
    Run(RunId),
    /// The latest run of an agent, or the last 100 runs of a workflow
    Target(Target),
}

impl FromStr for Of {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if let Ok(run) = parse::run(text) {
            return Ok(Self::Run(run));
        }
        parse::target(text).map(Self::Target).map_err(|bad| bad.to_string())
    }
}

pub async fn logs(session: &Session, args: Logs) -> anyhow::Result<Exit> {
    let client = session.client().await?;
    let run = match args.of.clone() {
        Of::Run(run) => run,
        Of::Target(target) => {
            let target = session.meant(&client, target).await?;
            if target.name.is_none() {
                let Logs { follow, tail, since, .. } = args;
                let shown = merged::Shown { follow, tail, since };
                return merged::logs(session, &client, target, shown).await;
            }
            latest(&client, target).await?
        }
    };
    if !args.follow {
        return one(session, &client, run, &args).await;
    }
    tokio::select! {
        done = one(session, &client, run, &args) => done,
        () = reader_gone() => Ok(Exit::Done),
    }
}

/// The latest run of an agent.
async fn latest(client: &Client, agent: Target) -> anyhow::Result<RunId> {
    let newest = RunList { limit: Some(1), before: None };
    let page = client.at(agent.clone()).call(&newest).await?;
    match page.runs.first() {
        Some(run) => Ok(run.id),
        None => Err(no_runs(&agent).into()),
    }
}

/// Refusal of a transcript of an agent that has not run.
pub fn no_runs(agent: &Target) -> Refusal {
    Refusal::new(format!("no runs of `{agent}`")).hint(format!("agent-worker why {agent}"))
}

async fn one(session: &Session, client: &Client, id: RunId, args: &Logs) -> anyhow::Result<Exit> {
    let run = client.call(&RunShow { id }).await?.run;
    let goes_on = run.state.is_live() && !args.follow;
    let mut output = RunOutput::follow(client, id).relocate(session.relocation()?);
    let mut shown = Shown {
        transcript: Transcript::new(View::of(session.output)),
        recent: Recent::from(cutoff(args.since)),
        sink: Sink::new(session.output, args.tail),
    };
    let mut stored = Stored::from_now();
    loop {
        match stored.next(goes_on || shown.sink.is_holding(), output.next()).await {
            Ok(None) => {
                shown.sink.release()?;
                return Ok(Exit::Done);
            }
            Ok(Some(Ok(OutputItem::Output(event)))) => shown.tell(session, event)?,
            Ok(Some(Ok(OutputItem::Connected | OutputItem::Disconnected { .. }))) => {}
            Ok(Some(Err(error))) => return Err(error.into()),
            Err(_) => {
                shown.sink.release()?;
                if goes_on {
                    break;
                }
            }
        }
    }
    session.output.note(&format!("\n{id} is in progress: agent-worker logs {id} --follow"));
    Ok(Exit::Done)
}

/// What of one transcript is shown.
struct Shown {
    transcript: Transcript,
    recent: Recent,
    sink: Sink,
}

impl Shown {
    fn tell(&mut self, session: &Session, event: OutputEvent) -> anyhow::Result<()> {
        if !self.recent.has(&event) {
            return Ok(());
        }
        let text = if session.output.json {
            format!("{}\n", session.output.line_of(&event)?)
        } else {
            self.transcript.tell(event)
        };
        self.sink.write(&text)
    }
}
