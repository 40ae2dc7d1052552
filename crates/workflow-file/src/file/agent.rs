//! What a workflow file says of an agent.

use agent_worker_protocol::{
    backend::{Backend, Command, McpServer, McpTransport, Permissions, Thinking, Tool, tools},
    forms::{self, OneOrMany, Shorthand},
    ordered::Ordered,
    provider::Provider,
    time::Interval,
    word::{Variable, Word},
};
use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize};

use crate::file::{home::Home, schedule::Schedule};

/// An agent: who it is, what runs it, what it may use.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct AgentSpec {
    /// The model, as `provider/model`
    pub model: Option<String>,
    /// Where the model is served, if not where its provider is known to be
    #[serde(deserialize_with = "forms::optional")]
    #[schemars(with = "Option<Shorthand<Provider>>")]
    pub provider: Option<Provider>,
    /// What runs the agent
    pub backend: Backend,
    /// The agent program, if not the usual one of its backend: its name, or a mapping with
    /// arguments, environment and mode
    #[serde(deserialize_with = "forms::optional")]
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
    #[serde(deserialize_with = "forms::one_or_many")]
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
