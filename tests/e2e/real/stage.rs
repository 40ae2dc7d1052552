//! Real programs, a scripted model, and a team whose agents are these programs.

use std::{fmt::Write, fs};

use agent_worker_client::Client;
use agent_worker_protocol::{Run, Target};
use serde_json::{Value, json};

use crate::{
    default_backend::stage::Stage as Daemon,
    support::{Home, Watch, real_program, skip},
};

/// Nothing is tried again by itself.
pub const ONCE: &str = "[runs]\nretry_delay = \"1h\"\nunavailable_delay = \"1h\"\nmax_runs = 4\n";

/// What a request of a scenario costs with each program that does not tell: 100 tokens in, 20 out.
const PRICES: &str = "[providers.as-responses.prices]\n\
    \"gpt-5.5\" = { input = 5.0, output = 30.0 }\n\
    \"gpt-6.1-sol\" = { input = 2.0, output = 10.0 }\n";

/// A program, and how it is given its model.
#[derive(Debug, Clone, Copy)]
pub struct Program {
    /// Its file, and its backend
    pub name: &'static str,
    model: &'static str,
    provider: &'static str,
    /// The name of its tool for commands, and of that tool's argument
    shell: (&'static str, &'static str),
    /// Whether what its model thinks is shown
    pub thinks: bool,
    /// Whether it tells the tokens of all requests of a run, or of the last one alone
    pub tells_all: bool,
    /// What a request of 100 tokens in and 20 out costs, in dollars; `None` if that is not known
    pub cost: Option<f64>,
}

/// Claude Code.
pub const CLAUDE: Program = Program {
    name: "claude",
    model: "claude-sonnet-5-5",
    provider: "as-anthropic",
    shell: ("Bash", "command"),
    thinks: true,
    tells_all: true,
    cost: Some(0.0004),
};

/// Codex, with a model that finds its tools by searching.
pub const CODEX: Program = Program {
    name: "codex",
    model: "gpt-5.5",
    provider: "as-responses",
    shell: ("exec_command", "cmd"),
    thinks: false,
    tells_all: true,
    cost: Some(0.0011),
};

/// Codex, with a model that calls its tools in JavaScript.
pub const CODEX_IN_CODE: Program = Program { model: "gpt-6.1-sol", cost: Some(0.0004), ..CODEX };

/// opencode, on Chat Completions.
pub const OPENCODE: Program = Program {
    name: "opencode",
    model: "m-1",
    provider: "as-openai",
    shell: ("bash", "command"),
    thinks: true,
    tells_all: false,
    cost: None,
};

/// Gemini CLI.
pub const GEMINI: Program = Program {
    name: "gemini",
    model: "gemini-2.5-pro",
    provider: "as-gemini",
    shell: ("run_shell_command", "command"),
    thinks: true,
    tells_all: true,
    cost: None,
};

impl Program {
    /// A call of a command, as a scenario has it.
    pub fn shell(&self, command: &str) -> Value {
        let (tool, argument) = self.shell;
        let mut with = json!({ argument: command });
        if argument == "command" {
            with["description"] = "Does what the test needs".into();
        }
        json!({ "call": tool, "with": with })
    }
}

/// An agent that is a program.
#[derive(Debug, Clone)]
pub struct Agent {
    pub name: String,
    program: Program,
    /// Further lines of the workflow file, indented by four
    lines: String,
    /// Whether it is given a token that is not its run's
    is_refused: bool,
}

impl Agent {
    pub fn new(name: &str, program: &Program) -> Self {
        Self { name: name.to_owned(), program: *program, lines: String::new(), is_refused: false }
    }

    /// With tools of the workspace.
    pub fn with_tools(mut self, tools: &str) -> Self {
        writeln!(self.lines, "    tools: [{tools}]").unwrap();
        self
    }

    /// With a tool that it has to ask for.
    pub fn asking_for(mut self, tool: &str) -> Self {
        writeln!(self.lines, "    permissions: {{ ask: [{tool}] }}").unwrap();
        self
    }

    /// With another token than its run's, so that the daemon refuses it.
    pub fn refused(mut self) -> Self {
        self.is_refused = true;
        self
    }
}

/// A daemon with a team.
pub struct Stage {
    daemon: Daemon,
}

impl Stage {
    /// Starts a team of these agents on a model that plays a scenario. `None` if a program of them
    /// is not installed.
    pub fn begin(scenario: &Value, agents: &[Agent], kickoff: &str) -> Option<Self> {
        Self::begin_with(ONCE, scenario, agents, kickoff)
    }

