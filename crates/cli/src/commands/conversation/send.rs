//! `agent-worker send`

use std::collections::HashSet;

use agent_worker_client::Client;
use agent_worker_protocol::{
    ChannelSend, DeliveredState, Intent, Sent, Target, Workflow, WorkflowShow,
};
use clap::Args;

use super::text as messages;
use crate::{
    again, complete, exit::Exit, input::message_of, parse, place::scope_of, session::Session,
};

/// `agent-worker send`
#[derive(Debug, Args)]
pub struct Send {
    /// Workflow (its channel), group or agent
    #[arg(add = complete::targets(), value_parser = parse::target)]
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
    message.message = message_of(message.message)?;
    message.intent = args.inform.then_some(Intent::Inform);
    let client = session.client().await?;
    let target = session.meant(&client, args.target).await?;
    let client = client.at(target.clone());
    let sent = client.call(&message).await?;
    let waits = sent.delivered_to.iter().any(|to| to.state == DeliveredState::Stopped);
    let is_told = waits && !session.output.json;
    let workflow = if is_told { workflow_of(&client, &target).await } else { None };
    let is_person = !session.home()?.is_in_run() && session.member().is_none();
    let outside = outsiders(&message.message);
    session.show(&sent, |sent| {
        let mut lines = vec![messages::sent(sent, workflow.as_ref())];
        lines.extend(outside.iter().map(outside_told));
        let answer = answer_of(&target, sent).filter(|_| is_person);
        lines.extend(answer.map(|place| again::at_home(&place)));
        lines.join("\n")
    })
}

/// How many names that are no mentions are told.
const MOST_OUTSIDERS: usize = 3;

/// Members that a text names with their workflow, as `@alice@review`: no mention, wherever it goes.
/// Each is there once, and of many only the first.
fn outsiders(text: &str) -> Vec<Target> {
    let words = text.split_whitespace().filter_map(|word| word.strip_prefix('@'));
    let names = words.map(|word| word.trim_end_matches(|c: char| !c.is_ascii_alphanumeric()));
    let targets = names.filter_map(|name| name.parse::<Target>().ok());
    let outside = targets.filter(|target| target.name.is_some() && target.scope.is_some());
    let mut known = HashSet::new();
    outside.filter(|target| known.insert(target.clone())).take(MOST_OUTSIDERS).collect()
}

fn outside_told(target: &Target) -> String {
    let name = target.whole();
    again::at_home(&format!(
        "@{name} is not a mention, which names a member of the same workflow: \
         agent-worker send {name} MESSAGE"
    ))
}

/// Where the answer to a direct message will be, if it woke an agent.
fn answer_of(target: &Target, sent: &Sent) -> Option<String> {
    target.name.as_ref()?;
    let is_woken = sent.delivered_to.iter().any(|to| to.state == DeliveredState::Woken);
    is_woken.then(|| format!("answer: agent-worker peek {target}"))
}

/// A target's workflow, if it can be known: the message is stored in any case.
async fn workflow_of(client: &Client, target: &Target) -> Option<Workflow> {
    client.call(&WorkflowShow { key: scope_of(target) }).await.ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_with_a_workflow_is_told_to_reach_no_one() {
        let text =
            "@alice@team, ask bob@team or @carol: @alice@ and @team are none, @ann@review:x.";
        let found: Vec<_> = outsiders(text).iter().map(ToString::to_string).collect();
        assert_eq!(found, ["alice@team", "ann@review:x"]);
    }

    #[test]
    fn a_name_with_a_workflow_is_told_once_and_of_many_the_first_three() {
        let text = "@ann@x @ann@x @bob@x @ann@x @cleo@x @dan@x @eve@x";
        let found: Vec<_> = outsiders(text).iter().map(ToString::to_string).collect();
        assert_eq!(found, ["ann@x", "bob@x", "cleo@x"]);
    }
}
