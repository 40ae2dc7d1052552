//! Speaks with an agent until its turn has ended.

use std::{
    pin::pin,
    time::{Duration, Instant},
};

use agent_worker_protocol::{
    BlockKind, McpServer, McpTransport, RunConfig, ToolServer, Usage, backend::SERVER,
};
use serde_json::{Value, json};

use super::{
    super::{
        Closing, Ended, Fault, Kept, Launch, Program, Running, Said,
        by_hand::by_hand,
        judge::{Trouble, judge, of_fault, of_silence, transient, with_complaints},
        launch::filled,
        run_program::{TERM_GRACE, bridge},
    },
    narration::Narration,
    permission::Names,
    preset,
    session::{self, Listener, Opening, Rights},
    speech::Prompted,
    trouble::Trouble as Fall,
    wire::{Broken, Source, Wire},
};
use crate::{
    backend::marks::{CUT_OFF, DECLINED, NOT_FINISHED},
    failure::{Failure, in_file},
    farewell::Speaker,
    history::Seen,
    processes::shell,
    reports::UNCOUNTED,
    session::Session,
};

/// Time for an agent to end by itself once its input has ended. Some wait for TERM.
const HANG_UP: Duration = Duration::from_secs(1);

impl Source for Running {
    async fn hear(&mut self) -> Option<Said> {
        Self::hear(self).await
    }
}

/// Lets an agent answer. A session that has become too long for its model, or that its model's server
/// refuses, is begun anew, once.
pub async fn answer(session: &Session<'_>, program: &Program<'_>) -> Result<String, Failure> {
    let mut is_resumed = false;
    match attempt(session, program, program.kept.clone(), &mut is_resumed).await {
        Ok(text) => return Ok(text),
        Err(trouble) if is_resumed => trouble.begin_anew(session, program)?,
        Err(trouble) => return Err(trouble.into_failure(program)),
    }
    let answered = attempt(session, program, None, &mut is_resumed).await;
    answered.map_err(|trouble| trouble.into_failure(program))
}

/// Starts the agent once, and speaks with it until its turn has ended. Notes whether it goes on with
/// its session.
async fn attempt(
    session: &Session<'_>,
    program: &Program<'_>,
    resumed: Option<Kept>,
    is_resumed: &mut bool,
) -> Result<String, Trouble> {
    let mut launch = Launch::of(program)?;
    let given = preset::prepare(&mut launch, program)?;
    let mut running = launch.start(None)?;
    let Some(input) = running.input() else {
        let text = format!("program `{}` has no input", program.name());
        return Err(Failure::transient(text).into());
    };
    let run = session.config;
    let names = Names { servers: run.servers.iter().map(|own| own.name.to_string()).collect() };
    let rights =
        Rights { tools: &run.tools, permissions: &run.permissions, person: &session.tools };
    let narration = Narration::new(session.transcript, &session.acts, &names);
    let mut listener = Listener::new(narration, &rights);
    let opening = Opening {
        cwd: run.cwd.clone().unwrap_or_else(|| "/".to_owned()),
        system: session.prompt.system.clone().filter(|_| !program.is_given_system()),
        resumed: resumed.as_ref().map(|kept| kept.session.clone()),
        mode: program.mode().map(str::to_owned),
        model: program.config.model.clone().filter(|_| !given.has_model),
        is_late: given.is_late,
    };
    let mut talk = Talk {
        session,
        program,
        resumed,
        is_resumed,
        owed: None,
        wire: Wire::new(running, input),
        listener: &mut listener,
    };
    let closing = talk.go(&opening).await;
    let Talk { wire, owed, .. } = talk;
    let error = listener.narration.error().map(str::to_owned);
    let ended = hang_up(wire, &mut listener).await;
    let late = listener.narration.cost;
    let answered = match closing {
        Ok(prompted) => {
            let closing = last_word(&prompted, error, listener.narration.end());
            judge(Some(closing), &ended, false)
        }
        Err(fall) => {
            listener.narration.break_off();
            Err(fallen(fall, &ended, program))
        }
    };
    if let Some(owed) = owed {
        owed.book(late, session, program);
    }
    answered
}

