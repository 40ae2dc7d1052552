//! Homes of agents: whether an agent has one and where, and what people do with its files.

use std::{fmt, str::FromStr};

use schemars::JsonSchema;
use serde::{
    Deserialize, Deserializer, Serialize,
    de::{self, Visitor},
};

use crate::{
    op::op,
    terms::{Target, Timestamp, target},
};

/// Whether an agent has a folder of its own.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, JsonSchema)]
#[serde(into = "HomeForm")]
#[schemars(from = "HomeForm")]
pub enum Home {
    /// It has none.
    #[default]
    No,
    /// It has one where homes are kept.
    Own,
    /// It has one at this path.
    At(String),
}

#[derive(Clone, Serialize, JsonSchema)]
#[serde(untagged)]
#[schemars(inline)]
enum HomeForm {
    Is(bool),
    // The pattern is the rule of `is_no_path`; because of it, the schema allows numbers no longer.
    Path(#[schemars(extend("pattern" = "^(?!(yes|no|on|off)?$)"))] String),
}

impl From<Home> for HomeForm {
    fn from(home: Home) -> Self {
        match home {
            Home::No => Self::Is(false),
            Home::Own => Self::Is(true),
            Home::At(path) => Self::Path(path),
        }
    }
}

struct HomeVisitor;

impl Visitor<'_> for HomeVisitor {
    type Value = Home;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("`true`, `false` or a path")
    }

    fn visit_bool<E: de::Error>(self, is: bool) -> Result<Home, E> {
        Ok(if is { Home::Own } else { Home::No })
    }

    fn visit_str<E: de::Error>(self, path: &str) -> Result<Home, E> {
        if is_no_path(path) {
            return Err(E::invalid_type(de::Unexpected::Str(path), &self));
        }
        Ok(Home::At(path.to_owned()))
    }
}

impl<'de> Deserialize<'de> for Home {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(HomeVisitor)
    }
}

/// Whether a text cannot be meant as a path. Elsewhere these words are `true` and `false`.
fn is_no_path(text: &str) -> bool {
    matches!(text, "" | "yes" | "no" | "on" | "off")
}

impl FromStr for Home {
    type Err = &'static str;

    /// Reads a command line: `true`, `false` or a path.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text {
            "true" => Ok(Self::Own),
            "false" => Ok(Self::No),
            text if is_no_path(text) => Err("write `true`, `false` or a path"),
            path => Ok(Self::At(path.to_owned())),
        }
    }
}

/// File of a home.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct HomeFile {
    /// Path below the home, such as `memory/long-term.md`
    pub file: String,
    /// Length in bytes
    pub bytes: u64,
    /// Time of the last change
    pub modified_at: Timestamp,
    /// Whether the agent may write it with its tools
    pub agent_writes: bool,
}

/// File of a home with its text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct HomeText {
    /// Path below the home
    pub file: String,
    /// The text, at most its first 16 MiB; what is not UTF-8 is replaced
    pub content: String,
    /// Changes with the text: what `if_version` takes
    pub version: String,
    /// Whether the file is UTF-8
    pub utf8: bool,
}

/// Home of an agent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct HomeShown {
    /// The agent
    pub target: Target,
    /// Absolute path of the folder
    pub path: String,
    /// Its files, days newest first
    pub files: Vec<HomeFile>,
    /// Other agents that write the same files, of workflows that go on or are stopped
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub shared_with: Vec<Target>,
    /// The file that was asked for
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<HomeText>,
}

/// Files of a home that were changed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct HomeChanged {
    /// The agent
    pub target: Target,
    /// Paths below the home
    pub files: Vec<String>,
}

/// Earlier contents of a file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct HomeVersion {
    /// Path below the home
    pub file: String,
    /// Counts from 1 for each file
    pub version: u64,
    /// Length in bytes
    pub bytes: u64,
    /// Time at which these contents were written
    pub written_at: Timestamp,
}

/// Earlier contents of the files of a home.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct HomeVersions {
    /// The agent
    pub target: Target,
    /// By file, newest first; at most 50 for each file
    pub versions: Vec<HomeVersion>,
    /// The text of the version that was asked for
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub content: Option<String>,
}

/// Show the home of an agent: its folder, its files, and the text of one of them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct HomeShow {
    /// The agent
    #[serde(serialize_with = "target::whole")]
    pub target: Target,
    /// Path below the home of a file whose text is shown
    pub file: Option<String>,
}

/// Replace a file in the home of an agent. Its earlier text becomes a version.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct HomeEdit {
    /// The agent
    #[serde(serialize_with = "target::whole")]
    pub target: Target,
    /// Path below the home
    pub file: String,
    /// New text, at most 1 MiB
    pub content: String,
    /// Only if this is still the file's version
    pub if_version: Option<String>,
}

/// Put back the templates of a home: of one file, or of all but the memory. What was there becomes a
/// version.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct HomeReset {
    /// The agent
    #[serde(serialize_with = "target::whole")]
    pub target: Target,
    /// Path below the home; default: every file but the memory
    pub file: Option<String>,
}

/// List earlier contents of the files of a home, and show the text of one of them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct HomeHistory {
    /// The agent
    #[serde(serialize_with = "target::whole")]
    pub target: Target,
    /// Path below the home; default: every file
    pub file: Option<String>,
    /// Version of the file whose text is shown
    pub version: Option<u64>,
}

/// Put an earlier version of a file back, byte for byte. What was there becomes a version.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct HomeRestore {
    /// The agent
    #[serde(serialize_with = "target::whole")]
    pub target: Target,
    /// Path below the home
    pub file: String,
    /// One of its versions
    pub version: u64,
}

op!(HomeShow "home_show": get "/agents/{target}/home", read => HomeShown);
op!(HomeEdit "home_edit": put "/agents/{target}/home", write, text => HomeChanged);
op!(HomeReset "home_reset": post "/agents/{target}/home/reset", write => HomeChanged);
op!(HomeHistory "home_history": get "/agents/{target}/home/history", read => HomeVersions);
op!(HomeRestore "home_restore": post "/agents/{target}/home/restore", write => HomeChanged);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_home_of_a_command_line_is_a_path_or_a_boolean_and_never_empty() {
        assert_eq!("true".parse::<Home>(), Ok(Home::Own));
        assert_eq!("false".parse::<Home>(), Ok(Home::No));
        assert_eq!("homes/a".parse::<Home>(), Ok(Home::At("homes/a".to_owned())));
        for text in ["", "yes", "no", "on", "off"] {
            assert!(text.parse::<Home>().is_err(), "{text}");
        }
    }
}
