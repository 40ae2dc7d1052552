//! How a program's work is judged. An exit code alone says little: some programs report success
//! without their tools, and some end with 0 when they are killed. So success is exit code 0 and a
//! last word that says so; the daemon adds that the program has asked for its tools.

use std::{os::unix::process::ExitStatusExt, sync::LazyLock, time::Duration};

use agent_worker_protocol::{BlockKind, FailureClass, WorkerReport};
use regex::Regex;
use serde_json::Value;

use super::{Ended, Program};
use crate::{
    failure::{Failure, in_file},
    model::{Kind, ModelError, Told},
    session::Session,
};

/// A program's last word.
#[derive(Debug, Clone, PartialEq)]
pub enum Closing {
    /// It is done, with this text.
    Done(String),
    Failed(Fault),
    /// It will not go on, for this reason, and would not the next time.
    Stopped(String),
    /// It has no session of the name that it was given.
    UnknownSession,
    /// It did not reach the daemon's tools, for this reason.
    NoTools(String),
}

/// What a program says of its failure.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Fault {
    /// What the model's server answered, if the program tells
    pub status: Option<u16>,
    pub text: String,
    /// When to try again, as the server said
    pub retry_after: Option<Duration>,
}

/// Why no answer came.
#[derive(Debug, Clone, PartialEq)]
pub enum Trouble {
    /// The program does not know its session.
    UnknownSession,
    /// The model's server, by what it refuses.
    Model(Kind, Fault),
    /// The program itself, which would not go on the next time either.
    Stopped(String),
    Other(Failure),
}

impl From<Failure> for Trouble {
    fn from(failure: Failure) -> Self {
        Self::Other(failure)
    }
}

/// Judges a program that has ended.
pub fn judge(
    closing: Option<Closing>,
    ended: &Ended,
    has_resumed: bool,
) -> Result<String, Trouble> {
    Err(match closing {
        Some(Closing::Done(text)) if is_well(ended) => return Ok(text),
        Some(Closing::Done(_)) => {
            transient(ended, &format!("it reported success and {}", how(ended)))
        }
        Some(Closing::UnknownSession) if has_resumed => Trouble::UnknownSession,
        Some(Closing::UnknownSession) => {
            transient(ended, &with_complaints("it lost its session", ended))
        }
        Some(Closing::NoTools(why)) => {
            transient(ended, &format!("it did not reach the daemon's tools: {why}"))
        }
        Some(Closing::Failed(fault)) => of_fault(fault, ended),
        Some(Closing::Stopped(why)) => Trouble::Stopped(why),
        None => of_silence(ended, has_resumed),
    })
}

/// The trouble of a program that may do better the next time.
pub fn transient(ended: &Ended, text: &str) -> Trouble {
    Failure::transient(format!("{}: {text}", ended.name)).into()
}

/// A program that was told to end after it was done has done well.
fn is_well(ended: &Ended) -> bool {
    ended.was_told || ended.status.is_some_and(|status| status.success())
}

/// A program that ended without a result: a signal, or a complaint on its standard error.
pub fn of_silence(ended: &Ended, has_resumed: bool) -> Trouble {
    let code = ended.status.and_then(|status| status.code());
    // A shell says 128 + 15 of a program that TERM has ended.
    let was_killed = matches!(code, None | Some(0 | 130 | 137 | 143));
    if !was_killed && has_resumed && complaints(&ended.complaints).any(is_unknown_session) {
        return Trouble::UnknownSession;
    }
    if ended.complaints.to_lowercase().contains("required mcp servers failed") {
        return transient(ended, &with_complaints("it did not reach the daemon's tools", ended));
    }
    if !was_killed && let Some(line) = complaints(&ended.complaints).find(|it| is_of_options(it)) {
        let why = format!("{}: its version may be too old (agent-worker backends)", cut(line));
        return Trouble::Stopped(why);
    }
    // The line that decides is the line that is told.
    let is_known = |line: &&str| status_in(line).is_some() || kind_of_words(line).is_some();
    if !was_killed && let Some(line) = complaints(&ended.complaints).find(is_known) {
        let text = cut(line).to_owned();
        let fault = Fault { status: status_in(line), text, retry_after: None };
        return of_fault(fault, ended);
    }
    let text = with_complaints(&format!("{} without a result", how(ended)), ended);
    transient(ended, &format!("it {}", text.trim_start_matches("it ")))
}

fn how(ended: &Ended) -> String {
    let Some(status) = ended.status else { return "its end was not noticed".to_owned() };
    match (status.code(), status.signal()) {
        (Some(code), _) => format!("exited with {code}"),
        (None, Some(signal)) => format!("was ended by signal {signal}"),
        (None, None) => "ended".to_owned(),
    }
}

/// A text with the last line of what a program has complained of, cut to a readable length.
pub fn with_complaints(text: &str, ended: &Ended) -> String {
    match complaints(&ended.complaints).next() {
        Some(last) => format!("{text}: {}", cut(last)),
        None => text.to_owned(),
    }
}

