//! Agents that hire others: what a parent says of a child.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    op::op,
    team::agent::AgentState,
    terms::{Name, Target},
};

/// Hire an agent for your team: it works as you do, with your tools. Write `@name` to give it work.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AgentHire {
    /// Its name: lower-case letters, digits, `-` and `_`
    pub name: Name,
    /// Role in the team
    pub role: String,
    /// Who it is and how it works
    pub system_prompt: Option<String>,
    /// A model of your team (yours)
    pub model: Option<String>,
}

/// An agent that was hired.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Hired {
    /// Its name: write `@name` to reach it
    pub name: Name,
    /// Name and scope
    pub target: Target,
    /// Its model
    pub model: Option<String>,
    /// What it is doing
    pub state: AgentState,
}

op!(AgentHire "agent_create": no route, write, tool => Hired);
