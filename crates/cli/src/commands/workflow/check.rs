//! `agent-worker check`

use std::path::PathBuf;

use agent_worker_protocol::workflow::Check;
use agent_worker_workflow_file::json_schema;
use clap::Args;

use super::problems;
use crate::{
    commands::config,
    exit::Exit,
    offline::Offline,
    session::Session,
    source::{self, Given},
};

/// `agent-worker check`
#[derive(Debug, Args)]
pub struct CheckFile {
    /// The workflow file, or its folder
    #[arg(default_value = source::IN_FOLDER)]
    pub file: PathBuf,
    /// Value of a parameter
    #[arg(short, long = "param", value_name = "NAME=VALUE", value_parser = source::param)]
    pub params: Vec<(String, String)>,
    /// Print the JSON schema of workflow files
    #[arg(long, conflicts_with_all = ["file", "params"])]
    pub schema: bool,
}

/// Prints the problems of a workflow file.
pub async fn check(
    session: &Session,
    args: &CheckFile,
    offline: &dyn Offline,
) -> anyhow::Result<Exit> {
    if args.schema {
        session.output.print_json(&json_schema())?;
        return Ok(Exit::Done);
    }
    let given = Given { params: args.params.clone(), ..Given::default() };
    let source = source::collect(&args.file, given)?;
    let check = Check { source };
    let checked = session.client().await?.call(&check).await?;
    session.output.show(&checked, |checked| problems::checked(&check.source, checked))?;
    if !checked.ok {
        config::note(session, offline).await;
    }
    Ok(if checked.ok { Exit::Done } else { Exit::Failed })
}
