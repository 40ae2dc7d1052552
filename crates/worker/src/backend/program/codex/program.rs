//! The arguments and the environment of the program, and the meaning of its events.

use std::{env, fs, os::unix::fs::symlink, path::PathBuf, time::Duration};

use agent_worker_protocol::{McpTransport, Permissions, Tool, ToolServer, Usage, backend::SERVER};
use serde_json::Value;

use super::{
    super::{
        Adapter, Closing, Fault, Launch, Program, Story,
        content::texts_of,
        launch::cannot,
        permitted::{Use, how},
        run_program::{MCP_URL, TOKEN, bridge, callers},
    },
    model::{model_key, model_options},
    servers::{self, set, set_list, text},
};
use crate::{failure::Failure, prompt};

/// Longest wait for an answer of the daemon: `ask_person` and `my_inbox` may wait for 45 s.
const TOOL_TIMEOUT: u32 = 75;

/// What is off: tools that rival the daemon's, what reaches for the network by itself, and a file
/// with the whole environment, which a program that is ended leaves in its folder.
const OFF: [&str; 9] = [
    "features.multi_agent=false",
    "agents.enabled=false",
    "features.sleep_tool=false",
    "features.goals=false",
    "features.plugins=false",
    "features.view_image=false",
    "features.shell_snapshot=false",
    "analytics.enabled=false",
    "check_for_update_on_startup=false",
];

/// Codex, for one run.
pub struct Codex<'a> {
    program: &'a Program<'a>,
    /// The newest text of the model since its last call
    text: String,
}

impl<'a> Codex<'a> {
    /// For the program of a run.
    pub fn of(program: &'a Program<'a>) -> Self {
        Self { program, text: String::new() }
    }

    /// The agent's system prompt, and the names of the daemon's tools: the program shows them to its
    /// model only when it looks for them.
    fn instructions(&self) -> String {
        let run = self.program.run;
        let system = run.system.as_deref().unwrap_or_default().trim();
        let names = prompt::tool_names(run, |tool| self.program.name_of(tool));
        format!("{system}\n\nThe MCP server `{SERVER}` offers you these tools: {names}.\n")
            .trim_start()
            .to_owned()
    }

    /// Whether the program uses a tool. It can ask for none.
    fn has(&self, tool: Tool) -> bool {
        how(self.program.run, tool) == Use::Allow
    }

    /// What the agent's tools are in the program: commands, in a sandbox that lets them write or
    /// not.
    fn tools(&self, launch: &mut Launch) {
        let may_write = [Tool::Write, Tool::Edit, Tool::Shell].iter().any(|tool| self.has(*tool));
        let may_read = [Tool::Read, Tool::Glob, Tool::Grep].iter().any(|tool| self.has(*tool));
        let sandbox = if may_write { "workspace-write" } else { "read-only" };
        set(launch, "sandbox_mode", sandbox);
        set(launch, "web_search", if self.has(Tool::Fetch) { "live" } else { "disabled" });
        // It reads and changes files by commands: without them its file tools are gone too.
        let Permissions { ask, deny, .. } = &self.program.run.permissions;
        let is_withheld = ask.contains(&Tool::Shell) || deny.contains(&Tool::Shell);
        if is_withheld || (!may_write && !may_read) {
            launch.args(["-c", "features.shell_tool=false", "-c", "features.unified_exec=false"]);
        }
    }

    fn servers(&self, launch: &mut Launch) {
        let run = self.program.run;
        match run.mcp {
            McpTransport::Http => {
                set(launch, &format!("mcp_servers.{SERVER}.url"), &run.mcp_url);
                set(launch, &format!("mcp_servers.{SERVER}.bearer_token_env_var"), TOKEN);
            }
            McpTransport::Stdio => {
                set(launch, &format!("mcp_servers.{SERVER}.command"), &bridge());
                set_list(launch, &format!("mcp_servers.{SERVER}.args"), ["mcp"]);
                set_list(launch, &format!("mcp_servers.{SERVER}.env_vars"), callers(run));
            }
        }
        set(launch, &format!("mcp_servers.{SERVER}.default_tools_approval_mode"), "approve");
        launch.arg("-c").arg(format!("mcp_servers.{SERVER}.required=true"));
        launch.arg("-c").arg(format!("mcp_servers.{SERVER}.tool_timeout_sec={TOOL_TIMEOUT}"));
        if !run.servers.is_empty() {
            servers::hide(launch);
        }
        for (at, ToolServer { name, server }) in run.servers.iter().enumerate() {
            servers::add(launch, at, name.as_str(), server);
        }
    }

