//! `agent-worker check`

use agent_worker_protocol::Check;
use agent_worker_workflow_file::json_schema;
use clap::Args;

use super::problems;
use crate::{commands::config, exit::Exit, session::Session, source::GivenFile};

/// `agent-worker check`
#[derive(Debug, Args)]
pub struct CheckFile {
    /// The file and what stands in place of its own values
    #[command(flatten)]
    pub file: GivenFile,
    /// Print the JSON schema of workflow files
    #[arg(long, conflicts_with_all = ["file", "params", "backend", "model"])]
    pub schema: bool,
}

/// Prints the problems of a workflow file.
pub async fn check(session: &Session, args: &CheckFile) -> anyhow::Result<Exit> {
    if args.schema {
        session.output.print_json(&json_schema())?;
        return Ok(Exit::Done);
    }
    let source = args.file.collect(None)?;
    let check = Check { source };
    let checked = session.client().await?.call(&check).await?;
    session.output.show(&checked, |checked| problems::checked(&check.source, checked))?;
    if !checked.ok {
        config::note(session).await;
    }
    Ok(if checked.ok { Exit::Done } else { Exit::Failed })
}
