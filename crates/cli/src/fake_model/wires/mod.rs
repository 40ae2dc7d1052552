//! Answers in the words of each interface.

mod anthropic;
mod openai;

use agent_worker_protocol::{provider::Wire, run::Usage};
use serde_json::Value;

use super::{answer::Answer, asked::Asked};

/// One event of a stream.
#[derive(Debug, Clone, PartialEq)]
pub struct Sent {
    /// The event as it is written.
    pub text: String,
    /// What it tells of what the answer has used.
    pub usage: Usage,
}

impl Sent {
    fn new(text: String) -> Self {
        Self { text, usage: Usage::default() }
    }
}

/// The whole stream of an answer.
pub fn stream(asked: &Asked, answer: &Answer) -> Vec<Sent> {
    match asked.wire {
        Wire::Anthropic => anthropic::stream(asked, answer),
        Wire::Openai => openai::stream(asked, answer),
    }
}

/// An error in the middle of a stream.
pub fn stream_error(wire: Wire) -> Sent {
    Sent::new(match wire {
        Wire::Anthropic => {
            format!("event: error\ndata: {}\n\n", error(wire, 529, "the model is overloaded"))
        }
        Wire::Openai => format!("data: {}\n\n", error(wire, 500, "the server had an error")),
    })
}

/// Something that is no event of any stream.
pub fn garbage() -> Sent {
    Sent::new("data: {\"type\": \"broken\", \"delta\": {\"te\n\n".to_owned())
}

/// What a refused request is answered.
pub fn error(wire: Wire, status: u16, message: &str) -> Value {
    match wire {
        Wire::Anthropic => anthropic::error(status, message),
        Wire::Openai => openai::error(status, message),
    }
}