    /// The program's own folder: sessions of this agent, and nothing of the user's settings. The
    /// instructions are in its configuration, because arguments are for all to read. The user's
    /// log-in is linked, so that a renewed one is the user's too.
    fn home(&self, launch: &mut Launch) -> Result<(), Failure> {
        let home = launch.keep()?.join("codex");
        let made = fs::create_dir_all(&home).and_then(|()| {
            let told = format!("developer_instructions = {}\n", text(&self.instructions()));
            fs::write(home.join("config.toml"), told)?;
            let own = home.join("auth.json");
            match own.symlink_metadata() {
                Ok(found) if found.is_symlink() => fs::remove_file(&own)?,
                // A log-in that was made there is the agent's.
                Ok(_) => return Ok(()),
                Err(_) => {}
            }
            let keys = ["OPENAI_API_KEY", "CODEX_API_KEY"];
            let config = self.program.config;
            let has_key =
                config.key.is_some() || config.env.iter().any(|name| keys.contains(&name.as_str()));
            match users_home().map(|home| home.join("auth.json")).filter(|file| file.is_file()) {
                Some(users) if !has_key => symlink(users, own),
                _ => Ok(()),
            }
        });
        made.map_err(|error| cannot("prepare", &home, &error))?;
        launch.env("CODEX_HOME", home);
        Ok(())
    }

    fn item(&mut self, event: &str, item: &Value, story: &mut Story<'_>) {
        let is_whole = event == "item.completed";
        let id = item["id"].as_str().unwrap_or_default();
        let said = item["text"].as_str().unwrap_or_default();
        match item["type"].as_str() {
            Some("agent_message") if is_whole => {
                said.clone_into(&mut self.text);
                story.text(said);
                story.end_block();
            }
            Some("reasoning") if is_whole => {
                story.thinking(said);
                story.end_block();
            }
            Some("error") if is_whole => {
                story.notice(item["message"].as_str().unwrap_or("an error"));
            }
            Some(kind) => {
                if let Some((tool, arguments)) = call(kind, item) {
                    if !story.has_call(id) {
                        self.text.clear();
                        story.call(id, &tool, &arguments);
                    }
                    if is_whole {
                        let (text, is_undone) = (result(kind, item), is_undone(item));
                        story.result(id, &text, has_failed(item), is_undone);
                    }
                }
            }
            None => {}
        }
    }

    /// An error that is not the end: the program asks the model again, and says how often. While it
    /// waits for the network, it does not count.
    fn error(message: &str, story: &mut Story<'_>) {
        let Some(rest) = message.strip_prefix("Reconnecting... ") else { return };
        let (first, others) = rest.split_once(' ').unwrap_or((rest, ""));
        let (n, of, why) = match first.split_once('/') {
            Some((n, of)) => (n.parse().unwrap_or(1_u32), of.parse().unwrap_or(1_u32), others),
            None => (1, 1, rest),
        };
        let why = why.strip_prefix('(').and_then(|why| why.strip_suffix(')')).unwrap_or(why);
        story.away(why, n.saturating_add(1), of.saturating_add(1), Duration::ZERO);
    }
}

