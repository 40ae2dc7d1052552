//! A request in OpenAI's words.

use std::borrow::Cow;

use agent_worker_protocol::backend::Thinking;
use serde::Serialize;
use serde_json::{Map, Value, json};

use crate::model::{
    Call, Image, Part, Request, Said, Tool, ToolResult, Turn,
    differences::{Difference, Differences},
};

/// How a server is told how much to think.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Manner {
    /// `reasoning_effort`
    Usual,
    /// `thinking`, and an effort of its own
    DeepSeek,
    /// `reasoning`
    OpenRouter,
}

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
    #[serde(flatten)]
    effort: Map<String, Value>,
}

#[derive(Serialize)]
struct StreamOptions {
    include_usage: bool,
}

#[derive(Serialize)]
#[serde(tag = "role", rename_all = "snake_case")]
enum Message<'a> {
    System {
        content: Content<'a>,
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
        content: Content<'a>,
    },
}

#[derive(Serialize)]
#[serde(untagged)]
enum Content<'a> {
    Text(Cow<'a, str>),
    Parts(Vec<Shown<'a>>),
}

#[derive(Serialize)]
struct Shown<'a> {
    #[serde(flatten)]
    kind: Kind<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    cache_control: Option<Mark>,
}

#[derive(Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Kind<'a> {
    Text { text: Cow<'a, str> },
    ImageUrl { image_url: Address },
}

/// What is written up to here is kept by the server for the next request.
#[derive(Serialize, Clone, Copy)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Mark {
    Ephemeral,
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

/// The whole request; `has_new_name` says what the longest answer is called.
pub fn body(
    model: &str,
    request: &Request<'_>,
    manner: Manner,
    has_new_name: bool,
    differences: &Differences,
) -> Vec<u8> {
    let has = |difference| differences.has(difference);
    let in_each = has(Difference::ThinkingInEachTurn);
    let system = request.system.map(|text| Message::System { content: Content::Text(text.into()) });
    let turns = request.turns.iter().flat_map(|turn| messages(turn, in_each));
    let mut messages: Vec<_> = system.into_iter().chain(turns).collect();
    if is_marked(model) && !has(Difference::NoMarks) {
        mark(&mut messages);
    }
    let body = Body {
        model,
        messages,
        tools: request.tools.iter().map(offered).collect(),
        stream: true,
        stream_options: (!has(Difference::NoCount))
            .then_some(StreamOptions { include_usage: true }),
        max_tokens: request.max_tokens.filter(|_| !has_new_name),
        max_completion_tokens: request.max_tokens.filter(|_| has_new_name),
        effort: effort(request.thinking, manner, differences),
    };
    serde_json::to_vec(&body).expect("a request has no maps with odd keys")
}

/// Whether the model's own interface caches what is marked, and nothing else.
fn is_marked(model: &str) -> bool {
    model.to_lowercase().contains("claude")
}

/// Marks what the next requests will begin with: the system prompt, with the tools before it, and
/// the conversation up to its newest turn and to the last turn of the request before.
fn mark(messages: &mut [Message<'_>]) {
    let mut left = 2;
    let mut was_told = false;
    for message in messages.iter_mut().rev() {
        let (content, is_told) = match message {
            Message::System { content } => (content, false),
            Message::User { content } | Message::Tool { content, .. } => (content, true),
            Message::Assistant { .. } => {
                was_told = false;
                continue;
            }
        };
        // Of what was told at once the last is marked.
        let is_last = is_told && !std::mem::replace(&mut was_told, true) && left > 0;
        left -= u8::from(is_last);
        if is_last || !is_told {
            content.mark();
        }
    }
}

/// How much to think, in the server's words.
fn effort(
    thinking: Option<Thinking>,
    manner: Manner,
    differences: &Differences,
) -> Map<String, Value> {
    let mut fields = Map::new();
    let Some(level) = thinking.filter(|_| !differences.has(Difference::NoEffort)) else {
        return fields;
    };
    let is_lower = differences.has(Difference::LowerEffort);
    let word = match level {
        Thinking::Off => "none",
        Thinking::Max if is_lower => "high",
        Thinking::Max => "xhigh",
        level => level.as_str(),
    };
    match manner {
        Manner::Usual => drop(fields.insert("reasoning_effort".to_owned(), word.into())),
        Manner::OpenRouter => {
            fields.insert("reasoning".to_owned(), json!({ "effort": word }));
        }
        Manner::DeepSeek if level == Thinking::Off => {
            fields.insert("thinking".to_owned(), json!({ "type": "disabled" }));
        }
        Manner::DeepSeek => {
            let word = if level == Thinking::Max { "max" } else { "high" };
            fields.insert("thinking".to_owned(), json!({ "type": "enabled" }));
            fields.insert("reasoning_effort".to_owned(), word.into());
        }
    }
    fields
}

fn offered(tool: &Tool) -> Offered<'_> {
    let (name, description, parameters) = (&tool.name, &tool.about, &*tool.schema);
    Offered { kind: "function", function: OfferedFunction { name, description, parameters } }
}

fn messages(turn: &Turn, in_each: bool) -> Vec<Message<'_>> {
    match turn {
        Turn::Told(said) => told(said),
        Turn::Answered(parts) => vec![answered(parts, in_each)],
    }
}

/// Each result is a message of its own, right behind its call; what a result shows can only be
/// shown by all other servers.
fn told(said: &[Said]) -> Vec<Message<'_>> {
    let (mut results, mut images, mut texts) = (Vec::new(), Vec::new(), Vec::new());
    for said in said {
        match said {
            Said::Text(text) => texts.push(text.as_str()),
            Said::Result(result) => {
                let content = Content::Text(words(result).into());
                results.push(Message::Tool { tool_call_id: &result.id, content });
                images.extend(&result.images);
            }
        }
    }
    if !images.is_empty() {
        let mut parts = vec![Shown::text("What the tools show:")];
        parts.extend(images.into_iter().map(shown));
        parts.extend(texts.into_iter().map(Shown::text));
        results.push(Message::User { content: Content::Parts(parts) });
    } else if !texts.is_empty() {
        results.push(Message::User { content: Content::Text(texts.join("\n\n").into()) });
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
    Shown { kind: Kind::ImageUrl { image_url: Address { url } }, cache_control: None }
}

impl<'a> Shown<'a> {
    fn text(text: impl Into<Cow<'a, str>>) -> Self {
        Self { kind: Kind::Text { text: text.into() }, cache_control: None }
    }
}

impl Content<'_> {
    /// Marks its end. Only a part can be marked.
    fn mark(&mut self) {
        if let Content::Text(text) = self {
            *self = Content::Parts(vec![Shown::text(std::mem::take(text))]);
        }
        if let Content::Parts(parts) = self
            && let Some(last) = parts.last_mut()
        {
            last.cache_control = Some(Mark::Ephemeral);
        }
    }
}

fn answered(parts: &[Part], in_each: bool) -> Message<'_> {
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
    // Most servers want it back only between calls and their results.
    let mut thinking = if tool_calls.is_empty() && !in_each { Map::new() } else { thinking(parts) };
    if in_each && !thinking.contains_key("reasoning_content") {
        let text = parts.iter().filter_map(|part| match part {
            Part::Thinking { text, .. } => Some(text.as_str()),
            _ => None,
        });
        thinking.insert("reasoning_content".to_owned(), text.collect::<String>().into());
    }
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
