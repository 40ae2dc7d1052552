//! `agent-worker new`

use std::{env, path::PathBuf};

use agent_worker_protocol::{
    agent::AgentCreate,
    name::{Name, Tag},
    target::{Scope, Target},
};
use anyhow::Context as _;
use clap::Args;

use crate::{
    exit::{Exit, Refusal},
    render::agents,
    session::Session,
    source,
};

/// `agent-worker new`
#[derive(Debug, Args)]
pub struct New {
    /// The agent
    #[command(flatten)]
    pub agent: AgentCreate,
    /// A file with its system prompt
    #[arg(long, value_name = "FILE", conflicts_with = "system")]
    pub system_file: Option<PathBuf>,
    /// A file with the script that the mock backend plays
    #[arg(long, value_name = "FILE")]
    pub script: Option<PathBuf>,
    /// The workflow it joins; without one it stands for itself
    #[arg(long, value_name = "NAME")]
    pub workflow: Option<Name>,
    /// Which instance of the workflow
    #[arg(long, requires = "workflow")]
    pub tag: Option<Tag>,
    /// When it runs by itself; comes with a later version
    #[arg(long, value_name = "SPEC", hide = true)]
    pub schedule: Option<String>,
}

/// Makes an agent.
pub async fn new(session: &Session, args: New) -> anyhow::Result<Exit> {
    if args.schedule.is_some() {
        let message = "--schedule comes with a later version of agent-worker";
        return Err(Refusal::new(message)
            .hint("agent-worker wake NAME starts an agent now")
            .into());
    }
    let scope = args.workflow.as_ref().map(|workflow| Scope {
        workflow: workflow.clone(),
        tag: args.tag.clone().unwrap_or_else(Tag::main),
    });
    let agent = completed(args)?;
    let client = session.client().await?;
    let client = match scope {
        Some(scope) => client.at(Target::scope(scope)),
        None => client,
    };
    let made = client.call(&agent).await?;
    session.output.show(&made, |made| {
        let target = &made.target;
        format!("{}\nnext: agent-worker ask {target} \"…\"", agents::changed(made))
    })?;
    Ok(Exit::Done)
}

/// The agent with what its files say and where it was made.
fn completed(args: New) -> anyhow::Result<AgentCreate> {
    let mut agent = args.agent;
    if let Some(file) = &args.system_file {
        agent.system = Some(source::text(file)?);
    }
    if let Some(file) = &args.script {
        agent.script = Some(source::text(file)?);
    }
    let folder = env::current_dir().context("cannot find the current folder")?;
    agent.cwd = Some(folder.display().to_string());
    agent.path_env = env::var("PATH").ok();
    Ok(agent)
}
