//! A conversation with a model.

use std::hash::{DefaultHasher, Hash, Hasher};

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// The longest name of a tool that every server takes, in bytes.
const LONGEST_NAME: usize = 64;

#[derive(Debug, Clone, PartialEq, Hash)]
pub enum Turn {
    /// Input to the model.
    Told(Vec<Said>),
    Answered(Vec<Part>),
}

/// Part of the input to the model.
#[derive(Debug, Clone, PartialEq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Said {
    Text(String),
    /// What became of a call of the turn before.
    Result(ToolResult),
}

/// What became of a call.
#[derive(Debug, Clone, PartialEq, Hash, Serialize, Deserialize)]
pub struct ToolResult {
    pub id: String,
    pub name: String,
    pub text: String,
    pub images: Vec<Image>,
    /// Whether the call went wrong.
    pub is_error: bool,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Image {
    /// MIME type, such as `image/png`.
    pub media_type: String,
    /// It, in base64.
    pub data: String,
}

impl Image {
    /// The image as an address, which has all of it.
    pub fn url(&self) -> String {
        format!("data:{};base64,{}", self.media_type, self.data)
    }
}

/// A piece of an answer.
#[derive(Debug, Clone, PartialEq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Part {
    Text(String),
    /// Thinking, with what its server must get back.
    Thinking {
        /// As far as it is shown.
        text: String,
        /// Signature, in the format of the dialect that made it.
        seal: Option<String>,
    },
    /// Thinking that is not shown, and only sent back.
    Hidden(String),
    Call(Call),
}

/// A call of a tool.
#[derive(Debug, Clone, PartialEq, Hash, Serialize, Deserialize)]
pub struct Call {
    /// Its id, by which its result is known.
    pub id: String,
    /// The tool's name, which may be of no tool.
    pub name: String,
    /// Its arguments as they came: JSON, if the model has made no mistake.
    pub arguments: String,
    /// Signature, in the format of the dialect that made it.
    pub seal: Option<String>,
}

impl Turn {
    /// The input of it, if it is one.
    pub fn said(&self) -> &[Said] {
        if let Self::Told(said) = self { said } else { &[] }
    }

    /// The answer of it, if it is one.
    pub fn parts(&self) -> &[Part] {
        if let Self::Answered(parts) = self { parts } else { &[] }
    }

    /// Leaves out the parts of an answer that are such, and says whether there were any.
    pub fn leave_out(&mut self, is_such: impl Fn(&Part) -> bool) -> bool {
        let Self::Answered(parts) = self else { return false };
        let before = parts.len();
        parts.retain(|part| !is_such(part));
        parts.len() < before
    }

    /// Gives calls and results ids that every server takes. Those of one call stay the same.
    pub fn rename_calls(&mut self) {
        match self {
            Self::Told(said) => {
                for said in said {
                    if let Said::Result(result) = said {
                        result.id = common_id(&result.id);
                    }
                }
            }
            Self::Answered(parts) => {
                for part in parts {
                    if let Part::Call(call) = part {
                        call.id = common_id(&call.id);
                    }
                }
            }
        }
    }
}

/// An id in place of another: Mistral wants nine letters and digits, others take that too.
fn common_id(id: &str) -> String {
    let mut hasher = DefaultHasher::new();
    id.hash(&mut hasher);
    let mut common = format!("{:016x}", hasher.finish());
    common.truncate(9);
    common
}

impl Said {
    /// Its text, unless it is a result.
    pub fn text(&self) -> Option<&str> {
        if let Self::Text(text) = self { Some(text) } else { None }
    }

    /// What became of a call, if it is that.
    pub fn result(&self) -> Option<&ToolResult> {
        if let Self::Result(result) = self { Some(result) } else { None }
    }
}

impl Part {
    /// Thinking that has just begun.
    pub fn thinking() -> Self {
        Self::Thinking { text: String::new(), seal: None }
    }

    /// A call that has just begun.
    pub fn calling(id: String, name: String) -> Self {
        Self::Call(Call { id, name, arguments: String::new(), seal: None })
    }

    /// Its text, if it is neither thinking nor a call.
    pub fn text(&self) -> Option<&str> {
        if let Self::Text(text) = self { Some(text) } else { None }
    }

    /// The call that it is, if it is one.
    pub fn call(&self) -> Option<&Call> {
        if let Self::Call(call) = self { Some(call) } else { None }
    }

    /// Whether it is thinking, shown or not.
    pub fn is_thinking(&self) -> bool {
        matches!(self, Self::Thinking { .. } | Self::Hidden(_))
    }

    /// An answer as servers take it back: they refuse thinking with nothing behind it.
    pub fn taken_back(parts: &[Self]) -> &[Self] {
        let is_more = |part: &Self| match part {
            Self::Text(text) => !text.trim().is_empty(),
            Self::Call(_) => true,
            Self::Thinking { .. } | Self::Hidden(_) => false,
        };
        let end = parts.iter().rposition(is_more).map_or(0, |last| last + 1);
        &parts[..end]
    }

    /// Whether an answer ends in a call. The signature of its thinking may come after that.
    pub fn end_in_call(parts: &[Self]) -> bool {
        matches!(parts.iter().rfind(|part| !part.is_thinking()), Some(Self::Call(_)))
    }

    /// Adds what came next of it.
    pub fn grow(&mut self, more: &str) {
        match self {
            Self::Text(text) | Self::Thinking { text, .. } => text.push_str(more),
            Self::Call(call) => call.arguments.push_str(more),
            Self::Hidden(_) => {}
        }
    }

    /// Sets its signature.
    pub fn sign(&mut self, with: String) {
        match self {
            Self::Thinking { seal, .. } | Self::Call(Call { seal, .. }) => *seal = Some(with),
            Self::Text(_) | Self::Hidden(_) => {}
        }
    }
}

impl Call {
    /// Some servers write `null` where their model has written none.
    fn has_no_arguments(&self) -> bool {
        matches!(self.arguments.trim(), "" | "null")
    }

    /// Its arguments, where they are an object; else what is wrong with them. None at all are an
    /// empty object.
    pub fn object(&self) -> Result<Map<String, Value>, serde_json::Error> {
        match self.arguments.trim() {
            _ if self.has_no_arguments() => Ok(Map::new()),
            text => serde_json::from_str(text),
        }
    }

    /// Its name as the model is shown it later. Servers refuse names that none of their tools could
    /// have, also where their own model made one up.
    pub fn shown_name(&self) -> String {
        let is_taken = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
        let taken = self.name.chars().map(|c| if is_taken(c) { c } else { '_' });
        let name: String = taken.take(LONGEST_NAME).collect();
        if name.is_empty() { "unknown".to_owned() } else { name }
    }

    /// Its arguments as the model is shown them later. Servers choke on arguments that are no
    /// object: these are shown under a name that says so.
    pub fn shown(&self) -> Map<String, Value> {
        let invalid = || ("INVALID_JSON".to_owned(), self.arguments.as_str().into());
        self.object().unwrap_or_else(|_| [invalid()].into_iter().collect())
    }

    /// The same as a text, which stays as it came where it can.
    pub fn shown_text(&self) -> String {
        match self.object() {
            Ok(_) if !self.has_no_arguments() => self.arguments.clone(),
            _ => Value::Object(self.shown()).to_string(),
        }
    }
}
