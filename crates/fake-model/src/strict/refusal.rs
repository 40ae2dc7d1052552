//! How a check of a request ends.

use serde_json::Value;

/// Why a request is refused.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusal {
    pub message: String,
    /// Its word for the kind of refusal, if not the usual one.
    pub code: Option<String>,
}

#[expect(clippy::unnecessary_wraps, reason = "it is how a check ends")]
pub fn said(message: impl Into<String>) -> Option<Refusal> {
    Some(Refusal { message: message.into(), code: None })
}

#[expect(clippy::unnecessary_wraps, reason = "it is how a check ends")]
pub fn coded(message: impl Into<String>, code: &str) -> Option<Refusal> {
    Some(Refusal { message: message.into(), code: Some(code.to_owned()) })
}

/// A key that is none of these names.
pub fn unknown<'b>(body: &'b Value, known: &str) -> Option<&'b str> {
    let keys = body.as_object()?.keys();
    keys.map(String::as_str).find(|key| !known.split(' ').any(|name| name == *key))
}

pub fn list(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}