/// Ends an agent whose turn has ended or failed. What it tells until then belongs to the turn.
async fn hang_up(wire: Wire<Running>, listener: &mut Listener<'_>) -> Ended {
    let since = Instant::now();
    let running = wire.hear_out(HANG_UP, listener).await;
    let mut ended = running.end(HANG_UP.saturating_sub(since.elapsed()), TERM_GRACE).await;
    // It was told to end by the end of its input.
    ended.was_told = true;
    ended
}

/// What a turn has used.
struct Owed {
    usage: Usage,
    /// What that cost in dollars; `None` if unknown
    spent: Option<f64>,
    /// What its session had cost before, in dollars
    paid: f64,
    /// Its session; `None` if the next run begins another
    last: Option<Kept>,
}

impl Owed {
    /// Reckons with what the session has cost by now, and keeps that with the session. An agent
    /// tells the cost of the whole session, or none: then it follows from the price, for all
    /// requests of the turn together.
    fn settle(&mut self, cost: Option<f64>, session: &Session<'_>, program: &Program<'_>) {
        let told = cost.map(|cost| (cost - self.paid).max(0.0));
        self.spent = told.or_else(|| program.config.price?.of_many(self.usage.plausible()));
        session.reports.using_as_told(self.usage, self.spent);
        if let Some(last) = &mut self.last {
            last.cost = cost.or(last.cost);
            last.store(session.reports);
        }
    }

    /// Books it. `late` is what the session has cost, if its agent has told that only after it had
    /// answered or refused the prompt.
    fn book(mut self, late: Option<f64>, session: &Session<'_>, program: &Program<'_>) {
        if late.is_some() {
            self.settle(late, session, program);
        }
        if !session.reports.used_as_told(self.usage, self.spent) {
            session.transcript.write(BlockKind::Notice, None, UNCOUNTED);
        }
    }
}

/// One conversation with an agent.
struct Talk<'t, 's> {
    session: &'t Session<'t>,
    program: &'t Program<'t>,
    resumed: Option<Kept>,
    is_resumed: &'t mut bool,
    /// What its turn has used. It is booked once the program has ended: a limit that it reaches ends
    /// no run whose answer is there.
    owed: Option<Owed>,
    wire: Wire<Running>,
    listener: &'t mut Listener<'s>,
}

impl Talk<'_, '_> {
    async fn go(&mut self, opening: &Opening) -> Result<Prompted, Fall> {
        let (run, transcript) = (self.session.config, self.session.transcript);
        let told_servers = |knows_http| {
            for notice in out_of_reach(run, knows_http) {
                transcript.write(BlockKind::Notice, None, &notice);
            }
            servers(run, knows_http)
        };
        let open = session::open(&mut self.wire, opening, told_servers, self.listener).await?;
        *self.is_resumed = open.is_resumed;
        let before = self.resumed.take().filter(|_| open.is_resumed);
        let text = self.text(&open);
        let kept = Kept {
            session: open.id.clone(),
            seen: Seen::of(&self.session.context),
            cost: before.as_ref().and_then(|before| before.cost),
            known: self.program.known(),
            takes_system: open.has_system,
            by_hand: by_hand(self.program.config, &open.id),
            total: None,
        };
        // A session that is cut short is gone on with too.
        let reports = self.session.reports.clone();
        let begun = kept.clone();
        self.listener.on_work(move || begun.store(&reports));
        let canceller = self.wire.canceller();
        let mut speaker = Speaker::new();
        let prompted = {
            let prompting = session::prompt(&mut self.wire, &open, &text, self.listener);
            let mut prompting = pin!(prompting);
            tokio::select! {
                prompted = &mut prompting => prompted,
                () = speaker.told() => {
                    canceller.cancel(&open.id);
                    prompting.await
                }
            }
        };
        self.settle(prompted.as_ref().ok(), kept, before);
        prompted
    }

