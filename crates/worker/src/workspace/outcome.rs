//! What a tool is, and what comes of a call.

use serde_json::{Map, Value};

use super::Refusal;

/// A tool as the model is told of it.
#[derive(Debug, Clone, PartialEq)]
pub struct Definition {
    pub name: &'static str,
    pub description: String,
    /// The JSON schema of its arguments
    pub schema: Map<String, Value>,
}

/// What came of a call.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Outcome {
    /// Text for the model
    pub text: String,
    /// Whether it was not done
    pub is_error: bool,
    /// Whether it was begun, however it ended: a command may have done something
    pub was_begun: bool,
    /// What has changed in files, as a unified diff
    pub diff: Option<String>,
    pub picture: Option<Picture>,
}

/// A picture as it is in its file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Picture {
    /// MIME type, such as `image/png`
    pub media_type: &'static str,
    pub content: Vec<u8>,
}

impl Outcome {
    /// Done, with this to say of it.
    pub fn done(text: impl Into<String>) -> Self {
        Self { text: text.into(), ..Self::default() }
    }
}

impl From<Refusal> for Outcome {
    fn from(refusal: Refusal) -> Self {
        Self { text: refusal.to_string(), is_error: true, ..Self::default() }
    }
}
