//! How a run may use the tools of a workspace that programs have themselves.

use agent_worker_protocol::{
    backend::{Permissions, Tool},
    report::RunConfig,
};

/// How a tool may be used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
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
    let has: Vec<_> = tools.iter().filter(|tool| run.tools.contains(tool)).collect();
    let uses: Vec<_> = has.iter().map(|tool| how(run, **tool)).collect();
    [Use::Deny, Use::Ask].into_iter().find(|one| uses.contains(one)).unwrap_or(match has.len() {
        0 => Use::Deny,
        _ => Use::Allow,
    })
}
