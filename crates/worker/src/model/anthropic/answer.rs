//! A stream of Anthropic's events.

use std::collections::HashMap;

use agent_worker_protocol::Usage;
use serde::Deserialize;
use serde_json::{Map, Value};

use crate::{
    lenient::lenient,
    model::{Event, Kind, ModelError, Part, Reader, Stop, Told, Used, sse::SseEvent},
};

/// An answer as far as it was read.
#[derive(Debug, Default)]
pub struct Answer {
    used: Used,
    /// Blocks that are open: the place of each, by the server's number
    open: HashMap<u64, usize>,
    begun: usize,
    stop: Option<Stop>,
}

#[derive(Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Said {
    MessageStart {
        message: Started,
    },
    ContentBlockStart {
        index: u64,
        content_block: Block,
    },
    ContentBlockDelta {
        index: u64,
        delta: Delta,
    },
    ContentBlockStop {
        index: u64,
    },
    MessageDelta {
        delta: Ending,
        #[serde(default)]
        usage: Value,
    },
    MessageStop,
    Error {
        error: Value,
    },
    /// A sign of life, or something newer than this.
    #[serde(other)]
    Other,
}

#[derive(Deserialize)]
struct Started {
    #[serde(default)]
    usage: Value,
}

#[derive(Deserialize)]
struct Ending {
    stop_reason: Option<String>,
}

#[derive(Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Block {
    Text {
        #[serde(default, deserialize_with = "lenient")]
        text: String,
    },
    Thinking {
        #[serde(default, deserialize_with = "lenient")]
        thinking: String,
        #[serde(default, deserialize_with = "lenient")]
        signature: String,
    },
    RedactedThinking {
        data: String,
    },
    ToolUse {
        id: String,
        name: String,
        #[serde(default, deserialize_with = "lenient")]
        input: Map<String, Value>,
    },
    #[serde(other)]
    Other,
}

#[derive(Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
#[expect(clippy::enum_variant_names, reason = "they are called so on the wire")]
enum Delta {
    TextDelta {
        text: String,
    },
    ThinkingDelta {
        thinking: String,
    },
    SignatureDelta {
        signature: String,
    },
    InputJsonDelta {
        partial_json: String,
    },
    #[serde(other)]
    Other,
}

impl Reader for Answer {
    fn read(&mut self, event: &SseEvent, heard: &mut dyn FnMut(Event)) -> Result<bool, ModelError> {
        if event.name.as_deref() == Some("error") {
            return Err(ModelError::of_stream(&Told::read(&event.data)));
        }
        match serde_json::from_str(&event.data).map_err(ModelError::garbled)? {
            Said::MessageStart { message } => self.count(&message.usage, heard),
            Said::ContentBlockStart { index, content_block } => {
                self.begin(index, content_block, heard);
            }
            Said::ContentBlockDelta { index, delta } => self.grow(index, delta, heard),
            Said::ContentBlockStop { index } => {
                if let Some(n) = self.open.remove(&index) {
                    heard(Event::End { n });
                }
            }
            Said::MessageDelta { delta, usage } => {
                self.count(&usage, heard);
                if let Some(reason) = delta.stop_reason {
                    self.stop = Some(stop(&reason)?);
                }
            }
            Said::MessageStop => {
                // Some compatible servers give no reason.
                self.stop.get_or_insert(Stop::Done);
                return Ok(true);
            }
            Said::Error { error } => return Err(ModelError::of_stream(&Told::of(&error))),
            Said::Other => {}
        }
        Ok(false)
    }

    fn end(&mut self, _: &mut dyn FnMut(Event)) -> Option<Stop> {
        self.stop.filter(|_| self.open.is_empty())
    }
}

impl Answer {
    /// Later counts replace earlier ones.
    fn count(&mut self, counted: &Value, heard: &mut dyn FnMut(Event)) {
        self.used.usage = usage(counted).with(self.used.usage, Option::or);
        heard(Event::Used(self.used));
    }

    fn begin(&mut self, index: u64, block: Block, heard: &mut dyn FnMut(Event)) {
        let (part, first, seal) = match block {
            Block::Text { text } => (Part::Text(String::new()), text, String::new()),
            Block::Thinking { thinking, signature } => (Part::thinking(), thinking, signature),
            Block::RedactedThinking { data } => (Part::Hidden(data), String::new(), String::new()),
            Block::ToolUse { id, name, input } => {
                let whole =
                    if input.is_empty() { String::new() } else { Value::Object(input).to_string() };
                (Part::calling(id, name), whole, String::new())
            }
            Block::Other => return,
        };
        let n = self.begun;
        self.begun += 1;
        self.open.insert(index, n);
        heard(Event::Begin { n, part });
        if !first.is_empty() {
            heard(Event::Grow { n, text: first });
        }
        if !seal.is_empty() {
            heard(Event::Sign { n, seal });
        }
    }

    fn grow(&self, index: u64, delta: Delta, heard: &mut dyn FnMut(Event)) {
        let Some(n) = self.open.get(&index).copied() else { return };
        match delta {
            Delta::TextDelta { text }
            | Delta::ThinkingDelta { thinking: text }
            | Delta::InputJsonDelta { partial_json: text } => heard(Event::Grow { n, text }),
            Delta::SignatureDelta { signature } => heard(Event::Sign { n, seal: signature }),
            Delta::Other => {}
        }
    }
}

/// Tokens, as the interface counts them. What has an unexpected shape is as if it were absent.
pub fn usage(counted: &Value) -> Usage {
    let count = |key: &str| counted[key].as_i64();
    Usage {
        input: count("input_tokens"),
        output: count("output_tokens"),
        cache_read: count("cache_read_input_tokens"),
        cache_write: count("cache_creation_input_tokens"),
        reasoning: counted["output_tokens_details"]["thinking_tokens"].as_i64(),
    }
}

fn stop(reason: &str) -> Result<Stop, ModelError> {
    Ok(match reason {
        "max_tokens" => Stop::Length,
        "refusal" => Stop::Refusal,
        "pause_turn" => Stop::Pause,
        "model_context_window_exceeded" => {
            let message = "the conversation has filled the model's context";
            return Err(ModelError::new(Kind::Overflow, message));
        }
        _ => Stop::Done,
    })
}
