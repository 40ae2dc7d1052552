//! What is refused on Anthropic's Messages.

use std::hash::{DefaultHasher, Hash, Hasher};

use serde_json::Value;

use super::refusal::{Refusal, list, said, unknown};

/// What a request may have.
const MESSAGES: &str = "\
    model messages system max_tokens tools tool_choice stream thinking output_config metadata \
    context_management stop_sequences temperature top_p";

/// Whether a model shows what it thinks only where that is asked for, and thinks by itself.
pub fn is_current_claude(model: &str) -> bool {
    let Some(rest) = model.strip_prefix("claude-") else { return false };
    let mut words = rest.split('-');
    let is_named = words.next().is_some_and(|name| name.parse::<u32>().is_err());
    is_named
        && words.next().and_then(|major| major.parse::<u32>().ok()).is_some_and(|major| major >= 5)
}

/// Whether a model is too old to choose itself how long it thinks.
fn is_old_claude(model: &str) -> bool {
    ["claude-3", "claude-haiku-4-5", "claude-sonnet-4-5", "claude-opus-4-5"]
        .iter()
        .any(|old| model.starts_with(old))
}

pub fn anthropic(body: &Value, model: &str, longest: u32) -> Option<Refusal> {
    if let Some(key) = unknown(body, MESSAGES) {
        return said(format!("{key}: Extra inputs are not permitted"));
    }
    let Some(tokens) = body["max_tokens"].as_u64() else {
        return said("max_tokens: Field required");
    };
    if tokens > u64::from(longest) {
        return said(format!(
            "max_tokens: {tokens} > {longest}, which is the maximum allowed number of output \
             tokens for {model}"
        ));
    }
    let kind = &body["thinking"]["type"];
    if is_old_claude(model) && kind == "adaptive" {
        return said("adaptive thinking is not supported on this model");
    }
    if is_old_claude(model) && body["output_config"].get("effort").is_some() {
        return said("This model does not support the effort parameter.");
    }
    if is_current_claude(model) && kind == "enabled" {
        return said(
            "\"thinking.type.enabled\" is not supported for this model. Use \
             \"thinking.type.adaptive\" and \"output_config.effort\" to control thinking behavior.",
        );
    }
    if body["thinking"]["budget_tokens"].as_u64().is_some_and(|budget| budget >= tokens) {
        return said("`max_tokens` must be greater than `thinking.budget_tokens`.");
    }
    let marks = body.to_string().matches("\"cache_control\"").count();
    if marks > 4 {
        return said(format!(
            "A maximum of 4 blocks with cache_control may be provided. Found {marks}."
        ));
    }
    pictured_error(body)
        .or_else(|| unanswered_blocks(body))
        .or_else(|| last_thought(body))
        .or_else(|| unbound(body))
}

/// A result that is an error and has more than text.
fn pictured_error(body: &Value) -> Option<Refusal> {
    let is_pictured = |block: &Value| {
        let is_error = block["type"] == "tool_result" && block["is_error"] == true;
        is_error && list(&block["content"]).any(|part| part["type"] != "text")
    };
    list(&body["messages"]).enumerate().find_map(|(n, message)| {
        let m = list(&message["content"]).position(is_pictured)?;
        said(format!(
            "messages.{n}.content.{m}.tool_result: all content must be type \"text\" if \
             \"is_error\" is true"
        ))
    })
}

/// Calls that have no result in the next message.
fn unanswered_blocks(body: &Value) -> Option<Refusal> {
    let messages: Vec<_> = list(&body["messages"]).collect();
    messages.iter().enumerate().find_map(|(n, message)| {
        let next = messages.get(n + 1).map_or(&Value::Null, |next| &next["content"]);
        let known: Vec<_> = list(next).map(|block| &block["tool_use_id"]).collect();
        let calls = list(&message["content"]).filter(|block| block["type"] == "tool_use");
        let open = calls.map(|call| &call["id"]).find(|id| !known.contains(id))?;
        said(format!(
            "messages.{n}: `tool_use` ids were found without `tool_result` blocks immediately \
             after: {}. Each `tool_use` block must have a corresponding `tool_result` block in \
             the next message.",
            open.as_str().unwrap_or_default()
        ))
    })
}

/// An answer that ends in thinking.
fn last_thought(body: &Value) -> Option<Refusal> {
    list(&body["messages"]).enumerate().find_map(|(n, message)| {
        let last = list(&message["content"]).last().filter(|block| is_thinking(block))?;
        let kind = last["type"].as_str()?;
        said(format!("messages.{n}: The final block in an assistant message cannot be `{kind}`."))
    })
}

fn is_thinking(block: &Value) -> bool {
    matches!(block["type"].as_str(), Some("thinking" | "redacted_thinking"))
}

/// Thinking that stands behind another beginning than the one it was signed behind.
fn unbound(body: &Value) -> Option<Refusal> {
    let head = plain(body);
    let mut hasher = head_of(&head);
    for (n, message) in list(&head["messages"]).enumerate() {
        for (m, block) in list(&message["content"]).enumerate() {
            // It is signed before anything else of its message.
            if is_thinking(block) && !(m == 0 && block["signature"] == sign(&hasher)) {
                return said(format!(
                    "messages.{n}.content.{m}: The block is bound to a different conversation"
                ));
            }
        }
        message.to_string().hash(&mut hasher);
    }
    None
}

/// What thinking is signed with that comes next in a conversation: a fingerprint of all of it.
pub fn signature(body: &Value) -> String {
    let body = plain(body);
    let mut hasher = head_of(&body);
    for message in list(&body["messages"]) {
        message.to_string().hash(&mut hasher);
    }
    sign(&hasher)
}

fn head_of(body: &Value) -> DefaultHasher {
    let mut hasher = DefaultHasher::new();
    (body["system"].to_string(), body["tools"].to_string()).hash(&mut hasher);
    hasher
}

fn sign(hasher: &DefaultHasher) -> String {
    format!("signed-{:016x}", hasher.finish())
}

/// A request without the marks of what is to be cached, which bind nothing.
fn plain(value: &Value) -> Value {
    match value {
        Value::Object(entries) => {
            let entries = entries.iter().filter(|(key, _)| *key != "cache_control");
            entries.map(|(key, value)| (key.clone(), plain(value))).collect()
        }
        Value::Array(values) => values.iter().map(plain).collect(),
        other => other.clone(),
    }
}
