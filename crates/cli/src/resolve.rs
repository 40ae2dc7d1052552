//! What a word on the command line means.

use agent_worker_client::{Client, ClientError};
use agent_worker_protocol::{
    Agent, AgentList, Conversation, GroupList, Name, Scope, Target, WorkflowList,
};
use clap::Command;

use crate::again;
use crate::{exit::Refusal, session::Session};

/// What a plain name may stand for.
struct Known {
    agents: Vec<Agent>,
    scopes: Vec<Scope>,
}

impl Known {
    async fn ask(client: &Client) -> Result<Self, ClientError> {
        let agents = client.call(&AgentList {}).await?.agents;
        let workflows = client.call(&WorkflowList {}).await?.workflows;
        Ok(Self { agents, scopes: workflows.into_iter().map(|it| it.scope).collect() })
    }

    /// Whether the default scope has such a member.
    fn has_agent(&self, name: &Name) -> bool {
        self.agents.iter().any(|agent| agent.name == *name && agent.scope.is_global())
    }

    /// The other targets with this name: members and instances of workflows elsewhere.
    fn elsewhere(&self, name: &Name) -> Vec<Target> {
        let scopes = self.scopes.iter().filter(|scope| scope.workflow == *name);
        let agents = self.agents.iter().filter(|agent| agent.name == *name);
        let agents = agents.map(|agent| agent.target.clone());
        agents.chain(scopes.cloned().map(Target::scope)).collect()
    }
}

impl Session {
    /// The daemon, asked in the place that is meant, or everywhere.
    pub async fn at(&self, target: Option<Target>) -> anyhow::Result<Client> {
        let client = self.client().await?;
        Ok(match target {
            Some(target) => client.at(self.meant(&client, target).await?),
            None => client,
        })
    }

    /// The daemon, asked in the workflow that is meant, or everywhere, for a list of `what`.
    pub async fn at_scope(&self, target: Option<Target>, what: &str) -> anyhow::Result<Client> {
        let client = self.client().await?;
        let Some(target) = target else { return Ok(client) };
        let meant = self.meant(&client, target.clone()).await?;
        self.workflow_only(&target, &meant, what)?;
        Ok(client.at(meant))
    }

    /// Refuses an agent or a group where a list of `what` is wanted.
    pub fn workflow_only(&self, target: &Target, meant: &Target, what: &str) -> anyhow::Result<()> {
        if meant.name.is_none() {
            return Ok(());
        }
        let message = format!("only a workflow has a list of {what}: `{target}` is not a workflow");
        let refusal = Refusal::usage(message);
        // In an agent's shell, a plain name is not of the global workflow.
        if meant.scope.is_none() && self.home()?.is_in_run() {
            return Err(refusal.into());
        }
        let scope = meant.scope_or(&Scope::global());
        Err(refusal.hint(again::with(&target.to_string(), &scope.to_string())).into())
    }

    /// What a target means: a plain name is that of a workflow where no agent and no group has it.
    pub async fn meant(&self, client: &Client, target: Target) -> anyhow::Result<Target> {
        let Target { name: Some(name), scope: None } = &target else { return Ok(target) };
        if name.as_str() == Name::PERSON || self.home()?.is_in_run() {
            return Ok(target);
        }
        let client = client.as_oneself();
        let known = Known::ask(&client).await?;
        if known.has_agent(name) || has_group(&client, name).await? {
            return Ok(target);
        }
        let meant = Scope { workflow: name.clone(), ..Scope::global() };
        if known.scopes.contains(&meant) {
            return Ok(Target::scope(meant));
        }
        let mut others = known.elsewhere(name);
        others.extend(groups(&client, name).await?);
        match &others[..] {
            [] => Ok(target),
            [first, rest @ ..] => Err(elsewhere(name, first, rest).into()),
        }
    }

    /// Returns the error. If the global workflow does not have the member of `--as`, the hint names
    /// the first workflow that does.
    pub async fn with_workflow(
        &self,
        error: anyhow::Error,
        program: fn() -> Command,
    ) -> anyhow::Error {
        let Some(name) = self.member() else { return error };
        let refused = Scope::global().lacks(name);
        let is_placed = again::typed().iter().any(|word| word.contains('@'));
        if is_placed || error.to_string() != refused {
            return error;
        }
        let Ok(client) = self.client().await else { return error };
        let Ok(known) = Known::ask(&client.as_oneself()).await else { return error };
        let Some(agent) = known.agents.iter().find(|agent| agent.name == *name) else {
            return error;
        };
        let hint = again::as_member(program(), name.as_str(), &agent.scope.to_string());
        // A command without a place for a workflow would be refused again.
        if !hint.contains('@') {
            return error;
        }
        Refusal::new(refused).hint(hint).into()
    }

    /// What a target means, for a command that cannot be undone: nothing is taken for another.
    pub async fn exactly(&self, client: &Client, target: Target) -> anyhow::Result<Target> {
        let meant = self.meant(client, target.clone()).await?;
        if meant == target {
            return Ok(target);
        }
        let refusal = Refusal::new(format!("agent `{target}` not found in {}", Scope::global()));
        Err(refusal.hint(again::with(&target.to_string(), &meant.to_string())).into())
    }
}

/// Refuses a workflow where an agent is wanted.
pub fn agent_only(target: &Target, done: &str, hint: &str) -> Result<(), Refusal> {
    if target.name.is_some() {
        return Ok(());
    }
    let message = format!("only an agent can be {done}: {target} is a workflow");
    Err(Refusal::usage(message).hint(hint.to_owned()))
}

async fn has_group(client: &Client, name: &Name) -> Result<bool, ClientError> {
    let here = client.at(Target::scope(Scope::global()));
    let wanted = Conversation::Group(name.clone());
    Ok(here.call(&GroupList {}).await?.groups.iter().any(|group| group.name == wanted))
}

/// The groups with this name in all workflows.
async fn groups(client: &Client, name: &Name) -> Result<Vec<Target>, ClientError> {
    let wanted = Conversation::Group(name.clone());
    let groups = client.call(&GroupList {}).await?.groups;
    let groups = groups.into_iter().filter(|group| group.name == wanted);
    let named = |scope| Target { name: Some(name.clone()), scope: Some(scope) };
    Ok(groups.map(|group| named(group.scope)).collect())
}

fn elsewhere(name: &Name, first: &Target, rest: &[Target]) -> Refusal {
    let others: Vec<_> = std::iter::once(first).chain(rest).map(|it| format!("`{it}`")).collect();
    let (last, before) = others.split_last().expect("there is a first");
    let (those, exist) = match before {
        [] => (last.clone(), "exists"),
        _ => (format!("{} and {last}", before.join(", ")), "exist"),
    };
    let message = format!("`{name}` not found in {}, but {those} {exist}", Scope::global());
    Refusal::new(message).hint(again::with(name.as_str(), &first.to_string()))
}
