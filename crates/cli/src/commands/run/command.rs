//! Runs: `runs`, `cancel`

use agent_worker_client::{Client, ClientError};
use agent_worker_protocol::{Agent, AgentList, Run, RunCancel, RunList, RunState, Runs, Target};
use clap::{Args, ValueEnum};

use super::text as runs;
use crate::{complete, exit::Exit, pages, parse, session::Session};

/// How many runs are asked for at once where some are looked for.
const PAGE: u32 = 200;

/// `agent-worker runs`
#[derive(Debug, Args)]
pub struct Listing {
    /// Only of this agent or workflow
    #[arg(add = complete::targets(), value_parser = parse::target)]
    pub target: Option<Target>,
    /// Only in this state
    #[arg(long, value_enum, ignore_case = true)]
    pub state: Option<Standing>,
    /// Number of entries
    #[arg(short = 'n', long, default_value_t = 50, value_parser = parse::up_to(u32::MAX))]
    pub limit: u32,
}

/// State of a run to filter by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
#[value(rename_all = "snake_case")]
pub enum Standing {
    /// At work
    #[value(alias = "running", alias = "starting", alias = "ending")]
    Live,
    /// Ended well
    #[value(alias = "completed", alias = "done", alias = "ok")]
    Succeeded,
    /// Ended with an error
    #[value(alias = "error")]
    Failed,
    /// Ended by a time limit
    #[value(alias = "timeout", alias = "timed-out")]
    TimedOut,
    /// Ended by you
    #[value(alias = "canceled", alias = "stopped")]
    Cancelled,
    /// Ended with the daemon
    Lost,
    /// Ended by a limit of its workflow
    #[value(alias = "over-budget")]
    OverBudget,
}

impl Standing {
    fn has(self, state: RunState) -> bool {
        match self {
            Self::Live => state.is_live(),
            Self::Succeeded => state == RunState::Succeeded,
            Self::Failed => state == RunState::Failed,
            Self::TimedOut => state == RunState::TimedOut,
            Self::Cancelled => state == RunState::Cancelled,
            Self::Lost => state == RunState::Lost,
            Self::OverBudget => state == RunState::OverBudget,
        }
    }
}

/// Lists runs, newest first.
pub async fn list(session: &Session, args: Listing) -> anyhow::Result<Exit> {
    let client = session.at(args.target).await?;
    let page = match args.state {
        None => newest(&client, args.limit, false).await?,
        Some(Standing::Live) => newest(&client, args.limit, true).await?,
        Some(wanted) => in_state(&client, wanted, args.limit as usize).await?,
    };
    let agents = agents_of(&client, &page.runs).await?;
    session.show_in_view(&page, |view, page| runs::table(view, &page.runs, &agents, page.more))
}

/// The agents that may have one of these runs.
async fn agents_of(client: &Client, runs: &[Run]) -> Result<Vec<Agent>, ClientError> {
    if !runs.iter().any(|run| run.state.is_live()) {
        return Ok(Vec::new());
    }
    Ok(client.call(&AgentList {}).await?.agents)
}

async fn newest(client: &Client, limit: u32, live: bool) -> Result<Runs, ClientError> {
    let page = async |left, oldest: Option<&Run>| {
        let list = RunList { limit: Some(left), before: oldest.map(|run| run.id), live };
        client.call(&list).await.map(|page| (page.runs, page.more))
    };
    let (runs, more) = pages::newest(limit, page).await?;
    Ok(Runs { runs, more })
}

/// The newest runs that stand like this.
async fn in_state(client: &Client, wanted: Standing, limit: usize) -> Result<Runs, ClientError> {
    let mut found: Vec<Run> = Vec::new();
    let mut before = None;
    loop {
        let list = RunList { limit: Some(PAGE), before, ..RunList::default() };
        let page = client.call(&list).await?;
        before = page.runs.last().map(|run| run.id);
        found.extend(page.runs.into_iter().filter(|run| wanted.has(run.state)));
        if found.len() > limit || !page.more {
            let more = found.len() > limit;
            found.truncate(limit);
            return Ok(Runs { runs: found, more });
        }
    }
}

/// Ends a run now.
pub async fn cancel(session: &Session, cancel: RunCancel) -> anyhow::Result<Exit> {
    let run = session.client().await?.call(&cancel).await?;
    session.show(&run, runs::changed)
}
