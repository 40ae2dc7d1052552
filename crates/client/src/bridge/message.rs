//! A line of the client, as a message.

use serde_json::{Map, Value, json};

use super::answer::{IDEMPOTENCY_KEY, refused};
use crate::fresh_key;

/// Gives a call a key, so that it is done once however often it is asked for.
pub(super) fn name_call(request: &mut Value) {
    if request["method"] != "tools/call" || !request["params"].is_object() {
        return;
    }
    let meta = &mut request["params"]["_meta"];
    if !meta.is_object() {
        *meta = json!({});
    }
    if !meta[IDEMPOTENCY_KEY].is_string() {
        meta[IDEMPOTENCY_KEY] = json!(fresh_key());
    }
}

/// A line of the client.
#[derive(Debug, PartialEq)]
pub(super) enum Message {
    /// It wants an answer.
    Request { id: Value, request: Value },
    /// It no longer wants an answer to this request.
    Cancel(Value),
    /// What the daemon has no use for: it keeps nothing of a connection.
    Nothing,
    /// An invalid message, with the answer to it.
    Wrong(Value),
}

impl Message {
    pub fn of(line: &[u8]) -> Self {
        let request: Value = match serde_json::from_slice(line) {
            Ok(request) => request,
            Err(error) => return Self::Wrong(refused(&Value::Null, -32700, &error.to_string())),
        };
        let id = request.get("id").cloned();
        match (request["method"].as_str(), id) {
            (Some(_), Some(id)) if id.is_string() || id.is_i64() || id.is_u64() => {
                Self::Request { id, request }
            }
            (Some("notifications/cancelled"), None) => {
                Self::Cancel(request["params"]["requestId"].clone())
            }
            (Some(_), None) => Self::Nothing,
            (None, Some(_)) if has_answer(request.as_object()) => Self::Nothing,
            (_, id) => {
                let id = id.filter(|id| id.is_string() || id.is_number()).unwrap_or_default();
                let text = "invalid message: one JSON-RPC request or notification per line";
                Self::Wrong(refused(&id, -32600, text))
            }
        }
    }
}

fn has_answer(message: Option<&Map<String, Value>>) -> bool {
    message.is_some_and(|fields| fields.contains_key("result") || fields.contains_key("error"))
}
