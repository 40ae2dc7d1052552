//! Answers in the words of each interface.

mod anthropic;
mod openai;
mod responses;

use agent_worker_protocol::{provider::Wire, run::Usage};
use serde_json::{Value, json};

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
        Wire::Responses => responses::stream(asked, answer),
    }
}

/// An answer in one piece, on the interface that has that here.
pub fn whole(asked: &Asked, answer: &Answer) -> Sent {
    anthropic::whole(asked, answer)
}

/// An error in the middle of a stream.
pub fn stream_error(wire: Wire) -> Sent {
    Sent::new(match wire {
        Wire::Anthropic => {
            format!("event: error\ndata: {}\n\n", error(wire, 529, "the model is overloaded"))
        }
        Wire::Openai => format!("data: {}\n\n", error(wire, 500, "the server had an error")),
        Wire::Responses => responses::error_event("server_error", "the server had an error"),
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
        Wire::Openai | Wire::Responses => openai::error(status, message),
    }
}

/// The same with a word of its own for its kind.
pub fn refusal(wire: Wire, status: u16, code: Option<&str>, message: &str) -> Value {
    let mut body = error(wire, status, message);
    let key = if wire == Wire::Anthropic { "type" } else { "code" };
    if let Some(code) = code {
        body["error"][key] = code.into();
    }
    body
}

/// What is told of a model.
pub fn about(id: &str, longest: u32) -> Value {
    json!({
        "type": "model", "id": id, "display_name": id, "created_at": "2026-01-01T00:00:00Z",
        "max_input_tokens": 200_000, "max_tokens": longest
    })
}
