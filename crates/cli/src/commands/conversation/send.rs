//! `agent-worker send`

use agent_worker_client::Client;
use agent_worker_protocol::{
    channel::{ChannelSend, DeliveredState, Intent, Sent},
    target::Target,
    workflow::{WorkflowShow, WorkflowState},
};
use clap::Args;
use clap_complete::ArgValueCandidates;

use super::text as messages;
use crate::{again, complete, exit::Exit, input::piped, parse, place::scope_of, session::Session};

/// `agent-worker send`
#[derive(Debug, Args)]
pub struct Send {
    /// Workflow (its channel), group or agent
    #[arg(add = ArgValueCandidates::new(complete::targets), value_parser = parse::target)]
    pub target: Target,
    /// The message
    #[command(flatten)]
    pub message: ChannelSend,
    /// Wake no one: deliver with the next run
    #[arg(long)]
    pub inform: bool,
}

pub async fn send(session: &Session, args: Send) -> anyhow::Result<Exit> {
    let mut message = args.message;
    if message.message == "-" {
        message.message = piped()?;
    }
    message.intent = args.inform.then_some(Intent::Inform);
    let client = session.client().await?;
    let target = session.meant(&client, args.target).await?;
    let client = client.at(target.clone());
    let sent = client.call(&message).await?;
    let waits = sent.delivered_to.iter().any(|to| to.state == DeliveredState::Stopped);
    let state = if waits && !session.output.json { state_of(&client, &target).await } else { None };
    let is_person = !session.home()?.is_in_run() && session.member().is_none();
    session.show(&sent, |sent| {
        let told = messages::sent(sent, state);
        match answer_of(&target, sent).filter(|_| is_person) {
            Some(place) => format!("{told}\n{}", again::at_home(&place)),
            None => told,
        }
    })
}

/// Where the answer to a direct message will be, if it woke an agent.
fn answer_of(target: &Target, sent: &Sent) -> Option<String> {
    target.name.as_ref()?;
    let is_woken = sent.delivered_to.iter().any(|to| to.state == DeliveredState::Woken);
    is_woken.then(|| format!("answer: agent-worker peek {target}"))
}

/// The state of a target's workflow, if it can be known: the message is stored in any case.
async fn state_of(client: &Client, target: &Target) -> Option<WorkflowState> {
    let shown = client.call(&WorkflowShow { key: scope_of(target) }).await;
    shown.ok().map(|workflow| workflow.state)
}
