//! A stream of OpenAI's chunks.

use agent_worker_protocol::Usage;
use serde::Deserialize;
use serde_json::Value;

use super::details::Details;
use crate::{
    lenient::lenient,
    model::{Event, Kind, ModelError, Part, Reader, Stop, Told, Used, sse::SseEvent},
};

/// What ends a stream.
const DONE: &str = "[DONE]";

/// An answer as far as it was read.
#[derive(Debug, Default)]
pub struct Answer {
    begun: usize,
    /// The text or thinking that grows
    open: Option<(usize, Flow)>,
    /// Under which name thinking comes
    thinking_field: Option<&'static str>,
    details: Details,
    /// Where the last thinking stands, to be signed
    thinking: Option<usize>,
    calls: Vec<Calling>,
    is_refused: bool,
    stop: Option<Stop>,
}

/// What comes without a number of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Flow {
    Text,
    Thinking,
}

impl Flow {
    fn part(self) -> Part {
        if self == Self::Text { Part::Text(String::new()) } else { Part::thinking() }
    }
}

/// A call that is being made. Its part begins with its name, which some send after its id.
#[derive(Debug)]
struct Calling {
    n: Option<usize>,
    index: Option<u64>,
    id: Option<String>,
    /// Arguments and seal that came before the name
    early: String,
    seal: Option<String>,
}

#[derive(Deserialize)]
struct Chunk {
    #[serde(default, deserialize_with = "lenient")]
    id: Option<String>,
    #[serde(default, deserialize_with = "lenient")]
    object: Option<String>,
    choices: Option<Vec<Choice>>,
    usage: Option<Value>,
    /// Groq's place for usage
    x_groq: Option<Value>,
    error: Option<Value>,
}

#[derive(Deserialize)]
struct Choice {
    delta: Option<Delta>,
    finish_reason: Option<String>,
    error: Option<Value>,
}

#[derive(Deserialize)]
struct Delta {
    content: Option<Value>,
    #[serde(default, deserialize_with = "lenient")]
    refusal: Option<String>,
    #[serde(default, deserialize_with = "lenient")]
    reasoning: Option<String>,
    #[serde(default, deserialize_with = "lenient")]
    reasoning_content: Option<String>,
    #[serde(default, deserialize_with = "lenient")]
    reasoning_details: Option<Vec<Value>>,
    tool_calls: Option<Vec<CallDelta>>,
}

#[derive(Deserialize)]
struct CallDelta {
    #[serde(default, deserialize_with = "lenient")]
    index: Option<u64>,
    #[serde(default, deserialize_with = "lenient")]
    id: Option<String>,
    function: Option<FunctionDelta>,
    extra_content: Option<Value>,
}

#[derive(Deserialize, Default)]
struct FunctionDelta {
    name: Option<String>,
    arguments: Option<Value>,
}

impl Reader for Answer {
    fn read(&mut self, event: &SseEvent, heard: &mut dyn FnMut(Event)) -> Result<bool, ModelError> {
        if event.data.trim() == DONE {
            self.stop.get_or_insert(Stop::Done);
            return Ok(true);
        }
        let chunk: Chunk = serde_json::from_str(&event.data).map_err(ModelError::garbled)?;
        if let Some(error) = chunk.error {
            return Err(ModelError::of_stream(&Told::of(&error)));
        }
        if chunk.object.as_deref() == Some("error") {
            return Err(ModelError::of_stream(&Told::read(&event.data)));
        }
        let beside = chunk.x_groq.and_then(|beside| beside.get("usage").cloned());
        let counted = [chunk.usage, beside].into_iter().flatten().find(Value::is_object);
        if let Some(counted) = counted {
            heard(Event::Used(used(&counted)));
        }
        for choice in chunk.choices.unwrap_or_default() {
            self.choose(choice, chunk.id.as_deref(), heard)?;
        }
        Ok(false)
    }

    fn end(&mut self, heard: &mut dyn FnMut(Event)) -> Option<Stop> {
        let stop = self.stop?;
        self.close(heard);
        self.sign(heard);
        for at in 0..self.calls.len() {
            self.tell(at, Some(String::new()), None, heard);
        }
        for n in std::mem::take(&mut self.calls).into_iter().filter_map(|call| call.n) {
            heard(Event::End { n });
        }
        Some(if self.is_refused { Stop::Refusal } else { stop })
    }
}

