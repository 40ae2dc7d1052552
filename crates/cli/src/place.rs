//! Where a command acts: the workflow that is meant.

use agent_worker_client::{Client, ClientError, discovery};
use agent_worker_protocol::{AgentList, Scope, Target};
use clap::Args;

use crate::{complete, exit::Refusal, session::Session};

/// In which workflow.
#[derive(Debug, Clone, Args)]
pub struct Place {
    /// Workflow [default: @global]
    #[arg(long = "in", value_name = "@SCOPE", add = complete::scopes())]
    pub scope: Option<Scope>,
}

impl Place {
    /// The same where the workflow may stand behind a name, as in `team-a@review`.
    pub fn or(self, named: Option<Scope>) -> Result<Self, Refusal> {
        match (&self.scope, &named) {
            (Some(scope), Some(named)) if scope != named => {
                let text = format!("unexpected `--in {scope}`: `{named}` is named already");
                Err(Refusal::usage(text))
            }
            _ => Ok(Self { scope: self.scope.or(named) }),
        }
    }

    /// The daemon, asked in the workflow that is meant: a token means that of its holder.
    pub async fn client(&self, session: &Session) -> anyhow::Result<Client> {
        let client = session.client().await?;
        let scope = match &self.scope {
            Some(scope) => scope.clone(),
            None if session.home()?.is_in_run() => own_scope(&client).await?,
            None => Scope::global(),
        };
        Ok(client.at(Target::scope(scope)))
    }
}

/// The workflow of the token's holder. Outside of runs no variable names it, but the list of agents
/// has only those of that workflow.
async fn own_scope(client: &Client) -> Result<Scope, ClientError> {
    if let Some(agent) = own_agent() {
        return Ok(scope_of(&agent));
    }
    let agents = client.call(&AgentList {}).await?.agents;
    Ok(agents.into_iter().next().map_or_else(Scope::global, |agent| agent.scope))
}

/// Agent in whose shell the command runs, from the environment.
pub fn own_agent() -> Option<Target> {
    std::env::var(discovery::AGENT_VARIABLE).ok()?.parse().ok()
}

/// Returns the scope of a target; without one, the global scope.
pub fn scope_of(target: &Target) -> Scope {
    target.scope_or(&Scope::global())
}
