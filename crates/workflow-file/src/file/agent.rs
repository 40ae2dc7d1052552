//! What a workflow file says of an agent.

use agent_worker_protocol::{
    Backend, Command, Home, Interval, McpServer, McpTransport, Ordered, Permissions, Provider,
    Thinking, Tool, Variable, Word,
    backend::tools,
    forms::{self, OneOrMany, Shorthand},
};
use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize};

use crate::file::{heartbeat::Heartbeat, schedule::Schedule};

/// An agent: its role, how it runs and what it may use.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct AgentSpec {
    /// Model, as `provider/model`
    pub model: Option<String>,
    /// Server of the model; default: the known one of its provider
    #[serde(deserialize_with = "forms::optional")]
    #[schemars(with = "Option<Shorthand<Provider>>")]
    pub provider: Option<Provider>,
    /// How the agent runs
    pub backend: Backend,
    /// Agent program: its name, or a mapping with arguments, environment and mode; default: the
    /// usual one of the backend
    #[serde(deserialize_with = "forms::optional")]
    #[schemars(with = "Option<Shorthand<Command>>")]
    pub command: Option<Command>,
    /// Script of a `mock` agent: a file beside the workflow file
    pub script: Option<String>,
    /// Who the agent is and what it does: a text, or a file beside the workflow file if it ends in
    /// `.md` or `.txt`
    pub system_prompt: Option<String>,
    /// Role in the team, in a word or two
    pub role: Option<String>,
    /// Name that people see; default: the agent's name
    pub display_name: Option<String>,
    /// Workspace tools that the agent gets
    #[serde(deserialize_with = "tools")]
    pub tools: Vec<Tool>,
    /// Which tools it may use, and which only after asking the user
    pub permissions: Permissions,
    /// Folder of its own, kept between runs: `true`, or a path
    pub home: Home,
    /// Interval at which it looks after its home without being asked: what HEARTBEAT.md says
    #[serde(deserialize_with = "forms::optional")]
    #[schemars(with = "Option<Shorthand<Heartbeat>>")]
    pub heartbeat: Option<Heartbeat>,
    /// When it runs without being asked: an interval, a cron line, a mapping, or a list of these
    #[serde(deserialize_with = "forms::one_or_many")]
    #[schemars(with = "OneOrMany<Shorthand<Schedule>>")]
    pub schedule: Vec<Schedule>,
    /// Names of environment variables and API keys that its worker gets
    #[serde(deserialize_with = "variables")]
    pub env: Vec<Variable>,
    /// Directory of its tools and its program; default: `workspace` in its home, else that of the
    /// workflow file
    pub cwd: Option<String>,
    /// MCP servers of the agent, by name
    pub mcp_servers: Ordered<Word, McpServer>,
    /// How its program connects to the daemon's tools
    pub mcp: McpTransport,
    /// Maximum length of one answer of the model, in tokens
    #[schemars(range(min = 1))]
    pub max_tokens: Option<u32>,
    /// Maximum number of rounds of model and tools in one run
    #[schemars(range(min = 1))]
    pub max_steps: Option<u32>,
    /// How much the model thinks before it answers; default: the provider decides
    pub thinking: Option<Thinking>,
    /// Maximum time of a run
    pub timeout: Option<Interval>,
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

fn variables<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<Variable>, D::Error> {
    forms::list(deserializer, "a list of names")
}
