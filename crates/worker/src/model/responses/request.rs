//! A request of the Responses interface.

use agent_worker_protocol::Thinking;
use serde_json::{Map, Value, json};

use crate::model::{
    Difference, Differences, Image, Part, Request, Said, Tool, ToolResult, Turn, body, present,
    unless_empty,
};

/// The least that the interface takes for the longest answer, in tokens.
const LEAST: u32 = 16;

pub fn whole(model: &str, request: &Request<'_>, differences: &Differences) -> Vec<u8> {
    let has = |difference| differences.has(difference);
    let included = (!has(Difference::NoEncrypted)).then(|| json!(["reasoning.encrypted_content"]));
    let longest = request.max_tokens.filter(|_| !has(Difference::NoLongest));
    body([
        ("model", model.into()),
        ("instructions", request.system.into()),
        ("input", request.turns.iter().flat_map(items).collect()),
        ("tools", unless_empty(request.tools.iter().map(offered).collect())),
        ("stream", true.into()),
        ("store", false.into()),
        ("include", included.into()),
        ("reasoning", reasoning(request.thinking, differences).into()),
        ("max_output_tokens", longest.map(|tokens| tokens.max(LEAST)).into()),
    ])
}

fn reasoning(thinking: Option<Thinking>, differences: &Differences) -> Option<Map<String, Value>> {
    let has = |difference| differences.has(difference);
    if has(Difference::NoThinking) {
        return None;
    }
    let is_shown = thinking != Some(Thinking::Off) && !has(Difference::NoSummary);
    let effort = differences.effort(thinking);
    let told = present([("effort", effort.into()), ("summary", is_shown.then_some("auto").into())]);
    (!told.is_empty()).then_some(told)
}

fn offered(tool: &Tool) -> Value {
    let mut offered = Map::new();
    offered.insert("type".to_owned(), "function".into());
    offered.extend(tool.told("parameters"));
    offered.insert("strict".to_owned(), false.into());
    offered.into()
}

fn items(turn: &Turn) -> Vec<Value> {
    match turn {
        Turn::Told(said) => told(said),
        Turn::Answered(parts) => Part::taken_back(parts).iter().filter_map(answered).collect(),
    }
}

/// Results come first, right behind their calls.
fn told(said: &[Said]) -> Vec<Value> {
    let results = said.iter().filter_map(Said::result).map(output);
    let texts = said.iter().filter_map(Said::text).filter(|text| !text.trim().is_empty());
    let content: Vec<_> = texts.map(input_text).collect();
    results.chain((!content.is_empty()).then(|| message("user", &content))).collect()
}

fn message(role: &str, content: &[Value]) -> Value {
    json!({ "type": "message", "role": role, "content": content })
}

fn input_text(text: &str) -> Value {
    json!({ "type": "input_text", "text": text })
}

/// The interface has no word for a call that failed.
fn output(result: &ToolResult) -> Value {
    let error = if result.is_error { "error: " } else { "" };
    let text = format!("{error}{}", result.text);
    let output: Value = if result.images.is_empty() {
        text.into()
    } else {
        let text = (!text.is_empty()).then(|| input_text(&text));
        text.into_iter().chain(result.images.iter().map(shown)).collect()
    };
    json!({ "type": "function_call_output", "call_id": result.id, "output": output })
}

fn shown(image: &Image) -> Value {
    json!({ "type": "input_image", "image_url": image.url() })
}

/// Thinking goes back as it came, in its place; without its encrypted content it means nothing.
fn answered(part: &Part) -> Option<Value> {
    match part {
        Part::Text(text) if text.is_empty() => None,
        Part::Text(text) => {
            Some(message("assistant", &[json!({ "type": "output_text", "text": text })]))
        }
        Part::Thinking { seal, .. } => {
            let item: Value = serde_json::from_str(seal.as_deref()?).ok()?;
            (item["type"] == "reasoning").then_some(item)
        }
        Part::Hidden(_) => None,
        Part::Call(call) => {
            let (id, name, arguments) = (&call.id, call.shown_name(), call.shown_text());
            Some(json!({
                "type": "function_call", "call_id": id, "name": name, "arguments": arguments,
            }))
        }
    }
}
