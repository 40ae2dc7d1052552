//! What goes between the daemon and a worker: one line of JSON in on its standard input, lines of
//! JSON out on its standard output. Any program that carries these two can start a worker.

use serde::{Deserialize, Serialize};

use crate::{
    provider::{Price, ServedModel},
    team::{
        backend::{Backend, Command, McpServer, McpTransport, Permissions, Thinking, Tool},
        context::Context,
        run::{BlockKind, FailureClass, RunKind, Usage},
        session::{SessionConfig, TurnRole},
    },
    terms::{Interval, Name, RunId, Scope, Target, Timestamp, Variable, Word},
};

/// What a worker is told: the first line of its standard input, which then stays open. Its end
/// means that the daemon is gone.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "job", rename_all = "snake_case")]
pub enum WorkerConfig {
    /// Do a run of an agent.
    Run(Box<RunConfig>),
    /// Say what a run of an agent would be given.
    Preview(Box<PreviewConfig>),
    /// Run one setup step under guard.
    Step(StepConfig),
}

/// Who the worker is, how it reaches the daemon, and how it does its work. What the work is, it
/// asks the daemon itself.
#[derive(Clone, PartialEq, Serialize, Deserialize)]
pub struct RunConfig {
    pub run: RunId,
    pub agent: Name,
    pub scope: Scope,
    /// Name that people see
    pub display_name: Option<String>,
    /// Role in the team
    pub role: Option<String>,
    pub system: Option<String>,
    /// The model it uses
    pub model: Option<String>,
    pub backend: BackendConfig,
    /// The daemon's MCP endpoint
    pub mcp_url: String,
    /// How a program of the agent reaches it
    #[serde(default)]
    pub mcp: McpTransport,
    pub daemon_url: String,
    pub token: String,
    pub home: String,
    /// The agent's own home, if it has one
    pub agent_home: Option<AgentHome>,
    pub cwd: Option<String>,
    /// The tools of the workspace that it has
    #[serde(default)]
    pub tools: Vec<Tool>,
    /// Which of these it uses unasked
    #[serde(default)]
    pub permissions: Permissions,
    /// Its own MCP servers. What a `$NAME` in them stands for is in the worker's environment
    #[serde(default)]
    pub servers: Vec<ToolServer>,
    /// How long these may take to say what tools they have
    pub server_start: Interval,
    /// Variables of its environment that are not for what it runs
    #[serde(default)]
    pub kept_back: Vec<Variable>,
    /// The session it goes on with; none if its backend has none
    pub session: Option<SessionConfig>,
    /// How often it says that it is alive
    pub heartbeat: Interval,
}

/// A run that is not done: what its worker would be told, and what the daemon would answer it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PreviewConfig {
    pub run: RunConfig,
    pub context: Context,
}

/// Home of the agent of a run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AgentHome {
    /// Absolute path
    pub path: String,
    /// The daemon's time at the start of the run
    pub now: Timestamp,
    /// What its day is ahead of UTC, in seconds
    pub utc_offset: i32,
    /// Why the run was started
    pub kind: RunKind,
}

impl RunConfig {
    /// The agent, with its scope.
    pub fn target(&self) -> Target {
        Target::member(self.agent.clone(), self.scope.clone())
    }
}

impl std::fmt::Debug for RunConfig {
    /// Leaves out the token and the prompts.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { run, agent, scope, .. } = self;
        f.debug_struct("RunConfig")
            .field("run", run)
            .field("agent", agent)
            .field("scope", scope)
            .finish_non_exhaustive()
    }
}

/// An MCP server that is an agent's own.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ToolServer {
    /// What the agent calls it
    pub name: Word,
    pub server: McpServer,
}

/// What runs an agent, with what that needs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "backend", rename_all = "snake_case")]
pub enum BackendConfig {
    /// The loop of model and tools that is the worker's own.
    Default(Box<ModelConfig>),
    /// A script in place of a model.
    Mock {
        /// The script, as YAML
        script: String,
        /// Turns that earlier runs of the agent in this generation chose and that count, by
        /// their place in the script
        played: Vec<u32>,
    },
    /// An agent program with a loop and tools of its own.
    Program(Box<ProgramConfig>),
}

/// An agent program: which one, how it is started, and where it reaches its model.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ProgramConfig {
    /// The backend that names the program; `backend` itself is the tag of [`BackendConfig`]
    #[serde(rename = "program")]
    pub backend: Backend,
    /// The program and its arguments; `None` to look for its usual name in the search path
    pub command: Option<Command>,
    /// What the program calls its model; `None` for the program's own choice
    pub model: Option<String>,
    /// Variables of the worker's environment that the program gets
    pub env: Vec<Variable>,
    /// The address of the model's server; `None` for the program's own choice
    pub base_url: Option<String>,
    /// The variable of the worker's environment that holds the key for that server
    pub key: Option<Variable>,
    /// What the model costs, as long as the program does not tell
    pub price: Option<Price>,
    /// Folder for the program's temporary files. The worker creates it, and removes it at its end
    pub scratch: String,
    /// Folder for what the program keeps between runs of this agent. The worker creates it if the
    /// program needs one
    pub keep: String,
}

