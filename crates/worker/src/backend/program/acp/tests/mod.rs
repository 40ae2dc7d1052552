//! Sessions with agents that say again what real ones have said, and with agents that behave badly.

use std::{cell::Cell, collections::BTreeMap, time::Duration};

use agent_worker_protocol::{BlockKind, Permissions, Tool, Usage, WorkerReport};
use futures::{FutureExt, future::LocalBoxFuture};
use serde_json::{Map, Value, json};
use tokio::{
    io::{
        AsyncBufReadExt, AsyncRead, AsyncReadExt, AsyncWriteExt, BufReader, DuplexStream, duplex,
        split,
    },
    sync::Mutex,
};

use super::{
    super::{
        judge::Closing,
        lines::{Lines, Said},
    },
    answer::last_word,
    narration::Narration,
    permission::{Names, Owner, Rule, rule},
    session::{self, Ask, Listener, Opening, Rights, Session},
    speech::{Prompted, ToolCall},
    trouble::Trouble,
    wire::{Broken, Source, Wire},
};
use crate::{
    acts::Acts,
    backend::marks::{CUT_OFF, DECLINED, NOT_FINISHED},
    reports::{Reports, tests::Kept},
    tools::Decision,
    transcript::Transcript,
};

mod calls;
mod permissions;
mod presets;
mod replays;
mod trouble;

impl<R: AsyncRead + Unpin> Source for Lines<R> {
    async fn hear(&mut self) -> Option<Said> {
        self.next().await
    }
}

/// What came of a session.
struct Played {
    session: Result<Session, Trouble>,
    prompted: Result<Prompted, Trouble>,
    text: String,
    cost: Option<f64>,
    error: Option<String>,
    acted: bool,
    has_worked: bool,
    /// The transcript: each block with its name and text
    blocks: Vec<(BlockKind, Option<String>, String)>,
    asked: Vec<(String, Map<String, Value>)>,
    /// What the agent was sent, in order
    sent: Vec<Value>,
}

/// A user who always decides the same.
struct Person {
    decision: Option<Decision>,
    asked: Mutex<Vec<(String, Map<String, Value>)>>,
}

impl Ask for Person {
    fn ask<'s>(
        &'s self,
        tool: &'s str,
        arguments: Map<String, Value>,
    ) -> LocalBoxFuture<'s, Result<Decision, String>> {
        async move {
            self.asked.lock().await.push((tool.to_owned(), arguments));
            match &self.decision {
                Some(decision) => Ok(decision.clone()),
                None => std::future::pending().await,
            }
        }
        .boxed_local()
    }
}

/// How a session is played.
struct Stage {
    opening: Opening,
    tools: Vec<Tool>,
    permissions: Permissions,
    decision: Option<Decision>,
    /// The longest that the agent is waited for after its prompt
    is_cancelled: bool,
    /// Whether the agent is heard until it closes its output
    is_heard_out: bool,
}

impl Stage {
    fn new() -> Self {
        let opening = Opening { cwd: "/team".to_owned(), ..Opening::default() };
        Self {
            opening,
            tools: Vec::new(),
            permissions: Permissions::default(),
            decision: None,
            is_cancelled: false,
            is_heard_out: false,
        }
    }

    /// Plays a session with this agent.
    async fn play(&self, agent: impl AsyncFnOnce(&mut Agent)) -> Played {
        let kept = Kept::default();
        let transcript = Transcript::new(Reports::to(kept.clone()));
        let acts = Acts::default();
        let has_worked = Cell::new(false);
        let names = Names { servers: vec!["tickets".to_owned()] };
        let person = Person { decision: self.decision.clone(), asked: Mutex::default() };
        let rights = Rights { tools: &self.tools, permissions: &self.permissions, person: &person };
        let (ours, theirs) = duplex(64 << 10);
        let (from, to) = split(ours);
        let mut agent_end = Agent::new(theirs);
        let worker = async {
            let mut listener = Listener::new(Narration::new(&transcript, &acts, &names), &rights);
            let mut wire = Wire::new(Lines::of(from), to);
            let opened = session::open(&mut wire, &self.opening, servers, &mut listener).await;
            let prompted = match &opened {
                Ok(open) => {
                    if self.is_cancelled {
                        wire.canceller().cancel(&open.id);
                    }
                    listener.on_work(|| has_worked.set(true));
                    session::prompt(&mut wire, open, "go", &mut listener).await
                }
                Err(trouble) => Err(trouble.clone()),
            };
            if self.is_heard_out {
                wire.hear_out(Duration::MAX, &mut listener).await;
            }
            let error = listener.narration.error().map(str::to_owned);
            let cost = listener.narration.cost;
            let text = listener.narration.end();
            (opened, prompted, text, cost, error)
        };
        let playing = async {
            agent(&mut agent_end).await;
            agent_end
        };
        let ((session, prompted, text, cost, error), mut agent_end) = tokio::join!(worker, playing);
        agent_end.drain().await;
        Played {
            session,
            prompted,
            text,
            cost,
            error,
            acted: acts.has_any(),
            has_worked: has_worked.get(),
            blocks: blocks(&kept.reports()),
            asked: person.asked.into_inner(),
            sent: agent_end.heard,
        }
    }
}

