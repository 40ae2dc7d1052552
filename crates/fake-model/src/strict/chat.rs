//! What is refused on `OpenAI`'s Chat Completions.

use serde_json::Value;

use super::refusal::{Refusal, bare, coded, list, said, unknown};

/// What a request may have.
const CHAT: &str = "\
    model messages tools tool_choice parallel_tool_calls stream stream_options max_tokens \
    max_completion_tokens reasoning_effort reasoning thinking temperature top_p stop seed user \
    metadata store response_format prompt_cache_key";

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

pub fn chat(body: &Value, model: &str) -> Option<Refusal> {
    if let Some(key) = unknown(body, CHAT) {
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
    let functions = list(&body["tools"]).map(|tool| &tool["function"]);
    bare(functions)
        .or_else(|| unanswered_chat(body))
        .or_else(|| out_of_order(body, model))
        .or_else(|| empty(body, model))
}

/// An answer without text and calls, which Moonshot and Mistral refuse.
fn empty(body: &Value, model: &str) -> Option<Refusal> {
    let is_empty = |message: &Value| {
        let has_text = message["content"].as_str().is_some_and(|text| !text.is_empty());
        let is_answer = message["role"] == "assistant";
        is_answer && !has_text && list(&message["tool_calls"]).next().is_none()
    };
    let n = list(&body["messages"]).position(is_empty)?;
    if model.starts_with("kimi-") {
        return said(format!(
            "Invalid request: the message at position {n} with role 'assistant' must not be empty"
        ));
    }
    if model.starts_with("mistral-") {
        return said("Assistant message must have either content or tool_calls, but not none.");
    }
    None
}

/// A user's message right behind results of tools, which Mistral refuses.
fn out_of_order(body: &Value, model: &str) -> Option<Refusal> {
    let roles: Vec<_> = list(&body["messages"]).map(|message| &message["role"]).collect();
    let is_odd = roles.windows(2).any(|pair| pair[0] == "tool" && pair[1] == "user");
    if !(is_odd && model.starts_with("mistral-")) {
        return None;
    }
    coded("Unexpected role 'user' after role 'tool'", "3230")
}

/// Calls that no message answers.
fn unanswered_chat(body: &Value) -> Option<Refusal> {
    let messages: Vec<_> = list(&body["messages"]).collect();
    messages.iter().enumerate().find_map(|(n, message)| {
        let results = messages[n + 1..].iter().take_while(|message| message["role"] == "tool");
        let known: Vec<_> = results.map(|result| &result["tool_call_id"]).collect();
        let mut calls = list(&message["tool_calls"]).map(|call| &call["id"]);
        let open = calls.find(|id| !known.contains(id))?;
        said(format!(
            "An assistant message with 'tool_calls' must be followed by tool messages \
             responding to each 'tool_call_id'. The following tool_call_ids did not have \
             response messages: {}",
            open.as_str().unwrap_or_default()
        ))
    })
}