/// Lines in which a program complains of itself, the newest first. Codex also logs there what its
/// MCP client meets on the way, which ends no run.
fn complaints(text: &str) -> impl Iterator<Item = &str> {
    let lines = text.lines().rev().map(str::trim);
    lines.filter(|line| !line.is_empty() && !line.contains(" rmcp::"))
}

fn cut(line: &str) -> &str {
    const LONGEST: usize = 600;
    &line[..line.floor_char_boundary(LONGEST)]
}

/// Tells what kind of failure it is from what the model's server answered. A program that says
/// nothing of it is told by its complaints.
pub fn of_fault(mut fault: Fault, ended: &Ended) -> Trouble {
    if fault.text.trim().is_empty() {
        fault.text = with_complaints("no model has answered", ended);
    }
    let status = fault.status.or_else(|| status_in(&fault.text));
    let body = body_in(&fault.text);
    let kind = match (status, kind_of_words(&fault.text)) {
        (Some(status), None | Some(Kind::Key | Kind::RateLimited | Kind::Unavailable)) => {
            ModelError::of_answer(status, &Told::read(&fault.text)).kind
        }
        (_, Some(kind)) => kind,
        (None, None) => match &body {
            Some(body) => ModelError::of_stream(&Told::of(body)).kind,
            None => Kind::Garbled,
        },
    };
    let message = body.as_ref().and_then(|body| body["error"]["message"].as_str());
    let retry_after = fault.retry_after.or_else(|| retry_in(&fault.text));
    let text = message.map_or(fault.text, ToOwned::to_owned);
    Trouble::Model(kind, Fault { status, text, retry_after })
}

/// The body of a server's refusal, where a program passes on nothing else. Codex does so for 400.
fn body_in(text: &str) -> Option<Value> {
    serde_json::from_str::<Value>(text).ok().filter(|body| body["error"].is_object())
}

/// The status that a text names: `unexpected status 401`, `API Error: 529`, `(HTTP 500)`.
fn status_in(text: &str) -> Option<u16> {
    static STATUS: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"(?i)\b(?:status|error|http|code)\W{1,3}(?:code\W{1,3})?([45]\d\d)\b")
            .expect("the pattern is sound")
    });
    STATUS.captures(text)?.get(1)?.as_str().parse().ok()
}

/// How long to wait, in whole seconds, where a text says so: Gemini's `Please retry in 28.8s.`
fn retry_in(text: &str) -> Option<Duration> {
    static SECONDS: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"(?i)\bretry in (\d+(?:\.\d+)?)s\b").expect("the pattern is sound")
    });
    let seconds: f64 = SECONDS.captures(text)?.get(1)?.as_str().parse().ok()?;
    Duration::try_from_secs_f64(seconds.ceil()).ok()
}

/// Words by which a failure is known where no status is told, in lower case. The first that are
/// found decide: of a limit for each minute Gemini says the same as OpenAI of an empty account.
const WORDS: [(Kind, &[&str]); 9] = [
    (
        Kind::Overflow,
        &[
            "prompt is too long",
            "context window",
            "context length",
            "context_length_exceeded",
            "input is too long",
        ],
    ),
    (Kind::Spent, &["credit balance", "insufficient_quota", "spend limit", "out of usage credits"]),
    (Kind::RateLimited, &["resource_exhausted", "retry in"]),
    (Kind::Spent, &["exceeded your current quota", "billing"]),
    (
        Kind::Key,
        &[
            "invalid api key",
            "invalid x-api-key",
            "not logged in",
            "authentication required",
            "please run /login",
            "authentication_failed",
            "unauthorized",
            "api key is missing",
            "oauth token has expired",
        ],
    ),
    (
        Kind::NotFound,
        &[
            "issue with the selected model",
            "model_not_found",
            "model not found",
            "no such model",
            "does not exist or you do not have access",
            "invalid model",
        ],
    ),
    (
        Kind::RateLimited,
        &[
            "rate limit",
            "rate_limit",
            "usage limit",
            "hit your limit",
            "hit your session limit",
            "hit your weekly limit",
            "too many requests",
            "limit reached",
        ],
    ),
    (Kind::Refused, &["reason: content_filter", "safeguards flagged"]),
    (
        Kind::Unavailable,
        &[
            "overloaded",
            "at capacity",
            "high demand",
            "temporarily unavailable",
            "connection error",
            "connection refused",
            "connection reset",
            "cannot connect",
            "unable to connect",
            "fetch failed",
            "stream disconnected",
            "error sending request",
            "network",
            "timed out",
            "enotfound",
            "econnrefused",
        ],
    ),
];

/// What is told by words alone.
pub fn kind_of_words(text: &str) -> Option<Kind> {
    let text = text.to_lowercase();
    let is_in = |words: &[&str]| words.iter().any(|word| text.contains(word));
    WORDS.iter().find(|(_, words)| is_in(words)).map(|(kind, _)| *kind)
}