impl Answer {
    fn choose(
        &mut self,
        choice: Choice,
        id: Option<&str>,
        heard: &mut dyn FnMut(Event),
    ) -> Result<(), ModelError> {
        if let Some(error) = choice.error {
            return Err(ModelError::of_stream(&Told::of(&error)));
        }
        if let Some(delta) = choice.delta {
            self.grow(delta, id, heard);
        }
        if let Some(reason) = choice.finish_reason.filter(|reason| !reason.is_empty()) {
            self.stop = Some(match reason.as_str() {
                // Mistral's word for a context that is full.
                "length" | "model_length" => Stop::Length,
                "content_filter" => Stop::Refusal,
                // DeepSeek's word for an answer that it interrupts.
                "insufficient_system_resource" => {
                    let message = format!("it broke off its answer: {reason}");
                    return Err(ModelError::new(Kind::Unavailable, message));
                }
                "error" => return Err(ModelError::of_stream(&Told::default())),
                _ => Stop::Done,
            });
        }
        Ok(())
    }

    fn grow(&mut self, delta: Delta, id: Option<&str>, heard: &mut dyn FnMut(Event)) {
        self.details.take(delta.reasoning_details.unwrap_or_default());
        let thinking =
            [("reasoning_content", delta.reasoning_content), ("reasoning", delta.reasoning)];
        let thought = thinking.into_iter().find_map(|(field, text)| Some((field, some(text)?)));
        if let Some((field, text)) = thought {
            self.thinking_field = Some(field);
            self.flow(Flow::Thinking, text, heard);
        }
        for (flow, text) in content(delta.content) {
            self.flow(flow, text, heard);
        }
        if let Some(text) = some(delta.refusal) {
            self.is_refused = true;
            self.flow(Flow::Text, text, heard);
        }
        for call in delta.tool_calls.unwrap_or_default() {
            self.call(call, id, heard);
        }
    }

    fn flow(&mut self, flow: Flow, text: String, heard: &mut dyn FnMut(Event)) {
        let n = match self.open {
            Some((n, open)) if open == flow => n,
            _ => {
                self.close(heard);
                let n = self.begin(flow.part(), heard);
                self.open = Some((n, flow));
                n
            }
        };
        if flow == Flow::Thinking {
            self.thinking = Some(n);
        }
        heard(Event::Grow { n, text });
    }

    fn begin(&mut self, part: Part, heard: &mut dyn FnMut(Event)) -> usize {
        let n = self.begun;
        self.begun += 1;
        heard(Event::Begin { n, part });
        n
    }

    /// Ends the text or thinking that is open.
    fn close(&mut self, heard: &mut dyn FnMut(Event)) {
        if let Some((n, _)) = self.open.take() {
            heard(Event::End { n });
        }
    }

    /// What thinking is signed with is known whole only at the end. There may be nothing but that.
    fn sign(&mut self, heard: &mut dyn FnMut(Event)) {
        let field = || self.thinking_field.map(|field| Value::from(field).to_string());
        let Some(seal) = self.details.seal().or_else(field) else { return };
        if let Some(n) = self.thinking {
            heard(Event::Sign { n, seal });
        } else {
            let n = self.begin(Part::thinking(), heard);
            heard(Event::Sign { n, seal });
            heard(Event::End { n });
        }
    }

    fn call(&mut self, delta: CallDelta, id: Option<&str>, heard: &mut dyn FnMut(Event)) {
        self.close(heard);
        let function = delta.function.unwrap_or_default();
        let (call_id, name) = (some(delta.id), some(function.name));
        let known = self.find(delta.index, call_id.as_deref(), name.is_some());
        let at = known.unwrap_or_else(|| {
            let (n, index, early) = (None, delta.index, String::new());
            self.calls.push(Calling { n, index, id: call_id, early, seal: None });
            self.calls.len() - 1
        });
        match function.arguments {
            Some(Value::String(text)) => self.calls[at].early.push_str(&text),
            None => {}
            Some(whole) => self.calls[at].early.push_str(&whole.to_string()),
        }
        if let Some(extra) = delta.extra_content {
            self.calls[at].seal = Some(extra.to_string());
        }
        self.tell(at, name, id, heard);
    }

