//! A session with an agent: from `initialize` to the answer to its prompt.

use std::{cell::Cell, time::Duration};

use agent_worker_protocol::{BlockKind, Permissions, Tool};
use futures::{FutureExt, future::LocalBoxFuture};
use serde_json::{Map, Value, json};
use tokio::time::timeout;

use super::{
    narration::Narration,
    permission::{self, Rule},
    speech::{
        Initialized, METHOD_NOT_FOUND, Opened, Outcome, PermissionOption, PermissionRequest,
        Prompted, Update, VERSION,
    },
    trouble::Trouble,
    wire::{Broken, Client, Source, Wire},
};
use crate::tools::{Decision, Tools};

/// How long an agent may take for everything before its prompt. Many load for seconds, and ask
/// MCP servers for their tools.
const OPENING: Duration = Duration::from_mins(2);

/// How long an agent may take to log in with a key that it has.
const LOG_IN: Duration = Duration::from_secs(30);

/// What a session is opened with.
#[derive(Debug, Clone, Default)]
pub struct Opening {
    /// The folder that it works in
    pub cwd: String,
    /// What it is told of who it is; `None` if its program has been given that already
    pub system: Option<String>,
    /// The session that it goes on with
    pub resumed: Option<String>,
    /// The mode that it works in
    pub mode: Option<String>,
    /// The model that it uses; `None` if its program has been given that already
    pub model: Option<String>,
    /// Whether it answers `session/load` before it has told again all that was said
    pub is_late: bool,
}

/// A session that is open.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Session {
    /// Its id at the agent
    pub id: String,
    /// Whether it goes on with what was said in earlier runs
    pub is_resumed: bool,
    /// Whether the agent takes its system prompt with the session
    pub has_system: bool,
    /// Names of the ways to log in that were not tried
    pub log_ins: Vec<String>,
}

/// Asks the user for a permission.
pub trait Ask {
    /// Waits for the decision; an error says why the user could not be asked.
    fn ask<'s>(
        &'s self,
        tool: &'s str,
        arguments: Map<String, Value>,
    ) -> LocalBoxFuture<'s, Result<Decision, String>>;
}

impl Ask for Tools {
    fn ask<'s>(
        &'s self,
        tool: &'s str,
        arguments: Map<String, Value>,
    ) -> LocalBoxFuture<'s, Result<Decision, String>> {
        let asking = self.permission(tool, arguments);
        asking.map(|decided| decided.map_err(|error| error.to_string())).boxed_local()
    }
}

/// What an agent may do.
pub struct Rights<'s> {
    pub tools: &'s [Tool],
    /// Which of them it uses unasked
    pub permissions: &'s Permissions,
    /// Who is asked about the others
    pub person: &'s dyn Ask,
}

/// The worker's side of a session.
pub struct Listener<'s> {
    pub narration: Narration<'s>,
    rights: &'s Rights<'s>,
    /// Whether what is told is of earlier runs, and is known
    is_replay: bool,
    /// How much was told of them
    replayed: usize,
    /// What is to be done once the agent works
    on_work: Option<Box<dyn FnOnce() + 's>>,
}

impl<'s> Listener<'s> {
    /// Listens from now on.
    pub fn new(narration: Narration<'s>, rights: &'s Rights<'s>) -> Self {
        Self { narration, rights, is_replay: false, replayed: 0, on_work: None }
    }

    /// Has something done as soon as the agent says or does anything.
    pub fn on_work(&mut self, what: impl FnOnce() + 's) {
        self.on_work = Some(Box::new(what));
    }

    /// Whether the agent has said or done anything since `on_work` was called.
    pub fn has_worked(&self) -> bool {
        self.on_work.is_none()
    }

    /// Notes that the agent says or does something, unless it tells of earlier runs.
    fn works(&mut self) {
        if !self.is_replay
            && let Some(what) = self.on_work.take()
        {
            what();
        }
    }
}

impl<'s> Client<'s> for Listener<'s> {
    fn update(&mut self, update: Update) {
        if update.is_work() {
            self.works();
        }
        self.replayed += usize::from(self.is_replay);
        // What a session has cost before is told when it is opened again.
        if !self.is_replay || matches!(update, Update::Usage(_)) {
            self.narration.update(update);
        }
    }

    fn other_line(&mut self, what: &str, line: &str) {
        self.narration.other_line(what, line);
    }

    fn permission(&mut self, request: PermissionRequest) -> LocalBoxFuture<'s, Outcome> {
        self.works();
        let PermissionRequest { tool_call, options } = request;
        let is_denied = self.narration.asked(&tool_call);
        let Rights { tools, permissions, person } = self.rights;
        let owner = self.narration.names.owner(&tool_call);
        match permission::rule(&owner, tools, permissions) {
            Rule::Allow => async move { allow(&options, true, &is_denied) }.boxed_local(),
            Rule::Deny(why) => {
                let title = tool_call.title.as_deref().unwrap_or("a tool");
                self.narration.notice(&format!("denied: `{title}`: {why}"));
                std::future::ready(permission::reject(&options)).boxed_local()
            }
            Rule::Ask(tool) => {
                let deciding = person.ask(tool, permission::arguments(&tool_call));
                let transcript = self.narration.transcript;
                async move {
                    let why = match deciding.await {
                        Ok(Decision::Allowed) => return allow(&options, false, &is_denied),
                        Ok(Decision::Denied(because)) => because,
                        Err(error) => format!("the user could not be asked ({error})"),
                    };
                    // An agent is told that it may not, and never why.
                    let text = format!("denied: `{tool}`: {why}");
                    transcript.write(BlockKind::Notice, None, &text);
                    permission::reject(&options)
                }
                .boxed_local()
            }
        }
    }
}

