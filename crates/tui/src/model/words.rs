//! States in a symbol, a word and a role: always all three, so that none is told by colour alone.

use agent_worker_protocol::{
    agent::{Agent, AgentState, Wanted},
    attention::AttentionKind,
    conversation::Conversation,
    id::RunId,
    run::{Run, RunState},
    time::Timestamp,
    workflow::{Workflow, WorkflowState},
};

use super::{State, questions, tree::NavId};
use crate::{symbols::Symbols, text::numbers::elapsed, theme::Role};

/// A state as it is shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shown {
    /// Its symbol
    pub symbol: &'static str,
    /// Its word
    pub word: String,
    /// Its role
    pub role: Role,
}

fn shown(symbol: &'static str, word: impl Into<String>, role: Role) -> Shown {
    Shown { symbol, word: word.into(), role }
}

/// What an agent is doing.
pub fn agent(state: &State, agent: &Agent) -> Shown {
    let symbols = state.look.symbols;
    if !state.is_live() && agent.state == AgentState::Running {
        return shown(symbols.stale, activity(state, agent), Role::Stale);
    }
    if is_stopping(state, agent) {
        return shown(symbols.stopped, "stopping", Role::Wait);
    }
    match agent.state {
        AgentState::Idle if has_given_up(state, agent) => {
            shown(symbols.failed, "failed", Role::Failed)
        }
        AgentState::Idle => shown(symbols.idle, "idle", Role::Dim),
        AgentState::Queued => shown(symbols.queued, queued(agent), Role::Wait),
        AgentState::Running => {
            shown(spinner(state, agent.run), activity(state, agent), Role::Running)
        }
        AgentState::Waiting => shown(symbols.asks, "asks you", Role::Asks),
        AgentState::Backoff => {
            let left = agent.not_before.map_or(0, |at| (at.0 - state.shown_now()).max(0));
            shown(symbols.retry, format!("again in {}", elapsed(left)), Role::Wait)
        }
        AgentState::Paused => shown(symbols.failed, "paused", Role::Failed),
        AgentState::Stopped => shown(symbols.stopped, "stopped", Role::Stopped),
    }
}

/// Whether mail of an agent was given up.
pub fn has_given_up(state: &State, agent: &Agent) -> bool {
    let subject = agent.target.to_string();
    let mut items = state.mirror().attention_of(&agent.scope).iter();
    items.any(|item| item.kind == AttentionKind::Dead && item.subject == subject)
}

/// What an agent asks the person.
pub fn question(state: &State, agent: &Agent) -> Option<String> {
    super::questions::of_agent(state, &agent.target).map(|question| question.text.clone())
}

/// Why mail of an agent is held.
pub fn held(state: &State, agent: &Agent) -> Option<String> {
    reason(state, agent, AttentionKind::Held)
}

fn reason(state: &State, agent: &Agent, kind: AttentionKind) -> Option<String> {
    let subject = agent.target.to_string();
    let mut items = state.mirror().attention_of(&agent.scope).iter();
    let item = items.find(|item| item.kind == kind && item.subject == subject)?;
    Some(item.reason.clone()).filter(|reason| !reason.is_empty())
}

/// Whether an agent was told to stop and has not ended yet.
pub fn is_stopping(state: &State, agent: &Agent) -> bool {
    agent.run.is_some()
        && (agent.wanted == Wanted::Stopped
            || state.stopping.contains_key(&agent.target)
            || state.mirror().live_run(&agent.target).is_some_and(|run| run.end_by.is_some()))
}

fn queued(agent: &Agent) -> String {
    if agent.unread > 1 { format!("queued {}", agent.unread) } else { "queued".to_owned() }
}

/// What a running agent does, or how long it has said nothing.
pub fn activity(state: &State, agent: &Agent) -> String {
    let run = state.mirror().live_run(&agent.target);
    if let Some(away) = run.and_then(|run| run.away.as_ref()) {
        return away.told(Timestamp(state.now));
    }
    if let Some(silence) = silence(state, agent) {
        return silence;
    }
    let words = agent.status.as_deref().or(run.and_then(|run| run.activity.as_deref()));
    words.map_or_else(|| "running".to_owned(), ToOwned::to_owned)
}

/// That an agent at work says nothing, since when and in what: `silent 1m32s in shell`. It is the
/// daemon's word, so that a screen that was opened later shows the same; none below ten seconds.
pub fn silence(state: &State, agent: &Agent) -> Option<String> {
    agent.run.filter(|_| state.is_live() && agent.state == AgentState::Running)?;
    let run = state.mirror().live_run(&agent.target)?;
    let silent = run.silence(Timestamp(state.now))?;
    let silent = elapsed(i64::try_from(silent.as_millis()).unwrap_or(i64::MAX));
    Some(match run.activity.as_deref().map(|doing| doing.trim_start_matches("calling ")) {
        Some(doing) if !doing.is_empty() => format!("silent {silent} in {doing}"),
        _ => format!("silent {silent}"),
    })
}

