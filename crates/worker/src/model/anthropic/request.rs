//! A request in Anthropic's words.

use agent_worker_protocol::backend::Thinking;
use serde::Serialize;
use serde_json::{Map, Value, json};

use crate::model::{
    Call, Image, Part, Request, Said, Tool, ToolResult, Turn,
    differences::{Difference, Differences},
};

/// How long an answer may be, in tokens, if the longest of the model is not known: the interface
/// requires a number. A server that allows less says how much.
const MAX_TOKENS: u32 = 32_000;

/// The same of a server that refuses that and does not say how much it takes.
const FEW_TOKENS: u32 = 8192;

/// The shortest budget of thinking that the interface takes.
const LEAST_BUDGET: u32 = 1024;

#[derive(Serialize)]
struct Body<'a> {
    model: &'a str,
    max_tokens: u32,
    stream: bool,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    system: Vec<Block<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tools: Vec<Offered<'a>>,
    messages: Vec<Message<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    thinking: Option<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    output_config: Option<Value>,
}

#[derive(Serialize)]
struct Message<'a> {
    role: &'static str,
    content: Vec<Block<'a>>,
}

#[derive(Serialize)]
struct Offered<'a> {
    name: &'a str,
    #[serde(skip_serializing_if = "str::is_empty")]
    description: &'a str,
    input_schema: &'a Map<String, Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    cache_control: Option<Mark>,
}

#[derive(Serialize)]
struct Block<'a> {
    #[serde(flatten)]
    kind: Kind<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    cache_control: Option<Mark>,
}

#[derive(Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Kind<'a> {
    Text { text: &'a str },
    Image { source: Source<'a> },
    Thinking { thinking: &'a str, signature: &'a str },
    RedactedThinking { data: &'a str },
    ToolUse { id: &'a str, name: &'a str, input: Map<String, Value> },
    ToolResult { tool_use_id: &'a str, content: Vec<Block<'a>>, is_error: bool },
}

#[derive(Serialize)]
struct Source<'a> {
    #[serde(rename = "type")]
    kind: &'static str,
    media_type: &'a str,
    data: &'a str,
}

/// What is written up to here is kept by the server for the next request.
#[derive(Serialize, Clone, Copy)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Mark {
    Ephemeral,
}

/// The whole request. No answer is longer than `longest` tokens.
pub fn body(
    model: &str,
    request: &Request<'_>,
    differences: &Differences,
    longest: u32,
) -> Vec<u8> {
    let wanted = request.max_tokens.unwrap_or(MAX_TOKENS).min(longest);
    let is_refused = differences.has(Difference::NoLongest);
    let max_tokens = if is_refused { wanted.min(FEW_TOKENS) } else { wanted };
    let mut body = Body {
        model,
        max_tokens,
        thinking: thinking(request.thinking, max_tokens, differences),
        output_config: effort(request.thinking, differences),
        stream: true,
        system: request.system.map(|text| Block::of(Kind::Text { text })).into_iter().collect(),
        tools: request.tools.iter().map(offered).collect(),
        // A turn with nothing to send back is left out; the server joins those around it.
        messages: request.turns.iter().map(message).filter(Message::says).collect(),
    };
    if !differences.has(Difference::NoMarks) {
        mark(&mut body);
    }
    serde_json::to_vec(&body).expect("a request has no maps with odd keys")
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
fn mark(body: &mut Body<'_>) {
    if let Some(tool) = body.tools.last_mut() {
        tool.cache_control = Some(Mark::Ephemeral);
    }
    if let Some(block) = body.system.last_mut() {
        block.cache_control = Some(Mark::Ephemeral);
    }
    let told = body.messages.iter_mut().rev().filter(|message| message.role == "user");
    for message in told.take(2) {
        if let Some(block) = message.content.last_mut() {
            block.cache_control = Some(Mark::Ephemeral);
        }
    }
}

fn offered(tool: &Tool) -> Offered<'_> {
    Offered {
        name: &tool.name,
        description: &tool.about,
        input_schema: &tool.schema,
        cache_control: None,
    }
}

fn message(turn: &Turn) -> Message<'_> {
    match turn {
        Turn::Told(said) => Message { role: "user", content: told(said) },
        Turn::Answered(parts) => {
            let content = parts.iter().filter_map(answered).map(Block::of).collect();
            Message { role: "assistant", content }
        }
    }
}

/// Results come first: the interface wants it so.
fn told(said: &[Said]) -> Vec<Block<'_>> {
    let results = said.iter().filter_map(|said| match said {
        Said::Result(result) => Some(tool_result(result)),
        Said::Text(_) => None,
    });
    let texts = said.iter().filter_map(|said| match said {
        Said::Text(text) => text_block(text),
        Said::Result(_) => None,
    });
    results.chain(texts).map(Block::of).collect()
}

/// An empty text is refused.
fn text_block(text: &str) -> Option<Kind<'_>> {
    (!text.trim().is_empty()).then_some(Kind::Text { text })
}

fn tool_result(result: &ToolResult) -> Kind<'_> {
    let content = text_block(&result.text).into_iter().chain(result.images.iter().map(image));
    Kind::ToolResult {
        tool_use_id: &result.id,
        content: content.map(Block::of).collect(),
        is_error: result.is_error,
    }
}

fn image(image: &Image) -> Kind<'_> {
    let Image { media_type, data } = image;
    Kind::Image { source: Source { kind: "base64", media_type, data } }
}

/// Thinking without a signature was not this server's, and would be refused.
fn answered(part: &Part) -> Option<Kind<'_>> {
    match part {
        Part::Text(text) => text_block(text),
        Part::Thinking { text, seal } => {
            seal.as_deref().map(|signature| Kind::Thinking { thinking: text, signature })
        }
        Part::Hidden(data) => Some(Kind::RedactedThinking { data }),
        Part::Call(call) => {
            Some(Kind::ToolUse { id: &call.id, name: &call.name, input: input(call) })
        }
    }
}

/// Arguments that are none are shown to the model under a name that says so.
fn input(call: &Call) -> Map<String, Value> {
    call.object().unwrap_or_else(|_| match json!({ "INVALID_JSON": call.arguments }) {
        Value::Object(shown) => shown,
        _ => Map::new(),
    })
}

impl Message<'_> {
    fn says(&self) -> bool {
        !self.content.is_empty()
    }
}

impl<'a> Block<'a> {
    fn of(kind: Kind<'a>) -> Self {
        Self { kind, cache_control: None }
    }
}
