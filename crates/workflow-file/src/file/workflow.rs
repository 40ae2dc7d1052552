//! The workflow file: a team's agents, its setup, and its kickoff.

use std::collections::HashSet;

use agent_worker_protocol::{
    Limits, Name, Ordered, Word, ZoneName,
    forms::{self, FromText, Shorthand},
    nearest::nearest,
};
use schemars::{JsonSchema, Schema, transform::transform_subschemas};
use serde::{Deserialize, Deserializer, Serialize, de::Error};
use serde_json::{Value, json};

use crate::file::agent::AgentSpec;

/// A workflow: a team of agents, what they share and how they start.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct WorkflowFile {
    /// Name of the workflow; default: the name of the file
    pub name: Option<Name>,
    /// Parameters of a start, used as `${{ params.NAME }}`
    #[serde(deserialize_with = "params")]
    #[schemars(with = "Ordered<Word, Shorthand<Param>>")]
    pub params: Ordered<Word, Param>,
    /// The agents, by name
    #[schemars(with = "Ordered<Name, Option<AgentSpec>>")]
    pub agents: Ordered<Name, AgentSpec>,
    /// What the agents share
    pub context: Context,
    /// Limits of the team; above them its work is held
    pub limits: Limits,
    /// Commands that run before the kickoff, in this order
    #[serde(deserialize_with = "steps")]
    pub setup: Vec<SetupStep>,
    /// First message in the channel; the agents it mentions start
    pub kickoff: Option<String>,
    /// Time zone of the schedules, such as `Europe/Berlin`
    pub timezone: Option<ZoneName>,
    /// Offer the tools for proposals even while no proposal is open
    pub proposals: bool,
    /// Offer the tools for groups even to agents in no group
    pub groups: bool,
    /// Let agents hire others, with their own tools and the models of the team
    pub hire: bool,
}

/// A parameter of a start: its default, or a mapping.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Param {
    /// Value if none is given; without a default, a value is required
    #[schemars(extend("type" = ["string", "number", "boolean", "null"]))]
    pub default: Option<String>,
    /// Purpose of the parameter
    pub description: Option<String>,
}

/// What the agents of a workflow share.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Context {
    /// Where it is stored
    pub provider: ContextProvider,
    /// The only agent that may change the documents
    #[serde(rename = "documentOwner")]
    pub document_owner: Option<Name>,
}

/// Where the channel, inboxes and documents are stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ContextProvider {
    /// The daemon's database
    #[default]
    Sqlite,
}

/// A command that runs before the kickoff.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SetupStep {
    /// Command for the shell
    pub shell: String,
    /// Name of its output, used as `${{ NAME }}`
    #[serde(default, rename = "as")]
    pub output: Option<Word>,
    /// End without a kickoff if the output is empty
    #[serde(default)]
    pub required: bool,
}

fn steps<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<SetupStep>, D::Error> {
    forms::list(deserializer, "a list of steps")
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
pub fn json_schema() -> Value {
    let mut schema = schemars::schema_for!(WorkflowFile);
    allow_nothing(&mut schema);
    allow_plain(&mut schema);
    schema.to_value()
}

/// Lets each key whose default is a list or a mapping stand without a value, as the decoder does.
fn allow_nothing(schema: &mut Schema) {
    transform_subschemas(&mut allow_nothing, schema);
    if !matches!(schema.get("default"), Some(Value::Array(_) | Value::Object(_))) {
        return;
    }
    if let Some(kind) = schema.get("type").cloned() {
        schema.insert("type".to_owned(), json!([kind, "null"]));
    } else if let Some(reference) = schema.remove("$ref") {
        let forms = json!([{ "$ref": reference }, { "type": "null" }]);
        schema.insert("anyOf".to_owned(), forms);
    } else if let Some(Value::Array(forms)) = schema.get_mut("anyOf") {
        forms.push(json!({ "type": "null" }));
    }
}

/// Lets numbers and the like stand where any text does, as the decoder reads them as text.
fn allow_plain(schema: &mut Schema) {
    transform_subschemas(&mut allow_plain, schema);
    let is_absent = |key: &str| schema.get(key).is_none();
    let is_any_text = ["const", "examples", "pattern"].into_iter().all(is_absent);
    let kinds = match schema.get("type") {
        Some(Value::Array(kinds)) => kinds.clone(),
        kind => kind.cloned().into_iter().collect(),
    };
    if is_any_text && kinds.contains(&json!("string")) {
        let more = ["number", "boolean"].map(Value::from);
        let more = more.into_iter().filter(|kind| !kinds.contains(kind));
        let kinds: Vec<_> = kinds.iter().cloned().chain(more).collect();
        schema.insert("type".to_owned(), kinds.into());
    }
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
