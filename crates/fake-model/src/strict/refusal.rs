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

/// A tool of `OpenAI`'s with an object for its arguments that does not say what is in it.
pub fn bare<'b>(mut tools: impl Iterator<Item = &'b Value>) -> Option<Refusal> {
    let is_bare = |tool: &&Value| {
        let schema = &tool["parameters"];
        schema["type"] == "object" && schema.get("properties").is_none()
    };
    let name = tools.find(is_bare)?["name"].as_str().unwrap_or_default();
    let message = format!(
        "Invalid schema for function '{name}': In context=(), object schema missing properties."
    );
    coded(message, "invalid_function_parameters")
}

pub fn list(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}
