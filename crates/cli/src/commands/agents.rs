//! What is done with an agent, or with a whole workflow: `stop`, `resume`, `wake`, `rm`

use agent_worker_protocol::{
    agent::{AgentNewSession, AgentRemove, AgentResume, AgentStop, AgentWake, Removed},
    attention::Attention,
    target::Target,
    workflow::{WorkflowResume, WorkflowState, WorkflowStop},
};
use clap::Args;
use clap_complete::ArgValueCandidates;

use super::scope_of;
use crate::{
    complete,
    exit::{Exit, Refusal},
    meant,
    render::{agents, workflows},
    session::Session,
};

/// `agent-worker stop`
#[derive(Debug, Args)]
pub struct Stop {
    /// An agent or a workflow
    #[arg(add = ArgValueCandidates::new(complete::targets), value_parser = meant::target)]
    pub target: Target,
    /// End live runs at once, without their ten seconds
    #[arg(long)]
    pub now: bool,
}

/// `agent-worker resume`
#[derive(Debug, Args)]
pub struct Resume {
    /// An agent or a workflow
    #[arg(add = ArgValueCandidates::new(complete::targets), value_parser = meant::target)]
    pub target: Target,
    /// Begin a new session, with a summary of what the agent did in the old one
    #[arg(long)]
    pub new_session: bool,
}

/// `agent-worker wake`
#[derive(Debug, Args)]
pub struct Wake {
    /// An agent
    #[arg(add = ArgValueCandidates::new(complete::agents), value_parser = meant::target)]
    pub target: Target,
}

/// `agent-worker rm`
#[derive(Debug, Args)]
pub struct Rm {
    /// An agent or a workflow
    #[arg(add = ArgValueCandidates::new(complete::targets), value_parser = meant::target)]
    pub target: Target,
}

/// Stops an agent or a workflow.
pub async fn stop(session: &Session, args: Stop) -> anyhow::Result<Exit> {
    let client = session.client().await?;
    let now = args.now;
    let target = session.meant(&client, args.target).await?;
    if target.name.is_some() {
        let agent = client.call(&AgentStop { target, now }).await?;
        session.output.show(&agent, agents::changed)?;
    } else {
        let stop = WorkflowStop { key: scope_of(&target), now, purge: false };
        let workflow = client.call(&stop).await?;
        session.output.show(&workflow, workflows::changed)?;
    }
    Ok(Exit::Done)
}

/// Lets an agent or a workflow go on.
pub async fn resume(session: &Session, args: Resume) -> anyhow::Result<Exit> {
    let client = session.client().await?;
    let target = session.meant(&client, args.target).await?;
    if target.name.is_none() && args.new_session {
        let message = format!("`{target}` is a workflow, and only an agent has a session");
        let hint = format!("agent-worker list {target}");
        return Err(Refusal::usage(message).hint(hint).into());
    }
    if target.name.is_some() {
        if args.new_session {
            client.call(&AgentNewSession { target: target.clone() }).await?;
        }
        let agent = client.call(&AgentResume { target }).await?;
        session.output.show(&agent, agents::changed)?;
    } else {
        let key = scope_of(&target);
        let workflow = client.call(&WorkflowResume { key: key.clone() }).await?;
        session.output.show(&workflow, workflows::changed)?;
        if workflow.state == WorkflowState::Stalled {
            let items = client.at(Target::scope(key)).call(&Attention {}).await?.items;
            session.output.note(&workflows::remedies(&workflow, &items));
        }
    }
    Ok(Exit::Done)
}

/// Starts an agent now.
pub async fn wake(session: &Session, args: Wake) -> anyhow::Result<Exit> {
    let client = session.client().await?;
    let target = session.meant(&client, args.target).await?;
    meant::agent_only(&target, "woken", &format!("agent-worker resume {target}"))?;
    let agent = client.call(&AgentWake { target }).await?;
    session.output.show(&agent, agents::changed)?;
    Ok(Exit::Done)
}

/// Removes an agent, or a workflow with everything in it.
pub async fn remove(session: &Session, args: Rm) -> anyhow::Result<Exit> {
    let client = session.client().await?;
    let target = session.exactly(&client, args.target).await?;
    let removed = if target.name.is_some() {
        client.call(&AgentRemove { target }).await?
    } else {
        let purge = WorkflowStop { key: scope_of(&target), now: false, purge: true };
        let workflow = client.call(&purge).await?;
        Removed { target: Target::scope(workflow.scope) }
    };
    session.output.show(&removed, |removed| agents::removed(&removed.target))?;
    Ok(Exit::Done)
}
