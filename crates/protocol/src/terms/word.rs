//! Names that files give to values, and names of environment variables.

use std::{fmt, str::FromStr};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::terms::text::{as_text, text};

/// What a file calls a parameter, an output or an MCP server: a letter or `_`, then letters,
/// digits, `_` and `-`.
#[derive(
    Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(try_from = "String", into = "String")]
#[schemars(inline, extend("pattern" = "^[A-Za-z_][A-Za-z0-9_-]*$"))]
pub struct Word(String);

/// The name of an environment variable: a letter or `_`, then letters, digits and `_`.
#[derive(
    Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(try_from = "String", into = "String")]
#[schemars(inline, extend("pattern" = "^[A-Za-z_][A-Za-z0-9_]*$"))]
pub struct Variable(String);

/// A secret, as a file has it: `$NAME`, the name of what holds it, never the secret itself.
#[derive(
    Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(try_from = "String", into = "String")]
#[schemars(inline, extend("pattern" = "^\\$[A-Za-z_][A-Za-z0-9_]*$"))]
pub struct Secret(Variable);

/// Error of a text that is not such a name.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BadWord {
    /// Not a name of a value.
    #[error("invalid name `{0}`: it is a letter or `_`, then letters, digits, `_` and `-`")]
    Word(String),
    /// Not a name of a variable.
    #[error("invalid variable name `{0}`: it is a letter or `_`, then letters, digits and `_`")]
    Variable(String),
    /// Perhaps the secret itself, so the message does not repeat it.
    #[error(
        "a secret is never written here: write `$NAME`, the name of the variable that holds it"
    )]
    Secret,
}

impl Secret {
    /// The name of what holds it.
    pub fn variable(&self) -> &Variable {
        &self.0
    }
}

fn is_word(text: &str, fits: impl Fn(char) -> bool) -> bool {
    let starts = text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
    starts && text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || fits(c))
}

impl FromStr for Word {
    type Err = BadWord;

    fn from_str(text: &str) -> Result<Self, BadWord> {
        let fits = is_word(text, |c| c == '-');
        fits.then(|| Self(text.to_owned())).ok_or_else(|| BadWord::Word(text.to_owned()))
    }
}

impl FromStr for Variable {
    type Err = BadWord;

    fn from_str(text: &str) -> Result<Self, BadWord> {
        let fits = is_word(text, |_| false);
        // What stands behind a `=` may be a secret.
        let shown =
            || text.split_once('=').map_or(text.to_owned(), |(name, _)| format!("{name}=…"));
        fits.then(|| Self(text.to_owned())).ok_or_else(|| BadWord::Variable(shown()))
    }
}

impl FromStr for Secret {
    type Err = BadWord;

    fn from_str(text: &str) -> Result<Self, BadWord> {
        let name = text.strip_prefix('$').ok_or(BadWord::Secret)?;
        name.parse().map(Self).map_err(|_| BadWord::Secret)
    }
}

impl fmt::Display for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "${}", self.0)
    }
}

text!(Word, BadWord);
text!(Variable, BadWord);
as_text!(Secret, BadWord);

#[cfg(test)]
#[path = "tests/word.rs"]
mod tests;
