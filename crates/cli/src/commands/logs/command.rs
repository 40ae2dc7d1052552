//! `agent-worker logs`: the transcript of a run, or those of a workflow's runs as one

use std::str::FromStr;

use agent_worker_client::Client;
use agent_worker_protocol::{Interval, RunId, RunList, RunShow, Target};
use clap::Args;

use super::{
    lines::{Part, Sink, cutoff, print},
    merged, newest,
};
use crate::{
    complete,
    exit::{Exit, Refusal, until_unread},
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
        parse::target(text)
            .map(Self::Target)
            .map_err(|_| "write a run (`run_12`), an agent or a workflow".to_owned())
    }
}

impl Logs {
    fn part(&self, is_tagged: bool) -> Part {
        Part { follow: self.follow, cutoff: cutoff(self.since), is_tagged }
    }
}

pub async fn logs(session: &Session, args: Logs) -> anyhow::Result<Exit> {
    let client = session.client().await?;
    let run = match args.of.clone() {
        Of::Run(run) => run,
        Of::Target(target) => {
            let target = session.meant(&client, target).await?;
            if target.name.is_none() {
                let (part, tail) = (args.part(true), args.tail);
                return merged::logs(session, &client, target, part, tail).await;
            }
            latest(&client, target).await?
        }
    };
    if !args.follow {
        return one(session, &client, run, &args).await;
    }
    until_unread(Box::pin(one(session, &client, run, &args))).await
}

/// The latest run of an agent.
async fn latest(client: &Client, agent: Target) -> anyhow::Result<RunId> {
    let newest = RunList { limit: Some(1), ..RunList::default() };
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
    let mut sink = Sink::new(session.output, args.tail);
    let reads_end = !run.state.is_live() && args.since.is_none() && !session.output.json;
    if let Some(tail) = args.tail.filter(|_| reads_end)
        && let Some(text) = newest::lines(client, View::of(session.output), &run, tail).await?
    {
        sink.write(&text)?;
        sink.release()?;
        return Ok(Exit::Done);
    }
    let has_ended = print(session, client, &run, args.part(false), &mut sink).await?;
    sink.release()?;
    if !has_ended {
        session.output.note(&format!("\n{id} is in progress: agent-worker logs {id} --follow"));
    }
    Ok(Exit::Done)
}
