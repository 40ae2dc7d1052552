//! What real servers refuse, in their own words, so that a request that a paid server would refuse
//! fails in a rehearsal too.

use std::hash::{DefaultHasher, Hash, Hasher};

use agent_worker_protocol::provider::Wire;
use serde_json::Value;

use super::asked::Asked;

/// Why a request is refused.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusal {
    /// The server's sentence.
    pub message: String,
    /// Its word for the kind of refusal, if not the usual one.
    pub code: Option<String>,
}

const CHAT: [&str; 21] = [
    "model",
    "messages",
    "tools",
    "tool_choice",
    "parallel_tool_calls",
    "stream",
    "stream_options",
    "max_tokens",
    "max_completion_tokens",
    "reasoning_effort",
    "reasoning",
    "thinking",
    "temperature",
    "top_p",
    "stop",
    "seed",
    "user",
    "metadata",
    "store",
    "response_format",
    "prompt_cache_key",
];

const RESPONSES: [&str; 20] = [
    "model",
    "input",
    "instructions",
    "tools",
    "tool_choice",
    "parallel_tool_calls",
    "stream",
    "store",
    "include",
    "reasoning",
    "max_output_tokens",
    "text",
    "temperature",
    "top_p",
    "truncation",
    "metadata",
    "prompt_cache_key",
    "client_metadata",
    "service_tier",
    "previous_response_id",
];

const MESSAGES: [&str; 14] = [
    "model",
    "messages",
    "system",
    "max_tokens",
    "tools",
    "tool_choice",
    "stream",
    "thinking",
    "output_config",
    "metadata",
    "context_management",
    "stop_sequences",
    "temperature",
    "top_p",
];

/// What is wrong with a request, if anything is. No answer may be longer than `longest` tokens.
pub fn refusal(asked: &Asked, longest: u32) -> Option<Refusal> {
    let (body, model) = (&asked.body, asked.model.as_str());
    match asked.wire {
        Wire::Anthropic => anthropic(body, model, longest),
        Wire::Openai => chat(body, model),
        Wire::Responses => responses(body, model),
    }
}

#[expect(clippy::unnecessary_wraps, reason = "it is how a check ends")]
fn said(message: impl Into<String>) -> Option<Refusal> {
    Some(Refusal { message: message.into(), code: None })
}

#[expect(clippy::unnecessary_wraps, reason = "it is how a check ends")]
fn coded(message: impl Into<String>, code: &str) -> Option<Refusal> {
    Some(Refusal { message: message.into(), code: Some(code.to_owned()) })
}

fn unknown<'b>(body: &'b Value, known: &[&str]) -> Option<&'b str> {
    let keys = body.as_object()?.keys();
    keys.map(String::as_str).find(|key| !known.contains(key))
}

fn list(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}

/// Whether a model of `OpenAI`'s wants its tools through the Responses interface.
fn is_current_gpt(model: &str) -> bool {
    let Some(rest) = model.strip_prefix("gpt-") else { return false };
    let version = rest.split('-').next().unwrap_or_default();
    version.parse::<f64>().is_ok_and(|version| version >= 5.4)
}

/// Whether a model thinks before it answers.
fn is_reasoning_gpt(model: &str) -> bool {
    model.starts_with("gpt-5") || model.starts_with("gpt-6") || model.starts_with('o')
}

fn chat(body: &Value, model: &str) -> Option<Refusal> {
    if let Some(key) = unknown(body, &CHAT) {
        return coded(format!("Unknown parameter: '{key}'."), "unknown_parameter");
    }
    let has_tools = list(&body["tools"]).next().is_some();
    if is_current_gpt(model) && has_tools && body["reasoning_effort"] != "none" {
        return said(format!(
            "Function tools with reasoning_effort are not supported for {model} in \
             /v1/chat/completions. To use function tools, use /v1/responses or set \
             reasoning_effort to 'none'."
        ));
    }
    if is_reasoning_gpt(model) && body.get("max_tokens").is_some() {
        return coded(
            "Unsupported parameter: 'max_tokens' is not supported with this model. Use \
             'max_completion_tokens' instead.",
            "unsupported_parameter",
        );
    }
    let is_answer = |message: &&Value| message["role"] == "assistant";
    let mut answers = list(&body["messages"]).filter(is_answer);
    let thinks = model.starts_with("deepseek-v4") && body["thinking"]["type"] != "disabled";
    if thinks && answers.any(|answer| !answer["reasoning_content"].is_string()) {
        return coded(
            "The `reasoning_content` in the thinking mode must be passed back to the API.",
            "invalid_request_error",
        );
    }
    unanswered_chat(body)
}

/// Calls that no message answers.
fn unanswered_chat(body: &Value) -> Option<Refusal> {
    let messages: Vec<_> = list(&body["messages"]).collect();
    for (n, message) in messages.iter().enumerate() {
        let results = messages[n + 1..].iter().take_while(|message| message["role"] == "tool");
        let known: Vec<_> = results.map(|result| &result["tool_call_id"]).collect();
        let open =
            list(&message["tool_calls"]).map(|call| &call["id"]).find(|id| !known.contains(id));
        if let Some(id) = open {
            return said(format!(
                "An assistant message with 'tool_calls' must be followed by tool messages \
                 responding to each 'tool_call_id'. The following tool_call_ids did not have \
                 response messages: {}",
                id.as_str().unwrap_or_default()
            ));
        }
    }
    None
}