/// The picture of a run at work: it turns as the run is heard of.
pub fn spinner(state: &State, run: Option<RunId>) -> &'static str {
    let symbols = state.look.symbols;
    let turns = run.and_then(|run| state.pulses.get(&run)).map_or(0, |pulse| pulse.turns);
    if turns == 0 || !state.look.motion {
        return symbols.running;
    }
    symbols.frames[turns % symbols.frames.len()]
}

/// Where a run is.
pub fn run(symbols: &'static Symbols, run: &Run) -> Shown {
    run_state(symbols, run.state)
}

/// The state of a run.
pub fn run_state(symbols: &'static Symbols, state: RunState) -> Shown {
    match state {
        RunState::Starting => shown(symbols.running, "starting", Role::Running),
        RunState::Running => shown(symbols.running, "running", Role::Running),
        RunState::Ending => shown(symbols.stopped, "ending", Role::Wait),
        RunState::Succeeded => shown(symbols.done, "done", Role::Ok),
        RunState::Failed => shown(symbols.failed, "failed", Role::Failed),
        RunState::TimedOut => shown(symbols.failed, "timed out", Role::Failed),
        RunState::Cancelled => shown(symbols.stopped, "cancelled", Role::Stopped),
        RunState::Lost => shown(symbols.failed, "lost", Role::Failed),
        RunState::OverBudget => shown(symbols.failed, "over budget", Role::Failed),
    }
}

/// Where a workflow is.
pub fn workflow(symbols: &'static Symbols, workflow: &Workflow) -> Shown {
    match workflow.state {
        WorkflowState::Created => shown(symbols.idle, "not started", Role::Dim),
        WorkflowState::SettingUp => shown(symbols.running, "setting up", Role::Running),
        WorkflowState::Running => shown(symbols.running, "running", Role::Running),
        WorkflowState::Completed => shown(symbols.done, "completed", Role::Ok),
        WorkflowState::Failed => shown(symbols.failed, "failed", Role::Failed),
        WorkflowState::Stopped => shown(symbols.stopped, "stopped", Role::Stopped),
        WorkflowState::Stalled => shown(symbols.asks, "stalled", Role::Asks),
    }
}

/// What needs the person, in a word or two.
pub fn need(symbols: &'static Symbols, kind: AttentionKind) -> Shown {
    match kind {
        AttentionKind::Question => shown(symbols.asks, "asks you", Role::Asks),
        AttentionKind::Dead => shown(symbols.failed, "gave up", Role::Failed),
        AttentionKind::Paused => shown(symbols.failed, "paused", Role::Failed),
        AttentionKind::Held => shown(symbols.queued, "held", Role::Wait),
        AttentionKind::Stalled => shown(symbols.asks, "stalled", Role::Asks),
        AttentionKind::Silent => shown(symbols.stale, "silent", Role::Wait),
        AttentionKind::Vote => shown(symbols.vote, "vote", Role::Asks),
        AttentionKind::Mention => shown("@", "unread", Role::Text),
    }
}

/// What a line of the tree is called.
pub fn nav_name(state: &State, line: &NavId) -> String {
    match line {
        NavId::Heading(words) | NavId::Nothing(words) => (*words).to_owned(),
        NavId::All => "All".to_owned(),
        // The person is named in a channel: which one is what tells two of them apart.
        NavId::Need(AttentionKind::Mention, subject) => {
            subject.split_once('@').map_or(subject.as_str(), |(_, scope)| scope).to_owned()
        }
        NavId::Need(AttentionKind::Question, subject) => {
            let agent =
                questions::of_line(state, line).and_then(|question| question.agent.name.clone());
            agent.map_or_else(|| subject.clone(), |name| name.to_string())
        }
        NavId::Need(AttentionKind::Vote, subject) => {
            let title = super::tree::proposal_of(state, line).map(|one| format!(" {}", one.title));
            format!("{subject}{}", title.unwrap_or_default())
        }
        NavId::Need(_, subject) => {
            subject.split('@').find(|part| !part.is_empty()).unwrap_or("").to_owned()
        }
        NavId::Workflow(scope) => scope.key(),
        NavId::Channel(_) => "# channel".to_owned(),
        NavId::Agent(target) => target.name.as_ref().map(ToString::to_string).unwrap_or_default(),
        NavId::Talk(_, talk) => talk_name(talk),
    }
}

/// What a conversation is called.
pub fn talk_name(talk: &Conversation) -> String {
    match talk {
        Conversation::Channel => "# channel".to_owned(),
        Conversation::Group(name) => format!("& {name}"),
        Conversation::Direct(one, other) => {
            let person = agent_worker_protocol::name::Name::person();
            match (one == &person, other == &person) {
                (true, _) => format!("& {other}"),
                (_, true) => format!("& {one}"),
                _ => format!("& {one}, {other}"),
            }
        }
    }
}