    /// Tells what has come of a call, as soon as its name is known.
    fn tell(
        &mut self,
        at: usize,
        name: Option<String>,
        id: Option<&str>,
        heard: &mut dyn FnMut(Event),
    ) {
        if let (None, Some(name)) = (self.calls[at].n, name) {
            let made_up = || format!("{}_{}", id.unwrap_or("call"), self.begun);
            let id = self.calls[at].id.clone().unwrap_or_else(made_up);
            self.calls[at].n = Some(self.begin(Part::calling(id, name), heard));
        }
        let call = &mut self.calls[at];
        let Some(n) = call.n else { return };
        let text = std::mem::take(&mut call.early);
        if !text.is_empty() {
            heard(Event::Grow { n, text });
        }
        if let Some(seal) = call.seal.take() {
            heard(Event::Sign { n, seal });
        }
    }

    /// The call that a piece belongs to: by its number, which some leave out and some give to all;
    /// by its id; or the last one, if it does not begin a new one with another name.
    fn find(&self, index: Option<u64>, id: Option<&str>, is_named: bool) -> Option<usize> {
        let is_other =
            |call: &Calling| id.is_some() && call.id.is_some() && call.id.as_deref() != id;
        let mut newest = self.calls.iter().enumerate().rev();
        let found = match (index, id) {
            (Some(_), _) => newest.find(|(_, call)| call.index == index),
            (None, Some(_)) => newest.find(|(_, call)| call.id.as_deref() == id),
            (None, None) => newest.next().filter(|(_, call)| !is_named || call.n.is_none()),
        };
        found.filter(|(_, call)| !is_other(call)).map(|(at, _)| at)
    }
}

/// What a server has counted; what has an unexpected shape is as if it were absent. Tokens of the
/// prompt that were cached are counted apart. Some servers count thinking only in the total.
fn used(counted: &Value) -> Used {
    let count = |key: &str| counted[key].as_i64();
    let (prompt, output) = (count("prompt_tokens"), count("completion_tokens"));
    let prompted = &counted["prompt_tokens_details"];
    // The second is DeepSeek's word.
    let cache_read = prompted["cached_tokens"].as_i64().or(count("prompt_cache_hit_tokens"));
    let cache_write = prompted["cache_write_tokens"].as_i64();
    let apart = cache_read.unwrap_or(0).saturating_add(cache_write.unwrap_or(0));
    let beyond = match (count("total_tokens"), prompt) {
        (Some(total), Some(prompt)) => total.saturating_sub(prompt),
        _ => 0,
    };
    let usage = Usage {
        input: prompt.map(|prompt| prompt.saturating_sub(apart).max(0)),
        output: output.map(|output| output.max(beyond)),
        cache_read,
        cache_write,
        reasoning: counted["completion_tokens_details"]["reasoning_tokens"].as_i64(),
    };
    // Dollars, where the server knows them.
    Used { usage, cost: counted["cost"].as_f64().filter(|cost| *cost >= 0.0) }
}

/// A text; or, as Mistral has it, a list of parts, where some are thinking.
fn content(content: Option<Value>) -> Vec<(Flow, String)> {
    let text = |value: &Value| value.as_str().filter(|text| !text.is_empty()).map(str::to_owned);
    let of_part = |part: &Value| match part["thinking"].as_array() {
        Some(thoughts) => {
            let thoughts: String = thoughts.iter().filter_map(|part| text(&part["text"])).collect();
            (!thoughts.is_empty()).then_some((Flow::Thinking, thoughts))
        }
        None => Some((Flow::Text, text(&part["text"])?)),
    };
    match content {
        Some(Value::Array(parts)) => parts.iter().filter_map(of_part).collect(),
        Some(whole) => text(&whole).map(|text| (Flow::Text, text)).into_iter().collect(),
        None => Vec::new(),
    }
}

fn some(text: Option<String>) -> Option<String> {
    text.filter(|text| !text.is_empty())
}