fn responses(body: &Value, model: &str) -> Option<Refusal> {
    if let Some(key) = unknown(body, &RESPONSES) {
        return coded(format!("Unknown parameter: '{key}'."), "unknown_parameter");
    }
    if let Some(tokens) = body["max_output_tokens"].as_u64().filter(|tokens| *tokens < 16) {
        return coded(
            format!(
                "Invalid 'max_output_tokens': integer below minimum value. Expected a value >= 16, \
                 but got {tokens} instead."
            ),
            "integer_below_min_value",
        );
    }
    if model.starts_with("gpt-4") {
        let given =
            ["effort", "summary"].into_iter().find(|key| body["reasoning"].get(key).is_some());
        if let Some(key) = given {
            return coded(
                format!(
                    "Unsupported parameter: 'reasoning.{key}' is not supported with this model."
                ),
                "unsupported_parameter",
            );
        }
        if list(&body["include"]).any(|what| what == "reasoning.encrypted_content") {
            return said("Encrypted content is not supported with this model.");
        }
    }
    let items: Vec<_> = list(&body["input"]).collect();
    let stores = body["store"] != false;
    let thoughts = items.iter().enumerate().filter(|(_, item)| item["type"] == "reasoning");
    let bad = |(n, item): (usize, &&Value)| thought(item, items.get(n + 1).copied(), stores, model);
    thoughts.into_iter().find_map(bad).or_else(|| unanswered_items(&items))
}

/// What is wrong with thinking that is sent back: what it is, where it stands, whose it is.
fn thought(item: &Value, next: Option<&Value>, stores: bool, model: &str) -> Option<Refusal> {
    let id = item["id"].as_str().unwrap_or("rs_fake");
    let Some(content) = item["encrypted_content"].as_str() else {
        let hint = "Items are not persisted when `store` is set to false. Try again with `store` \
                    set to true, or remove this item from your input.";
        let hint = if stores { "" } else { hint };
        return said(format!("Item with id '{id}' not found. {hint}"));
    };
    let number = content.strip_prefix("gAAA").and_then(|rest| rest.split('.').next());
    let number = number.and_then(|number| number.parse::<u64>().ok());
    let Some(number) = number.filter(|number| encrypted(model, *number) == content) else {
        let (head, tail) = (content.get(..4).unwrap_or(""), content.len().saturating_sub(4));
        let tail = content.get(tail..).unwrap_or("");
        return coded(
            format!("The encrypted content {head}...{tail} could not be verified."),
            "invalid_encrypted_content",
        );
    };
    let follows = next.is_some_and(|next| match next["type"].as_str() {
        Some("function_call" | "custom_tool_call" | "tool_search_call") => {
            next["call_id"] == call_id(number, 0)
        }
        Some("message") => next["role"] == "assistant",
        _ => false,
    });
    if follows {
        return None;
    }
    said(format!(
        "Item '{id}' of type 'reasoning' was provided without its required following item."
    ))
}

/// Calls without results, and results without calls.
fn unanswered_items(items: &[&Value]) -> Option<Refusal> {
    let of = |kind: &str| -> Vec<&str> {
        let of_kind = items.iter().filter(|item| item["type"] == kind);
        of_kind.filter_map(|item| item["call_id"].as_str()).collect()
    };
    let calls = ["function_call", "custom_tool_call", "tool_search_call"].map(of).concat();
    let results =
        ["function_call_output", "custom_tool_call_output", "tool_search_output"].map(of).concat();
    if let Some(id) = calls.iter().find(|id| !results.contains(id)) {
        return said(format!("No tool output found for function call {id}."));
    }
    let id = results.iter().find(|id| !calls.contains(id))?;
    said(format!("No tool call found for function call output with call_id {id}."))
}

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

fn anthropic(body: &Value, model: &str, longest: u32) -> Option<Refusal> {
    if let Some(key) = unknown(body, &MESSAGES) {
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
    unanswered_blocks(body).or_else(|| unbound(body))
}

/// Calls that have no result in the next message.
fn unanswered_blocks(body: &Value) -> Option<Refusal> {
    let messages: Vec<_> = list(&body["messages"]).collect();
    for (n, message) in messages.iter().enumerate() {
        let next = messages.get(n + 1).map_or(&Value::Null, |next| &next["content"]);
        let known: Vec<_> = list(next).map(|block| &block["tool_use_id"]).collect();
        let calls = list(&message["content"]).filter(|block| block["type"] == "tool_use");
        let open = calls.map(|call| &call["id"]).find(|id| !known.contains(id));
        if let Some(id) = open {
            return said(format!(
                "messages.{n}: `tool_use` ids were found without `tool_result` blocks immediately \
                 after: {}. Each `tool_use` block must have a corresponding `tool_result` block in \
                 the next message.",
                id.as_str().unwrap_or_default()
            ));
        }
    }
    None
}

/// Thinking that stands behind another beginning than the one it was signed behind.
fn unbound(body: &Value) -> Option<Refusal> {
    let head = plain(body);
    let mut hasher = head_of(&head);
    for (n, message) in list(&head["messages"]).enumerate() {
        let blocks: Vec<_> = list(&message["content"]).collect();
        for (m, block) in blocks.iter().enumerate() {
            let is_thinking =
                matches!(block["type"].as_str(), Some("thinking" | "redacted_thinking"));
            // It is signed before anything else of its message.
            let is_first = blocks[..m].is_empty();
            if is_thinking && !(is_first && block["signature"] == sign(&hasher)) {
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

/// Thinking of an answer that only its own model can read.
pub fn encrypted(model: &str, n: u64) -> String {
    let mut hasher = DefaultHasher::new();
    (model, n).hash(&mut hasher);
    format!("gAAA{n}.{:016x}", hasher.finish())
}

/// The id of a call of an answer.
pub fn call_id(n: u64, k: usize) -> String {
    format!("call_fake_{n}_{k}")
}
