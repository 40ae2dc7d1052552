//! What the program prints: events, as JSON lines.

use std::{collections::HashMap, mem, time::Duration};

use agent_worker_protocol::{
    Usage,
    backend::{CLAUDE_TOOLS, SERVER},
};
use serde_json::Value;

use super::super::{Closing, Fault, Story, content::texts_of, judge::is_unknown_session};
use crate::model::anthropic_usage as usage;

/// An answer of the model, as far as it has come.
#[derive(Default)]
pub struct Answer {
    /// Its id, which an answer in its place does not have; null before the first answer
    id: Value,
    /// Its blocks that are told as they grow, by their places
    growing: HashMap<u64, &'static str>,
    /// Whether text, or thinking, of it was told as it grew
    has_grown: HashMap<&'static str, bool>,
    usage: Usage,
}

impl Answer {
    pub fn system_event(event: &Value, story: &mut Story<'_>) {
        match event["subtype"].as_str() {
            Some("init") => {
                if let Some(session) = event["session_id"].as_str() {
                    story.is_in(session);
                }
                for server in event["mcp_servers"].as_array().into_iter().flatten() {
                    let told = (server["name"].as_str(), server["status"].as_str());
                    if let (Some(name), Some(status @ ("failed" | "needs-auth"))) = told {
                        missing(name, status, story);
                    }
                }
            }
            Some("api_retry") => {
                let number = |key: &str| event[key].as_u64().and_then(|n| u32::try_from(n).ok());
                let (attempt, of) = (number("attempt"), number("max_retries"));
                let status = event["error_status"].as_u64();
                // Of a connection that was cut it says this word alone.
                let is_told = |error: &&str| *error != "unknown" || status.is_some();
                let error = event["error"].as_str().filter(is_told).unwrap_or("no answer");
                let status = status.map_or(String::new(), |status| format!(" ({status})"));
                let next = event["retry_delay_ms"].as_u64().unwrap_or(0);
                story.away(
                    &format!("{error}{status}"),
                    attempt.unwrap_or(1).saturating_add(1),
                    of.unwrap_or(1).saturating_add(1),
                    Duration::from_millis(next),
                );
            }
            Some("compact_boundary") => story.notice("it has shortened its conversation"),
            _ => {}
        }
    }

    /// A piece of an answer, as its server sends it. The program tells the end of a broken block,
    /// too, so a block has ended only when it has come whole as well.
    pub fn stream_event(&mut self, told: &Value, story: &mut Story<'_>) {
        let event = &told["event"];
        let place = event["index"].as_u64().unwrap_or(0);
        match event["type"].as_str() {
            Some("message_start") => {
                story.cut_block();
                let (id, usage) = (&event["message"]["id"], usage(&event["message"]["usage"]));
                *self = Self { id: id.clone(), usage, ..Self::default() };
            }
            Some("content_block_start") => {
                story.end_block();
                let kind = match event["content_block"]["type"].as_str() {
                    Some("text") => "text",
                    Some("thinking") => "thinking",
                    _ => return,
                };
                self.growing.insert(place, kind);
            }
            Some("content_block_delta") => {
                let Some(kind) = self.growing.get(&place).copied() else { return };
                let piece = event["delta"][kind].as_str().unwrap_or_default();
                if piece.is_empty() {
                    return;
                }
                self.has_grown.insert(kind, true);
                if kind == "text" { story.text(piece) } else { story.thinking(piece) }
            }
            Some("content_block_stop") => {
                self.growing.remove(&place);
            }
            Some("message_delta") => {
                let usage = usage(&event["usage"]).with(self.usage, Option::or);
                self.usage = Usage { reasoning: self.usage.reasoning, ..usage };
            }
            Some("message_stop") => {
                if told["abandoned_blocks"].is_object() {
                    story.cut_block();
                }
                // Not each block is told whole.
                story.end_block();
                story.used(mem::take(&mut self.usage));
            }
            _ => {}
        }
    }

