//! A regular expression that was tried when it was read.

use std::{
    cell::RefCell,
    collections::{BTreeMap, HashMap},
};

use regex::{Regex, RegexBuilder};
use serde::Deserialize;

/// The most turns of a script. The expression of each is tried when it is read, which takes time.
pub(super) const MAX_TURNS: usize = 1_000;

/// A regular expression.
#[derive(Debug, Clone, Deserialize)]
#[serde(try_from = "String")]
pub struct Pattern(Regex);

/// How much a compiled expression may take, in bytes; no inbox needs more.
const MAX_BYTES: usize = 1 << 18;

/// How long an expression may be, in bytes. Those that are longer take longer to refuse.
const MAX_LENGTH: usize = 4096;

impl Pattern {
    /// What it matches with.
    pub fn regex(&self) -> &Regex {
        &self.0
    }

    /// Returns what its named groups find in a text, nothing as the empty text; `None` if the text
    /// does not match.
    pub fn find(&self, text: &str) -> Option<BTreeMap<String, String>> {
        let captures = self.0.captures(text)?;
        let found = |name| captures.name(name).map_or("", |found| found.as_str()).to_owned();
        Some(self.groups().map(|name| (name.to_owned(), found(name))).collect())
    }

    /// The names of its groups.
    pub fn groups(&self) -> impl Iterator<Item = &str> {
        self.0.capture_names().flatten()
    }
}

impl PartialEq for Pattern {
    fn eq(&self, other: &Self) -> bool {
        self.0.as_str() == other.0.as_str()
    }
}

impl TryFrom<String> for Pattern {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        if text.len() > MAX_LENGTH {
            let length = text.len();
            return Err(format!(
                "a regular expression has at most {MAX_LENGTH} bytes, not {length}"
            ));
        }
        TRIED.with_borrow_mut(|tried| {
            if tried.len() > MAX_TRIED {
                tried.clear();
            }
            tried.entry(text).or_insert_with_key(|text| compile(text)).clone().map(Self)
        })
    }
}

thread_local! {
    /// What came of expressions: a script is decoded once for each mistake in it, and to try an
    /// expression takes its time.
    static TRIED: RefCell<HashMap<String, Result<Regex, String>>> = RefCell::default();
}

/// How many expressions are remembered.
const MAX_TRIED: usize = MAX_TURNS;

fn compile(text: &str) -> Result<Regex, String> {
    let compiled = RegexBuilder::new(text).size_limit(MAX_BYTES).build();
    compiled.map_err(|bad| match bad {
        regex::Error::CompiledTooBig(_) => format!("`{text}` matches more than can be tried"),
        bad => {
            // What stands before draws the place, on lines of its own.
            let told = bad.to_string();
            let why = told.rsplit("error: ").next().unwrap_or_default().trim();
            format!("invalid regular expression `{text}`: {why}")
        }
    })
}
