//! An agent program that speaks the Agent Client Protocol and does what its script says. It is this
//! test program, started again: [`stub_agent`] writes the command that does so.

use std::{
    fs,
    io::{BufRead, Write},
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::{Home, block_on};

/// The variable that names the script of an agent.
const SCRIPT: &str = "STUB_SCRIPT";

/// What an agent is like, and what it does in each of its turns. Later turns repeat the last.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Script {
    /// What it says that it can do
    pub capabilities: Value,
    /// Its turns, over all its sessions and processes
    pub turns: Vec<Vec<Step>>,
    /// Whether it goes on when its input ends, until it gets TERM
    pub is_stubborn: bool,
}

/// One thing that an agent does.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub enum Step {
    /// Says something.
    Say(String),
    /// Thinks something.
    Think(String),
    /// Asks the daemon for its tools.
    List,
    /// Uses a tool of the daemon's, and tells of it.
    Use(String, Value),
    /// Asks whether it may do this, and says what became of it.
    Permission(Value),
    /// Tells of something else.
    Update(Value),
    /// Writes this line.
    Line(String),
    /// Writes a line of this number of bytes.
    Huge(usize),
    /// Starts a command that has left its session, and does not wait for it.
    Spawn(String),
    /// Says which session it is in, and how often it was prompted there.
    Remember,
    /// Waits for its turn to be cancelled.
    Wait,
    /// Complains on its standard error.
    Complain(String),
    /// Ends with this exit code.
    Exit(i32),
    /// Answers the prompt with an error.
    Refuse(i64, String),
    /// Answers the prompt with an error, and only then tells of this.
    RefuseBefore(i64, String, Value),
    /// Answers the prompt with this.
    End(Value),
    /// Ends its turn, and only then tells of this.
    EndBefore(Value),
}

impl Default for Script {
    fn default() -> Self {
        let capabilities = json!({
            "loadSession": true,
            "mcpCapabilities": { "http": true },
            "sessionCapabilities": { "resume": {} },
        });
        Self { capabilities, turns: Vec::new(), is_stubborn: false }
    }
}

impl Script {
    /// An agent that does this in every turn.
    pub fn of(turn: Vec<Step>) -> Self {
        Self { turns: vec![turn], ..Self::default() }
    }
}

/// Writes a script and a program that plays it, and returns the program's name for `command:`.
pub fn stub_agent(home: &Home, name: &str, script: &Script) -> String {
    let text = serde_json::to_string(script).unwrap();
    let file = home.write(&format!("{name}.json"), &text);
    let me = std::env::current_exe().unwrap();
    // What the test program says of itself is not for the client.
    let text = format!(
        "#!/bin/sh\nexport {SCRIPT}='{}'\nexec '{}' --exact support::stub_agent::an_agent_plays_its_script \
         --nocapture --test-threads=1 3>&1 >/dev/null\n",
        file.display(),
        me.display()
    );
    let program = home.write(&format!("bin/{name}"), &text);
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    format!("./bin/{name}")
}

/// Not a test by itself: it is an agent where a test has started it as one.
#[test]
fn an_agent_plays_its_script() {
    let Some(file) = std::env::var_os(SCRIPT) else { return };
    let file = PathBuf::from(file);
    let script: Script = serde_json::from_str(&fs::read_to_string(&file).unwrap()).unwrap();
    let to = fs::OpenOptions::new().write(true).open("/dev/fd/3").unwrap();
    let sessions = file.with_extension("sessions");
    fs::create_dir_all(&sessions).unwrap();
    let lines = std::io::stdin().lock().lines();
    let mut agent = Agent {
        script,
        sessions,
        to,
        lines: Box::new(lines.map_while(Result::ok)),
        session: String::new(),
        server: Value::Null,
        last_id: 0,
    };
    agent.play();
    if agent.script.is_stubborn {
        loop {
            std::thread::park();
        }
    }
}

