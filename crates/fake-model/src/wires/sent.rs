//! What is sent of an answer.

use agent_worker_protocol::Usage;

/// One event of a stream.
#[derive(Debug, Clone, PartialEq)]
pub struct Sent {
    /// The event as it is written.
    pub text: String,
    /// The use of tokens it tells.
    pub usage: Usage,
}

impl Sent {
    /// Returns an event that tells no use.
    pub fn new(text: String) -> Self {
        Self { text, usage: Usage::default() }
    }
}
