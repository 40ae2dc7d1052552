//! A request, whatever its interface.

use std::hash::{DefaultHasher, Hash, Hasher};

use serde_json::Value;

use crate::{
    interface::{Address, Interface},
    offered::Offered,
};

/// What a model is asked, as far as a scenario cares.
#[derive(Debug, Clone, PartialEq)]
pub struct Asked {
    /// How it was said.
    pub interface: Interface,
    pub model: String,
    /// Who it is told to be.
    pub system: String,
    /// The prompt of the newest run in the conversation, else its first message.
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
    /// The request as it was sent.
    pub body: Value,
}

impl Asked {
    /// Reads a body; the error says what it lacks.
    pub fn read(address: Address<'_>, body: &[u8]) -> Result<Self, String> {
        let Address { interface, asks } = address;
        let body: Value =
            serde_json::from_slice(body).map_err(|bad| format!("the body is not JSON: {bad}"))?;
        let (model, streams) = asks.unwrap_or_else(|| {
            (body["model"].as_str().unwrap_or_default(), body["stream"] == true)
        });
        // A program that could not read a stream asks for the same as a whole.
        if !streams && !matches!(interface, Interface::Anthropic | Interface::Gemini) {
            return Err("it only speaks in streams: ask with `stream: true`".to_owned());
        }
        let key = match interface {
            Interface::Anthropic | Interface::Openai => "messages",
            Interface::Responses => "input",
            Interface::Gemini => "contents",
        };
        let messages = body[key].as_array().ok_or_else(|| format!("there are no `{key}`"))?;
        let has_searched = messages.last().is_some_and(is_search);
        // Searches for tools are no part of what a scenario knows.
        let messages: Vec<_> = messages.iter().filter(|message| !is_search(message)).collect();
        let is_system = |message: &&Value| matches!(role(message), "system" | "developer");
        let system = match interface {
            Interface::Anthropic => text(&body["system"]),
            Interface::Responses => text(&body["instructions"]),
            Interface::Gemini => text(&body["systemInstruction"]["parts"]),
            Interface::Openai => {
                messages.iter().copied().find(is_system).map(words).unwrap_or_default()
            }
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
            interface,
            model: model.to_owned(),
            system,
            prompt,
            last: last.join("\n"),
            conversation: body[key].to_string(),
            streams,
            has_searched,
            tools: Offered::read(interface, &body),
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
        let of_gemini = || self.body["generationConfig"]["maxOutputTokens"].as_u64();
        names.iter().find_map(|name| self.body[name].as_u64()).or_else(of_gemini)
    }

    /// The agent that the prompt says it is.
    pub fn agent(&self) -> Option<&str> {
        let (_, after) = self.prompt.split_once("You are @")?;
        let end = after.find(|c: char| !(c.is_ascii_alphanumeric() || c == '-' || c == '_'));
        Some(&after[..end.unwrap_or(after.len())])
    }
}

/// A conversation is known by what it began with.
pub fn key(asked: &Asked) -> u64 {
    let mut hasher = DefaultHasher::new();
    (&asked.model, &asked.system, &asked.prompt).hash(&mut hasher);
    hasher.finish()
}

/// What only a prompt has.
const INBOX: &str = "## Inbox (";

/// The prompt of a run, if that is in something that was said: results of tools are none.
fn prompt(said: &Value) -> Option<String> {
    let is_text = |part: &&Value| match part["type"].as_str() {
        Some(kind) => matches!(kind, "text" | "input_text"),
        None => part["text"].is_string(),
    };
    let texts: Vec<_> = match content(said) {
        Value::String(whole) if role(said) == "user" => vec![whole.clone()],
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
        _ => match message["role"].as_str() {
            Some("model") => "assistant",
            role => role.unwrap_or_default(),
        },
    }
}

/// What was said, as a text or in parts.
fn content(message: &Value) -> &Value {
    let keys = ["output", "content", "parts"];
    keys.iter().find_map(|key| message.get(key)).unwrap_or(&Value::Null)
}

fn words(message: &Value) -> String {
    text(content(message))
}

/// All text in something that was said: a text, or a list of parts, which may have parts too.
fn text(content: &Value) -> String {
    match content {
        Value::String(text) => text.clone(),
        Value::Array(parts) => parts.iter().map(text).collect::<Vec<_>>().join("\n"),
        Value::Object(part) => {
            let inner = ["text", "content", "functionResponse", "response", "output", "error"];
            inner.iter().find_map(|key| part.get(*key)).map(text).unwrap_or_default()
        }
        _ => String::new(),
    }
}