struct Agent {
    script: Script,
    /// A file for each session, with the number of its prompts
    sessions: PathBuf,
    to: fs::File,
    lines: Box<dyn Iterator<Item = String>>,
    session: String,
    server: Value,
    last_id: i64,
}

impl Agent {
    fn play(&mut self) {
        while let Some(line) = self.lines.next() {
            let message: Value = serde_json::from_str(&line).unwrap();
            let (id, params) = (message["id"].clone(), message["params"].clone());
            match message["method"].as_str() {
                Some("initialize") => {
                    let capabilities = self.script.capabilities.clone();
                    let info = json!({ "name": "stub", "version": "1" });
                    self.answer(
                        &id,
                        &json!({
                            "protocolVersion": 1,
                            "agentCapabilities": capabilities,
                            "agentInfo": info,
                        }),
                    );
                }
                Some("session/new") => {
                    let number = fs::read_dir(&self.sessions).unwrap().count();
                    self.session = format!("stub-{number}");
                    fs::write(self.sessions.join(&self.session), "0").unwrap();
                    self.server = params["mcpServers"][0].clone();
                    self.answer(&id, &json!({ "sessionId": self.session }));
                }
                Some("session/resume" | "session/load") => {
                    let session = params["sessionId"].as_str().unwrap().to_owned();
                    if !self.sessions.join(&session).exists() {
                        self.refuse(&id, -32_002, &format!("session `{session}` not found"));
                        continue;
                    }
                    self.session = session;
                    self.server = params["mcpServers"][0].clone();
                    self.answer(&id, &json!({}));
                }
                Some("session/prompt") => {
                    let text = params["prompt"][0]["text"].as_str().unwrap();
                    fs::write(self.sessions.with_extension("prompt"), text).unwrap();
                    self.turn(&id);
                }
                _ => {}
            }
        }
    }

    fn prompts(&self) -> usize {
        let count = |path: &Path| fs::read_to_string(path).unwrap().parse::<usize>().unwrap();
        let files = fs::read_dir(&self.sessions).unwrap();
        files.map(|entry| count(&entry.unwrap().path())).sum()
    }

    fn turn(&mut self, id: &Value) {
        let turns = &self.script.turns;
        let steps = turns[self.prompts().min(turns.len() - 1)].clone();
        let file = self.sessions.join(&self.session);
        let prompts = fs::read_to_string(&file).unwrap().parse::<usize>().unwrap() + 1;
        fs::write(&file, prompts.to_string()).unwrap();
        let mut stop_reason = "end_turn";
        for step in steps {
            match step {
                Step::Say(text) => self.chunk("agent_message_chunk", &text),
                Step::Think(text) => self.chunk("agent_thought_chunk", &text),
                Step::List => drop(self.rpc("tools/list", &json!({}))),
                Step::Use(tool, arguments) => self.use_tool(&tool, &arguments),
                Step::Permission(call) => {
                    let outcome = self.permission(&call);
                    self.chunk("agent_message_chunk", &outcome);
                }
                Step::Update(update) => self.update(&update),
                Step::Line(line) => self.write(&line),
                Step::Huge(bytes) => self.write(&"x".repeat(bytes)),
                Step::Spawn(command) => {
                    let mut apart = Command::new("setsid");
                    apart.args(["sh", "-c", &command]).stdin(Stdio::null()).stdout(Stdio::null());
                    #[expect(clippy::zombie_processes, reason = "it is to outlive the agent")]
                    let _ = apart.spawn().unwrap();
                }
                Step::Remember => {
                    let text = format!("prompt {prompts} of {}", self.session);
                    self.chunk("agent_message_chunk", &text);
                }
                Step::Wait => {
                    if !self.lines.any(|line| line.contains("session/cancel")) {
                        return;
                    }
                    fs::write(self.sessions.with_extension("cancelled"), "").unwrap();
                    stop_reason = "cancelled";
                }
                Step::Complain(text) => eprintln!("{text}"),
                Step::Exit(code) => std::process::exit(code),
                Step::Refuse(code, message) => return self.refuse(id, code, &message),
                Step::RefuseBefore(code, message, update) => {
                    self.refuse(id, code, &message);
                    return self.update(&update);
                }
                Step::End(answer) => return self.answer(id, &answer),
                Step::EndBefore(update) => {
                    self.answer(id, &json!({ "stopReason": "end_turn" }));
                    return self.update(&update);
                }
            }
        }
        self.answer(id, &json!({ "stopReason": stop_reason }));
    }

