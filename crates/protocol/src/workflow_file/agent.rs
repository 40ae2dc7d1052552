//! What a workflow file says of an agent.

use std::str::FromStr;

use schemars::{JsonSchema, Schema};
use serde::{Deserialize, Deserializer, Serialize};

use serde_json::{Value, json};

use crate::{
    nearest::nearest,
    ordered::Ordered,
    time::Interval,
    word::{Secret, Variable, Word},
    workflow_file::{
        home::Home,
        program::{Command, McpServer},
        schedule::Schedule,
    },
    yaml::shape::{self, FromText, OneOrMany, Shorthand},
};

/// An agent: who it is, what runs it, what it may use.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct AgentSpec {
    /// The model, as `provider/model`
    pub model: Option<String>,
    /// Where the model is served, if not where its provider is known to be
    #[serde(deserialize_with = "shape::optional")]
    #[schemars(with = "Option<Shorthand<Provider>>")]
    pub provider: Option<Provider>,
    /// What runs the agent
    pub backend: Backend,
    /// The agent program, if not the usual one of its backend: its name, or a mapping with
    /// arguments, environment and mode
    #[serde(deserialize_with = "shape::optional")]
    #[schemars(with = "Option<Shorthand<Command>>")]
    pub command: Option<Command>,
    /// What a `mock` agent plays: a file beside the workflow file
    pub script: Option<String>,
    /// Who the agent is and what it does: a file beside the workflow file if this ends in `.md` or
    /// `.txt`, else the text itself
    pub system_prompt: Option<String>,
    /// What it is in the team, in a word or two
    pub role: Option<String>,
    /// What people see instead of its name
    pub display_name: Option<String>,
    /// The tools of the workspace that it gets
    #[serde(deserialize_with = "tools")]
    pub tools: Vec<Tool>,
    /// Which of its tools it may use unasked
    pub permissions: Permissions,
    /// A folder that is its own and lasts: `true`, or a path
    pub home: Home,
    /// How often it looks after its home by itself
    pub heartbeat: Option<Interval>,
    /// When it runs by itself: an interval, a cron line, a mapping that says more, or a list of these
    #[serde(deserialize_with = "shape::one_or_many")]
    #[schemars(with = "OneOrMany<Shorthand<Schedule>>")]
    pub schedule: Vec<Schedule>,
    /// The names of environment variables and keys that are passed on to its worker
    #[serde(deserialize_with = "variables")]
    pub env: Vec<Variable>,
    /// Where its tools and its program work; the folder of the workflow file if not given
    pub cwd: Option<String>,
    /// Servers of tools of its own
    pub mcp_servers: Ordered<Word, McpServer>,
    /// How its program reaches the daemon's tools
    pub mcp: McpTransport,
    /// The longest answer of its model, in tokens
    #[schemars(range(min = 1))]
    pub max_tokens: Option<u32>,
    /// The most rounds of model and tools in one run
    #[schemars(range(min = 1))]
    pub max_steps: Option<u32>,
    /// How much its model thinks before it answers; its provider decides if not given
    pub thinking: Option<Thinking>,
    /// The longest a run may take
    pub timeout: Option<Interval>,
}

/// What runs an agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(transform = also_sdk)]
pub enum Backend {
    /// The program's own loop of model and tools
    #[default]
    #[serde(alias = "sdk")]
    Default,
    /// Claude Code
    Claude,
    /// Codex
    Codex,
    /// Cursor
    Cursor,
    /// opencode
    Opencode,
    /// Gemini CLI
    Gemini,
    /// GitHub Copilot CLI
    Copilot,
    /// goose
    Goose,
    /// Any program that speaks the Agent Client Protocol
    Acp,
    /// A script, for trying a team without a model
    Mock,
    /// Something that connects by itself and is never started from here
    External,
}

/// How an agent's program reaches the daemon's tools.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum McpTransport {
    /// Over HTTP
    #[default]
    Http,
    /// Over `agent-worker mcp`, for a program that cannot use HTTP
    Stdio,
}

/// A tool of the workspace, by the name that is the same for every backend.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Tool {
    /// Reads files
    Read,
    /// Writes whole files
    Write,
    /// Changes parts of files
    Edit,
    /// Finds files by name
    Glob,
    /// Finds text in files
    Grep,
    /// Runs commands
    Shell,
    /// Fetches web pages
    Fetch,
}

/// How much a model thinks before it answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[cfg_attr(feature = "cli", derive(clap::ValueEnum))]
#[serde(rename_all = "snake_case")]
pub enum Thinking {
    /// Not at all
    Off,
    /// A little
    Low,
    /// Some
    Medium,
    /// Much
    High,
    /// As much as the model can
    Max,
}

