//! Models of any server: what they are asked, what they answer while they answer it, and
//! how that fails. What one server calls it and another does not is known only to its dialect.

mod anthropic;
mod differences;
mod error;
mod halves;
mod http;
mod openai;
mod responses;
mod sse;
mod turn;
mod when;

#[cfg(test)]
mod tests;

pub use self::{
    anthropic::{Anthropic, usage as anthropic_usage},
    differences::{Difference, Differences},
    error::{Kind, ModelError, Told},
    http::{Dialect, Place, Reader, Served},
    openai::OpenAi,
    responses::Responses,
    turn::{Call, Image, Part, Said, ToolResult, Turn},
};

use std::sync::Arc;

use agent_worker_protocol::{Thinking, Usage};
use serde_json::{Map, Value};

/// What a model is asked.
#[derive(Debug, Clone, Copy)]
pub struct Request<'a> {
    pub system: Option<&'a str>,
    /// The conversation, which ends with a turn that is not the model's.
    pub turns: &'a [Turn],
    /// Tools that it may call.
    pub tools: &'a [Tool],
    /// The longest answer, in tokens.
    pub max_tokens: Option<u32>,
    /// How much the model thinks; its server decides if not given.
    pub thinking: Option<Thinking>,
}

/// A tool as it is offered to a model.
#[derive(Debug, Clone, PartialEq, Hash)]
pub struct Tool {
    pub name: String,
    pub about: String,
    /// Its arguments, as a JSON schema.
    pub schema: Arc<Map<String, Value>>,
}

impl Tool {
    /// The tool in a request, with the server's name for its schema.
    pub fn told(&self, schema: &str) -> Map<String, Value> {
        let about = Some(self.about.as_str()).filter(|about| !about.is_empty());
        present([
            ("name", self.name.as_str().into()),
            ("description", about.into()),
            (schema, (*self.schema).clone().into()),
        ])
    }
}

/// An object of the fields that are not null.
fn present<'f>(fields: impl IntoIterator<Item = (&'f str, Value)>) -> Map<String, Value> {
    let present = fields.into_iter().filter(|(_, value)| !value.is_null());
    present.map(|(name, value)| (name.to_owned(), value)).collect()
}

/// Body of a request with the fields that are not null.
fn body<'f>(fields: impl IntoIterator<Item = (&'f str, Value)>) -> Vec<u8> {
    Value::from(present(fields)).to_string().into_bytes()
}

/// A list, or null where it is empty.
fn unless_empty(list: Vec<Value>) -> Value {
    Some(list).filter(|list| !list.is_empty()).into()
}

/// Event of an answer. Pieces are numbered by their place in it.
#[derive(Debug, Clone, PartialEq)]
pub enum Event {
    /// A piece begins; the next in place.
    Begin { n: usize, part: Part },
    /// A piece grows: text, thinking, or the arguments of a call.
    Grow { n: usize, text: String },
    /// What must be sent back with a piece, unread.
    Sign {
        n: usize,
        /// Signature, replaces an earlier one.
        seal: String,
    },
    /// A piece is whole.
    End { n: usize },
    /// Usage of the answer so far, replaces an earlier one.
    Used(Used),
    /// The answer is whole.
    Stop(Stop),
}

/// What an answer has used.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Used {
    /// Tokens.
    pub usage: Usage,
    /// Dollars, where the server says so.
    pub cost: Option<f64>,
}

/// Why an answer ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stop {
    /// The answer is complete, or tools are to be called.
    Done,
    /// It has reached its longest.
    Length,
    /// The model will not go on.
    Refusal,
    /// It wants to be asked again with its own answer so far.
    Pause,
}
