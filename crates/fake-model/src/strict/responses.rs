//! What is refused on `OpenAI`'s Responses.

use std::hash::{DefaultHasher, Hash, Hasher};

use serde_json::Value;

use super::refusal::{Refusal, bare, coded, list, said, unknown};

/// What a request may have.
const RESPONSES: &str = "\
    model input instructions tools tool_choice parallel_tool_calls stream store include \
    reasoning max_output_tokens text temperature top_p truncation metadata prompt_cache_key \
    client_metadata service_tier previous_response_id";

pub fn responses(body: &Value, model: &str) -> Option<Refusal> {
    if let Some(key) = unknown(body, RESPONSES) {
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
    let mut thoughts = items.iter().enumerate().filter(|(_, item)| item["type"] == "reasoning");
    let bad = |(n, item): (usize, &&Value)| thought(item, items.get(n + 1).copied(), stores, model);
    bare(list(&body["tools"]))
        .or_else(|| thoughts.find_map(bad))
        .or_else(|| unanswered_items(&items))
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