/// Where a model is served.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Provider {
    /// Whose it is, or whose it is like: `openai`, `anthropic`, or another that is known
    pub name: Option<String>,
    /// Its address, if it is not the one that is known
    pub base_url: Option<String>,
    /// Its key, as `$NAME`; an address that is given here gets no other
    pub api_key: Option<Secret>,
}

/// Which tools an agent uses unasked, which it asks the person about, and which never.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Permissions {
    /// Used unasked
    #[serde(deserialize_with = "tools")]
    pub allow: Vec<Tool>,
    /// Used if the person says so each time
    #[serde(deserialize_with = "tools")]
    pub ask: Vec<Tool>,
    /// Never used
    #[serde(deserialize_with = "tools")]
    pub deny: Vec<Tool>,
}

/// Whether a run of so long would be over before it could begin.
pub fn is_too_short(timeout: Interval) -> bool {
    timeout.duration().is_zero()
}

impl AgentSpec {
    /// The file that holds its system prompt, if it is in a file.
    pub fn system_prompt_file(&self) -> Option<&str> {
        let is_file = |text: &&str| {
            let ends = [".md", ".txt"].iter().any(|end| text.ends_with(end));
            ends && !text.contains('\n')
        };
        self.system_prompt.as_deref().map(str::trim).filter(is_file)
    }
}

impl Backend {
    /// All there are.
    pub const ALL: [Self; 11] = [
        Self::Default,
        Self::Claude,
        Self::Codex,
        Self::Cursor,
        Self::Opencode,
        Self::Gemini,
        Self::Copilot,
        Self::Goose,
        Self::Acp,
        Self::Mock,
        Self::External,
    ];

    /// Whether it is an agent program that a worker starts, with a loop and tools of its own.
    pub const fn is_program(self) -> bool {
        !matches!(self, Self::Default | Self::Mock | Self::External)
    }

    /// Whether the daemon keeps a session for it from run to run.
    pub const fn has_session(self) -> bool {
        matches!(self, Self::Default) || self.is_program()
    }

    /// Its name.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Default => "default",
            Self::Claude => "claude",
            Self::Codex => "codex",
            Self::Cursor => "cursor",
            Self::Opencode => "opencode",
            Self::Gemini => "gemini",
            Self::Copilot => "copilot",
            Self::Goose => "goose",
            Self::Acp => "acp",
            Self::Mock => "mock",
            Self::External => "external",
        }
    }
}

impl FromStr for Backend {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let word = if text == "sdk" { "default" } else { text };
        Self::ALL.into_iter().find(|backend| backend.as_str() == word).ok_or_else(|| {
            let names = Self::ALL.map(Self::as_str);
            let near = nearest(text, names).map(|near| format!("did you mean `{near}`? "));
            let near = near.unwrap_or_default();
            format!("no backend `{text}`: {near}there are {}", names.join(", "))
        })
    }
}

impl Thinking {
    /// All levels, the least first.
    pub const ALL: [Self; 5] = [Self::Off, Self::Low, Self::Medium, Self::High, Self::Max];

    /// Its name.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Off => "off",
            Self::Low => "low",
            Self::Medium => "medium",
            Self::High => "high",
            Self::Max => "max",
        }
    }
}

impl Tool {
    /// All there are.
    pub const ALL: [Self; 7] =
        [Self::Read, Self::Write, Self::Edit, Self::Glob, Self::Grep, Self::Shell, Self::Fetch];

    /// Its name.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Write => "write",
            Self::Edit => "edit",
            Self::Glob => "glob",
            Self::Grep => "grep",
            Self::Shell => "shell",
            Self::Fetch => "fetch",
        }
    }
}

/// The schema lists no aliases by itself.
fn also_sdk(schema: &mut Schema) {
    if let Some(Value::Array(known)) = schema.get_mut("oneOf") {
        known.push(json!({ "const": "sdk", "description": "The same as `default`" }));
    }
}

impl FromText for Provider {
    const EXPECTED: &'static str = "the name of a provider, or a mapping with `base_url`";

    fn from_text(text: &str) -> Result<Self, String> {
        Ok(Self { name: Some(text.to_owned()), ..Self::default() })
    }
}

fn tools<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<Tool>, D::Error> {
    shape::list(deserializer, "a list of tools")
}

fn variables<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<Variable>, D::Error> {
    shape::list(deserializer, "a list of names")
}
