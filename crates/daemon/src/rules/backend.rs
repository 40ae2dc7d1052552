//! Which backends an agent may have.

use agent_worker_protocol::{agent::MemberKind, backend::Backend};

use crate::error::OpError;

/// What something of this backend is.
pub fn check_backend(backend: &str) -> Result<(Backend, MemberKind), OpError> {
    let unknown = |text: String| OpError::invalid(text).hint("agent-worker backends");
    let backend: Backend = backend.parse().map_err(unknown)?;
    Ok((backend, backend.known().member))
}
