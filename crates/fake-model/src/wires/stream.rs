//! Answers in the words of each interface.

use agent_worker_protocol::Interval;
use serde_json::{Value, json};

use crate::{
    answer::Answer,
    asked::Asked,
    interface::Interface,
    wires::{anthropic, gemini, openai, responses, sent::Sent},
};

/// The whole stream of an answer.
pub fn stream(asked: &Asked, answer: &Answer) -> Vec<Sent> {
    match asked.interface {
        Interface::Anthropic => anthropic::stream(asked, answer),
        Interface::Openai => openai::stream(asked, answer),
        Interface::Responses => responses::stream(asked, answer),
        Interface::Gemini => gemini::stream(asked, answer),
    }
}

/// An answer in one piece, on an interface that has that here.
pub fn whole(asked: &Asked, answer: &Answer) -> Sent {
    match asked.interface {
        Interface::Gemini => gemini::whole(asked, answer),
        _ => anthropic::whole(asked, answer),
    }
}

/// An error in the middle of a stream.
pub fn stream_error(interface: Interface) -> Sent {
    Sent::new(match interface {
        Interface::Anthropic => {
            format!("event: error\ndata: {}\n\n", error(interface, 529, "the model is overloaded"))
        }
        Interface::Openai => {
            format!("data: {}\n\n", error(interface, 500, "the server had an error"))
        }
        Interface::Responses => responses::error_event("server_error", "the server had an error"),
        Interface::Gemini => {
            format!("data: {}\r\n\r\n", error(interface, 503, "the model is overloaded"))
        }
    })
}

/// Something that is not an event of any stream.
pub fn garbage() -> Sent {
    Sent::new("data: {\"type\": \"broken\", \"delta\": {\"te\n\n".to_owned())
}

/// What a refused request is answered.
pub fn error(interface: Interface, status: u16, message: &str) -> Value {
    match interface {
        Interface::Anthropic => anthropic::error(status, message),
        Interface::Openai | Interface::Responses => openai::error(status, message),
        Interface::Gemini => gemini::error(status, message),
    }
}

/// The same with a word of its own for its kind, and when to come back where the body says it.
pub fn refusal(
    interface: Interface,
    status: u16,
    code: Option<&str>,
    retry_after: Option<Interval>,
    message: &str,
) -> Value {
    let mut body = error(interface, status, message);
    if interface == Interface::Gemini {
        gemini::explain(&mut body, code, retry_after);
        return body;
    }
    let key = if interface == Interface::Anthropic { "type" } else { "code" };
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
