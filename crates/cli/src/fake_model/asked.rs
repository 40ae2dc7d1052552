//! A request, whatever its interface.

use agent_worker_protocol::provider::Wire;
use serde_json::Value;

use super::offered::Offered;

/// What a model is asked, as far as a scenario cares.
#[derive(Debug, Clone, PartialEq)]
pub struct Asked {
    /// How it was said.
    pub wire: Wire,
    /// Who is asked.
    pub model: String,
    /// Who it is told to be.
    pub system: String,
    /// The prompt of the newest run in the conversation; what it was told first if there is none.
    pub prompt: String,
    /// What it was told last: results of tools, or a text.
    pub last: String,
    /// The whole conversation, as it was sent.
    pub conversation: String,
    /// Whether it wants its answer in pieces.
    pub streams: bool,
    /// Whether it has looked for tools just now.
    pub has_searched: bool,
    /// What it may call.
    pub tools: Vec<Offered>,
    /// Whether what it uses is wanted.
    pub counts: bool,
    /// The request as it was sent.
    pub body: Value,
}

impl Asked {
    /// Reads a body; the error says what it lacks.
    pub fn read(wire: Wire, body: &[u8]) -> Result<Self, String> {
        let body: Value =
            serde_json::from_slice(body).map_err(|bad| format!("the body is no JSON: {bad}"))?;
        let streams = body["stream"] == true;
        // A program that could not read a stream asks for the same as a whole.
        if !streams && wire != Wire::Anthropic {
            return Err("it only speaks in streams: ask with `stream: true`".to_owned());
        }
        let key = if wire == Wire::Responses { "input" } else { "messages" };
        let messages = body[key].as_array().ok_or_else(|| format!("there are no `{key}`"))?;
        let has_searched = messages.last().is_some_and(is_search);
        // Searches for tools are no part of what a scenario knows.
        let messages: Vec<_> = messages.iter().filter(|message| !is_search(message)).collect();
        let is_system = |message: &&Value| matches!(role(message), "system" | "developer");
        let system = match wire {
            Wire::Anthropic => text(&body["system"]),
            Wire::Responses => text(&body["instructions"]),
            Wire::Openai => messages.iter().copied().find(is_system).map(words).unwrap_or_default(),
        };
        let told =
            || messages.iter().copied().filter(|message| matches!(role(message), "user" | "tool"));
        let first = || told().next().map(words);
        let prompt = told().rev().find_map(prompt).or_else(first).unwrap_or_default();
        // Results come each in a message of its own, or all in one.
        let is_answer = |message: &&Value| role(message) != "assistant";
        let newest: Vec<_> = messages.iter().copied().rev().take_while(is_answer).collect();
        let last: Vec<_> = newest.iter().rev().map(|said| words(said)).collect();
        Ok(Self {
            wire,
            model: body["model"].as_str().unwrap_or_default().to_owned(),
            system,
            prompt,
            last: last.join("\n"),
            conversation: body[key].to_string(),
            streams,
            has_searched,
            tools: Offered::read(wire, &body),
            counts: wire != Wire::Openai || body["stream_options"]["include_usage"] == true,
            body,
        })
    }

    /// The mail that the prompt has; all of a prompt that has none.
    pub fn mail(&self) -> &str {
        let Some((_, after)) = self.prompt.split_once(INBOX) else { return &self.prompt };
        after.split_once("\n## ").map_or(after, |(mail, _)| mail)
    }

    /// Whether a program asks for itself, and not for its agent: opencode has its session named.
    pub fn is_aside(&self) -> bool {
        self.tools.is_empty() && self.system.contains("title generator")
    }

    /// The longest answer that it wants, in tokens.
    pub fn longest(&self) -> Option<u64> {
        let names = ["max_tokens", "max_completion_tokens", "max_output_tokens"];
        names.iter().find_map(|name| self.body[name].as_u64())
    }

    /// The agent that the prompt says it is.
    pub fn agent(&self) -> Option<&str> {
        let (_, after) = self.prompt.split_once("You are @")?;
        let end = after.find(|c: char| !(c.is_ascii_alphanumeric() || c == '-' || c == '_'));
        Some(&after[..end.unwrap_or(after.len())])
    }
}

/// What only a prompt has.
const INBOX: &str = "## Inbox (";

/// The prompt of a run, if that is in something that was said: results of tools are none.
fn prompt(said: &Value) -> Option<String> {
    let is_text = |part: &&Value| part["type"] == "text" || part["type"] == "input_text";
    let texts: Vec<_> = match &said["content"] {
        Value::String(_) if role(said) == "user" => vec![text(&said["content"])],
        Value::Array(parts) => parts.iter().filter(is_text).map(text).collect(),
        _ => Vec::new(),
    };
    texts.into_iter().rev().find(|text| text.contains(INBOX))
}

fn is_search(item: &Value) -> bool {
    matches!(item["type"].as_str(), Some("tool_search_call" | "tool_search_output"))
}

/// Who says something. What the Responses interface calls items has roles of its own.
fn role(message: &Value) -> &str {
    match message["type"].as_str() {
        Some("function_call_output" | "custom_tool_call_output") => "tool",
        Some("function_call" | "custom_tool_call" | "reasoning") => "assistant",
        _ => message["role"].as_str().unwrap_or_default(),
    }
}

/// What was said.
fn words(message: &Value) -> String {
    text(message.get("output").unwrap_or(&message["content"]))
}

/// All text in something that was said: a text, or a list of parts, which may have parts too.
fn text(content: &Value) -> String {
    match content {
        Value::String(text) => text.clone(),
        Value::Array(parts) => parts.iter().map(text).collect::<Vec<_>>().join("\n"),
        Value::Object(part) => match part.get("text").or_else(|| part.get("content")) {
            Some(inner) => text(inner),
            None => String::new(),
        },
        _ => String::new(),
    }
}