impl Adapter for Codex<'_> {
    fn prepare(
        &mut self,
        launch: &mut Launch,
        prompt: &str,
        resume: Option<&str>,
    ) -> Result<String, Failure> {
        self.home(launch)?;
        launch.arg("exec");
        if resume.is_some() {
            launch.arg("resume");
        }
        launch.args(["--json", "--skip-git-repo-check"]);
        launch.args(model_options(self.program.config));
        if let Some((name, key)) = model_key(self.program.config) {
            launch.env_of(name, key);
        }
        self.servers(launch);
        self.tools(launch);
        for setting in OFF {
            launch.args(["-c", setting]);
        }
        launch.env(MCP_URL, &self.program.run.mcp_url);
        launch.args(resume).arg("-");
        // A session that goes on keeps the instructions that it began with.
        let before = resume.and_then(|_| self.program.changed_system());
        Ok(before.unwrap_or_default() + prompt)
    }

    fn hear(&mut self, event: &Value, story: &mut Story<'_>) {
        match event["type"].as_str() {
            Some("thread.started") => {
                if let Some(thread) = event["thread_id"].as_str() {
                    story.is_in(thread);
                }
            }
            Some(kind @ ("item.started" | "item.updated" | "item.completed")) => {
                self.item(kind, &event["item"], story);
            }
            Some("error") => Self::error(event["message"].as_str().unwrap_or_default(), story),
            Some("turn.completed") => {
                story.used_by_session(usage(&event["usage"]));
                story.close(Closing::Done(std::mem::take(&mut self.text)));
            }
            Some("turn.failed") => {
                let text = event["error"]["message"].as_str().unwrap_or("it failed").to_owned();
                story.close(Closing::Failed(Fault { text, ..Fault::default() }));
            }
            _ => {}
        }
    }
}

/// The tool that an item is a call of, and its arguments. A tool of the agent's own servers may
/// have the name of another tool, so its server stands before it.
fn call(kind: &str, item: &Value) -> Option<(String, Value)> {
    let (tool, arguments) = match kind {
        "mcp_tool_call" => (item["tool"].as_str()?, "arguments"),
        "command_execution" => ("shell", "command"),
        "file_change" => ("edit", "changes"),
        "web_search" => ("fetch", "query"),
        "todo_list" => ("todo_list", "items"),
        _ => return None,
    };
    let own = item["server"].as_str().filter(|server| *server != SERVER);
    let own = own.map(|server| format!("mcp__{server}__{tool}"));
    Some((own.unwrap_or_else(|| tool.to_owned()), item[arguments].clone()))
}

fn result(kind: &str, item: &Value) -> String {
    if let Some(error) = item["error"]["message"].as_str() {
        return error.to_owned();
    }
    match kind {
        "mcp_tool_call" => {
            item["result"]["content"].as_array().map(|blocks| texts_of(blocks)).unwrap_or_default()
        }
        "command_execution" => {
            let output = item["aggregated_output"].as_str().unwrap_or_default();
            match item["exit_code"].as_i64() {
                None | Some(0) => output.to_owned(),
                Some(code) => format!("{output}\n(exit code {code})"),
            }
        }
        _ => item["status"].as_str().unwrap_or("done").to_owned(),
    }
}

/// Whether a call has failed. A command that has ended tells its exit code instead.
fn has_failed(item: &Value) -> bool {
    let has_code = item["exit_code"].as_i64().is_some_and(|code| code != 0);
    !has_code && matches!(item["status"].as_str(), Some("failed" | "declined"))
}

/// Whether a call has done nothing. A command that has ended has run, however it ended; what a tool
/// of the agent's own servers did before it failed is not known.
fn is_undone(item: &Value) -> bool {
    let is_own = item["type"] == "mcp_tool_call" && item["server"] != SERVER;
    let may_have_begun = item["exit_code"].is_i64() || is_own;
    item["status"] == "declined" || (item["status"] == "failed" && !may_have_begun)
}

/// Tokens of the whole thread. Its maker counts what came from the cache as read, too.
fn usage(told: &Value) -> Usage {
    let count = |key: &str| told[key].as_i64();
    let (cached, written) = (count("cached_input_tokens"), count("cache_write_input_tokens"));
    let again = cached.unwrap_or(0).saturating_add(written.unwrap_or(0));
    Usage {
        input: count("input_tokens").map(|input| input.saturating_sub(again).max(0)),
        output: count("output_tokens"),
        cache_read: cached,
        cache_write: written,
        reasoning: count("reasoning_output_tokens"),
    }
}

fn users_home() -> Option<PathBuf> {
    let named = env::var_os("CODEX_HOME").map(PathBuf::from);
    named.or_else(|| Some(PathBuf::from(env::var_os("HOME")?).join(".codex")))
}