    /// Tells what a turn has used and keeps its session, which was kept as `before` until then. Of a
    /// turn that failed only the cost is known, once its agent has told it.
    fn settle(&mut self, prompted: Option<&Prompted>, kept: Kept, before: Option<Kept>) {
        // What is told after this is told late.
        let cost = self.listener.narration.cost.take();
        let usage = prompted.map(Prompted::used).unwrap_or_default();
        let paid = kept.cost.unwrap_or(0.0);
        // The agent may not have read its prompt where it has done nothing.
        let has_worked = prompted.is_some() || self.listener.has_worked();
        // Words that come late would store the session with what it had cost before.
        self.listener.on_work(|| {});
        let last = if has_worked { Some(kept) } else { before };
        let owed = self.owed.insert(Owed { usage, spent: None, paid, last });
        if prompted.is_some() || cost.is_some() {
            owed.settle(cost, self.session, self.program);
        }
    }

    /// Returns the prompt, behind a system prompt that the agent is given in no other way. Only now
    /// is it certain whether the session goes on, and how its agent takes the system prompt.
    fn text(&self, open: &session::Session) -> String {
        let (program, prompt) = (self.program, &self.session.prompt);
        let is_given = program.is_given_system() || open.has_system;
        let keeps_system = open.is_resumed && !is_given;
        let whole = prompt.whole.as_ref().filter(|_| !open.is_resumed);
        let text = if keeps_system {
            program.going_on(prompt)
        } else {
            whole.unwrap_or(&prompt.text).clone()
        };
        if whole.is_some() || keeps_system != program.keeps_system() {
            program.tell_instead(self.session, &text);
        }
        let system = prompt.system.as_ref().filter(|_| !open.is_resumed && !is_given);
        let before = system.map(|system| format!("{system}\n\n"));
        before.unwrap_or_default() + &text
    }
}

/// What the end of a turn means. That an agent says it is done is not all: some say so when their
/// model could not be reached.
pub fn last_word(prompted: &Prompted, error: Option<String>, text: String) -> Closing {
    let failed = |text: String| Closing::Failed(Fault { text, ..Fault::default() });
    match prompted.stop_reason.as_str() {
        "end_turn" => match error {
            Some(error) => failed(error),
            None if prompted.is_unanswered() => failed(text),
            None => Closing::Done(text),
        },
        // Work that was done is not done again for an answer that is not whole.
        "max_tokens" if text.is_empty() => Closing::Stopped(
            "too_long: its model reached its longest answer, and wrote no text before that"
                .to_owned(),
        ),
        "max_tokens" => Closing::Done(text + CUT_OFF),
        "max_turn_requests" => {
            Closing::Stopped("it reached its request limit in one turn".to_owned())
        }
        "refusal" if text.is_empty() => Closing::Done(DECLINED.to_owned()),
        "refusal" => Closing::Done(text + NOT_FINISHED),
        "cancelled" => failed("its turn was cancelled".to_owned()),
        other => failed(format!("it ended its turn with `{other}`")),
    }
}

