//! Why a server does not answer.

use rmcp::{ServiceError, service::ClientInitializeError};

use crate::failure::chain;

/// Why the tools of a server are unknown.
pub struct Unlisted {
    pub why: String,
    /// Whether the server itself has said so: then its end, which follows, is not the reason
    pub has_answered: bool,
}

/// Why a request has failed: what the transport says, not which one it is.
pub fn told(error: &ServiceError) -> String {
    match error {
        ServiceError::TransportSend(error) => chain(&*error.error),
        error => chain(error),
    }
}

impl From<ServiceError> for Unlisted {
    fn from(error: ServiceError) -> Self {
        match error {
            ServiceError::McpError(error) => {
                Self { why: error.message.into_owned(), has_answered: true }
            }
            ServiceError::UnexpectedResponse => Self {
                why: "invalid list of tools: each needs a `name` and an `inputSchema`".to_owned(),
                has_answered: true,
            },
            error => Self { why: told(&error), has_answered: false },
        }
    }
}

impl From<ClientInitializeError> for Unlisted {
    fn from(error: ClientInitializeError) -> Self {
        match error {
            ClientInitializeError::JsonRpcError(error) => {
                Self { why: error.message.into_owned(), has_answered: true }
            }
            ClientInitializeError::NoCompatibleProtocolVersion { .. } => {
                Self { why: chain(&error), has_answered: true }
            }
            // It knows the older handshake alone, and that has failed.
            ClientInitializeError::LegacyFallbackFailed { fallback, .. } => Self::from(*fallback),
            ClientInitializeError::TransportError { error, .. } => {
                Self { why: chain(&*error.error), has_answered: false }
            }
            error => Self { why: chain(&error), has_answered: false },
        }
    }
}