    fn use_tool(&mut self, tool: &str, arguments: &Value) {
        self.last_id += 1;
        let id = format!("call-{}", self.last_id);
        self.update(&json!({
            "sessionUpdate": "tool_call", "toolCallId": id, "name": format!("mcp__daemon__{tool}"),
            "title": tool, "kind": "other", "status": "in_progress", "rawInput": arguments,
        }));
        let params = json!({ "name": tool, "arguments": arguments });
        let answer = self.rpc("tools/call", &params);
        let status = if answer["result"]["isError"] == true { "failed" } else { "completed" };
        let content = answer["result"]["content"][0].clone();
        self.update(&json!({
            "sessionUpdate": "tool_call_update", "toolCallId": id, "status": status,
            "content": [{ "type": "content", "content": content }],
        }));
    }

    /// Asks the server that the client has named.
    fn rpc(&mut self, method: &str, params: &Value) -> Value {
        let body = json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params });
        let url = self.server["url"].as_str().expect("a server over HTTP").to_owned();
        let header = self.server["headers"][0]["value"].as_str().unwrap().to_owned();
        block_on(async {
            let http = agent_worker_http::client().no_proxy().build().unwrap();
            let request = http
                .post(url)
                .header("authorization", header)
                .header("accept", "application/json, text/event-stream")
                .header("mcp-protocol-version", "2025-11-25")
                .json(&body);
            request.send().await.unwrap().json().await.unwrap()
        })
    }

    fn permission(&mut self, call: &Value) -> String {
        let kinds = ["allow_once", "allow_always", "reject_once"];
        let options: Vec<_> = kinds
            .iter()
            .map(|kind| json!({ "optionId": kind, "name": kind, "kind": kind }))
            .collect();
        let params = json!({ "sessionId": self.session, "toolCall": call, "options": options });
        let method = "session/request_permission";
        self.send(&json!({ "jsonrpc": "2.0", "id": "p", "method": method, "params": params }));
        let answer = self.lines.find_map(|line| {
            let message: Value = serde_json::from_str(&line).unwrap();
            (message["id"] == "p").then_some(message)
        });
        let outcome = answer.map(|answer| answer["result"]["outcome"].clone()).unwrap_or_default();
        outcome["optionId"].as_str().unwrap_or("cancelled").to_owned()
    }

    fn chunk(&mut self, kind: &str, text: &str) {
        let content = json!({ "type": "text", "text": text });
        self.update(&json!({ "sessionUpdate": kind, "content": content }));
    }

    fn update(&mut self, update: &Value) {
        let params = json!({ "sessionId": self.session, "update": update });
        self.send(&json!({ "jsonrpc": "2.0", "method": "session/update", "params": params }));
    }

    fn answer(&mut self, id: &Value, result: &Value) {
        self.send(&json!({ "jsonrpc": "2.0", "id": id, "result": result }));
    }

    fn refuse(&mut self, id: &Value, code: i64, message: &str) {
        let error = json!({ "code": code, "message": message });
        self.send(&json!({ "jsonrpc": "2.0", "id": id, "error": error }));
    }

    fn send(&mut self, message: &Value) {
        self.write(&message.to_string());
    }

    fn write(&mut self, line: &str) {
        writeln!(self.to, "{line}").unwrap();
    }
}
