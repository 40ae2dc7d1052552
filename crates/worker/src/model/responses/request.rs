//! A request of the Responses interface.

use agent_worker_protocol::backend::Thinking;
use serde::Serialize;
use serde_json::{Map, Value, json};

use crate::model::{
    Call, Image, Part, Request, Said, Tool, ToolResult, Turn,
    differences::{Difference, Differences},
};

/// The least that the interface takes for the longest answer, in tokens.
const LEAST: u32 = 16;

#[derive(Serialize)]
struct Body<'a> {
    model: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    instructions: Option<&'a str>,
    input: Vec<Item<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tools: Vec<Offered<'a>>,
    stream: bool,
    store: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    include: Option<[&'static str; 1]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reasoning: Option<Reasoning>,
    #[serde(skip_serializing_if = "Option::is_none")]
    max_output_tokens: Option<u32>,
}

#[derive(Serialize)]
struct Reasoning {
    #[serde(skip_serializing_if = "Option::is_none")]
    effort: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    summary: Option<&'static str>,
}

#[derive(Serialize)]
#[serde(untagged)]
enum Item<'a> {
    Known(Known<'a>),
    /// Thinking, as it came
    Thinking(Value),
}

#[derive(Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Known<'a> {
    Message { role: &'static str, content: Vec<Content<'a>> },
    FunctionCall { call_id: &'a str, name: &'a str, arguments: String },
    FunctionCallOutput { call_id: &'a str, output: Output<'a> },
}

#[derive(Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Content<'a> {
    InputText { text: &'a str },
    OutputText { text: &'a str },
    InputImage { image_url: String },
}

#[derive(Serialize)]
#[serde(untagged)]
enum Output<'a> {
    Text(String),
    Parts(Vec<Content<'a>>),
}

#[derive(Serialize)]
struct Offered<'a> {
    #[serde(rename = "type")]
    kind: &'static str,
    name: &'a str,
    #[serde(skip_serializing_if = "str::is_empty")]
    description: &'a str,
    parameters: &'a Map<String, Value>,
    strict: bool,
}

pub fn body(model: &str, request: &Request<'_>, differences: &Differences) -> Vec<u8> {
    let has = |difference| differences.has(difference);
    let body = Body {
        model,
        instructions: request.system,
        input: request.turns.iter().flat_map(items).collect(),
        tools: request.tools.iter().map(offered).collect(),
        stream: true,
        store: false,
        include: (!has(Difference::NoEncrypted)).then_some(["reasoning.encrypted_content"]),
        reasoning: reasoning(request.thinking, differences),
        max_output_tokens: request
            .max_tokens
            .filter(|_| !has(Difference::NoLongest))
            .map(|tokens| tokens.max(LEAST)),
    };
    serde_json::to_vec(&body).expect("a request has no maps with odd keys")
}

fn reasoning(thinking: Option<Thinking>, differences: &Differences) -> Option<Reasoning> {
    let has = |difference| differences.has(difference);
    if has(Difference::NoThinking) {
        return None;
    }
    let is_shown = thinking != Some(Thinking::Off) && !has(Difference::NoSummary);
    let effort = thinking.map(|level| match level {
        Thinking::Off => "none",
        Thinking::Low => "low",
        Thinking::Medium => "medium",
        Thinking::Max if !has(Difference::LowerEffort) => "xhigh",
        Thinking::High | Thinking::Max => "high",
    });
    let effort = effort.filter(|_| !has(Difference::NoEffort));
    let summary = is_shown.then_some("auto");
    (effort.is_some() || summary.is_some()).then_some(Reasoning { effort, summary })
}

fn offered(tool: &Tool) -> Offered<'_> {
    let (name, description, parameters) = (&*tool.name, &*tool.about, &*tool.schema);
    Offered { kind: "function", name, description, parameters, strict: false }
}

fn items(turn: &Turn) -> Vec<Item<'_>> {
    match turn {
        Turn::Told(said) => told(said),
        Turn::Answered(parts) => {
            let mut items: Vec<_> = parts.iter().filter_map(answered).collect();
            // Thinking that nothing came of is refused.
            while items.pop_if(|item| matches!(item, Item::Thinking(_))).is_some() {}
            items
        }
    }
}

/// Results come first, right behind their calls.
fn told(said: &[Said]) -> Vec<Item<'_>> {
    let results = said.iter().filter_map(|said| match said {
        Said::Result(result) => Some(output(result)),
        Said::Text(_) => None,
    });
    let texts = said.iter().filter_map(|said| match said {
        Said::Text(text) if !text.trim().is_empty() => Some(Content::InputText { text }),
        _ => None,
    });
    let content: Vec<_> = texts.collect();
    let message =
        (!content.is_empty()).then_some(Item::Known(Known::Message { role: "user", content }));
    results.chain(message).collect()
}

/// The interface has no word for a call that failed.
fn output(result: &ToolResult) -> Item<'_> {
    let error = if result.is_error { "error: " } else { "" };
    let output = if result.images.is_empty() {
        Output::Text(format!("{error}{}", result.text))
    } else {
        let text = (!result.text.is_empty()).then_some(Content::InputText { text: &result.text });
        Output::Parts(text.into_iter().chain(result.images.iter().map(shown)).collect())
    };
    Item::Known(Known::FunctionCallOutput { call_id: &result.id, output })
}

fn shown(image: &Image) -> Content<'_> {
    Content::InputImage { image_url: format!("data:{};base64,{}", image.media_type, image.data) }
}

/// Thinking goes back as it came, in its place; without its encrypted content it means nothing.
fn answered(part: &Part) -> Option<Item<'_>> {
    match part {
        Part::Text(text) if text.is_empty() => None,
        Part::Text(text) => {
            let content = vec![Content::OutputText { text }];
            Some(Item::Known(Known::Message { role: "assistant", content }))
        }
        Part::Thinking { seal, .. } => {
            let item: Value = serde_json::from_str(seal.as_deref()?).ok()?;
            (item["type"] == "reasoning").then_some(Item::Thinking(item))
        }
        Part::Hidden(_) => None,
        Part::Call(call) => Some(Item::Known(called(call))),
    }
}

/// Arguments that are no object are shown to the model under a name that says so.
fn called(call: &Call) -> Known<'_> {
    let arguments = match call.object() {
        Ok(_) if call.arguments.trim().is_empty() => "{}".to_owned(),
        Ok(_) => call.arguments.clone(),
        Err(_) => json!({ "INVALID_JSON": call.arguments }).to_string(),
    };
    Known::FunctionCall { call_id: &call.id, name: &call.name, arguments }
}