/// Whether a complaint says that the program does not know an option or command it was given.
fn is_of_options(line: &str) -> bool {
    const KINDS: [&str; 5] = ["option", "argument", "flag", "command", "subcommand"];
    let line = line.to_lowercase();
    let mut words = line.trim_start_matches("error: ").split([' ', ':']);
    matches!(words.next(), Some("unknown" | "unexpected" | "unrecognized"))
        && words.next().is_some_and(|word| KINDS.contains(&word.trim_end_matches('s')))
}

/// Whether a complaint says that the program does not know the session it was given.
pub fn is_unknown_session(text: &str) -> bool {
    let text = text.to_lowercase();
    ["no conversation found", "no rollout found", "session not found", "invalid session identifier"]
        .iter()
        .any(|words| text.contains(words))
}

impl Trouble {
    /// Says in the transcript why a session that was gone on with is begun anew in the same run.
    ///
    /// # Errors
    ///
    /// The failure of the run, if a new session would not help, or would repeat its work. A session
    /// that became too long is kept no more: the next attempt is told what was done.
    pub fn begin_anew(self, session: &Session<'_>, program: &Program<'_>) -> Result<(), Failure> {
        let has_acted = session.acts.has_any();
        let name = program.name();
        let why = match &self {
            Self::UnknownSession if !has_acted => "the session was not found",
            Self::Model(Kind::Overflow, _) if has_acted => {
                session.reports.send(&WorkerReport::Turns { instead: true });
                return Err(Failure::transient(format!(
                    "{name}: the session became too long for the model: the next attempt begins a \
                     new one"
                )));
            }
            Self::Model(Kind::Overflow, _) => "the session is too long for the model",
            // Perhaps for the session, as with gemini, but not for words or for what came since.
            Self::Model(Kind::Refused | Kind::Unbound, fault)
                if !session.acts.has_begun()
                    && kind_of_words(&fault.text) != Some(Kind::Refused) =>
            {
                &format!("the model's server refused the session ({})", fault.text)
            }
            _ => return Err(self.into_failure(program)),
        };
        let text = format!("{name}: {why}: a new session begins");
        session.transcript.write(BlockKind::Notice, None, &program.without_keys(&text));
        Ok(())
    }

    /// The failure of the run, with what to do where trying again does not help.
    pub fn into_failure(self, program: &Program<'_>) -> Failure {
        let mut failure = self.failure(program);
        failure.error = program.without_keys(&failure.error);
        failure
    }

    fn failure(self, program: &Program<'_>) -> Failure {
        let (name, resume) = (program.name(), program.resume());
        let permanent = |text: String| Failure::permanent(text);
        match self {
            Self::Other(failure) => failure,
            Self::UnknownSession => {
                Failure::transient(format!("{name}: it does not know the session that it began"))
            }
            Self::Stopped(why) => permanent(format!("{name}: {why}: {resume} tries again")),
            Self::Model(Kind::Overflow, Fault { text, .. }) => permanent(format!(
                "{name}: the prompt is too long for the model ({text}): give it less, then \
                 {resume}, or name a model with a longer context {}",
                in_file(program.run)
            )),
            Self::Model(kind, Fault { status, text, retry_after }) => {
                let told = match status {
                    Some(status) if !text.contains(&status.to_string()) => {
                        format!("{status}: {text}")
                    }
                    _ => text,
                };
                match kind {
                    Kind::RateLimited | Kind::Unavailable => Failure {
                        retry_after: retry_after.map(Into::into),
                        ..Failure::new(FailureClass::Unavailable, format!("{name}: {told}"))
                    },
                    Kind::Key => permanent(format!(
                        "{name}: the model's server refused the key or log-in ({told}): {}",
                        log_in(program)
                    )),
                    Kind::NotFound => permanent(format!(
                        "{name}: model not found ({told}): change the agent's `model:` {}",
                        in_file(program.run)
                    )),
                    Kind::Spent => permanent(format!(
                        "{name}: the account at the model's server has no credit, or reached its \
                         spend limit ({told}): raise it there, then {resume}"
                    )),
                    Kind::Refused | Kind::Unbound => permanent(format!(
                        "{name}: the model's server refused the request ({told}); {resume} tries \
                         again, {resume} --new-session begins a new session"
                    )),
                    Kind::Garbled | Kind::Overflow => Failure::transient(format!("{name}: {told}")),
                }
            }
        }
    }
}

/// What gives a program its key, and lets its agent go on.
fn log_in(program: &Program<'_>) -> String {
    let resume = program.resume();
    match program.keys().next() {
        Some(key) => format!("agent-worker keys set {key}, then {resume}"),
        None => format!(
            "log in with `{}`, then {resume}, or name its key in the agent's `env:` {}",
            program.name(),
            in_file(program.run)
        ),
    }
}