/// Allows a call, which is denied all the same if its agent offers no such answer. A turn that is
/// cancelled before does not come here.
fn allow(options: &[PermissionOption], is_unasked: bool, is_denied: &Cell<bool>) -> Outcome {
    let outcome = permission::allow(options, is_unasked);
    is_denied.set(outcome == Outcome::Cancelled);
    outcome
}

/// Opens a session. `servers` are the MCP servers for an agent that reaches them by HTTP, or else
/// for an agent that starts programs for them.
pub async fn open<S: Source>(
    wire: &mut Wire<S>,
    opening: &Opening,
    servers: impl FnOnce(bool) -> Vec<Value>,
    listener: &mut Listener<'_>,
) -> Result<Session, Trouble> {
    let steps = async {
        let agent = initialize(wire, listener).await?;
        let servers = servers(agent.knows_http());
        let log_ins = agent.log_ins().into_iter().map(|(_, name)| name.to_owned()).collect();
        let mut opener = Opener { wire, opening, servers, agent, log_ins, listener };
        let (session, answer) = match opener.go_on().await? {
            Some(found) => found,
            None => opener.begin().await?,
        };
        opener.wire.keep_to(&session.id);
        opener.choose(&session, &answer).await?;
        Ok(session)
    };
    let in_time = timeout(OPENING, steps).await;
    in_time.unwrap_or(Err(Trouble::Broken("a session", Broken::Silent(OPENING))))
}

async fn initialize<S: Source>(
    wire: &mut Wire<S>,
    listener: &mut Listener<'_>,
) -> Result<Initialized, Trouble> {
    const METHOD: &str = "initialize";
    let params = json!({
        "protocolVersion": VERSION,
        "clientInfo": { "name": "agent-worker", "version": env!("CARGO_PKG_VERSION") },
        "clientCapabilities": {
            "fs": { "readTextFile": false, "writeTextFile": false },
            "terminal": false,
        },
    });
    let answer: Result<Map<_, _>, _> = wire.call(METHOD, params, listener).await;
    let agent = Initialized(answer.map_err(|broken| Trouble::Broken(METHOD, broken))?.into());
    match agent.version() {
        version if *version == VERSION => Ok(agent),
        other => Err(Trouble::Version(other.to_string())),
    }
}

struct Opener<'o, 's, S> {
    wire: &'o mut Wire<S>,
    opening: &'o Opening,
    servers: Vec<Value>,
    agent: Initialized,
    /// Names of the ways to log in that were not tried
    log_ins: Vec<String>,
    listener: &'o mut Listener<'s>,
}

impl<S: Source> Opener<'_, '_, S> {
    /// Opens the session of earlier runs; `None` if the run has none, or it is gone.
    async fn go_on(&mut self) -> Result<Option<(Session, Opened)>, Trouble> {
        let Some(id) = &self.opening.resumed else { return Ok(None) };
        let method = if self.agent.has("resume") {
            "session/resume"
        } else if self.agent.loads_sessions() {
            "session/load"
        } else {
            return Ok(None);
        };
        // Loading tells again all that was said.
        self.listener.is_replay = true;
        let opened = self.request(method, Some(id)).await;
        let mut goes_on = opened.is_ok() && self.opening.is_late;
        while goes_on {
            // While it waits to write something long, it answers before it tells the rest.
            let known = self.listener.replayed;
            let told = self.wire.catch_up(self.listener).await;
            told.map_err(|broken| Trouble::Broken(method, broken))?;
            goes_on = self.listener.replayed > known;
        }
        self.listener.is_replay = false;
        match opened {
            Ok(opened) => Ok(Some((self.session(id.clone(), true), opened))),
            Err(trouble) => {
                let Some(notice) = trouble.loses(id) else { return Err(trouble) };
                self.listener.narration.cost = None;
                self.listener.narration.notice(&notice);
                Ok(None)
            }
        }
    }

    async fn begin(&mut self) -> Result<(Session, Opened), Trouble> {
        const METHOD: &str = "session/new";
        let opened = self.request(METHOD, None).await?;
        let Some(id) = opened.session_id().map(str::to_owned) else {
            let text = "its answer to `session/new` names no session".to_owned();
            return Err(Trouble::Broken(METHOD, Broken::Garbled(text)));
        };
        Ok((self.session(id, false), opened))
    }

