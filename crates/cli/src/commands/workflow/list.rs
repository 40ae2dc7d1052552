//! `agent-worker list` and `agent-worker info`

use agent_worker_client::text::natural;
use agent_worker_protocol::{
    AgentList, AgentShow, Agents, Target, Workflow, WorkflowList, WorkflowShow,
};
use clap::Args;
use serde::Serialize;

use super::{limits::defaults, text as workflows};
use crate::{
    commands::agent::text as agents, complete, exit::Exit, parse, place::scope_of, session::Session,
};

/// `agent-worker list`
#[derive(Debug, Args)]
pub struct List {
    /// Only this workflow, or this agent
    #[arg(add = complete::targets(), value_parser = parse::target)]
    pub target: Option<Target>,
    /// Show hired agents below those that hired them
    #[arg(long)]
    pub tree: bool,
}

/// `agent-worker info`
#[derive(Debug, Args)]
pub struct Info {
    /// An agent or a workflow
    #[arg(add = complete::targets(), value_parser = parse::target)]
    pub target: Target,
}

/// Workflows and agents.
#[derive(Debug, Serialize)]
struct Listed {
    workflows: Vec<Workflow>,
    #[serde(flatten)]
    agents: Agents,
}

impl Listed {
    /// Brings them into the order of names that people count in.
    fn sort(&mut self) {
        self.workflows.sort_by_cached_key(|workflow| natural::key(&workflow.scope.key()));
        self.agents.agents.sort_by_cached_key(|agent| {
            (natural::key(&agent.scope.key()), natural::key(agent.name.as_str()))
        });
    }
}

/// Lists workflows and agents.
pub async fn list(session: &Session, args: List) -> anyhow::Result<Exit> {
    let client = session.client().await?;
    let mut listed = match args.target {
        None => Listed {
            workflows: client.call(&WorkflowList {}).await?.workflows,
            agents: client.call(&AgentList {}).await?,
        },
        Some(target) => {
            let target = session.meant(&client, target).await?;
            let key = scope_of(&target);
            let workflow = client.call(&WorkflowShow { key }).await?;
            let agents = client.at(target).call(&AgentList {}).await?;
            Listed { workflows: vec![workflow], agents }
        }
    };
    listed.sort();
    session.show_in_view(&listed, |view, Listed { workflows, agents }| {
        let table = if args.tree { agents::tree } else { agents::table };
        let agents = table(view, &agents.agents, &agents.runs);
        format!("{}\n\n{agents}", workflows::table(view, workflows))
    })
}

/// Shows one agent or workflow whole.
pub async fn info(session: &Session, args: Info) -> anyhow::Result<Exit> {
    let client = session.client().await?;
    let target = session.meant(&client, args.target).await?;
    if target.name.is_some() {
        let detail = client.call(&AgentShow { target }).await?;
        return session.show_in_view(&detail, agents::detail);
    }
    let workflow = client.call(&WorkflowShow { key: scope_of(&target) }).await?;
    let default = defaults(session);
    let members = client.at(target).call(&AgentList {}).await?;
    session.show_in_view(&workflow, |view, workflow| {
        let members = agents::table(view, &members.agents, &members.runs);
        format!("{}\n\n{members}", workflows::detail(view, workflow, &default))
    })
}

#[cfg(test)]
mod tests {
    use agent_worker_protocol::{AgentState, Scope, WorkflowState};

    use super::*;
    use crate::tests::samples;

    #[test]
    fn archives_and_agents_are_listed_in_the_order_of_their_numbers() {
        let workflow = |tag: &str| {
            let scope: Scope = format!("@t:{tag}").parse().unwrap();
            Workflow { scope, ..samples::workflow(WorkflowState::Completed) }
        };
        let workflows = ["main", "main.old-1", "main.old-10", "main.old-2"].map(workflow).to_vec();
        let agent = |name: &str| samples::agent(name, AgentState::Idle);
        let agents = ["al@t:main.old-10", "al-10@t:main.old-2", "al-2@t:main.old-2"].map(agent);
        let agents = Agents { agents: agents.to_vec(), runs: Vec::new() };
        let mut listed = Listed { workflows, agents };
        listed.sort();
        let tags: Vec<_> = listed.workflows.iter().map(|one| one.scope.tag.as_str()).collect();
        assert_eq!(tags, ["main", "main.old-1", "main.old-2", "main.old-10"]);
        let names: Vec<_> = listed.agents.agents.iter().map(|one| one.name.as_str()).collect();
        assert_eq!(names, ["al-2", "al-10", "al"]);
    }
}
