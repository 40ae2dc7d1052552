//! `agent-worker context`

use agent_worker_protocol::{ContextShow, Target};
use clap::Args;

use super::text;
use crate::{complete, exit::Exit, parse, resolve, session::Session};

/// `agent-worker context`
#[derive(Debug, Args)]
pub struct Context {
    /// An agent
    #[arg(add = complete::agents(), value_parser = parse::target)]
    pub target: Target,
}

/// Shows what the next run of an agent would be given.
pub async fn context(session: &Session, args: Context) -> anyhow::Result<Exit> {
    session.person_only("what an agent would be given")?;
    let client = session.client().await?;
    let target = session.meant(&client, args.target).await?;
    resolve::agent_only(&target, "given a prompt", &format!("agent-worker list {target}"))?;
    let shown = client.call(&ContextShow { target }).await?;
    session.show_in_view(&shown, text::context)
}
