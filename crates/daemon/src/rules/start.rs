//! What a workflow is started from.

use std::collections::BTreeMap;

use agent_worker_protocol::{Home, Limits, MemberKind, Mode, Name, Origin, Scope};
use agent_worker_workflow_file::template::Template;

use crate::{
    rows::{AgentConfig, AgentRow},
    rules::schedule::spec::NewSchedule,
};

/// A workflow that was checked and can be started.
#[derive(Debug, Clone)]
pub struct Launch {
    pub scope: Scope,
    /// Whether it ends by itself
    pub mode: Mode,
    /// Whether earlier messages and documents are archived first
    pub fresh: bool,
    pub yaml: String,
    /// The folder it is in
    pub folder: String,
    /// The caller's search path for programs
    pub path_env: Option<String>,
    /// The caller's home folder
    pub home: Option<String>,
    /// What it may use
    pub limits: Limits,
    /// Limits of the file that it was last started from; `None` if these replace none, or if it
    /// cannot be read any more
    pub last_limits: Option<Limits>,
    /// The only member that writes documents
    pub document_owner: Option<Name>,
    /// Its agents, in the order of the file
    pub agents: Vec<LaunchAgent>,
    /// What it begins with, unless setup steps come first
    pub begin: Begin,
}

impl Launch {
    /// Whether an agent of this name is in the file.
    pub fn names(&self, name: &Name) -> bool {
        self.agents.iter().any(|agent| agent.name == *name)
    }

    /// Whether the file named a member, and does so no longer.
    pub fn leaves_out(&self, member: &AgentRow) -> bool {
        member.origin == Origin::File && !self.names(&member.name)
    }

    /// Whether a member stays beside the agents of the file. A hired one is part of the work, which
    /// a fresh start archives.
    pub fn keeps(&self, member: &AgentRow) -> bool {
        let is_beside = member.origin != Origin::File && !self.names(&member.name);
        let is_hired = member.depth > 0;
        member.works() && is_beside && !(self.fresh && is_hired)
    }
}

/// How a generation begins.
#[derive(Debug, Clone)]
pub enum Begin {
    /// With setup steps, which the supervisor runs
    Setup,
    /// At once
    Kickoff(Option<Kickoff>),
}

/// An agent of a workflow file.
#[derive(Debug, Clone)]
pub struct LaunchAgent {
    pub name: Name,
    pub kind: MemberKind,
    pub backend: String,
    pub model: Option<String>,
    pub system: Option<String>,
    pub role: Option<String>,
    pub display_name: Option<String>,
    pub home: Option<Home>,
    pub config: AgentConfig,
    pub schedules: Vec<NewSchedule>,
}

/// The first message, with the values that are put into it.
#[derive(Debug, Clone)]
pub struct Kickoff {
    pub template: Template,
    /// The values it may name
    pub values: BTreeMap<String, String>,
}
