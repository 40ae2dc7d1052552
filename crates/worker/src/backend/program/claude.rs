//! Claude Code: `claude -p`, which prints events as JSON lines and ends with a `result`.

use std::{collections::HashMap, time::Duration};

use agent_worker_protocol::{
    question::PermissionPrompt,
    report::{ProgramConfig, RunConfig},
    run::Usage,
    workflow_file::{CLAUDE_TOOLS, McpServer, McpTransport, Tool},
};
use serde_json::{Map, Value, json};

use super::{
    Adapter, Closing, Launch, MCP_URL, Program, SERVER, Story, TOKEN, bridge, callers,
    judge::{Fault, is_unknown_session},
};
use crate::backend::Failure;

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

/// An answer of the model, as far as it has come.
#[derive(Default)]
struct Answer {
    /// Its blocks that are told as they grow, by their places
    growing: HashMap<u64, &'static str>,
    /// Whether text, or thinking, of it was told as it grew
    has_grown: HashMap<&'static str, bool>,
    usage: Usage,
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

    fn system_event(event: &Value, story: &mut Story<'_>) {
        match event["subtype"].as_str() {
            Some("init") => {
                if let Some(session) = event["session_id"].as_str() {
                    story.is_in(session);
                }
                let servers = event["mcp_servers"].as_array().into_iter().flatten();
                for server in servers {
                    let (name, status) = (&server["name"], server["status"].as_str());
                    if let (Some(name), Some(status @ ("failed" | "needs-auth"))) =
                        (name.as_str(), status)
                    {
                        missing(name, status, story);
                    }
                }
            }
            Some("api_retry") => {
                let number = |key: &str| event[key].as_u64().and_then(|n| u32::try_from(n).ok());
                let (attempt, of) = (number("attempt"), number("max_retries"));
                let status = event["error_status"].as_u64();
                let status = status.map_or(String::new(), |status| format!(" ({status})"));
                let error = event["error"].as_str().unwrap_or("no answer");
                let next = event["retry_delay_ms"].as_u64().unwrap_or(0);
                story.away(
                    &format!("{error}{status}"),
                    attempt.unwrap_or(1).saturating_add(1),
                    of.unwrap_or(1).saturating_add(1),
                    Duration::from_millis(next),
                );
            }
            Some("compact_boundary") => story.notice("it has shortened its conversation"),
            _ => {}
        }
    }

    /// A piece of an answer, as its server sends it.
    fn stream_event(&mut self, event: &Value, story: &mut Story<'_>) {
        let place = event["index"].as_u64().unwrap_or(0);
        match event["type"].as_str() {
            Some("message_start") => {
                story.cut_block();
                let usage = usage(&event["message"]["usage"]);
                self.answer = Answer { usage, ..Answer::default() };
            }
            Some("content_block_start") => {
                let kind = match event["content_block"]["type"].as_str() {
                    Some("text") => "text",
                    Some("thinking") => "thinking",
                    _ => return,
                };
                self.answer.growing.insert(place, kind);
            }
            Some("content_block_delta") => {
                let Some(kind) = self.answer.growing.get(&place).copied() else { return };
                let piece = event["delta"][kind].as_str().unwrap_or_default();
                if piece.is_empty() {
                    return;
                }
                self.answer.has_grown.insert(kind, true);
                if kind == "text" { story.text(piece) } else { story.thinking(piece) }
            }
            Some("content_block_stop") if self.answer.growing.remove(&place).is_some() => {
                story.end_block();
            }
            Some("message_delta") => {
                let told = usage(&event["usage"]);
                let usage = &mut self.answer.usage;
                usage.output = told.output.or(usage.output);
                usage.input = told.input.or(usage.input);
                usage.cache_read = told.cache_read.or(usage.cache_read);
                usage.cache_write = told.cache_write.or(usage.cache_write);
            }
            Some("message_stop") => {
                story.used(std::mem::take(&mut self.answer.usage), None);
            }
            _ => {}
        }
    }

