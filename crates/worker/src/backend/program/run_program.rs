//! The program of a run, and the names by which programs know the daemon.

use std::{env, path::Path, time::Duration};

use agent_worker_protocol::{
    Backend, BackendConfig, BlockKind, ProgramConfig, RunConfig, Variable, backend::SERVER,
};

use super::Kept;
use crate::{
    history::Seen,
    processes::shell,
    prompt::{Known, Prompt},
    session::Session,
};

/// Time between TERM and KILL: a program that has a command to end takes up to 2 s.
pub const TERM_GRACE: Duration = Duration::from_secs(3);

/// The variable in a program's environment that holds the daemon's MCP endpoint.
pub const MCP_URL: &str = "AGENT_WORKER_MCP_URL";

/// The variable in a program's environment that holds the run's token.
pub const TOKEN: &str = "AGENT_WORKER_TOKEN";

/// The mode of a `command` that has Cursor print its events and end.
pub const PRINT: &str = "print";

/// Program of a run, and its session from earlier runs.
pub struct Program<'a> {
    pub run: &'a RunConfig,
    pub config: &'a ProgramConfig,
    pub kept: Option<Kept>,
}

impl<'a> Program<'a> {
    /// Returns the program of a run; `None` if its backend is another.
    pub fn of(run: &'a RunConfig) -> Option<Self> {
        let BackendConfig::Program(config) = &run.backend else { return None };
        Some(Self { run, config, kept: Kept::of(run) })
    }

    /// Returns how far the agent has seen what others do; `None` if the program has no session.
    pub fn seen(&self) -> Option<Seen> {
        self.kept.as_ref().map(|kept| kept.seen)
    }

    /// Returns the name that the program has for a tool of the daemon.
    pub fn name_of(&self, tool: &str) -> String {
        match self.config.backend {
            Backend::Claude | Backend::Codex => format!("mcp__{SERVER}__{tool}"),
            Backend::Gemini => format!("mcp_{SERVER}_{tool}"),
            _ => format!("{SERVER}_{tool}"),
        }
    }

    /// Returns the agent's system prompt; `None` if it has none that says anything.
    pub fn system(&self) -> Option<&'a str> {
        self.run.system.as_deref().filter(|system| !system.trim().is_empty())
    }

    /// Returns what a session knows of the agent's system prompt after this run.
    pub fn known(&self) -> Known {
        Known::of(self.system())
    }

    /// Returns what goes before the prompt of a session that goes on, in a program that takes a
    /// system prompt only when a session begins; `None` if nothing of it is new to the session.
    pub fn changed_system(&self) -> Option<String> {
        let known = self.kept.as_ref().map(|kept| kept.known.clone()).unwrap_or_default();
        known.news(self.system())
    }

    /// Whether the program is given the system prompt at each start, by a flag or a file.
    pub fn is_given_system(&self) -> bool {
        matches!(self.config.backend, Backend::Claude | Backend::Gemini | Backend::Opencode)
    }

    /// Whether the run goes on with a session that keeps the system prompt it began with, as far as
    /// is known before the session is open.
    pub fn keeps_system(&self) -> bool {
        !self.is_given_system() && self.kept.as_ref().is_some_and(|kept| !kept.takes_system)
    }

    /// Returns the prompt of a session that goes on and keeps its system prompt, behind what has
    /// changed in that.
    pub fn going_on(&self, prompt: &Prompt) -> String {
        self.changed_system().unwrap_or_default() + &prompt.text
    }

    /// Writes into the transcript which prompt the run is given after all, with the system prompt if
    /// that was left out.
    pub fn tell_instead(&self, session: &Session<'_>, prompt: &str) {
        let system = session.prompt.system.as_ref().filter(|_| self.keeps_system());
        if let Some(system) = system {
            session.transcript.write(BlockKind::System, None, system);
        }
        session.transcript.write(BlockKind::Prompt, None, prompt);
    }

    /// Returns the mode that the program is asked to work in.
    pub fn mode(&self) -> Option<&'a str> {
        self.config.command.as_ref()?.mode.as_deref()
    }

    /// Returns the program's name for people.
    pub fn name(&self) -> &'a str {
        let config = self.config;
        let named = config.command.as_ref().map(|command| command.program.as_str());
        named.unwrap_or_else(|| config.backend.as_str())
    }

    /// Returns the variables that hold the keys of the program: first the key that its agent names.
    pub fn keys(&self) -> impl Iterator<Item = &'a Variable> {
        let is_key =
            |name: &&Variable| name.as_str().ends_with("_KEY") || name.as_str().ends_with("_TOKEN");
        self.config.key.iter().chain(self.config.env.iter().filter(is_key))
    }

    /// Returns what the program says without its keys: a server may repeat a request in its error.
    pub fn without_keys(&self, text: &str) -> String {
        let keys = self.keys().filter_map(|key| env::var(key.as_str()).ok());
        keys.filter(|key| key.len() > 3).fold(text.to_owned(), |text, key| text.replace(&key, "…"))
    }

    /// Returns the command that has the agent go on after a permanent failure.
    pub fn resume(&self) -> String {
        format!("agent-worker resume {}", self.run.target())
    }
}

/// Returns this program's file: `agent-worker mcp` is the daemon's MCP server on standard input and
/// output. Where the file was removed or replaced since the daemon started, as by an upgrade, that
/// is the file that the system still has for this process.
pub fn bridge() -> String {
    let named = env::current_exe().unwrap_or_else(|_| "agent-worker".into());
    let kept = Path::new("/proc").join(std::process::id().to_string()).join("exe");
    let file = if !named.exists() && kept.exists() { kept } else { named };
    file.display().to_string()
}

/// Returns the variables that tell `agent-worker mcp` who calls. Each program passes them on in its
/// own way.
pub fn callers(run: &RunConfig) -> impl Iterator<Item = String> {
    shell::identity(run).into_keys()
}