/// What an agent that has not ended its turn makes of the run.
fn fallen(fall: Fall, ended: &Ended, program: &Program<'_>) -> Trouble {
    let name = program.name();
    let resume = program.resume();
    let permanent = |text: String| Failure::permanent(format!("{name}: {text}")).into();
    match fall {
        Fall::Broken(_, Broken::Closed) => of_silence(ended, false),
        Fall::Broken(method, Broken::Refused { code, message }) => {
            // gemini's error code is the status of the model's server, or 500 for whatever else went
            // wrong; those of JSON-RPC are negative.
            let status = u16::try_from(code).ok();
            let status = status.filter(|code| (400..600).contains(code) && *code != 500);
            let text = format!("`{method}`: {message}");
            of_fault(Fault { status, text, ..Fault::default() }, ended)
        }
        Fall::Broken(_, Broken::Garbled(why)) => transient(ended, &why),
        Fall::Broken(what, Broken::Silent(longest)) => {
            let text = silent(what, longest, program.run);
            transient(ended, &with_complaints(&text, ended))
        }
        Fall::LogIn(message, ways) => {
            let ways =
                if ways.is_empty() { String::new() } else { format!(": {}", ways.join(", ")) };
            permanent(format!(
                "not logged in ({message}): log in with `{name}`{ways}, then {resume}"
            ))
        }
        Fall::Unknown(why) => {
            permanent(format!("{why}: change the agent {}", in_file(program.run)))
        }
        Fall::Version(version) => permanent(format!(
            "version {version} of the Agent Client Protocol is not supported (1 is): install \
             another version of `{name}`, then {resume}"
        )),
    }
}

/// What is told of an agent that has not opened its session in time. It starts its MCP servers
/// before that, and waits for them.
pub fn silent(what: &str, longest: Duration, run: &RunConfig) -> String {
    let text = format!("no answer to `{what}` within {} s", longest.as_secs());
    let names: Vec<_> = run.servers.iter().map(|own| own.name.to_string()).collect();
    match names.as_slice() {
        [] => text,
        [one] => format!("{text} (its MCP server `{one}` may hang)"),
        many => format!("{text} (one of its MCP servers may hang: {})", many.join(", ")),
    }
}

/// The agent's own servers that its program cannot reach: the protocol forbids to name them.
/// Returns what is to be told of each.
pub fn out_of_reach(run: &RunConfig, knows_http: bool) -> impl Iterator<Item = String> {
    let remote = run.servers.iter().filter(move |own| is_out_of_reach(own, knows_http));
    remote.map(|ToolServer { name, .. }| {
        format!(
            "the MCP server `{name}` cannot be used in this run: the agent program does not speak \
             MCP over HTTP"
        )
    })
}

fn is_out_of_reach(own: &ToolServer, knows_http: bool) -> bool {
    !knows_http && matches!(own.server, McpServer::Remote { .. })
}

/// The MCP servers of a session, as `session/new` takes them: the daemon's, and the agent's own.
/// A server that is a program has no `type`.
pub fn servers(run: &RunConfig, knows_http: bool) -> Vec<Value> {
    let daemon = if knows_http && run.mcp == McpTransport::Http {
        let header = pair("Authorization", &format!("Bearer {}", run.token));
        json!({ "type": "http", "name": SERVER, "url": run.mcp_url, "headers": [header] })
    } else {
        let identity = shell::identity(run);
        let env: Vec<_> = identity.iter().map(|(name, value)| pair(name, value)).collect();
        json!({ "name": SERVER, "command": bridge(), "args": ["mcp"], "env": env })
    };
    let reached = run.servers.iter().filter(|own| !is_out_of_reach(own, knows_http));
    std::iter::once(daemon).chain(reached.map(own)).collect()
}

fn own(ToolServer { name, server }: &ToolServer) -> Value {
    let filled_pair = |name: &str, value: &str| Some(pair(name, &filled(value)?));
    match server {
        McpServer::Program { command, args, env } => {
            let env = env.iter().filter_map(|(name, value)| filled_pair(name.as_str(), value));
            let env: Vec<_> = env.collect();
            json!({ "name": name, "command": command, "args": args, "env": env })
        }
        McpServer::Remote { url, headers } => {
            let headers = headers.iter().filter_map(|(name, value)| filled_pair(name, value));
            let headers: Vec<_> = headers.collect();
            json!({ "type": "http", "name": name, "url": url, "headers": headers })
        }
    }
}

/// A header or a variable.
fn pair(name: &str, value: &str) -> Value {
    json!({ "name": name, "value": value })
}