    /// A block of an answer, whole. What was told as it grew is not told again.
    fn answered(&self, message: &Value, story: &mut Story<'_>) {
        // What the program says itself, in the place of a model: the closing says it too.
        if message["model"] == "<synthetic>" {
            return;
        }
        let has_grown = |kind| self.answer.has_grown.contains_key(kind);
        for block in message["content"].as_array().into_iter().flatten() {
            match block["type"].as_str() {
                Some("text") if !has_grown("text") => {
                    story.text(block["text"].as_str().unwrap_or_default());
                    story.end_block();
                }
                Some("thinking") if !has_grown("thinking") => {
                    story.thinking(block["thinking"].as_str().unwrap_or_default());
                    story.end_block();
                }
                Some("tool_use") => {
                    let (id, name) = (block["id"].as_str(), block["name"].as_str());
                    if let (Some(id), Some(name)) = (id, name) {
                        story.call(id, own_name(name), &block["input"]);
                    }
                }
                _ => {}
            }
        }
    }

    fn told(message: &Value, story: &mut Story<'_>) {
        for block in message["content"].as_array().into_iter().flatten() {
            if let (Some("tool_result"), Some(id)) =
                (block["type"].as_str(), block["tool_use_id"].as_str())
            {
                story.result(id, &text_of(&block["content"]), block["is_error"] == true);
            }
        }
    }

    fn ended(event: &Value, story: &mut Story<'_>) {
        let since = event["model_usage_since_last_result"].as_object();
        let costs = since.into_iter().flat_map(|models| models.values());
        let costs: Vec<_> = costs.filter_map(|model| model["costUSD"].as_f64()).collect();
        let cost = (!costs.is_empty()).then(|| costs.iter().sum());
        story.used_in_all(usage(&event["usage"]), cost);
        let errors = event["errors"].as_array().into_iter().flatten();
        let errors: Vec<_> = errors.filter_map(Value::as_str).collect();
        let text = event["result"].as_str().map_or_else(|| errors.join("; "), ToOwned::to_owned);
        let status = event["api_error_status"].as_u64().and_then(|n| u16::try_from(n).ok());
        let subtype = event["subtype"].as_str().unwrap_or_default();
        let is_error = event["is_error"] != false || subtype != "success" || status.is_some();
        story.close(if !is_error {
            Closing::Done(text)
        } else if is_unknown_session(&text) {
            Closing::UnknownSession
        } else {
            let reason = event["terminal_reason"].as_str().filter(|_| text.is_empty());
            let text = if text.is_empty() { reason.unwrap_or(subtype).to_owned() } else { text };
            Closing::Failed(Fault { status, text, retry_after: None })
        });
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
            Some("system") => Self::system_event(event, story),
            Some("stream_event") => self.stream_event(&event["event"], story),
            Some("assistant") => self.answered(&event["message"], story),
            Some("user") => Self::told(&event["message"], story),
            Some("result") => Self::ended(event, story),
            _ => {}
        }
    }
}

/// A server that the program could not reach. Without the daemon's there is nothing to go on with.
fn missing(name: &str, status: &str, story: &mut Story<'_>) {
    if name == SERVER {
        story.close(Closing::NoTools(format!("its connection is `{status}`")));
    } else {
        story.notice(&format!("MCP server `{name}` cannot be used in this run: {status}"));
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
    agent_worker_protocol::workflow_file::fill(value, find).unwrap_or_default().into()
}

/// The program's names of the tools that fit.
fn named(fits: impl Fn(Tool) -> bool) -> Vec<&'static str> {
    let found = CLAUDE_TOOLS.iter().filter(|(tool, _)| fits(*tool));
    found.map(|(_, name)| *name).collect()
}

/// The name that a tool of the workspace has for every backend.
fn own_name(tool: &str) -> &str {
    CLAUDE_TOOLS.iter().find(|(_, name)| *name == tool).map_or(tool, |(own, _)| own.as_str())
}

/// Tokens, as the maker's API counts them.
fn usage(told: &Value) -> Usage {
    let count = |key: &str| told[key].as_i64();
    Usage {
        input: count("input_tokens"),
        output: count("output_tokens"),
        cache_read: count("cache_read_input_tokens"),
        cache_write: count("cache_creation_input_tokens"),
        reasoning: told["output_tokens_details"]["thinking_tokens"].as_i64(),
    }
}

/// A result: a text, or blocks, some of them texts.
fn text_of(content: &Value) -> String {
    match content {
        Value::String(text) => text.clone(),
        Value::Array(blocks) => {
            let texts = blocks.iter().map(|block| match block["text"].as_str() {
                Some(text) => text.to_owned(),
                None => format!("[{}]", block["type"].as_str().unwrap_or("something")),
            });
            texts.collect::<Vec<_>>().join("\n")
        }
        Value::Null => String::new(),
        other => other.to_string(),
    }
}
