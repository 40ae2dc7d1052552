//! The arguments and the environment of the program.

use agent_worker_protocol::{
    backend::{CLAUDE_TOOLS, McpServer, McpTransport, Tool},
    question::PermissionPrompt,
    report::{ProgramConfig, RunConfig},
};
use serde_json::{Map, Value, json};

use super::{
    super::{
        adapter::Adapter,
        launch::Launch,
        run_program::{MCP_URL, Program, SERVER, TOKEN, bridge, callers},
        story::Story,
    },
    answer::Answer,
};
use crate::failure::Failure;

/// How often the program asks a model again that cannot be reached. The daemon tries the whole run
/// again after that.
const RETRIES: &str = "3";

/// The longest system prompt that is given as an argument, in bytes. One argument may be no longer
/// than 128 KiB.
const LONGEST_ARGUMENT: usize = 100 << 10;

/// How long a call of the daemon's tools may be silent, in milliseconds: about 23 days. A permission
/// waits for the user, and without a limit of the server the program gives up after 5 minutes.
const PATIENCE: u32 = 2_000_000_000;

/// Claude Code, for one run.
pub struct Claude<'a> {
    run: &'a RunConfig,
    config: &'a ProgramConfig,
    /// What has come of the model's answer that is being written
    answer: Answer,
}

impl<'a> Claude<'a> {
    /// For the program of a run.
    pub fn of(program: &Program<'a>) -> Self {
        Self { run: program.run, config: program.config, answer: Answer::default() }
    }

    fn has(&self, tool: Tool) -> bool {
        let RunConfig { tools, permissions, .. } = self.run;
        tools.contains(&tool) && !permissions.deny.contains(&tool)
    }

    /// The tools that the model uses only after the user has allowed it, by their names there.
    fn asked(&self) -> Vec<&'static str> {
        named(|tool| self.has(tool) && self.run.permissions.ask.contains(&tool))
    }

    /// Has the program ask for what needs a permission, with a tool of the daemon that its model
    /// does not see. Without the rule it would run commands unasked that it takes to be harmless.
    fn permissions(&self, launch: &mut Launch) {
        let asked = self.asked();
        if asked.is_empty() {
            launch.args(["--permission-mode", "dontAsk"]);
            return;
        }
        let rules = json!({ "permissions": { "ask": asked } }).to_string();
        let tool = format!("mcp__{SERVER}__{}", PermissionPrompt::TOOL);
        launch.args(["--permission-mode", "default", "--settings", &rules]);
        launch.args(["--permission-prompt-tool", &tool]);
    }

    /// The tools that the model is offered, and those of them that it uses unasked.
    fn tools(&self) -> (String, String) {
        let RunConfig { permissions, servers, .. } = self.run;
        let offered = named(|tool| self.has(tool));
        let unasked = named(|tool| self.has(tool) && !permissions.ask.contains(&tool));
        let servers = servers.iter().map(|server| format!("mcp__{}", server.name));
        let daemon = std::iter::once(format!("mcp__{SERVER}"));
        let unasked = unasked.into_iter().map(ToOwned::to_owned);
        let allowed: Vec<_> = daemon.chain(servers).chain(unasked).collect();
        (offered.join(","), allowed.join(","))
    }

    /// The MCP servers. The program fills in variables of its environment, so no secret stands in an
    /// argument.
    fn servers(&self) -> String {
        let mut daemon = match self.run.mcp {
            McpTransport::Http => json!({
                "type": "http",
                "url": format!("${{{MCP_URL}}}"),
                "headers": { "Authorization": format!("Bearer ${{{TOKEN}}}") },
                "alwaysLoad": true,
            }),
            McpTransport::Stdio => {
                let filled = |name: String| {
                    let value = format!("${{{name}}}");
                    (name, Value::from(value))
                };
                let env: Map<_, _> = callers(self.run).map(filled).collect();
                json!({
                    "type": "stdio",
                    "command": bridge(),
                    "args": ["mcp"],
                    "env": env,
                    "alwaysLoad": true,
                })
            }
        };
        if !self.asked().is_empty() {
            daemon["timeout"] = PATIENCE.into();
        }
        let own =
            self.run.servers.iter().map(|server| (server.name.to_string(), of(&server.server)));
        let servers: Map<_, _> = std::iter::once((SERVER.to_owned(), daemon)).chain(own).collect();
        json!({ "mcpServers": servers }).to_string()
    }

    fn environment(&self, launch: &mut Launch) {
        let ProgramConfig { base_url, key, .. } = self.config;
        launch
            .env_unless_set("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1")
            .env_unless_set("DISABLE_AUTOUPDATER", "1")
            .env_unless_set("CLAUDE_CODE_MAX_RETRIES", RETRIES)
            .env_unless_set("ENABLE_TOOL_SEARCH", "false");
        if let Some(base_url) = base_url {
            launch.env("ANTHROPIC_BASE_URL", base_url);
        }
        if let Some(key) = key {
            launch.env_of("ANTHROPIC_API_KEY", key);
        }
        let of_servers = self.run.servers.iter().flat_map(|server| server.server.variables());
        for variable in of_servers {
            launch.env_of(variable.as_str(), &variable);
        }
    }
}

