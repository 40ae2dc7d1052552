//! How a run is told.

use std::time::Duration;

use agent_worker_client::text::{Words as _, numbers};
use agent_worker_protocol::{
    AgentState, Conversation, FailureClass, MessageId, Name, Run, RunKind, RunState,
};

use crate::{
    model::{
        Model,
        words::{self, Shown},
    },
    paint::{Ink, Row},
    theme::Role,
};

/// How many attempts mail has, and how many if a time limit ended the first.
const ATTEMPTS: i64 = 3;
const ATTEMPTS_IN_TIME: i64 = 2;

/// Which attempt a run is, of how many.
pub fn attempt(run: &Run) -> String {
    // A further attempt would mend nothing.
    if run.class == Some(FailureClass::Permanent) {
        return run.attempt.to_string();
    }
    let is_timed = run.state == RunState::TimedOut || run.class == Some(FailureClass::TimedOut);
    let of = if is_timed { ATTEMPTS_IN_TIME } else { ATTEMPTS };
    format!("{}/{}", run.attempt, of.max(run.attempt))
}

/// How long a run took, or has gone on for.
pub fn lasted(model: &Model, run: &Run) -> Duration {
    run.ended_at.unwrap_or(model.shown_at()).since(run.started_at)
}

/// In which state a run is and for how long: what goes on stands still while the picture is old.
pub fn standing(model: &Model, run: &Run) -> Row {
    let shown = shown(model, run);
    let (symbol, role) = (Ink::from(shown.symbol), shown.role);
    let lasts = numbers::elapsed(lasted(model, run));
    let words = match shown.word.as_str() {
        // The symbol turns while it does.
        "running" => format!(" {lasts}"),
        word if run.state.is_live() => format!(" {lasts}, {word}"),
        word => format!(" {word} {lasts}"),
    };
    Row::of(symbol, role).with(words, role)
}

/// In which state a run is.
pub fn shown(model: &Model, run: &Run) -> Shown {
    let symbols = model.symbols();
    let known = words::run_state(symbols, run.state);
    if !run.state.is_live() {
        return known;
    }
    if !model.is_live() {
        return Shown { symbol: symbols.stale, role: Role::Stale, ..known };
    }
    let agent = model.mirror().agent(&run.agent).filter(|agent| agent.run == Some(run.id));
    if let Some(agent) = agent {
        if words::is_stopping(model, agent) || agent.state == AgentState::Waiting {
            return words::agent(model, agent);
        }
        if let Some(silent) = words::silence(model, agent) {
            return Shown { word: silent, ..known };
        }
    }
    if run.state == RunState::Ending {
        return known;
    }
    Shown { symbol: words::spinner(model, Some(run.id)), ..known }
}

/// The model without its provider, and what ran it.
pub fn model_name(run: &Run) -> String {
    let name = run.model.as_deref().map(|name| name.rsplit('/').next().unwrap_or(name));
    name.or(run.backend.as_deref()).unwrap_or("-").to_owned()
}

/// Tokens in, out, and read from a cache, if that is known: what is not known has no number.
pub fn used(run: &Run) -> Vec<String> {
    let known = |count: Option<i64>| count.map_or_else(|| "-".to_owned(), numbers::short);
    let mut used =
        vec![format!("in {}", known(run.usage.input)), format!("out {}", known(run.usage.output))];
    used.extend(run.usage.cache_read.map(|cached| format!("cache {}", numbers::short(cached))));
    used
}

pub fn spent(run: &Run) -> String {
    numbers::cost(run.cost)
}

pub fn reason(model: &Model, run: &Run) -> String {
    let word = run.kind.word().text;
    let is_alone = matches!(run.kind, RunKind::Scheduled | RunKind::Heartbeat | RunKind::Wake);
    let Some(cause) = run.cause.filter(|_| !is_alone) else { return word.to_owned() };
    match sender(model, run, cause) {
        Some(name) => format!("{word} by {name}"),
        None => format!("{word} {cause}"),
    }
}

/// Who sent a message to a run's agent, if it is known here.
pub fn sender(model: &Model, run: &Run, message: MessageId) -> Option<Name> {
    let talk = model.known.talks.get(&(run.scope.clone(), Conversation::Channel));
    let said = talk.and_then(|talk| talk.messages.get(talk.index(message.number())?));
    let mail = || model.known.inboxes.get(&run.agent).and_then(|mail| mail.inbox.get(message));
    let sender = said.map(|message| &message.sender);
    sender.or_else(|| mail().map(|mail| &mail.message.sender)).cloned()
}
