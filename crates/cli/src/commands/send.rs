//! `agent-worker send`

use std::io::Read as _;

use agent_worker_client::Client;
use agent_worker_protocol::{
    channel::{ChannelSend, DeliveredState, Intent},
    target::Target,
    workflow::{WorkflowShow, WorkflowState},
};
use anyhow::Context as _;
use clap::Args;
use clap_complete::ArgValueCandidates;

use super::scope_of;
use crate::{complete, exit::Exit, render::messages, session::Session};

/// `agent-worker send`
#[derive(Debug, Args)]
pub struct Send {
    /// A workflow, into whose channel it goes, or an agent, who alone gets it
    #[arg(add = ArgValueCandidates::new(complete::targets))]
    pub target: Target,
    /// The message
    #[command(flatten)]
    pub message: ChannelSend,
    /// Wake nobody: the message lies in the inbox for the next run
    #[arg(long)]
    pub inform: bool,
}

/// Sends a message.
pub async fn send(session: &Session, args: Send) -> anyhow::Result<Exit> {
    let mut message = args.message;
    if message.message == "-" {
        message.message = piped()?;
    }
    message.intent = args.inform.then_some(Intent::Inform);
    let client = session.client().await?.at(args.target.clone());
    let sent = client.call(&message).await?;
    let waits = sent.delivered_to.iter().any(|to| to.state == DeliveredState::Stopped);
    let state =
        if waits && !session.output.json { state_of(&client, &args.target).await } else { None };
    session.output.show(&sent, |sent| messages::sent(sent, state))?;
    Ok(Exit::Done)
}

/// The state of a target's workflow, if it can be known: the message is stored in any case.
async fn state_of(client: &Client, target: &Target) -> Option<WorkflowState> {
    let shown = client.call(&WorkflowShow { key: scope_of(target) }).await;
    shown.ok().map(|workflow| workflow.state)
}

/// What comes on standard input.
pub fn piped() -> anyhow::Result<String> {
    let mut text = String::new();
    std::io::stdin().read_to_string(&mut text).context("cannot read standard input")?;
    Ok(text)
}
