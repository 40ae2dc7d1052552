//! The file in which somebody writes down a team: its agents, how it is set up, how it begins.

use std::collections::HashSet;

use agent_worker_protocol::{
    forms::{FromText, Shorthand},
    name::Name,
    nearest::nearest,
    ordered::Ordered,
    schedule::ZoneName,
    word::Word,
    workflow::Limits,
};
use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize, de::Error};

use crate::file::agent::AgentSpec;

/// A workflow: a team of agents, what it works with and how it begins.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct WorkflowFile {
    /// What the workflow is called; by default the name of its file
    pub name: Option<Name>,
    /// What can be set at each start, used as `${{ params.name }}`
    #[serde(deserialize_with = "params")]
    #[schemars(with = "Ordered<Word, Shorthand<Param>>")]
    pub params: Ordered<Word, Param>,
    /// The agents, by name
    pub agents: Ordered<Name, AgentSpec>,
    /// What the agents share
    pub context: Context,
    /// What the team may use up before it is held
    pub limits: Limits,
    /// Commands that are run before the kickoff, in order
    pub setup: Vec<SetupStep>,
    /// The first message of the channel; whom it mentions begins
    pub kickoff: Option<String>,
    /// The time zone of the schedules
    pub timezone: Option<ZoneName>,
    /// Offer the agents the tools for proposals, before one is open
    pub proposals: bool,
    /// Offer the agents the tools for groups, before they are in one
    pub groups: bool,
}

/// Something that can be set at each start: a default, or a mapping that says more.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Param {
    /// Its value where none is given; without one, one must be given
    #[schemars(extend("type" = ["string", "number", "boolean", "null"]))]
    pub default: Option<String>,
    /// What it is for
    pub description: Option<String>,
}

/// What the agents of a workflow share.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Context {
    /// Where it is kept
    pub provider: ContextProvider,
    /// The only agent that may change the documents
    #[serde(rename = "documentOwner")]
    pub document_owner: Option<Name>,
}

/// Where channel, inboxes and documents are kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ContextProvider {
    /// The daemon's database
    #[default]
    Sqlite,
}

/// A command that is run before the kickoff.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SetupStep {
    /// The command, for the shell
    pub shell: String,
    /// What its output is called from then on, as `${{ name }}`
    #[serde(default, rename = "as")]
    pub output: Option<Word>,
    /// Whether there is nothing to do if it puts nothing out
    #[serde(default)]
    pub required: bool,
}

impl WorkflowFile {
    /// The files beside it that it names, each once, in the order of the file.
    pub fn files(&self) -> Vec<&str> {
        let mut known = HashSet::new();
        let agents = self.agents.values();
        let files = agents.flat_map(|agent| [agent.system_prompt_file(), agent.script.as_deref()]);
        files.flatten().filter(|file| known.insert(*file)).collect()
    }
}

/// The JSON schema of the file, for editors.
pub fn json_schema() -> serde_json::Value {
    schemars::schema_for!(WorkflowFile).to_value()
}

fn params<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Ordered<Word, Param>, D::Error> {
    let params = Ordered::<Word, Shorthand<Param>>::deserialize(deserializer)?;
    Ok(params.into_iter().map(|(name, param)| (name, param.0)).collect())
}

impl FromText for Param {
    const EXPECTED: &'static str = "a default, or a mapping with `default` and `description`";
    const TYPES: &'static [&'static str] = &["string", "number", "boolean", "null"];

    fn from_text(text: &str) -> Result<Self, String> {
        Ok(Self { default: Some(text.to_owned()), description: None })
    }

    fn from_nothing() -> Option<Self> {
        Some(Self::default())
    }
}

impl<'de> Deserialize<'de> for ContextProvider {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let word = String::deserialize(deserializer)?;
        match word.as_str() {
            "sqlite" => Ok(Self::Sqlite),
            "file" | "memory" => Err(D::Error::custom(format!(
                "unsupported context provider `{word}`: each agent works in its own process, and \
                 all state is in one SQLite file; write `sqlite` or leave it out"
            ))),
            _ => {
                let near = nearest(&word, ["sqlite"]).map_or("", |_| " (did you mean it?)");
                Err(D::Error::custom(format!("unknown provider `{word}`: there is `sqlite`{near}")))
            }
        }
    }
}
