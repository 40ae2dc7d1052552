//! Where a command acts: the workflow that is meant.

use agent_worker_client::{Client, discovery};
use agent_worker_protocol::target::{Scope, Target};
use clap::Args;
use clap_complete::ArgValueCandidates;

use crate::{complete, session::Session};

/// In which workflow.
#[derive(Debug, Clone, Args)]
pub struct Place {
    /// Workflow [default: @global]
    #[arg(long = "in", value_name = "@SCOPE", add = ArgValueCandidates::new(complete::scopes))]
    pub scope: Option<Scope>,
}

impl Place {
    /// The daemon, asked in the workflow that is meant: an agent's shell means its own.
    pub async fn client(&self, session: &Session) -> anyhow::Result<Client> {
        let client = session.client().await?;
        let own = || own_agent().and_then(|agent| agent.scope);
        let is_in_run = session.home()?.is_in_run();
        let scope = self.scope.clone().or_else(|| if is_in_run { own() } else { None });
        Ok(client.at(Target::scope(scope.unwrap_or_else(Scope::global))))
    }
}

/// Agent in whose shell the command runs, from the environment.
pub fn own_agent() -> Option<Target> {
    std::env::var(discovery::AGENT_VARIABLE).ok()?.parse().ok()
}

/// Returns the scope of a target; without one, the global scope.
pub fn scope_of(target: &Target) -> Scope {
    target.scope_or(&Scope::global())
}
