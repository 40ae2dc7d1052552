//! A request in OpenAI's words.

use serde::Serialize;
use serde_json::{Map, Value, json};

use crate::model::{Call, Image, Part, Request, Said, Tool, ToolResult, Turn};

#[derive(Serialize)]
struct Body<'a> {
    model: &'a str,
    messages: Vec<Message<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tools: Vec<Offered<'a>>,
    stream: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    stream_options: Option<StreamOptions>,
    #[serde(skip_serializing_if = "Option::is_none")]
    max_tokens: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    max_completion_tokens: Option<u32>,
}

#[derive(Serialize)]
struct StreamOptions {
    include_usage: bool,
}

#[derive(Serialize)]
#[serde(tag = "role", rename_all = "snake_case")]
enum Message<'a> {
    System {
        content: &'a str,
    },
    User {
        content: Content<'a>,
    },
    Assistant {
        content: Option<String>,
        #[serde(skip_serializing_if = "Vec::is_empty")]
        tool_calls: Vec<Called<'a>>,
        #[serde(flatten)]
        thinking: Map<String, Value>,
    },
    Tool {
        tool_call_id: &'a str,
        content: String,
    },
}

#[derive(Serialize)]
#[serde(untagged)]
enum Content<'a> {
    Text(String),
    Parts(Vec<Shown<'a>>),
}

#[derive(Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Shown<'a> {
    Text { text: &'a str },
    ImageUrl { image_url: Address },
}

#[derive(Serialize)]
struct Address {
    url: String,
}

#[derive(Serialize)]
struct Called<'a> {
    id: &'a str,
    #[serde(rename = "type")]
    kind: &'static str,
    function: CalledFunction<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    extra_content: Option<Value>,
}

#[derive(Serialize)]
struct CalledFunction<'a> {
    name: &'a str,
    arguments: String,
}

#[derive(Serialize)]
struct Offered<'a> {
    #[serde(rename = "type")]
    kind: &'static str,
    function: OfferedFunction<'a>,
}

#[derive(Serialize)]
struct OfferedFunction<'a> {
    name: &'a str,
    #[serde(skip_serializing_if = "str::is_empty")]
    description: &'a str,
    parameters: &'a Map<String, Value>,
}

/// The whole request; `has_new_name` says what the longest answer is called, `counts` whether the
/// server is asked for what the answer has used.
pub fn body(model: &str, request: &Request<'_>, has_new_name: bool, counts: bool) -> Vec<u8> {
    let system = request.system.map(|content| Message::System { content });
    let turns = request.turns.iter().flat_map(messages);
    let body = Body {
        model,
        messages: system.into_iter().chain(turns).collect(),
        tools: request.tools.iter().map(offered).collect(),
        stream: true,
        stream_options: counts.then_some(StreamOptions { include_usage: true }),
        max_tokens: request.max_tokens.filter(|_| !has_new_name),
        max_completion_tokens: request.max_tokens.filter(|_| has_new_name),
    };
    serde_json::to_vec(&body).expect("a request has no maps with odd keys")
}

fn offered(tool: &Tool) -> Offered<'_> {
    let (name, description, parameters) = (&tool.name, &tool.about, &*tool.schema);
    Offered { kind: "function", function: OfferedFunction { name, description, parameters } }
}

fn messages(turn: &Turn) -> Vec<Message<'_>> {
    match turn {
        Turn::Told(said) => told(said),
        Turn::Answered(parts) => vec![answered(parts)],
    }
}

/// Each result is a message of its own, right behind its call; what a result shows can only be
/// shown by whoever else speaks.
fn told(said: &[Said]) -> Vec<Message<'_>> {
    let (mut results, mut images, mut texts) = (Vec::new(), Vec::new(), Vec::new());
    for said in said {
        match said {
            Said::Text(text) => texts.push(text.as_str()),
            Said::Result(result) => {
                results.push(Message::Tool { tool_call_id: &result.id, content: words(result) });
                images.extend(&result.images);
            }
        }
    }
    if !images.is_empty() {
        let mut parts = vec![Shown::Text { text: "What the tools show:" }];
        parts.extend(images.into_iter().map(shown));
        parts.extend(texts.into_iter().map(|text| Shown::Text { text }));
        results.push(Message::User { content: Content::Parts(parts) });
    } else if !texts.is_empty() {
        results.push(Message::User { content: Content::Text(texts.join("\n\n")) });
    }
    results
}

fn words(result: &ToolResult) -> String {
    let seen = if result.images.is_empty() { "" } else { "[the picture is shown below]\n" };
    let error = if result.is_error { "error: " } else { "" };
    format!("{error}{seen}{}", result.text)
}

fn shown(image: &Image) -> Shown<'_> {
    let url = format!("data:{};base64,{}", image.media_type, image.data);
    Shown::ImageUrl { image_url: Address { url } }
}

fn answered(parts: &[Part]) -> Message<'_> {
    let texts = parts.iter().filter_map(|part| match part {
        Part::Text(text) => Some(text.as_str()),
        _ => None,
    });
    let content: String = texts.collect();
    let tool_calls: Vec<_> = parts
        .iter()
        .filter_map(|part| match part {
            Part::Call(call) => Some(called(call)),
            _ => None,
        })
        .collect();
    // Only between calls and their results do servers want to hear of it again.
    let thinking = if tool_calls.is_empty() { Map::new() } else { thinking(parts) };
    let content = Some(content).filter(|text| !text.is_empty() || tool_calls.is_empty());
    Message::Assistant { content, tool_calls, thinking }
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

/// Arguments that are none are shown to the model under a name that says so: servers choke on
/// them as they are.
fn called(call: &Call) -> Called<'_> {
    let arguments = match call.object() {
        Ok(_) if call.arguments.trim().is_empty() => "{}".to_owned(),
        Ok(_) => call.arguments.clone(),
        Err(_) => json!({ "INVALID_JSON": call.arguments }).to_string(),
    };
    let extra_content = call.seal.as_deref().and_then(|seal| serde_json::from_str(seal).ok());
    let function = CalledFunction { name: &call.name, arguments };
    Called { id: &call.id, kind: "function", function, extra_content }
}
