//! Questions to the person, as they wait where the person is.

use agent_worker_protocol::{attention::AttentionKind, question::Question, target::Target};

use super::{Focus, State, tree::NavId};

/// The question that a line of the tree stands for.
pub fn of_line<'s>(state: &'s State, line: &NavId) -> Option<&'s Question> {
    match line {
        NavId::Need(AttentionKind::Question, subject) => {
            state.mirror().question(subject.parse().ok()?)
        }
        _ => None,
    }
}

/// The first question of an agent.
pub fn of_agent<'s>(state: &'s State, target: &Target) -> Option<&'s Question> {
    state.mirror().questions().find(|question| question.agent == *target)
}

/// The question that is meant where the person is: the selected one, else the first of the agent,
/// of the workflow, of all.
pub fn here(state: &State) -> Option<&Question> {
    if state.focus == Focus::Nav
        && let Some(question) = of_line(state, &state.nav.selected)
    {
        return Some(question);
    }
    if let Some(target) = state.selected_agent() {
        return of_agent(state, &target);
    }
    let scope = state.place.subject.scope();
    state.mirror().questions().find(|question| scope.is_none_or(|scope| question.scope == *scope))
}