impl Adapter for Claude<'_> {
    fn prepare(
        &mut self,
        launch: &mut Launch,
        prompt: &str,
        resume: Option<&str>,
    ) -> Result<String, Failure> {
        self.answer = Answer::default();
        self.environment(launch);
        launch.args(["-p", "--output-format", "stream-json", "--verbose"]);
        launch.arg("--include-partial-messages");
        let system = self.run.system.as_deref().filter(|system| !system.trim().is_empty());
        match system {
            Some(system) if system.len() > LONGEST_ARGUMENT => {
                let file = launch.write_temporary("system.md", system)?;
                launch.arg("--system-prompt-file").arg(file);
            }
            Some(system) => {
                launch.args(["--system-prompt", system]);
            }
            None => {}
        }
        // Else the system prompt of a session's first run stays with it.
        launch.args(["--system-prompt-snapshot", "off"]);
        if let Some(model) = &self.config.model {
            launch.args(["--model", model]);
        }
        let (offered, allowed) = self.tools();
        launch.args(["--mcp-config", &self.servers(), "--strict-mcp-config"]);
        launch.args(["--setting-sources", "", "--tools", &offered, "--allowedTools", &allowed]);
        self.permissions(launch);
        if let Some(session) = resume {
            launch.args(["--resume", session]);
        }
        Ok(prompt.to_owned())
    }

    fn hear(&mut self, event: &Value, story: &mut Story<'_>) {
        match event["type"].as_str() {
            Some("system") => Answer::system_event(event, story),
            Some("stream_event") => self.answer.stream_event(&event["event"], story),
            Some("assistant") => self.answer.answered(&event["message"], story),
            Some("user") => Answer::told(&event["message"], story),
            Some("result") => Answer::ended(event, story),
            _ => {}
        }
    }
}

/// A server of the agent as the program's configuration has it.
fn of(server: &McpServer) -> Value {
    match server {
        McpServer::Program { command, args, env } => {
            let env: Map<_, _> =
                env.iter().map(|(name, value)| (name.to_string(), expanded(value))).collect();
            json!({ "type": "stdio", "command": command, "args": args, "env": env })
        }
        McpServer::Remote { url, headers } => {
            let headers: Map<_, _> =
                headers.iter().map(|(name, value)| (name.clone(), expanded(value))).collect();
            json!({ "type": "http", "url": url, "headers": headers })
        }
    }
}

/// A value in which `$NAME` is written as the program writes it, `${NAME}`.
fn expanded(value: &str) -> Value {
    let find = |variable: &agent_worker_protocol::word::Variable| Some(format!("${{{variable}}}"));
    agent_worker_protocol::backend::fill(value, find).unwrap_or_default().into()
}

/// The program's names of the tools that fit.
fn named(fits: impl Fn(Tool) -> bool) -> Vec<&'static str> {
    let found = CLAUDE_TOOLS.iter().filter(|(tool, _)| fits(*tool));
    found.map(|(_, name)| *name).collect()
}