/// A model, and how long it may work and be waited for.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ModelConfig {
    /// Where it is served. Its key is in the worker's environment, under the name that is here
    pub served: ServedModel,
    /// The longest answer, in tokens; none if the server decides
    pub max_tokens: Option<u32>,
    /// How much the model thinks; none if its provider decides
    pub thinking: Option<Thinking>,
    /// The most rounds of model and tools
    pub max_steps: u32,
    /// How long the server may say nothing
    pub silence: Interval,
    /// The same before its first byte, where it is on this machine
    pub local_silence: Interval,
    /// The wait before a request is made a second time; it doubles
    pub retry_delay: Interval,
    /// For how long a request is made again
    pub retry_for: Interval,
    /// The variable that names the daemon a proxy for this server, where the worker has none
    pub proxy: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct StepConfig {
    /// The command, for `sh -c`
    pub shell: String,
    pub cwd: String,
    /// How much of its output is kept, in bytes
    pub output_bytes: usize,
}

/// The longest line that a worker may write, in bytes.
pub const LONGEST_LINE: usize = 256 * 1024;

/// What a worker says, one line each.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "report", rename_all = "snake_case")]
pub enum WorkerReport {
    /// The first sign of life.
    Started,
    Heartbeat,
    /// The mock backend has chosen a turn of its script.
    Chose {
        /// Its place in the script
        turn: u32,
    },
    /// A block of the transcript begins.
    Block {
        /// Its place, counting from 0 without a gap
        n: i64,
        kind: BlockKind,
        /// The tool's name, of calls and results
        name: Option<String>,
    },
    Delta {
        n: i64,
        text: String,
    },
    /// A block is whole.
    BlockEnd {
        n: i64,
        /// Whether it was broken off instead, and what comes next begins anew
        #[serde(default)]
        cut: bool,
    },
    /// The model cannot be reached, and is asked again.
    Away {
        /// What its server said
        error: String,
        /// For how long it has been away
        since: Interval,
        /// The number of the next try, from 2
        attempt: u32,
        /// How many tries there are about
        of: u32,
        /// In how long it is asked again
        next: Interval,
    },
    /// What an answer that grows has used so far, in place of what was said of it before. The first
    /// counts at once, what it grows by a few seconds later at most. What an agent program has used
    /// counts only if no [`Self::Used`] follows.
    Using {
        /// Tokens
        usage: Usage,
        /// Dollars
        cost: Option<f64>,
    },
    /// Tokens and dollars that were used since the last such line.
    Used {
        /// Tokens
        usage: Usage,
        /// Dollars
        cost: Option<f64>,
    },
    /// A turn for the session, which is kept with all others up to the next [`Self::Turns`].
    Turn {
        role: TurnRole,
        /// Its content, after the pieces before
        content: String,
        /// How long the session is with it, in tokens
        tokens: Option<i64>,
    },
    /// The turns since the last such line are whole: all of them are kept, or none.
    Turns {
        /// Whether they take the place of all that was kept before
        instead: bool,
    },
    /// A piece of the text, output or content of a later line, which that line itself ends: no
    /// line is longer than [`LONGEST_LINE`].
    Piece {
        text: String,
    },
    /// A setup step has ended.
    StepDone {
        /// What it wrote to standard output, after the pieces before
        output: String,
        /// The last lines it wrote to standard error
        stderr: String,
        /// Its exit code; none if a signal ended it
        exit: Option<i32>,
    },
    /// The run has ended well. The last line.
    Finished {
        /// The final text, after the pieces before
        text: String,
        /// Whether the run has sent, written or changed something
        #[serde(default)]
        acted: bool,
    },
    /// The run has failed. The last line.
    Failed {
        class: FailureClass,
        /// What happened, and for a permanent failure what mends it
        error: String,
        /// When to try again, as the service said
        retry_after: Option<Interval>,
    },
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_is_the_same_after_its_journey_to_the_worker() {
        let program = ProgramConfig {
            backend: Backend::Claude,
            command: Some(Command {
                program: "claude".to_owned(),
                args: vec!["--verbose".to_owned()],
                env: std::iter::once(("HOME".parse().unwrap(), "/srv".to_owned())).collect(),
                mode: None,
            }),
            model: Some("m-1".to_owned()),
            env: vec!["KEY".parse().unwrap()],
            base_url: None,
            key: None,
            price: None,
            scratch: "/tmp/x".to_owned(),
            keep: "/state/programs/agent_1".to_owned(),
        };
        let sent = BackendConfig::Program(Box::new(program));
        let line = serde_json::to_string(&sent).unwrap();
        let heard: BackendConfig = serde_json::from_str(&line).unwrap();
        assert_eq!(heard, sent, "{line}");
    }
}