    /// A block of an answer, whole. What was told as it grew is not told again.
    pub fn answered(&mut self, message: &Value, story: &mut Story<'_>) {
        // What the program says itself, in the place of a model: the closing says it too.
        if message["model"] == "<synthetic>" {
            return;
        }
        // After a broken stream the program asks again without one.
        if message["id"] != self.id {
            story.cut_block();
            *self = Self { id: message["id"].clone(), usage: self.usage, ..Self::default() };
        }
        for block in message["content"].as_array().into_iter().flatten() {
            match block["type"].as_str() {
                Some(kind) if self.has_grown.contains_key(kind) => story.end_block(),
                Some("text") => {
                    story.text(block["text"].as_str().unwrap_or_default());
                    story.end_block();
                }
                Some("thinking") => {
                    story.thinking(block["thinking"].as_str().unwrap_or_default());
                    story.end_block();
                }
                Some("tool_use") => {
                    let (id, name) = (block["id"].as_str(), block["name"].as_str());
                    if let (Some(id), Some(name)) = (id, name) {
                        story.call(id, own_name(name), &block["input"]);
                    }
                }
                _ => {}
            }
        }
    }

    pub fn told(message: &Value, story: &mut Story<'_>) {
        for block in message["content"].as_array().into_iter().flatten() {
            if let (Some("tool_result"), Some(id)) =
                (block["type"].as_str(), block["tool_use_id"].as_str())
            {
                let text = text_of(&block["content"]);
                let has_failed = block["is_error"] == true;
                let is_undone = has_failed && (is_denial(&text) || story.is_whole(id));
                story.result(id, &text, has_failed, is_undone);
            }
        }
    }

    pub fn ended(event: &Value, story: &mut Story<'_>) {
        let since = event["model_usage_since_last_result"].as_object();
        let models: Vec<_> = since.into_iter().flat_map(|models| models.values()).collect();
        let costs: Vec<_> = models.iter().filter_map(|model| model["costUSD"].as_f64()).collect();
        let cost = (!costs.is_empty()).then(|| costs.iter().sum());
        // The other usage leaves out what a conversation was shortened with.
        let all = models.iter().fold(Usage::default(), |all, model| all.plus(used_by(model)));
        story.used_in_all(all.with(usage(&event["usage"]), Option::or), cost);
        let errors = event["errors"].as_array().into_iter().flatten();
        let errors: Vec<_> = errors.filter_map(Value::as_str).collect();
        let text = event["result"].as_str().map_or_else(|| errors.join("; "), ToOwned::to_owned);
        let status = event["api_error_status"].as_u64().and_then(|n| u16::try_from(n).ok());
        let subtype = event["subtype"].as_str().unwrap_or_default();
        let is_error = event["is_error"] != false || subtype != "success" || status.is_some();
        story.close(if !is_error {
            Closing::Done(text)
        } else if is_unknown_session(&text) {
            Closing::UnknownSession
        } else if event["api_error"] == "max_output_tokens" {
            // The program has had its model go on several times.
            Closing::Stopped("too_long: its model reached its longest answer each time".to_owned())
        } else {
            let reason = event["terminal_reason"].as_str().filter(|_| text.is_empty());
            let text = if text.is_empty() { reason.unwrap_or(subtype).to_owned() } else { text };
            Closing::Failed(Fault { status, text, retry_after: None })
        });
    }
}

/// Tokens of one model, as the program counts them itself.
fn used_by(model: &Value) -> Usage {
    let count = |key: &str| model[key].as_i64();
    Usage {
        input: count("inputTokens"),
        output: count("outputTokens"),
        cache_read: count("cacheReadInputTokens"),
        cache_write: count("cacheCreationInputTokens"),
        reasoning: count("thinkingTokens"),
    }
}

/// A server that the program could not reach. Without the daemon's there is nothing to go on with.
fn missing(name: &str, status: &str, story: &mut Story<'_>) {
    if name == SERVER {
        story.close(Closing::NoTools(format!("its connection is `{status}`")));
    } else {
        story.notice(&format!("MCP server `{name}` cannot be used in this run: {status}"));
    }
}

/// Whether an error says that a call was not permitted, in the words of the program or of the
/// daemon.
fn is_denial(text: &str) -> bool {
    ["Permission to use ", "Claude requested permissions", "denied: "]
        .iter()
        .any(|begin| text.starts_with(begin))
}

/// The name that a tool of the workspace has for every backend.
fn own_name(tool: &str) -> &str {
    CLAUDE_TOOLS.iter().find(|(_, name)| *name == tool).map_or(tool, |(own, _)| own.as_str())
}

/// A result: a text, or blocks of content.
fn text_of(content: &Value) -> String {
    match content {
        Value::String(text) => text.clone(),
        Value::Array(blocks) => texts_of(blocks),
        Value::Null => String::new(),
        other => other.to_string(),
    }
}