    /// The same with other settings.
    pub fn begin_with(
        config: &str,
        scenario: &Value,
        agents: &[Agent],
        kickoff: &str,
    ) -> Option<Self> {
        let missing = agents.iter().map(|agent| agent.program.name);
        if let Some(name) = missing.into_iter().find(|name| real_program(name).is_none()) {
            skip("real", &format!("{name} is not installed: tests/real/run installs it"));
            return None;
        }
        let mut home = Home::new();
        home.set("FAKE_KEY", "a key");
        write_settings(&home);
        let daemon = Daemon::at(home, &longest(scenario), &format!("{config}{PRICES}"));
        let mut file = "name: team\nagents:\n".to_owned();
        for agent in agents {
            file.push_str(&entry(&daemon, agent));
        }
        writeln!(file, "kickoff: {}", Value::from(kickoff)).unwrap();
        daemon.home.write("team.yaml", &file);
        daemon.home.ok(&["start", "team.yaml", "--detach"]);
        Some(Self { daemon })
    }

    pub fn home(&self) -> &Home {
        &self.daemon.home
    }

    pub fn model(&self) -> &crate::default_backend::stage::Model {
        &self.daemon.model
    }

    pub fn client(&self) -> Client {
        self.daemon.client()
    }

    /// The feed from its beginning: a run may have ended already.
    pub async fn watch(&self) -> Watch {
        Watch::all(&self.client()).await
    }

    /// Waits for the end of the next run of an agent.
    pub async fn ended(&self, watch: &mut Watch, agent: &str) -> Run {
        let agent = target(agent);
        watch.run_ended(|run| run.agent == agent).await
    }

    /// Dates gemini's sessions back. It names their files by the minute, and overwrites a session
    /// that goes on in the minute in which it began.
    pub fn date_sessions_back(&self) {
        let folder = self.home().path().parent().unwrap().join(".gemini/tmp/work/chats");
        for file in fs::read_dir(folder).into_iter().flatten() {
            let file = file.unwrap().path();
            let name = file.file_name().unwrap().to_str().unwrap();
            let id = name.rsplit_once('-').unwrap().1;
            let older = file.with_file_name(format!("session-2026-01-01T00-00-{id}"));
            fs::rename(&file, older).unwrap();
        }
    }

    /// What is left of the programs: processes, and temporary files, which are beside the state
    /// directory.
    pub fn left(&self) -> Vec<String> {
        let home = self.home();
        let daemon = home.daemon_file().expect("a daemon runs").pid;
        let members = home.members();
        let is_daemon = |pid: i32| pid.unsigned_abs() == daemon;
        let others = members.described().filter(|(pid, _)| !is_daemon(pid.as_raw_nonzero().get()));
        let others: Vec<_> = others.map(|(pid, line)| format!("{pid:?} {line}")).collect();
        let entries = fs::read_dir(home.path().parent().unwrap()).unwrap();
        let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
        others.into_iter().chain(names.filter(|name| name.starts_with("agent-worker-"))).collect()
    }
}

/// What only the user's own settings can tell gemini: to ask a model that is down three times
/// instead of ten, and to report to no one.
fn write_settings(home: &Home) {
    let settings = json!({
        "general": { "enableAutoUpdate": false, "maxAttempts": 3 },
        "privacy": { "usageStatisticsEnabled": false },
    });
    let folder = home.path().parent().unwrap().join(".gemini");
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join("settings.json"), settings.to_string()).unwrap();
}

/// A scenario of models whose answers may be as long as those of the real ones.
fn longest(scenario: &Value) -> String {
    let mut scenario = scenario.clone();
    scenario["longest"] = 128_000.into();
    scenario.to_string()
}

/// Whether two sums of dollars are the same.
pub fn is_cost(one: Option<f64>, other: Option<f64>) -> bool {
    match (one, other) {
        (Some(one), Some(other)) => (one - other).abs() < 1e-9,
        (one, other) => one == other,
    }
}

/// The address of an agent of the team.
pub fn target(agent: &str) -> Target {
    format!("{agent}@team").parse().unwrap()
}

fn entry(daemon: &Daemon, agent: &Agent) -> String {
    let Agent { name, program, lines, is_refused } = agent;
    let file = real_program(program.name).expect("it is installed");
    let mut command = file.display().to_string();
    if *is_refused {
        // A client of ACP is told the token in its first request, the others in their environment.
        let script = format!(
            "#!/bin/sh\nsed -u 's/Bearer [[:alnum:]]*/Bearer nonsense/' | \
             AGENT_WORKER_TOKEN=nonsense {command} \"$@\"\n"
        );
        let path = daemon.home.write("refused", &script);
        let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
        fs::set_permissions(&path, mode).unwrap();
        command = path.display().to_string();
    }
    let Program { name: backend, model, provider, .. } = program;
    format!(
        "  {name}:\n    backend: {backend}\n    command: {command}\n    model: {model}\n    \
         system_prompt: You are careful.\n    \
         provider: {{ name: {provider}, api_key: $FAKE_KEY }}\n{lines}"
    )
}
