//! States in a symbol, a word and a role: always all three, so that none is told by colour alone.

use agent_worker_client::text::{Words as _, numbers};
use agent_worker_protocol::{
    Agent, AgentState, AttentionKind, Conversation, MemberKind, RunId, RunState, Target, Timestamp,
    Wanted, Workflow, WorkflowState,
};

use super::{Model, has_passed, needs};
use crate::{action::Action, symbols::Symbols, theme::Role};

/// A state as it is shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shown {
    pub symbol: &'static str,
    pub word: String,
    pub role: Role,
}

fn shown(symbol: &'static str, word: impl Into<String>, role: Role) -> Shown {
    Shown { symbol, word: word.into(), role }
}

/// Why nothing can be written to a group.
pub fn members_only(model: &Model) -> String {
    format!("only members write here: {} joins the group", model.key(Action::Join))
}

/// What stands where runs of the shown agent would, with what starts one.
pub fn no_run(model: &Model) -> String {
    let agent = model.place.subject.agent().and_then(|target| model.mirror().agent(target));
    let starts = match agent.map(|agent| (agent.kind, agent.state)) {
        Some((MemberKind::External, _)) => "it fetches its messages itself".to_owned(),
        Some((_, AgentState::Stopped | AgentState::Paused)) => {
            format!("{} resumes it", model.key(Action::Start))
        }
        _ => format!("{} wakes it", model.key(Action::Wake)),
    };
    format!("no run of it yet: {} writes to it, {starts}", model.key(Action::Write))
}

/// What an agent is doing.
pub fn agent(model: &Model, agent: &Agent) -> Shown {
    let symbols = model.symbols();
    if !model.is_live() && agent.state == AgentState::Running {
        return shown(symbols.stale, activity(model, agent), Role::Stale);
    }
    if is_stopping(model, agent) {
        return shown(symbols.stopped, "stopping", Role::Wait);
    }
    let word = agent.state.word().text;
    match agent.state {
        AgentState::Idle if has_dead_letters(model, agent) => {
            shown(symbols.failed, RunState::Failed.word().text, Role::Failed)
        }
        AgentState::Idle => shown(symbols.idle, word, Role::Dim),
        AgentState::Queued if agent.unread > 1 => {
            shown(symbols.queued, format!("{word} {}", agent.unread), Role::Wait)
        }
        AgentState::Queued => shown(symbols.queued, word, Role::Wait),
        AgentState::Running => {
            shown(spinner(model, agent.run), activity(model, agent), Role::Running)
        }
        AgentState::Waiting => shown(symbols.asks, word, Role::Asks),
        AgentState::Backoff => {
            let again = again(model, agent);
            shown(symbols.retry, again.unwrap_or_else(|| word.to_owned()), Role::Wait)
        }
        AgentState::Paused => shown(symbols.failed, word, Role::Failed),
        AgentState::Stopped => shown(symbols.stopped, word, Role::Stopped),
    }
}

/// In how long an agent in backoff works again, where the daemon says it.
pub fn again(model: &Model, agent: &Agent) -> Option<String> {
    let at = agent.not_before.filter(|at| *at > model.shown_at())?;
    Some(format!("again in {}", numbers::elapsed(at.since(model.shown_at()))))
}

/// Whether an agent has dead letters.
pub fn has_dead_letters(model: &Model, agent: &Agent) -> bool {
    needs::item(model, &agent.target, AttentionKind::Dead).is_some()
}

/// What an agent asks the person.
pub fn question(model: &Model, agent: &Agent) -> Option<String> {
    needs::of_agent(model, &agent.target).map(|question| question.text.clone())
}

/// Why mail of an agent is held.
pub fn held(model: &Model, agent: &Agent) -> Option<String> {
    let item = needs::item(model, &agent.target, AttentionKind::Held)?;
    Some(item.reason.clone()).filter(|reason| !reason.is_empty())
}

/// Whether a run of an agent is at work, also of a paused or stopped one until that run ends. A run
/// that waits for an answer is not.
pub fn is_at_work(agent: &Agent) -> bool {
    match agent.state {
        AgentState::Running => true,
        AgentState::Paused | AgentState::Stopped => agent.run.is_some(),
        _ => false,
    }
}

/// Whether an agent was told to stop and has not ended yet.
pub fn is_stopping(model: &Model, agent: &Agent) -> bool {
    agent.run.is_some()
        && (agent.wanted == Wanted::Stopped
            || model.progress.stopping.contains_key(&agent.target)
            || model.mirror().live_run(&agent.target).is_some_and(|run| run.end_by.is_some()))
}

/// What a running agent does, or how long it has said nothing.
pub fn activity(model: &Model, agent: &Agent) -> String {
    let run = model.mirror().live_run(&agent.target);
    if let Some(away) = run.and_then(|run| run.away.as_ref()) {
        return away.told(Timestamp(model.daemon_now()));
    }
    if let Some(silence) = silence(model, agent) {
        return silence;
    }
    let words = agent.status.as_deref().or(run.and_then(|run| run.activity.as_deref()));
    words.unwrap_or_else(|| agent.state.word().text).to_owned()
}

