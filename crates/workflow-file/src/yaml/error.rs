//! What serde says about a value, in the words of a user who writes YAML.

use std::fmt;

use agent_worker_protocol::{Position, Problem, Tool, backend::LIST_OF_TOOLS, nearest::nearest};
use serde::de::{self, Expected, Unexpected};

use crate::yaml::{
    scalar::{Meaning, meaning_of},
    tree::{Key, Node, NodeId, Value, shortened},
};

/// Why a value could not be decoded, and since some level of the way out, where.
#[derive(Debug)]
pub(super) struct DecodeError {
    pub what: What,
    pub spot: Option<Spot>,
}

#[derive(Debug)]
pub(super) enum What {
    Told {
        message: String,
        hint: Option<String>,
    },
    /// Another kind of value was wanted.
    WrongType {
        expected: String,
    },
    /// No such key in this mapping.
    UnknownKey {
        key: String,
        known: &'static [&'static str],
    },
    /// None of the values there are.
    UnknownValue {
        value: String,
        known: &'static [&'static str],
    },
    /// A key that must be there is not.
    MissingKey(&'static str),
}

/// Where an error belongs.
#[derive(Debug, Clone, Copy)]
pub(super) struct Spot {
    pub at: Position,
    /// The value that can be passed over so that decoding gets further.
    pub node: NodeId,
    /// Whether it is the value's key that is wrong.
    pub is_key: bool,
    /// Whether the value is wrong only because parts of it have been passed over.
    pub is_consequence: bool,
}

impl DecodeError {
    fn told(message: String) -> Self {
        What::Told { message, hint: None }.into()
    }

    /// Returns it as an error of this node, whose parts with these keys were passed over.
    pub fn at_value(mut self, node: &Node, key: Option<&Key>, skipped: &[&str]) -> Self {
        let is_consequence = !skipped.is_empty() && self.what.may_follow_from(skipped);
        let (message, hint) = self.what.told_of_value(node, key);
        self.what = What::Told { message, hint };
        self.spot = Some(Spot { at: node.at, node: node.id, is_key: false, is_consequence });
        self
    }

    /// The error as one of this key, whose value is the node.
    pub fn at_key(mut self, key: &Key, node: NodeId) -> Self {
        let is_key = !matches!(self.what, What::UnknownKey { .. });
        self.spot = Some(Spot { at: key.at, node, is_key, is_consequence: false });
        self
    }

    /// The error as a problem of its file.
    pub fn problem(&self) -> Problem {
        let (message, hint) = self.what.told();
        let mut problem = Problem { hint, ..Problem::error(message) };
        if let Some(spot) = self.spot {
            problem = problem.at(spot.at);
        }
        problem
    }
}

impl What {
    /// Something else than what was found.
    pub fn wrong_type(expected: &str) -> DecodeError {
        Self::WrongType { expected: expected.to_owned() }.into()
    }

    /// Whether a mapping or list may have this error only because these keys were passed over.
    fn may_follow_from(&self, skipped: &[&str]) -> bool {
        match self {
            Self::MissingKey(missing) => {
                skipped.iter().any(|key| nearest(key, [*missing]).is_some())
            }
            _ => true,
        }
    }

    fn told(&self) -> (String, Option<String>) {
        match self {
            Self::Told { message, hint } => (message.clone(), hint.clone()),
            Self::WrongType { expected } => (format!("expected {expected}"), None),
            Self::UnknownKey { key, known } => {
                let near = did_you_mean(key, known.iter().copied());
                let hint = near.or_else(|| known_words("known here", known));
                (format!("unknown key `{}`", shortened(key)), hint)
            }
            Self::UnknownValue { value, known } => {
                let near = did_you_mean(value, known.iter().copied());
                let hint: Vec<_> =
                    near.into_iter().chain(known_words("it can be", known)).collect();
                (format!("unknown value `{}`", shortened(value)), Some(hint.join(" ")))
            }
            Self::MissingKey(key) => (format!("`{key}` is missing here"), None),
        }
    }

    /// The same, said of a value, whose key is named, because a message may be read without the
    /// file beside it.
    fn told_of_value(&self, node: &Node, key: Option<&Key>) -> (String, Option<String>) {
        let (message, hint) = self.told();
        match (self, key) {
            (Self::WrongType { expected }, _) => {
                let prefix = key.map(|key| format!("`{}`: ", key.text)).unwrap_or_default();
                let message = format!("{prefix}expected {expected}, found {}", node.described());
                (message, hint_for_type(expected, node))
            }
            (Self::UnknownValue { value, .. }, Some(key)) => {
                (format!("unknown value `{}` of `{}`", shortened(value), key.text), hint)
            }
            _ => (message, hint),
        }
    }
}

