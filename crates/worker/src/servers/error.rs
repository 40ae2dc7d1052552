//! Why a server does not answer.

use rmcp::{ServiceError, service::ClientInitializeError};

use crate::failure::chain;

/// Why a request has failed: what the transport says, not which one it is.
pub fn told(error: &ServiceError) -> String {
    match error {
        ServiceError::TransportSend(error) => chain(&*error.error),
        error => chain(error),
    }
}

/// Why no connection was made.
pub fn unconnected(error: &ClientInitializeError) -> String {
    match error {
        ClientInitializeError::TransportError { error, .. } => chain(&*error.error),
        error => chain(error),
    }
}
