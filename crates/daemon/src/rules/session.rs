//! Which backends keep sessions.

use agent_worker_protocol::Backend;

use crate::rows::AgentRow;

pub fn backend(agent: &AgentRow) -> &str {
    agent.backend.as_deref().unwrap_or(Backend::Default.as_str())
}

pub fn has_session(backend: &str) -> bool {
    backend.parse().is_ok_and(Backend::has_session)
}
