//! A request in Anthropic's words.

use agent_worker_protocol::Thinking;
use serde_json::{Value, json};

use crate::model::{
    Difference, Differences, Image, Part, Request, Said, ToolResult, Turn, body, unless_empty,
};

/// How long an answer may be, in tokens, if the longest of the model is not known: the interface
/// requires a number. A server that allows less says how much.
const MAX_TOKENS: u32 = 32_000;

/// The same of a server that refuses that and does not say how much it takes.
const FEW_TOKENS: u32 = 8192;

/// The shortest budget of thinking that the interface takes.
const LEAST_BUDGET: u32 = 1024;

/// The whole request. No answer is longer than `longest` tokens.
pub fn whole(
    model: &str,
    request: &Request<'_>,
    differences: &Differences,
    longest: u32,
) -> Vec<u8> {
    let wanted = request.max_tokens.unwrap_or(MAX_TOKENS).min(longest);
    let is_refused = differences.has(Difference::NoLongest);
    let max_tokens = if is_refused { wanted.min(FEW_TOKENS) } else { wanted };
    let mut system = request.system.map(|text| json!([{ "type": "text", "text": text }]));
    let mut tools: Vec<_> =
        request.tools.iter().map(|tool| tool.told("input_schema").into()).collect();
    // A turn with nothing to send back is left out; the server joins those around it.
    let mut messages: Vec<_> = request.turns.iter().filter_map(message).collect();
    if !differences.has(Difference::NoMarks) {
        let before = system.as_mut().map(|system| &mut system[0]);
        mark(tools.last_mut().into_iter().chain(before), &mut messages);
    }
    body([
        ("model", model.into()),
        ("max_tokens", max_tokens.into()),
        ("stream", true.into()),
        ("system", system.into()),
        ("tools", unless_empty(tools)),
        ("messages", messages.into()),
        ("thinking", thinking(request.thinking, max_tokens, differences).into()),
        ("output_config", effort(request.thinking, differences).into()),
    ])
}

/// Thinking that is shown. Older models think within a budget.
fn thinking(level: Option<Thinking>, max_tokens: u32, differences: &Differences) -> Option<Value> {
    let has = |difference| differences.has(difference);
    if has(Difference::NoThinking) {
        return None;
    }
    let budget = match level {
        Some(Thinking::Off) => return Some(json!({ "type": "disabled" })),
        _ if !has(Difference::NoAdaptive) && has(Difference::NoSummary) => {
            return Some(json!({ "type": "adaptive" }));
        }
        _ if !has(Difference::NoAdaptive) => {
            return Some(json!({ "type": "adaptive", "display": "summarized" }));
        }
        None => return None,
        Some(Thinking::Low) => 2048,
        Some(Thinking::Medium) => 8192,
        Some(Thinking::High) => 16_384,
        Some(Thinking::Max) => 32_768,
    };
    // There must be room for an answer too.
    let budget = budget.min(max_tokens / 2);
    (budget >= LEAST_BUDGET).then(|| json!({ "type": "enabled", "budget_tokens": budget }))
}

fn effort(level: Option<Thinking>, differences: &Differences) -> Option<Value> {
    let is_taken =
        ![Difference::NoEffort, Difference::NoAdaptive].iter().any(|no| differences.has(*no));
    let level = level.filter(|level| is_taken && *level != Thinking::Off)?;
    Some(json!({ "effort": level.as_str() }))
}

/// Marks what the next requests will begin with: the tools, the system prompt, and the
/// conversation up to its newest turn and to the last turn of the request before.
fn mark<'v>(before: impl Iterator<Item = &'v mut Value>, messages: &'v mut [Value]) {
    let told = messages.iter_mut().rev().filter(|message| message["role"] == "user");
    let newest = told.filter_map(|message| message["content"].as_array_mut()?.last_mut()).take(2);
    for block in before.chain(newest) {
        block["cache_control"] = json!({ "type": "ephemeral" });
    }
}

fn message(turn: &Turn) -> Option<Value> {
    let (role, content) = match turn {
        Turn::Told(said) => ("user", told(said)),
        Turn::Answered(parts) => {
            ("assistant", Part::taken_back(parts).iter().filter_map(answered).collect())
        }
    };
    (!content.is_empty()).then(|| json!({ "role": role, "content": content }))
}

/// Results come first: the interface wants it so.
fn told(said: &[Said]) -> Vec<Value> {
    let results = said.iter().filter_map(Said::result).map(tool_result);
    let texts = said.iter().filter_map(Said::text).filter_map(text_block);
    results.chain(texts).collect()
}

/// An empty text is refused.
fn text_block(text: &str) -> Option<Value> {
    (!text.trim().is_empty()).then(|| json!({ "type": "text", "text": text }))
}

/// The interface refuses pictures in an error, so there the text says that it is one. It also
/// refuses an error without text.
fn tool_result(result: &ToolResult) -> Value {
    let ToolResult { id, text, images, is_error, .. } = result;
    let is_shown = !images.is_empty();
    let before = if *is_error && is_shown { "error: " } else { "" };
    let is_error = *is_error && !is_shown;
    let text = text_block(&format!("{before}{text}"));
    let text = text.or_else(|| text_block("error").filter(|_| is_error));
    let content: Vec<_> = text.into_iter().chain(images.iter().map(image)).collect();
    json!({ "type": "tool_result", "tool_use_id": id, "content": content, "is_error": is_error })
}

fn image(image: &Image) -> Value {
    let Image { media_type, data } = image;
    let source = json!({ "type": "base64", "media_type": media_type, "data": data });
    json!({ "type": "image", "source": source })
}

/// Thinking without a signature was not this server's, and would be refused.
fn answered(part: &Part) -> Option<Value> {
    match part {
        Part::Text(text) => text_block(text),
        Part::Thinking { text, seal } => seal.as_ref().map(
            |signature| json!({ "type": "thinking", "thinking": text, "signature": signature }),
        ),
        Part::Hidden(data) => Some(json!({ "type": "redacted_thinking", "data": data })),
        Part::Call(call) => {
            let (id, name) = (&call.id, call.shown_name());
            Some(json!({ "type": "tool_use", "id": id, "name": name, "input": call.shown() }))
        }
    }
}
