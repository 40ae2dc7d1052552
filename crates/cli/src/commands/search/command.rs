//! `agent-worker search`

use agent_worker_protocol::{search::Search, target::Target};
use clap::Args;
use clap_complete::ArgValueCandidates;

use super::text as hits;
use crate::{complete, exit::Exit, parse, session::Session};

/// `agent-worker search`
#[derive(Debug, Args)]
pub struct Searching {
    /// Search words
    #[arg(allow_hyphen_values = true)]
    pub text: String,
    /// Workflow, group or agent [default: everywhere]
    #[arg(add = ArgValueCandidates::new(complete::targets), value_parser = parse::target)]
    pub target: Option<Target>,
    /// Number of entries
    #[arg(short = 'n', long)]
    pub limit: Option<u32>,
    /// Position where the last page ended
    #[arg(long, value_name = "PLACE")]
    pub next: Option<i64>,
}

/// Searches, and shows the matches.
pub async fn search(session: &Session, args: Searching) -> anyhow::Result<Exit> {
    let client = session.at(args.target).await?;
    let found =
        client.call(&Search { text: args.text, limit: args.limit, next: args.next }).await?;
    session.show_in_view(&found, hits::list)
}
