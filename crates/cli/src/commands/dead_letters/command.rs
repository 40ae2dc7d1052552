//! `agent-worker retry`, `drop` and `release`

use std::{collections::BTreeSet, str::FromStr};

use agent_worker_client::Client;
use agent_worker_protocol::{
    AgentList, Deliveries, DeliveryDrop, DeliveryRelease, DeliveryRetry, MessageHide, MessageId,
    RunId, RunRetry, Target,
};
use clap::Args;

use super::text as deliveries;
use crate::{
    complete,
    exit::{Exit, Refusal},
    parse,
    place::scope_of,
    session::Session,
};

/// `agent-worker retry`
#[derive(Debug, Args)]
pub struct Retry {
    /// Agent, workflow, message (`msg_12`) or run (`run_12`)
    #[arg(add = complete::targets())]
    pub what: Retried,
}

/// `agent-worker drop`
#[derive(Debug, Args)]
pub struct Drop {
    /// An agent, a workflow or a message (`msg_12`)
    #[arg(add = complete::targets())]
    pub what: Kept,
    /// Also hide the message from all prompts
    #[arg(long)]
    pub hide: bool,
}

/// `agent-worker release`
#[derive(Debug, Args)]
pub struct Release {
    /// An agent, a workflow or a message (`msg_12`)
    #[arg(add = complete::targets())]
    pub what: Kept,
}

/// Deliveries of a target, or of a message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Kept {
    /// All of an agent, or of a workflow
    Target(Target),
    /// One message
    Message(MessageId),
}

/// Target of `retry`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Retried {
    /// Deliveries
    Kept(Kept),
    /// The deliveries of a run
    Run(RunId),
}

impl FromStr for Kept {
    type Err = String;

    /// A name cannot hold a digit behind `msg_` and be meant as an agent: a message comes first.
    fn from_str(text: &str) -> Result<Self, String> {
        if let Ok(message) = text.parse() {
            return Ok(Self::Message(message));
        }
        parse::target(text).map(Self::Target).map_err(|bad| bad.to_string())
    }
}

impl FromStr for Retried {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if let Ok(run) = parse::run(text) {
            return Ok(Self::Run(run));
        }
        text.parse().map(Self::Kept)
    }
}

impl Kept {
    /// Resolves the target or the message; a plain name may be a workflow.
    async fn meant(
        self,
        session: &Session,
        client: &Client,
    ) -> anyhow::Result<(Option<Target>, Option<MessageId>)> {
        Ok(match self {
            Self::Target(target) => (Some(session.meant(client, target).await?), None),
            Self::Message(message) => (None, Some(message)),
        })
    }
}

pub async fn retry(session: &Session, args: Retry) -> anyhow::Result<Exit> {
    let client = session.client().await?;
    let changed = match args.what {
        Retried::Run(id) => client.call(&RunRetry { id }).await?,
        Retried::Kept(kept) => {
            let (target, message) = kept.meant(session, &client).await?;
            client.call(&DeliveryRetry { target, message }).await?
        }
    };
    done(session, &client, &changed).await
}

/// Shows the deliveries, and says which recipients do not start with them, and what resumes them.
async fn done(session: &Session, client: &Client, changed: &Deliveries) -> anyhow::Result<Exit> {
    let exit = session.show_in_view(changed, deliveries::changed)?;
    let Some(first) = changed.deliveries.first() else { return Ok(exit) };
    // All are of one workflow. They are changed, whether this is answered or not.
    let place = Target::scope(scope_of(&first.agent));
    let Ok(list) = client.at(place).call(&AgentList {}).await else { return Ok(exit) };
    let recipients: BTreeSet<_> = changed.deliveries.iter().map(|one| &one.agent).collect();
    let agents = list.agents.iter().filter(|agent| recipients.contains(&agent.target));
    for note in agents.filter_map(deliveries::waits) {
        session.output.note(&note);
    }
    Ok(exit)
}

pub async fn drop(session: &Session, args: Drop) -> anyhow::Result<Exit> {
    let client = session.client().await?;
    if args.hide {
        let message = match args.what {
            Kept::Message(message) => message,
            Kept::Target(target) => {
                let refusal =
                    Refusal::usage("only a message can be hidden: write its id, such as `msg_12`");
                return Err(refusal.hint(format!("agent-worker inbox {target}")).into());
            }
        };
        let changed = client.call(&MessageHide { message }).await?;
        let told = |_: &Deliveries| format!("{message} is hidden from all prompts");
        let exit = session.show(&changed, told)?;
        session.output.note(
            "transcripts keep its text: agents that only read it in the channel still see it in their \
             own",
        );
        return Ok(exit);
    }
    let (target, message) = match args.what {
        Kept::Target(target) => (Some(session.exactly(&client, target).await?), None),
        Kept::Message(message) => (None, Some(message)),
    };
    let changed = client.call(&DeliveryDrop { target, message }).await?;
    session.show_in_view(&changed, deliveries::changed)
}

pub async fn release(session: &Session, args: Release) -> anyhow::Result<Exit> {
    let client = session.client().await?;
    let (target, message) = args.what.meant(session, &client).await?;
    let changed = client.call(&DeliveryRelease { target, message }).await?;
    done(session, &client, &changed).await
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_and_runs_are_told_from_agents() {
        assert_eq!("msg_12".parse(), Ok(Kept::Message(MessageId::new(12))));
        assert_eq!("run_12".parse(), Ok(Retried::Run(RunId::new(12))));
        for text in ["alice", "@review", "alice@review:pr-1", "msg_board", "run_first"] {
            assert!(matches!(text.parse(), Ok(Retried::Kept(Kept::Target(_)))), "{text}");
        }
        assert!("alice@".parse::<Kept>().is_err());
    }
}
