//! Cursor's print mode: `cursor-agent -p`, which prints events as JSON lines and ends with a
//! `result`. It is written from the program's documents, and was not tried with the program itself.

use std::{fs, mem};

use agent_worker_protocol::{RunConfig, Tool, backend::SERVER};
use serde_json::{Value, json};

use super::{
    Adapter, Closing, Fault, Launch, Program, Story,
    launch::cannot,
    permitted::{Use, most_restricted},
    servers::servers,
};
use crate::failure::{Failure, in_file};

/// The variable with the key, without which the program wants a person to log in.
const KEY: &str = "CURSOR_API_KEY";

/// What the program's permissions call the tools of a workspace.
const TOOLS: [(&[Tool], &str); 4] = [
    (&[Tool::Read, Tool::Glob, Tool::Grep], "Read(**)"),
    (&[Tool::Write, Tool::Edit], "Write(**)"),
    (&[Tool::Shell], "Shell(*)"),
    (&[Tool::Fetch], "WebFetch(*)"),
];

/// Cursor in print mode, for one run.
pub struct Cursor<'a> {
    program: &'a Program<'a>,
    /// Its text since its last call
    text: String,
    /// Whether it has said anything, before or after its calls
    has_spoken: bool,
}

impl<'a> Cursor<'a> {
    /// For the program of a run.
    pub fn of(program: &'a Program<'a>) -> Self {
        Self { program, text: String::new(), has_spoken: false }
    }

    /// The settings that say what the program may do without asking. The user cannot
    /// be asked in this mode, so tools under `ask` are denied.
    fn permissions(run: &RunConfig) -> Value {
        let (allow, deny): (Vec<_>, Vec<_>) =
            TOOLS.iter().partition(|(tools, _)| most_restricted(run, tools) == Use::Allow);
        let names = |tools: Vec<&(&[Tool], &'static str)>| {
            tools.into_iter().map(|(_, name)| (*name).to_owned()).collect::<Vec<_>>()
        };
        let servers = run.servers.iter().map(|own| own.name.to_string());
        let servers = servers.chain([SERVER.to_owned()]);
        let mut allow = names(allow);
        allow.extend(servers.map(|server| format!("Mcp({server}:*)")));
        json!({ "version": 1, "permissions": { "allow": allow, "deny": names(deny) } })
    }

    /// A home of the program's own: the user's would give it the user's servers and permissions.
    fn make_home(&self, launch: &mut Launch) -> Result<(), Failure> {
        let run = self.program.run;
        let home = launch.keep()?.join("cursor");
        let folder = home.join(".cursor");
        let servers = servers(run, |name| format!("${{env:{name}}}"));
        let servers = json!({ "mcpServers": servers });
        let written = fs::create_dir_all(&folder).and_then(|()| {
            fs::write(folder.join("mcp.json"), servers.to_string())?;
            fs::write(folder.join("cli-config.json"), Self::permissions(run).to_string())
        });
        written.map_err(|error| cannot("write", &folder, &error))?;
        launch.env("HOME", home);
        Ok(())
    }

    fn call(&mut self, event: &Value, story: &mut Story<'_>) {
        let Some(id) = event["call_id"].as_str() else { return };
        let Some((kind, call)) = event["tool_call"].as_object().and_then(|call| call.iter().next())
        else {
            return;
        };
        if event["subtype"] == "started" || !story.has_call(id) {
            self.text.clear();
            let (name, arguments) = named(kind, call);
            story.call(id, &name, &arguments);
        }
        if event["subtype"] == "completed" {
            let result = &call["result"];
            let has_failed = result.get("success").is_none() && !result.is_null();
            let is_refused = result.get("rejected").is_some();
            let is_undone = has_failed && (is_refused || story.is_whole(id));
            story.result(id, &told(result), has_failed, is_undone);
        }
    }
}

