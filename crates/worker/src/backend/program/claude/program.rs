//! The arguments and the environment of the program.

use agent_worker_protocol::{
    PermissionPrompt, Tool,
    backend::{CLAUDE_TOOLS, SERVER},
};
use serde_json::{Value, json};

use super::{
    super::{
        Adapter, Launch, Program, Story,
        permitted::{Use, how},
        servers::servers,
    },
    answer::Answer,
};
use crate::failure::Failure;

/// How often the program asks a model again that cannot be reached. The daemon tries the whole run
/// again after that.
const RETRIES: &str = "3";

/// How long a call of the daemon's tools may be silent, in milliseconds: about 23 days. A permission
/// waits for the user, and without a limit of the server the program gives up after 5 minutes.
const PATIENCE: u32 = 2_000_000_000;

/// Claude Code, for one run.
pub struct Claude<'a> {
    program: &'a Program<'a>,
    /// What has come of the model's answer that is being written
    answer: Answer,
}

impl<'a> Claude<'a> {
    /// For the program of a run.
    pub fn of(program: &'a Program<'a>) -> Self {
        Self { program, answer: Answer::default() }
    }

    /// The tools that the model uses only after the user has allowed it, by their names there.
    fn asked(&self) -> Vec<&'static str> {
        named(|tool| how(self.program.run, tool) == Use::Ask)
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
        let run = self.program.run;
        let offered = named(|tool| how(run, tool) != Use::Deny);
        let unasked = named(|tool| how(run, tool) == Use::Allow);
        let servers = run.servers.iter().map(|server| format!("mcp__{}", server.name));
        let daemon = std::iter::once(format!("mcp__{SERVER}"));
        let unasked = unasked.into_iter().map(ToOwned::to_owned);
        let allowed: Vec<_> = daemon.chain(servers).chain(unasked).collect();
        (offered.join(","), allowed.join(","))
    }

    /// The MCP servers, which the program has its model know from the beginning.
    fn servers(&self) -> String {
        let mut servers = servers(self.program.run, |name| format!("${{{name}}}"));
        for server in servers.values_mut() {
            server["type"] = if server.get("url").is_some() { "http" } else { "stdio" }.into();
        }
        let daemon = &mut servers[SERVER];
        daemon["alwaysLoad"] = true.into();
        if !self.asked().is_empty() {
            daemon["timeout"] = PATIENCE.into();
        }
        json!({ "mcpServers": servers }).to_string()
    }

    fn environment(&self, launch: &mut Launch) {
        let Program { run, config, .. } = self.program;
        launch
            .env_unless_set("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1")
            .env_unless_set("DISABLE_AUTOUPDATER", "1")
            .env_unless_set("CLAUDE_CODE_MAX_RETRIES", RETRIES)
            .env_unless_set("ENABLE_TOOL_SEARCH", "false")
            // Else it reads each file that a message names behind an `@`, also if its agent may not.
            .env_unless_set("CLAUDE_CODE_DISABLE_ATTACHMENTS", "1")
            // Else it begins another turn, after its last word, when a command has ended.
            .env_unless_set("CLAUDE_CODE_DISABLE_BACKGROUND_TASKS", "1")
            .env_if("ANTHROPIC_BASE_URL", config.base_url.as_ref())
            .env_of("ANTHROPIC_API_KEY", &config.key);
        for variable in run.servers.iter().flat_map(|own| own.server.variables()) {
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
        self.environment(launch);
        launch.args(["-p", "--output-format", "stream-json", "--verbose"]);
        launch.arg("--include-partial-messages");
        // Arguments are for all to read, so what may be secret is in files.
        if let Some(system) = self.program.system() {
            let file = launch.write_temporary("system.md", system)?;
            launch.arg("--system-prompt-file").arg(file);
        }
        // Else the system prompt of a session's first run stays with it.
        launch.args(["--system-prompt-snapshot", "off"]);
        launch.option("--model", self.program.config.model.as_deref());
        let (offered, allowed) = self.tools();
        let servers = launch.write_temporary("mcp.json", &self.servers())?;
        launch.arg("--mcp-config").arg(servers).arg("--strict-mcp-config");
        launch.args(["--setting-sources", "", "--tools", &offered, "--allowedTools", &allowed]);
        self.permissions(launch);
        launch.option("--resume", resume);
        Ok(prompt.to_owned())
    }

    fn hear(&mut self, event: &Value, story: &mut Story<'_>) {
        match event["type"].as_str() {
            Some("system") => Answer::system_event(event, story),
            Some("stream_event") => self.answer.stream_event(event, story),
            Some("assistant") => self.answer.answered(&event["message"], story),
            Some("user") => Answer::told(&event["message"], story),
            Some("result") => Answer::ended(event, story),
            _ => {}
        }
    }
}

/// The program's names of the tools that fit.
fn named(fits: impl Fn(Tool) -> bool) -> Vec<&'static str> {
    let found = CLAUDE_TOOLS.iter().filter(|(tool, _)| fits(*tool));
    found.map(|(_, name)| *name).collect()
}