/// The hint that names what a word was most likely meant to be.
pub(crate) fn did_you_mean<'a>(
    word: &str,
    known: impl IntoIterator<Item = &'a str>,
) -> Option<String> {
    nearest(word, known).map(|near| format!("did you mean `{near}`?"))
}

/// How to write what was probably meant.
fn hint_for_type(expected: &str, node: &Node) -> Option<String> {
    let Value::Scalar(scalar) = &node.value else { return None };
    let text = scalar.text.as_str();
    match scalar.meaning() {
        Meaning::Null => None,
        Meaning::Text("yes" | "on") if expected == BOOL => Some("write `true`".to_owned()),
        Meaning::Text("no" | "off") if expected == BOOL => Some("write `false`".to_owned()),
        Meaning::Text(text) if expected.contains("number") || expected == BOOL => {
            let is_quoted = !matches!(meaning_of(text), Meaning::Text(_) | Meaning::Null);
            is_quoted.then(|| "leave the quotes out".to_owned())
        }
        _ if expected == LIST_OF_TOOLS && text.parse::<Tool>().is_err() => {
            known_words("list some of these", &Tool::ALL.map(Tool::as_str))
        }
        _ if LISTS_OF_MAPPINGS.contains(&expected) => None,
        _ if expected.starts_with("a list") && !text.contains(['\n', ',', '[', '{']) => {
            Some(format!("write `[{}]`", shortened(text)))
        }
        _ => None,
    }
}

/// Lists that a text in brackets is not.
const LISTS_OF_MAPPINGS: [&str; 2] = ["a list of steps", "a list of turns"];

const BOOL: &str = "`true` or `false`";

fn known_words(before: &str, known: &[&str]) -> Option<String> {
    (!known.is_empty()).then(|| format!("{before}: {}", quoted(known)))
}

/// Words as a list, each in backticks.
pub(crate) fn quoted(words: &[&str]) -> String {
    words.iter().map(|word| format!("`{word}`")).collect::<Vec<_>>().join(", ")
}

/// A message without most of the long text that it repeats; the reason stands at its end.
pub(super) fn without_middle(message: String) -> String {
    const KEPT: usize = 300;
    let count = message.chars().count();
    if count <= 2 * KEPT {
        return message;
    }
    let head: String = message.chars().take(40).collect();
    let tail: String = message.chars().skip(count - KEPT).collect();
    format!("{head}…{tail}")
}

/// What a visitor says it expects; those of serde speak of Rust.
fn expected_in_words(expected: &str) -> String {
    let words = match expected {
        "a string" | "a borrowed string" | "path string" => "text",
        "a boolean" => BOOL,
        "a sequence" => "a list",
        "a map" => "a mapping",
        "unit" => "nothing",
        "i8" | "i16" | "i32" | "i64" | "i128" | "isize" => "a whole number",
        "u8" => "a whole number from 0 to 255",
        "u16" => "a whole number from 0 to 65535",
        "u32" => "a whole number from 0 to 4294967295",
        "u64" | "u128" | "usize" => "a whole number, 0 or more",
        "f32" | "f64" => "a number",
        other if other.starts_with("struct ") => "a mapping",
        other => other,
    };
    words.to_owned()
}

impl From<What> for DecodeError {
    fn from(what: What) -> Self {
        Self { what, spot: None }
    }
}

impl fmt::Display for DecodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.problem(), f)
    }
}

impl std::error::Error for DecodeError {}

impl de::Error for DecodeError {
    fn custom<T: fmt::Display>(message: T) -> Self {
        Self::told(message.to_string())
    }

    /// What was found is told of the value itself.
    fn invalid_type(_: Unexpected<'_>, expected: &dyn Expected) -> Self {
        What::WrongType { expected: expected_in_words(&expected.to_string()) }.into()
    }

    fn invalid_value(found: Unexpected<'_>, expected: &dyn Expected) -> Self {
        Self::invalid_type(found, expected)
    }

    fn invalid_length(length: usize, expected: &dyn Expected) -> Self {
        let expected = expected_in_words(&expected.to_string());
        Self::told(format!("expected {expected}, found {length} entries"))
    }

    fn unknown_variant(value: &str, known: &'static [&'static str]) -> Self {
        What::UnknownValue { value: value.to_owned(), known }.into()
    }

    fn unknown_field(key: &str, known: &'static [&'static str]) -> Self {
        What::UnknownKey { key: key.to_owned(), known }.into()
    }

    fn missing_field(key: &'static str) -> Self {
        What::MissingKey(key).into()
    }

    fn duplicate_field(key: &'static str) -> Self {
        Self::told(format!("duplicate `{key}`, under two of its names"))
    }
}
