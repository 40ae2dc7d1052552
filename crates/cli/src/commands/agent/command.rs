//! Actions on an agent or a whole workflow: `stop`, `resume`, `wake`, `rm`

use agent_worker_client::{Client, ClientError};
use agent_worker_protocol::{
    Agent, AgentList, AgentNewSession, AgentRemove, AgentResume, AgentShow, AgentStop, AgentWake,
    Attention, Removed, Target, Workflow, WorkflowResume, WorkflowState, WorkflowStop,
};
use clap::Args;

use super::{
    each::{Does, Done, Which, all, confirm, each, names},
    ending, text as agents,
};
use crate::{
    commands::workflow::text as workflows,
    complete,
    exit::{Exit, Refusal},
    parse,
    place::scope_of,
    resolve,
    session::Session,
};

/// `agent-worker stop`
#[derive(Debug, Args)]
pub struct Stop {
    /// Which of them
    #[command(flatten)]
    pub which: Which,
    /// End live runs at once, not after `runs.stop_grace` (10s)
    #[arg(long)]
    pub now: bool,
}

/// `agent-worker resume`
#[derive(Debug, Args)]
pub struct Resume {
    /// Which of them
    #[command(flatten)]
    pub which: Which,
    /// Begin a new session with a summary of the old one
    #[arg(long)]
    pub new_session: bool,
}

/// `agent-worker rm`
#[derive(Debug, Args)]
pub struct Rm {
    /// Which of them
    #[command(flatten)]
    pub which: Which,
    /// With `--all`: do not ask for confirmation
    #[arg(short, long, requires = "all")]
    pub yes: bool,
}

/// `agent-worker wake`
#[derive(Debug, Args)]
pub struct Wake {
    /// An agent
    #[arg(add = complete::agents(), value_parser = parse::target)]
    pub target: Target,
}

/// Stops agents and workflows.
pub async fn stop(session: &Session, args: Stop) -> anyhow::Result<Exit> {
    let client = session.client().await?;
    let targets = args.which.targets(session, &client, Does::Stop).await?;
    let now = args.now;
    // All are stopped before the end of any is awaited.
    let mut stopped = Vec::new();
    for target in &targets {
        let answer = Stopped::at(&client, target, now).await;
        stopped.push((target.clone(), answer));
    }
    let until = ending::latest_end(session).await;
    each(session, &args.which, &targets, stopped, async |(target, answer)| {
        let answer = answer?;
        let live = if now { ending::live_runs(&client, &target, until).await } else { 0 };
        match answer {
            Stopped::Agent(mut agent) => {
                if now
                    && live == 0
                    && let Ok(shown) = client.call(&AgentShow { target }).await
                {
                    *agent = shown.agent;
                }
                Done::of(&*agent, agents::changed)
            }
            Stopped::Workflow(workflow) => Done::of(&*workflow, |workflow| match live {
                0 => workflows::changed(workflow),
                1 => format!("{} (1 run is ending)", workflows::changed(workflow)),
                _ => format!("{} ({live} runs are ending)", workflows::changed(workflow)),
            }),
        }
    })
    .await
}

/// What was stopped, as it is then.
enum Stopped {
    Agent(Box<Agent>),
    Workflow(Box<Workflow>),
}

impl Stopped {
    async fn at(client: &Client, target: &Target, now: bool) -> Result<Self, ClientError> {
        if target.name.is_some() {
            let agent = client.call(&AgentStop { target: target.clone(), now }).await?;
            return Ok(Self::Agent(Box::new(agent)));
        }
        let stop = WorkflowStop { key: scope_of(target), now, purge: false, timeout: None };
        Ok(Self::Workflow(Box::new(client.call(&stop).await?)))
    }
}

/// Lets agents and workflows go on.
pub async fn resume(session: &Session, args: Resume) -> anyhow::Result<Exit> {
    let client = session.client().await?;
    let targets = args.which.targets(session, &client, Does::Resume).await?;
    if args.new_session
        && let Some(scope) = targets.iter().find(|it| it.name.is_none())
    {
        let message = format!("only an agent has a session: `{scope}` is a workflow");
        return Err(Refusal::usage(message).hint(format!("agent-worker list {scope}")).into());
    }
    each(session, &args.which, &targets.clone(), targets, async |target| {
        if target.name.is_some() {
            if args.new_session {
                client.call(&AgentNewSession { target: target.clone() }).await?;
            }
            return Done::of(&client.call(&AgentResume { target }).await?, agents::changed);
        }
        let key = scope_of(&target);
        let workflow = client.call(&WorkflowResume { key: key.clone() }).await?;
        let mut done = Done::of(&workflow, workflows::changed)?;
        if workflow.state == WorkflowState::Stalled {
            let items = client.at(Target::scope(key)).call(&Attention {}).await?.items;
            done.note = Some(workflows::remedies(&workflow, &items));
        } else {
            let members = client.at(Target::scope(key)).call(&AgentList {}).await?.agents;
            done.note = agents::still_stopped(&members);
        }
        Ok(done)
    })
    .await
}

/// Starts an agent now.
pub async fn wake(session: &Session, args: Wake) -> anyhow::Result<Exit> {
    let client = session.client().await?;
    let target = session.meant(&client, args.target).await?;
    resolve::agent_only(&target, "woken", &format!("agent-worker resume {target}"))?;
    let agent = client.call(&AgentWake { target }).await?;
    session.show(&agent, agents::woken)
}

/// Removes agents, and workflows with everything in them.
pub async fn remove(session: &Session, args: Rm) -> anyhow::Result<Exit> {
    let client = session.client().await?;
    let targets = args.which.targets(session, &client, Does::Remove).await?;
    if args.which.all {
        if !args.yes && !targets.is_empty() {
            confirm(session, &targets)?;
        }
        let active = all(&client, Does::Stop).await?;
        if !active.is_empty() {
            let names = names(&active);
            session.output.note(&format!("still active: {names}\nhint: agent-worker stop --all"));
        }
    }
    each(session, &args.which, &targets.clone(), targets, async |target| {
        let removed = if target.name.is_some() {
            client.call(&AgentRemove { target }).await?
        } else {
            let purge =
                WorkflowStop { key: scope_of(&target), now: false, purge: true, timeout: None };
            let workflow = client.call(&purge).await?;
            Removed { target: Target::scope(workflow.scope) }
        };
        Done::of(&removed, |removed| agents::removed(&removed.target))
    })
    .await
}