/// The servers of a session.
fn servers(is_http: bool) -> Vec<Value> {
    vec![if is_http {
        let header = json!({ "name": "Authorization", "value": "Bearer t" });
        let url = "http://127.0.0.1:1/mcp";
        json!({ "type": "http", "name": "daemon", "url": url, "headers": [header] })
    } else {
        json!({ "name": "daemon", "command": "/bin/agent-worker", "args": ["mcp"], "env": [] })
    }]
}

/// An agent's end of the connection.
struct Agent {
    lines: BufReader<tokio::io::ReadHalf<DuplexStream>>,
    to: Option<tokio::io::WriteHalf<DuplexStream>>,
    heard: Vec<Value>,
    /// The session that its updates name
    session: &'static str,
}

impl Agent {
    fn new(end: DuplexStream) -> Self {
        let (from, to) = split(end);
        Self { lines: BufReader::new(from), to: Some(to), heard: Vec::new(), session: "s" }
    }

    /// The next message of the client.
    async fn hear(&mut self) -> Value {
        let mut line = String::new();
        self.lines.read_line(&mut line).await.unwrap();
        let message: Value = serde_json::from_str(&line).unwrap();
        self.heard.push(message.clone());
        message
    }

    /// The next request of a method, with its id.
    async fn hear_request(&mut self, method: &str) -> Value {
        let message = self.hear().await;
        assert_eq!(message["method"], method, "{message}");
        message["id"].clone()
    }

    async fn write(&mut self, bytes: &[u8]) {
        if let Some(to) = &mut self.to {
            // A client that has heard enough reads no more.
            let _ = to.write_all(bytes).await;
        }
    }

    async fn say(&mut self, message: &Value) {
        self.write(format!("{message}\n").as_bytes()).await;
    }

    async fn answer(&mut self, id: &Value, result: &Value) {
        self.say(&json!({ "jsonrpc": "2.0", "id": id, "result": result })).await;
    }

    async fn refuse(&mut self, id: &Value, code: i64, message: &str) {
        let error = json!({ "code": code, "message": message });
        self.say(&json!({ "jsonrpc": "2.0", "id": id, "error": error })).await;
    }

    async fn update(&mut self, update: Value) {
        let params = json!({ "sessionId": self.session, "update": update });
        self.say(&json!({ "jsonrpc": "2.0", "method": "session/update", "params": params })).await;
    }

    /// Begins a session with these capabilities, up to the prompt, whose id is returned.
    async fn begin(&mut self, capabilities: Value) -> Value {
        self.introduce(capabilities).await;
        let id = self.hear_request("session/new").await;
        self.answer(&id, &json!({ "sessionId": "s" })).await;
        self.hear_request("session/prompt").await
    }

    async fn introduce(&mut self, capabilities: Value) {
        let id = self.hear_request("initialize").await;
        let answer = json!({ "protocolVersion": 1, "agentCapabilities": capabilities });
        self.answer(&id, &answer).await;
    }

    /// Asks for a permission and gives the outcome.
    async fn permission(&mut self, call: Value, kinds: &[&str]) -> Value {
        let options: Vec<_> = kinds
            .iter()
            .map(|kind| json!({ "optionId": format!("o-{kind}"), "name": kind, "kind": kind }))
            .collect();
        let params = json!({ "sessionId": "s", "toolCall": call, "options": options });
        let method = "session/request_permission";
        self.say(&json!({ "jsonrpc": "2.0", "id": "p", "method": method, "params": params })).await;
        self.hear().await["result"]["outcome"].clone()
    }

    async fn end_turn(&mut self, prompt: &Value) {
        self.answer(prompt, &json!({ "stopReason": "end_turn" })).await;
    }

    /// Closes its output.
    async fn close(&mut self) {
        if let Some(mut to) = self.to.take() {
            to.shutdown().await.unwrap();
        }
    }

    /// What was still sent to it.
    async fn drain(&mut self) {
        self.close().await;
        let mut rest = String::new();
        let _ = self.lines.read_to_string(&mut rest).await;
        self.heard.extend(rest.lines().map(|line| serde_json::from_str::<Value>(line).unwrap()));
    }
}

fn blocks(reports: &[WorkerReport]) -> Vec<(BlockKind, Option<String>, String)> {
    let mut blocks: BTreeMap<i64, (BlockKind, Option<String>, String)> = BTreeMap::new();
    for report in reports {
        match report {
            WorkerReport::Block { n, kind, name } => {
                blocks.insert(*n, (*kind, name.clone(), String::new()));
            }
            WorkerReport::Delta { n, text } => blocks.get_mut(n).unwrap().2.push_str(text),
            _ => {}
        }
    }
    blocks.into_values().collect()
}

/// The blocks in one line each.
fn told(played: &Played) -> Vec<String> {
    let line = |(kind, name, text): &(BlockKind, Option<String>, String)| {
        let name = name.as_deref().map(|name| format!(" {name}")).unwrap_or_default();
        format!("{kind:?}{name}: {}", text.split_whitespace().collect::<Vec<_>>().join(" "))
    };
    played.blocks.iter().map(line).collect()
}
