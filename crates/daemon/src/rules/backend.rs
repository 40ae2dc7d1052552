//! Which backends an agent may have.

use agent_worker_protocol::Backend;

use crate::error::{OpError, Result};

/// The backend of this name.
pub fn check_backend(backend: &str) -> Result<Backend> {
    let unknown = |text: String| OpError::invalid(text).hint("agent-worker backends");
    backend.parse().map_err(unknown)
}
