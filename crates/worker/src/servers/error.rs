//! Why a server does not answer.

use rmcp::{
    ServiceError,
    service::ClientInitializeError,
    transport::{DynamicTransportError, streamable_http_client::StreamableHttpError},
};

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
        ServiceError::TransportSend(error) => of_transport(error),
        error => chain(error),
    }
}

/// What a transport says. That for HTTP hides why a request was not sent behind words of its own.
fn of_transport(error: &DynamicTransportError) -> String {
    match error.error.downcast_ref() {
        Some(StreamableHttpError::<reqwest::Error>::Client(cause)) => chain(cause),
        _ => chain(&*error.error),
    }
}

impl From<ServiceError> for Unlisted {
    fn from(error: ServiceError) -> Self {
        let (why, has_answered) = match error {
            ServiceError::McpError(error) => (error.message.into_owned(), true),
            ServiceError::UnexpectedResponse => {
                let why = "invalid list of tools: each needs a `name` and an `inputSchema`";
                (why.to_owned(), true)
            }
            error => (told(&error), false),
        };
        Self { why, has_answered }
    }
}

impl From<ClientInitializeError> for Unlisted {
    fn from(error: ClientInitializeError) -> Self {
        let (why, has_answered) = match error {
            ClientInitializeError::JsonRpcError(error) => (error.message.into_owned(), true),
            ClientInitializeError::NoCompatibleProtocolVersion { .. } => (chain(&error), true),
            // It knows the older handshake alone, and that has failed.
            ClientInitializeError::LegacyFallbackFailed { fallback, .. } => {
                return Self::from(*fallback);
            }
            ClientInitializeError::TransportError { error, .. } => (of_transport(&error), false),
            error => (chain(&error), false),
        };
        Self { why, has_answered }
    }
}
