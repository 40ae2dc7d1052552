//! A request in OpenAI's words.

use agent_worker_protocol::Thinking;
use serde_json::{Map, Value, json};

use crate::model::{
    Call, Difference, Differences, Image, Part, Request, Said, Tool, ToolResult, Turn, body,
    unless_empty,
};

/// What stands between results and what a user says, where a server wants an answer there.
const BRIDGE: &str = "I have the results.";

/// How a request says how much to think.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Manner {
    /// `reasoning_effort`
    Usual,
    /// `thinking`, and an effort of its own
    DeepSeek,
    /// `reasoning`
    OpenRouter,
}

/// The whole request; `has_new_name` says what the longest answer is called.
pub fn whole(
    model: &str,
    request: &Request<'_>,
    manner: Manner,
    has_new_name: bool,
    differences: &Differences,
) -> Vec<u8> {
    let has = |difference| differences.has(difference);
    let system = request.system.map(|text| json!({ "role": "system", "content": text }));
    let turns = messages(request.turns, differences);
    let mut messages: Vec<_> = system.into_iter().chain(turns).collect();
    if is_marked(model) && !has(Difference::NoMarks) {
        mark(&mut messages);
    }
    let counted = (!has(Difference::NoCount)).then(|| json!({ "include_usage": true }));
    let longest = if has_new_name { "max_completion_tokens" } else { "max_tokens" };
    let fields = [
        ("model", model.into()),
        ("messages", messages.into()),
        ("tools", unless_empty(request.tools.iter().map(offered).collect())),
        ("stream", true.into()),
        ("stream_options", counted.into()),
        (longest, request.max_tokens.into()),
    ];
    body(fields.into_iter().chain(effort(request.thinking, manner, differences)))
}

/// Whether the model's own interface caches what is marked, and nothing else.
fn is_marked(model: &str) -> bool {
    model.to_lowercase().contains("claude")
}

/// Marks what the next requests will begin with: the system prompt, with the tools before it, and
/// the conversation up to its newest turn and to the last turn of the request before.
fn mark(messages: &mut [Value]) {
    let mut left = 2;
    let mut was_told = false;
    for message in messages.iter_mut().rev() {
        if message["role"] == "assistant" {
            was_told = false;
            continue;
        }
        // Of what was told at once the last is marked.
        let is_told = message["role"] != "system";
        let is_last = is_told && !std::mem::replace(&mut was_told, true) && left > 0;
        left -= u8::from(is_last);
        if is_last || !is_told {
            mark_end(&mut message["content"]);
        }
    }
}

/// Marks the end of what a message says. Only a part can be marked.
fn mark_end(content: &mut Value) {
    if content.is_string() {
        *content = json!([text_part(content)]);
    }
    if let Some(last) = content.as_array_mut().and_then(|parts| parts.last_mut()) {
        last["cache_control"] = json!({ "type": "ephemeral" });
    }
}

/// How much to think, as fields in the server's words.
fn effort(
    thinking: Option<Thinking>,
    manner: Manner,
    differences: &Differences,
) -> Vec<(&'static str, Value)> {
    let Some((level, word)) = thinking.zip(differences.effort(thinking)) else {
        return Vec::new();
    };
    match manner {
        Manner::Usual => vec![("reasoning_effort", word.into())],
        Manner::OpenRouter => vec![("reasoning", json!({ "effort": word }))],
        Manner::DeepSeek if level == Thinking::Off => {
            vec![("thinking", json!({ "type": "disabled" }))]
        }
        Manner::DeepSeek => {
            let word = if level == Thinking::Max { "max" } else { "high" };
            vec![("thinking", json!({ "type": "enabled" })), ("reasoning_effort", word.into())]
        }
    }
}

fn offered(tool: &Tool) -> Value {
    json!({ "type": "function", "function": tool.told("parameters") })
}

