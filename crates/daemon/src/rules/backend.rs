//! Which backends an agent may have.

use agent_worker_protocol::{agent::MemberKind, backend::Backend};

use crate::error::OpError;

/// What something of this backend is.
pub fn check_backend(backend: &str) -> Result<(Backend, MemberKind), OpError> {
    let backend: Backend = backend.parse().map_err(OpError::invalid)?;
    match backend {
        Backend::External => Ok((backend, MemberKind::External)),
        _ => Ok((backend, MemberKind::Agent)),
    }
}