/// What an agent does in the fewest words: only the tool of a call, `writing` while the call is
/// written, only the largest unit of a silence, only `unavailable` of a model.
pub fn short(words: &str) -> &str {
    match words.split_once(' ') {
        Some(("silent", _)) => {
            words.match_indices(' ').nth(1).map_or(words, |(end, _)| &words[..end])
        }
        Some(("model", state)) => state.split_once(' ').map_or(words, |(state, _)| state),
        Some(("calling", tool)) => tool,
        Some((doing @ ("waiting" | "writing"), _)) => doing,
        _ => words,
    }
}

/// That an agent at work says nothing, since when and in what: `silent 1m32s in shell`. It is the
/// daemon's word, so that a screen that was opened later shows the same; none below ten seconds.
pub fn silence(model: &Model, agent: &Agent) -> Option<String> {
    agent.run.filter(|_| model.is_live() && agent.state == AgentState::Running)?;
    let run = model.mirror().live_run(&agent.target)?;
    let silent = run.silence(Timestamp(model.daemon_now()))?;
    let silent = numbers::elapsed(silent);
    Some(match run.activity.as_deref().map(|doing| doing.trim_start_matches("calling ")) {
        Some(doing) if !doing.is_empty() => format!("silent {silent} in {doing}"),
        _ => format!("silent {silent}"),
    })
}

/// The picture of a run at work: it turns as the run is heard of.
pub fn spinner(model: &Model, run: Option<RunId>) -> &'static str {
    let symbols = model.symbols();
    let turns = run.and_then(|run| model.progress.pulses.get(&run)).map_or(0, |pulse| pulse.turns);
    if turns == 0 || !model.display.look.motion {
        return symbols.running;
    }
    symbols.frames[turns % symbols.frames.len()]
}

/// The state of a run.
pub fn run_state(symbols: &'static Symbols, state: RunState) -> Shown {
    let (symbol, role) = match state {
        RunState::Starting | RunState::Running => (symbols.running, Role::Running),
        RunState::Ending => (symbols.stopped, Role::Wait),
        RunState::Succeeded => (symbols.done, Role::Ok),
        RunState::Cancelled => (symbols.stopped, Role::Stopped),
        RunState::Failed | RunState::TimedOut | RunState::Lost | RunState::OverBudget => {
            (symbols.failed, Role::Failed)
        }
    };
    shown(symbol, state.word().text, role)
}

/// Where a workflow is.
pub fn workflow(symbols: &'static Symbols, workflow: &Workflow) -> Shown {
    let (symbol, role) = match workflow.state {
        WorkflowState::Created => (symbols.idle, Role::Dim),
        WorkflowState::SettingUp | WorkflowState::Running => (symbols.running, Role::Running),
        WorkflowState::Completed => (symbols.done, Role::Ok),
        WorkflowState::Failed => (symbols.failed, Role::Failed),
        WorkflowState::Stopped => (symbols.stopped, Role::Stopped),
        WorkflowState::Stalled => (symbols.asks, Role::Asks),
    };
    shown(symbol, workflow.state.word().text, role)
}

/// What needs the person, in a word or two.
pub fn need(symbols: &'static Symbols, kind: AttentionKind) -> Shown {
    let (symbol, role) = match kind {
        AttentionKind::Question | AttentionKind::Stalled => (symbols.asks, Role::Asks),
        AttentionKind::Dead | AttentionKind::Paused | AttentionKind::Failed => {
            (symbols.failed, Role::Failed)
        }
        AttentionKind::Held => (symbols.queued, Role::Wait),
        AttentionKind::Silent => (symbols.stale, Role::Wait),
        AttentionKind::Vote => (symbols.vote, Role::Asks),
        AttentionKind::Mention => ("@", Role::Text),
    };
    shown(symbol, kind.word().text, role)
}

/// An agent's name; nothing of a workflow.
pub fn name(target: &Target) -> String {
    target.name.as_ref().map(ToString::to_string).unwrap_or_default()
}

/// What a conversation is called.
pub fn talk_name(talk: &Conversation) -> String {
    match talk {
        Conversation::Channel => "# channel".to_owned(),
        Conversation::Group(name) => format!("& {name}"),
        Conversation::Direct(one, other) => {
            let person = agent_worker_protocol::Name::person();
            match (one == &person, other == &person) {
                (true, _) => format!("& {other}"),
                (_, true) => format!("& {one}"),
                _ => format!("& {one}, {other}"),
            }
        }
    }
}

/// After how long a stop that has not ended may be hurried, ms.
pub const PATIENCE: i64 = 10_000;

/// Whether an agent was told to stop and has not for so long that its run may be ended at once.
pub fn may_hurry(model: &Model, target: &Target) -> bool {
    let is_stopping = |agent: &_| is_stopping(model, agent);
    let since = model.progress.stopping.get(target).copied().unwrap_or(model.now);
    has_passed(model.now, since, PATIENCE) && model.mirror().agent(target).is_some_and(is_stopping)
}
