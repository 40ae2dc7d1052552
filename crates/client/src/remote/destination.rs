//! Where ssh goes to.

use std::{fmt, str::FromStr};

/// The longest destination, in bytes.
const LONGEST: usize = 255;

/// Destination for ssh, such as `user@box`, `box` or `ssh://user@box:2222`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Destination(String);

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("invalid host `{0}`: write `box`, `user@box` or `ssh://user@box:2222`")]
pub struct BadDestination(String);

impl Destination {
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns a name for a folder: one destination for each name.
    pub fn file_name(&self) -> String {
        self.0.replace('%', "%25").replace('/', "%2F")
    }
}

impl FromStr for Destination {
    type Err = BadDestination;

    /// ssh takes a word that begins with `-` for an option, and older versions give the name of a
    /// host to a shell.
    fn from_str(text: &str) -> Result<Self, BadDestination> {
        let is_plain = |c: char| c.is_alphanumeric() || "@._-:/[]%+,=".contains(c);
        let rest = text.strip_prefix("ssh://").unwrap_or(text);
        let is_option = rest.split('@').any(|part| part.is_empty() || part.starts_with('-'));
        // A folder is named after it.
        let is_folder = matches!(text, "." | "..");
        if is_option || is_folder || text.len() > LONGEST || !text.chars().all(is_plain) {
            return Err(BadDestination(text.to_owned()));
        }
        Ok(Self(text.to_owned()))
    }
}

impl fmt::Display for Destination {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
#[path = "tests/destination.rs"]
mod tests;