/// The name of a tool and its arguments: `readToolCall` is `read`, and an MCP server's tool has its
/// server before its name.
fn named(kind: &str, call: &Value) -> (String, Value) {
    let arguments = &call["args"];
    let field = |name: &str| arguments[name].as_str();
    match kind {
        "mcpToolCall" => {
            let tool = field("toolName").or(field("name")).unwrap_or("tool");
            let server = field("providerIdentifier").map(|server| format!("mcp__{server}__"));
            (format!("{}{tool}", server.unwrap_or_default()), arguments["args"].clone())
        }
        "function" => {
            let text = call["arguments"].as_str().unwrap_or_default();
            let arguments = serde_json::from_str(text).unwrap_or_else(|_| json!(text));
            (call["name"].as_str().unwrap_or("function").to_owned(), arguments)
        }
        kind => (kind.strip_suffix("ToolCall").unwrap_or(kind).to_owned(), arguments.clone()),
    }
}

/// What a tool has answered, for a reader.
fn told(result: &Value) -> String {
    let inner = result.get("success").or_else(|| result.get("error")).unwrap_or(result);
    let fields = ["content", "output", "stdout", "message", "errorMessage"];
    let text = fields.iter().find_map(|field| inner[field].as_str());
    let texts = inner["content"].as_array().map(|parts| {
        let text = |part: &Value| {
            part["text"]["text"].as_str().or(part["text"].as_str()).map(str::to_owned)
        };
        parts.iter().filter_map(text).collect::<Vec<_>>().join("\n")
    });
    text.map(str::to_owned).or(texts).unwrap_or_else(|| inner.to_string())
}

impl Adapter for Cursor<'_> {
    fn prepare(
        &mut self,
        launch: &mut Launch,
        prompt: &str,
        resume: Option<&str>,
    ) -> Result<String, Failure> {
        let Program { run, config, .. } = self.program;
        let has_key = config.key.is_some() || config.env.iter().any(|name| name.as_str() == KEY);
        if !has_key {
            let text = format!(
                "{}: mode `print` needs a key: leave the mode out to use your log-in, or add {KEY} \
                 to the agent's `env:` {}",
                self.program.name(),
                in_file(run)
            );
            return Err(Failure::permanent(text));
        }
        launch.env_of(KEY, &config.key);
        for variable in run.servers.iter().flat_map(|own| own.server.variables()) {
            launch.env_of(variable.as_str(), &variable);
        }
        self.make_home(launch)?;
        launch.args([
            "-p",
            "--output-format",
            "stream-json",
            "--trust",
            "--approve-mcps",
            "--force",
        ]);
        launch.option("--model", config.model.as_deref()).option("--resume", resume);
        // It has no place for a system prompt.
        let before = match resume {
            Some(_) => self.program.changed_system(),
            None => self.program.system().map(|system| format!("{system}\n\n")),
        };
        Ok(before.unwrap_or_default() + prompt)
    }

    fn hear(&mut self, event: &Value, story: &mut Story<'_>) {
        match event["type"].as_str() {
            Some("system") => {
                if let Some(session) = event["session_id"].as_str() {
                    story.is_in(session);
                }
            }
            Some("assistant") => {
                // Each event is a whole message.
                let mut is_next = !self.text.is_empty();
                for part in event["message"]["content"].as_array().into_iter().flatten() {
                    let text = part["text"].as_str().unwrap_or_default();
                    if !text.is_empty() && mem::take(&mut is_next) {
                        self.text.push_str("\n\n");
                    }
                    self.text.push_str(text);
                    self.has_spoken |= !text.is_empty();
                    story.text(text);
                }
                story.end_block();
            }
            Some("tool_call") => self.call(event, story),
            Some("result") => {
                let text = event["result"].as_str().unwrap_or_default();
                let is_error = event["is_error"] != false || event["subtype"] != "success";
                story.close(if is_error {
                    Closing::Failed(Fault { text: text.to_owned(), ..Fault::default() })
                } else if self.has_spoken {
                    // Its result is all that it has said, before and after its calls.
                    Closing::Done(self.text.trim().to_owned())
                } else {
                    Closing::Done(text.to_owned())
                });
            }
            _ => {}
        }
    }
}
