//! What an action means for what is selected: the act that its key would begin, or why there is
//! none.

use agent_worker_protocol::{
    agent::{AgentState, MemberKind},
    inbox::DeliveryState,
    target::Target,
};

use crate::{
    action::Action,
    model::{Reach, State, acts::Act, place::Tab, questions, refusal},
    panes,
};

/// What an act's key means for what is selected, or why it means nothing.
pub fn wish(state: &State, action: Action) -> Result<Act, String> {
    let marked = marked(state);
    let is_for_marked =
        !marked.is_empty() && matches!(action, Action::Stop | Action::Wake | Action::Retry);
    if !is_for_marked && let Some(wish) = panes::wish(state, action) {
        return wish;
    }
    let targets: Vec<Target> =
        if is_for_marked { marked } else { state.selected_agent().into_iter().collect() };
    let agent = || {
        let target = targets.first().ok_or_else(|| "select an agent first".to_owned())?;
        state.mirror().agent(target).ok_or_else(|| format!("{target} is gone"))
    };
    let one = || Ok::<_, String>(agent()?.target.clone());
    match action {
        Action::Stop if targets.len() > 1 => Ok(Act::Stop(targets)),
        Action::Stop => stop(state, agent()?),
        Action::StopAll => stop_all(state),
        Action::Wake if targets.len() > 1 => Ok(Act::Wake(targets)),
        Action::Wake => match agent()?.state {
            AgentState::Stopped => Err(format!("{} is stopped: s resumes it", one()?)),
            AgentState::Running => Err(format!("{} is at work already", one()?)),
            _ => Ok(Act::Wake(targets)),
        },
        Action::Retry if targets.len() > 1 => {
            let mut acts: Vec<Act> = targets.iter().filter_map(|one| retry(state, one)).collect();
            match acts.len() {
                0 => Err(format!("nothing of the {} marked agents failed", targets.len())),
                1 => Ok(acts.remove(0)),
                _ => Ok(Act::Each(acts)),
            }
        }
        Action::Retry => {
            let target = one()?;
            retry(state, &target).ok_or_else(|| format!("nothing of {target} failed for good"))
        }
        Action::Release => match one()? {
            target if has(state, &target, DeliveryState::Held) => Ok(Act::Release(target)),
            target => Err(format!("nothing of {target} is held")),
        },
        Action::Start => {
            if let Some(agent) = state.agent() {
                return match agent.state {
                    AgentState::Stopped | AgentState::Paused => {
                        Ok(Act::Resume(agent.target.clone()))
                    }
                    _ => Err(format!("{} is not stopped", agent.target)),
                };
            }
            match state.workflow() {
                Some(workflow) if !workflow.state.is_live() => {
                    Ok(Act::ResumeWorkflow(workflow.scope.clone()))
                }
                _ => Err("nothing that is stopped is selected".to_owned()),
            }
        }
        _ => Err("that is nothing to be done here".to_owned()),
    }
}

/// The marked agents that are still there.
pub fn marked(state: &State) -> Vec<Target> {
    let is_there = |target: &&Target| state.mirror().agent(target).is_some();
    state.marked.iter().filter(is_there).cloned().collect()
}

fn retry(state: &State, target: &Target) -> Option<Act> {
    match panes::failed_run(state, target) {
        Some(run) => Some(Act::RetryRun(run)),
        None if has(state, target, DeliveryState::Dead) => Some(Act::RetryMail(target.clone())),
        None => None,
    }
}

fn has(state: &State, target: &Target, what: DeliveryState) -> bool {
    use agent_worker_protocol::attention::AttentionKind;
    let kind = if what == DeliveryState::Dead { AttentionKind::Dead } else { AttentionKind::Held };
    let scope = target.scope_or(&agent_worker_protocol::target::Scope::global());
    let items = state.mirror().attention_of(&scope);
    items.iter().any(|item| item.kind == kind && item.subject == target.to_string())
}

/// After how long a stop that has not ended may be hurried, ms.
const PATIENCE: i64 = 10_000;

fn stop(state: &State, agent: &agent_worker_protocol::agent::Agent) -> Result<Act, String> {
    if may_hurry(state, &agent.target) {
        return Ok(Act::Kill(agent.target.clone()));
    }
    if !crate::model::words::is_stopping(state, agent) {
        return match agent.state {
            AgentState::Stopped => {
                Err(format!("{} is stopped already: s resumes it", agent.target))
            }
            _ => Ok(Act::Stop(vec![agent.target.clone()])),
        };
    }
    let seconds = PATIENCE / 1000;
    Err(format!("{} is stopping: if it has not in {seconds} s, x ends it at once", agent.target))
}

/// Whether an agent was told to stop and has not for so long that its run may be ended at once.
pub fn may_hurry(state: &State, target: &Target) -> bool {
    let is_stopping = |agent: &_| crate::model::words::is_stopping(state, agent);
    let since = state.stopping.get(target).copied().unwrap_or(state.now);
    state.now - since >= PATIENCE && state.mirror().agent(target).is_some_and(is_stopping)
}

fn stop_all(state: &State) -> Result<Act, String> {
    if let Some(agent) = state.agent() {
        return match agent.state {
            AgentState::Stopped => Ok(Act::Remove(agent.target.clone())),
            _ => Err(format!("stop {} with x before it is removed", agent.target)),
        };
    }
    let Some(workflow) = state.workflow() else {
        return Err("select a workflow, or a stopped agent".to_owned());
    };
    if workflow.scope.is_global() {
        return Err("global agents are stopped one by one".to_owned());
    }
    Ok(Act::StopWorkflow(workflow.scope.clone()))
}

/// Whether an action would do something here.
pub fn is_possible(state: &State, action: Action) -> bool {
    if action.is_act() && state.read_only {
        return false;
    }
    match action {
        Action::Stop
        | Action::StopAll
        | Action::Retry
        | Action::Release
        | Action::Wake
        | Action::Pause
        | Action::Drop => wish(state, action).is_ok(),
        Action::Answer => questions::here(state).is_some(),
        Action::Vote => {
            let proposal = panes::proposals::selected(state);
            proposal.is_some_and(|proposal| panes::proposals::may_vote(state, proposal))
        }
        Action::Message => state.selected_agent().is_some() || !marked(state).is_empty(),
        Action::Mark => state.selected_agent().is_some(),
        Action::Peek => state.mirror().agents().any(|agent| agent.kind != MemberKind::Person),
        Action::Write => state.has_picture() && panes::address(state).is_some(),
        Action::Open | Action::Menu | Action::Search | Action::SearchAll => state.has_picture(),
        Action::Pager if state.place.tab == Tab::Votes => {
            panes::proposals::selected(state).is_some_and(|proposal| proposal.sets_owner.is_some())
        }
        // Of an agent that works there is nothing to start.
        Action::Start if state.is_live() && state.selected_agent().is_some() => {
            wish(state, action).is_ok()
        }
        Action::Start => state.reach != Reach::Looking && refusal::of(state).is_none(),
        action if action.tab().is_some() => {
            action.tab().is_some_and(|number| number < state.place.subject.tabs().len())
        }
        Action::NextNeed | Action::PreviousNeed => state.mirror().attention().next().is_some(),
        _ => true,
    }
}
