//! How a run may use the tools of a workspace that programs have themselves.

use agent_worker_protocol::{Permissions, RunConfig, Tool};

/// How a tool may be used, the least restricted first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Use {
    Allow,
    Ask,
    Deny,
}

/// How a tool may be used. A tool that the agent does not have is denied.
pub fn how(run: &RunConfig, tool: Tool) -> Use {
    let Permissions { ask, deny, .. } = &run.permissions;
    if !run.tools.contains(&tool) || deny.contains(&tool) {
        Use::Deny
    } else if ask.contains(&tool) {
        Use::Ask
    } else {
        Use::Allow
    }
}

/// How the most restricted of the agent's tools among these may be used.
pub fn most_restricted(run: &RunConfig, tools: &[Tool]) -> Use {
    let has = tools.iter().filter(|tool| run.tools.contains(tool));
    has.map(|tool| how(run, *tool)).max().unwrap_or(Use::Deny)
}
