//! Names of members, workflows and tags: one grammar each, checked where text becomes a type.

use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::terms::text::text;

/// The name of an agent, a workflow or a group: `^[a-z][a-z0-9_-]{0,31}$`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Name(String);

/// The tag of a workflow: `^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$`, without `..`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Tag(String);

/// Error of a text that is not a name; the message has the rule.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BadName {
    /// Not a name of an agent, a workflow or a group.
    #[error(
        "invalid name `{0}`: a name has 1 to 32 lower-case letters, digits, `-` and `_`, and starts with a letter"
    )]
    Name(String),
    #[error(
        "invalid tag `{0}`: a tag has 1 to 64 letters, digits, `.`, `-` and `_`, starts with a letter or digit, and is without `..`"
    )]
    Tag(String),
    /// A name the system keeps for itself.
    #[error("`{name}` is reserved: {reserved} cannot be the name of {of}")]
    Reserved {
        /// What was asked for.
        name: String,
        /// All that is reserved there.
        reserved: String,
        /// What the name was for.
        of: &'static str,
    },
}

impl Name {
    /// The user's name in every scope.
    pub const PERSON: &str = "user";
    /// The sender of messages that the daemon writes.
    pub const SYSTEM: &str = "system";
    /// The workflow of the default scope.
    pub const GLOBAL: &str = "global";
    /// The conversation of all members.
    pub const CHANNEL: &str = "channel";
    /// Names that no agent and no group can have: agents and groups share the names that
    /// conversations are addressed by.
    pub const RESERVED: [&str; 6] =
        ["all", Self::SYSTEM, Self::PERSON, "daemon", "operator", Self::CHANNEL];

    pub fn person() -> Self {
        Self(Self::PERSON.to_owned())
    }

    /// The daemon, as the one who says or makes something.
    pub fn system() -> Self {
        Self(Self::SYSTEM.to_owned())
    }

    /// The workflow of the default scope.
    pub fn global() -> Self {
        Self(Self::GLOBAL.to_owned())
    }

    /// Refuses the names that are reserved among agents and groups.
    pub fn for_agent(self) -> Result<Self, BadName> {
        self.unreserved(&Self::RESERVED, "an agent")
    }

    /// The same for a group.
    pub fn for_group(self) -> Result<Self, BadName> {
        self.unreserved(&Self::RESERVED, "a group")
    }

    /// Refuses the name that is reserved among workflows.
    pub fn for_workflow(self) -> Result<Self, BadName> {
        self.unreserved(&[Self::GLOBAL], "a workflow")
    }

    fn unreserved(self, reserved: &[&str], of: &'static str) -> Result<Self, BadName> {
        if reserved.contains(&self.as_str()) {
            let reserved: Vec<_> = reserved.iter().map(|name| format!("`{name}`")).collect();
            return Err(BadName::Reserved { name: self.0, reserved: reserved.join(", "), of });
        }
        Ok(self)
    }

    /// The name a workflow takes from its file's stem: lower-cased, other characters as `-`.
    /// None if nothing of the stem can begin a name.
    pub fn from_file_stem(stem: &str) -> Option<Self> {
        let lower = stem.to_lowercase();
        let name: String = lower
            .chars()
            .map(|c| if is_name_char(c) { c } else { '-' })
            .skip_while(|c| !c.is_ascii_lowercase())
            .take(32)
            .collect();
        name.parse().ok()
    }
}

impl Tag {
    /// The tag of a scope that names none.
    pub const MAIN: &str = "main";

    pub fn main() -> Self {
        Self(Self::MAIN.to_owned())
    }
}

/// Whether a character may stand inside a name.
fn is_name_char(c: char) -> bool {
    c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-' || c == '_'
}

impl FromStr for Name {
    type Err = BadName;

    fn from_str(text: &str) -> Result<Self, BadName> {
        let starts = text.chars().next().is_some_and(|c| c.is_ascii_lowercase());
        if starts && text.len() <= 32 && text.chars().all(is_name_char) {
            Ok(Self(text.to_owned()))
        } else {
            Err(BadName::Name(text.to_owned()))
        }
    }
}

impl FromStr for Tag {
    type Err = BadName;

    fn from_str(text: &str) -> Result<Self, BadName> {
        let starts = text.chars().next().is_some_and(|c| c.is_ascii_alphanumeric());
        let fits = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-');
        if starts && text.len() <= 64 && text.chars().all(fits) && !text.contains("..") {
            Ok(Self(text.to_owned()))
        } else {
            Err(BadName::Tag(text.to_owned()))
        }
    }
}

text!(Name, BadName, schema);
text!(Tag, BadName, schema);

#[cfg(test)]
#[path = "tests/name.rs"]
mod tests;