    fn session(&self, id: String, is_resumed: bool) -> Session {
        let (has_system, log_ins) = (self.agent.takes_system(), self.log_ins.clone());
        Session { id, is_resumed, has_system, log_ins }
    }

    /// Asks for a session; once more if the agent wants a log-in, which some do in each process.
    async fn request(
        &mut self,
        method: &'static str,
        session: Option<&String>,
    ) -> Result<Opened, Trouble> {
        let asked = self.ask(method, session).await;
        let Err(Trouble::LogIn(message, _)) = asked else { return asked };
        if self.log_in().await {
            return self.ask(method, session).await;
        }
        Err(Trouble::LogIn(message, self.log_ins.clone()))
    }

    async fn ask(
        &mut self,
        method: &'static str,
        session: Option<&String>,
    ) -> Result<Opened, Trouble> {
        let mut params = json!({ "cwd": self.opening.cwd, "mcpServers": self.servers });
        if let Some(session) = session {
            params["sessionId"] = json!(session);
        }
        if let (Some(system), true) = (&self.opening.system, self.agent.takes_system()) {
            let content = [json!({ "type": "text", "text": system })];
            params["systemPrompt"] = json!({ "mode": "append", "content": content });
        }
        let opened: Result<Option<Map<_, _>>, _> =
            self.wire.call(method, params, self.listener).await;
        let opened = opened.map_err(|broken| Trouble::of(method, broken, &self.log_ins))?;
        Ok(Opened(opened.unwrap_or_default().into()))
    }

    /// Logs in with a key that the agent finds in its environment. Every other way needs a person.
    async fn log_in(&mut self) -> bool {
        let mut ways = self.agent.log_ins().into_iter();
        let Some((id, name)) = ways.find(|(id, _)| id.contains("api-key")) else { return false };
        self.log_ins.retain(|way| way != name);
        let params = json!({ "methodId": id });
        let answered = self.wire.call::<Value>("authenticate", params, self.listener);
        matches!(timeout(LOG_IN, answered).await, Ok(Ok(_)))
    }

    /// Chooses the mode and the model.
    async fn choose(&mut self, session: &Session, opened: &Opened) -> Result<(), Trouble> {
        let Opening { mode, model, .. } = self.opening;
        for (what, wanted, old_method, key, known) in [
            ("mode", mode, "session/set_mode", "modeId", opened.modes()),
            ("model", model, "session/set_model", "modelId", opened.models()),
        ] {
            let Some(wanted) = wanted else { continue };
            let id = &session.id;
            let option = opened.option(what);
            // Many name what they offer only when a session begins.
            let is_blind = session.is_resumed && known.is_empty() && option.is_none();
            let (method, params) = match &option {
                Some((option, values)) if values.contains(&wanted.as_str()) => (
                    "session/set_config_option",
                    json!({ "sessionId": id, "configId": option, "value": wanted }),
                ),
                _ if is_blind || known.contains(&wanted.as_str()) => {
                    (old_method, json!({ "sessionId": id, key: wanted }))
                }
                _ => {
                    let mut offered = known;
                    offered.extend(option.into_iter().flat_map(|(_, values)| values));
                    return Err(Trouble::Unknown(unknown(what, wanted, offered)));
                }
            };
            match self.wire.call::<Value>(method, params, self.listener).await {
                Ok(_) => {}
                // It stays as it is.
                Err(Broken::Refused { code: METHOD_NOT_FOUND, .. }) if is_blind => {}
                Err(broken) => return Err(Trouble::of(method, broken, &self.log_ins)),
            }
        }
        Ok(())
    }
}

fn unknown(what: &str, wanted: &str, mut offered: Vec<&str>) -> String {
    /// How many are named.
    const MOST: usize = 20;
    offered.dedup();
    let rest = offered.len().saturating_sub(MOST);
    let names = offered.iter().take(MOST).copied().collect::<Vec<_>>().join(", ");
    match (offered.as_slice(), rest) {
        ([], _) => format!("it offers no choice of a {what}, and `{wanted}` is asked for"),
        (_, 0) => format!("it has no {what} `{wanted}`: it has {names}"),
        _ => format!("it has no {what} `{wanted}`: it has {names} and {rest} more"),
    }
}

/// Sends the prompt and waits for the end of its turn.
pub async fn prompt<S: Source>(
    wire: &mut Wire<S>,
    session: &Session,
    text: &str,
    listener: &mut Listener<'_>,
) -> Result<Prompted, Trouble> {
    const METHOD: &str = "session/prompt";
    let prompt = [json!({ "type": "text", "text": text })];
    let params = json!({ "sessionId": session.id, "prompt": prompt });
    let prompted = wire.call(METHOD, params, listener).await;
    match prompted {
        // It was logged in.
        Err(broken) if listener.has_worked() => Err(Trouble::Broken(METHOD, broken)),
        prompted => prompted.map_err(|broken| Trouble::of(METHOD, broken, &session.log_ins)),
    }
}