/// Some servers refuse an empty answer: it is left out, and the turns around it become one.
fn messages(turns: &[Turn], differences: &Differences) -> Vec<Value> {
    let is_bridged = differences.has(Difference::NoUserAfterTool);
    let in_each = differences.has(Difference::ThinkingInEachTurn);
    let mut messages = Vec::new();
    let mut said: Vec<&Said> = Vec::new();
    for turn in turns {
        match turn {
            Turn::Told(more) => said.extend(more),
            Turn::Answered(parts) => {
                let Some(answer) = answered(parts, in_each) else { continue };
                messages.extend(told(&said, is_bridged));
                messages.push(answer);
                said.clear();
            }
        }
    }
    messages.extend(told(&said, is_bridged));
    messages
}

/// Each result is a message of its own, right behind its call; what a result shows can only be
/// shown by all other servers.
fn told(said: &[&Said], is_bridged: bool) -> Vec<Value> {
    let (mut results, mut images, mut texts) = (Vec::new(), Vec::new(), Vec::new());
    for said in said {
        match said {
            Said::Text(text) => texts.push(text.as_str()),
            Said::Result(result) => {
                let (id, content) = (&result.id, words(result));
                results.push(json!({ "role": "tool", "tool_call_id": id, "content": content }));
                images.extend(&result.images);
            }
        }
    }
    let content: Option<Value> = if images.is_empty() {
        (!texts.is_empty()).then(|| texts.join("\n\n").into())
    } else {
        let head = text_part(&"What the tools show:".into());
        let texts = texts.into_iter().map(|text| text_part(&text.into()));
        Some([head].into_iter().chain(images.into_iter().map(shown)).chain(texts).collect())
    };
    if let Some(content) = content {
        if is_bridged && !results.is_empty() {
            results.push(json!({ "role": "assistant", "content": BRIDGE }));
        }
        results.push(json!({ "role": "user", "content": content }));
    }
    results
}

fn words(result: &ToolResult) -> String {
    let seen = if result.images.is_empty() { "" } else { "[the picture is shown below]\n" };
    let error = if result.is_error { "error: " } else { "" };
    format!("{error}{seen}{}", result.text)
}

fn text_part(text: &Value) -> Value {
    json!({ "type": "text", "text": text })
}

fn shown(image: &Image) -> Value {
    json!({ "type": "image_url", "image_url": { "url": image.url() } })
}

/// An answer, unless it has nothing to send back.
fn answered(parts: &[Part], in_each: bool) -> Option<Value> {
    let content: String = parts.iter().filter_map(Part::text).collect();
    let calls: Vec<_> = parts.iter().filter_map(Part::call).map(called).collect();
    // Most servers want it back only between calls and their results.
    let mut thinking = if calls.is_empty() && !in_each { Map::new() } else { thinking(parts) };
    if in_each && !thinking.contains_key("reasoning_content") {
        let text = parts.iter().filter_map(|part| match part {
            Part::Thinking { text, .. } => Some(text.as_str()),
            _ => None,
        });
        thinking.insert("reasoning_content".to_owned(), text.collect::<String>().into());
    }
    let is_silent = content.trim().is_empty() && calls.is_empty();
    if is_silent && thinking.values().all(|value| *value == "") {
        return None;
    }
    let content = Some(content).filter(|text| !text.is_empty() || calls.is_empty());
    let mut message = Map::new();
    message.insert("role".to_owned(), "assistant".into());
    message.insert("content".to_owned(), content.into());
    if !calls.is_empty() {
        message.insert("tool_calls".to_owned(), calls.into());
    }
    message.extend(thinking);
    Some(message.into())
}

/// Thinking under the name it came by, or signed as it came.
fn thinking(parts: &[Part]) -> Map<String, Value> {
    let mut fields = Map::new();
    for part in parts {
        let Part::Thinking { text, seal: Some(seal) } = part else { continue };
        match serde_json::from_str(seal) {
            Ok(Value::String(field)) => drop(fields.insert(field, text.as_str().into())),
            Ok(Value::Object(signed)) => fields.extend(signed),
            _ => {}
        }
    }
    fields
}

fn called(call: &Call) -> Value {
    let function = json!({ "name": call.shown_name(), "arguments": call.shown_text() });
    let mut called = json!({ "id": call.id, "type": "function", "function": function });
    if let Some(extra) = call.seal.as_deref().and_then(|seal| serde_json::from_str(seal).ok()) {
        called["extra_content"] = extra;
    }
    called
}
