//! Runs: `runs`, `logs`, `cancel`

use std::time::Duration;

use agent_worker_client::{OutputItem, RunOutput};
use agent_worker_protocol::{
    id::RunId,
    run::{RunCancel, RunList, RunShow},
    target::Target,
};
use clap::Args;
use clap_complete::ArgValueCandidates;

use crate::{
    complete,
    exit::Exit,
    meant,
    render::{View, blocks::Transcript, runs},
    session::Session,
};

/// How long the transcript of a live run is silent once all that is stored was told.
const SILENCE: Duration = Duration::from_millis(300);

/// `agent-worker runs`
#[derive(Debug, Args)]
pub struct Listing {
    /// Only those of this agent or workflow
    #[arg(add = ArgValueCandidates::new(complete::targets), value_parser = meant::target)]
    pub target: Option<Target>,
    /// How many
    #[arg(short = 'n', long, default_value_t = 50)]
    pub limit: u32,
}

/// `agent-worker logs`
#[derive(Debug, Args)]
pub struct Logs {
    /// Which run, such as `run_12`
    #[arg(add = ArgValueCandidates::new(complete::runs), value_parser = meant::run)]
    pub run: RunId,
    /// Go on until the run ends
    #[arg(short, long)]
    pub follow: bool,
}

/// `agent-worker cancel`
#[derive(Debug, Args)]
pub struct Cancel {
    /// The run
    #[command(flatten)]
    pub cancel: RunCancel,
}

/// Lists runs, newest first.
pub async fn list(session: &Session, args: Listing) -> anyhow::Result<Exit> {
    let client = session.at(args.target).await?;
    let page = client.call(&RunList { limit: Some(args.limit), before: None }).await?;
    session.output.show(&page, |page| {
        let table = runs::table(&View::of(session.output), &page.runs);
        if page.more { format!("{table}\nolder ones are not shown: -n shows more") } else { table }
    })?;
    Ok(Exit::Done)
}

/// Shows the transcript of a run.
pub async fn logs(session: &Session, args: Logs) -> anyhow::Result<Exit> {
    let client = session.client().await?;
    let run = client.call(&RunShow { id: args.run }).await?.run;
    let goes_on = run.state.is_live() && !args.follow;
    let mut output = RunOutput::follow(&client, args.run).relocate(session.relocation()?);
    let mut transcript = Transcript::new(View::of(session.output));
    loop {
        let item = if goes_on {
            match tokio::time::timeout(SILENCE, output.next()).await {
                Ok(item) => item,
                Err(_) => break,
            }
        } else {
            output.next().await
        };
        match item {
            None => return Ok(Exit::Done),
            Some(Ok(OutputItem::Output(event))) if session.output.json => {
                session.output.print_line(&event)?;
            }
            Some(Ok(OutputItem::Output(event))) => session.output.write(&transcript.tell(event))?,
            Some(Ok(OutputItem::Connected | OutputItem::Disconnected { .. })) => {}
            Some(Err(error)) => return Err(error.into()),
        }
    }
    session.output.note(&format!("\n{} goes on: agent-worker logs {} --follow", run.id, run.id));
    Ok(Exit::Done)
}

/// Ends a run now.
pub async fn cancel(session: &Session, args: Cancel) -> anyhow::Result<Exit> {
    let run = session.client().await?.call(&args.cancel).await?;
    session.output.show(&run, runs::changed)?;
    Ok(Exit::Done)
}
