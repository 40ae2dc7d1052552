//! What an action means for what is selected: the act that its key would begin, or why there is
//! none.

use agent_worker_protocol::{
    agent::{AgentState, MemberKind},
    inbox::DeliveryState,
    target::Target,
};

use super::App;
use crate::{
    action::Action,
    keys::BINDINGS,
    model::{Act, Address, Focus, Possible, Reach, history, needs, refusal, words},
    panes::Pane as _,
};

/// What an act's key means for what is selected, or why it means nothing.
pub fn allowed(app: &App, action: Action) -> Result<Act, String> {
    let marked = marked(app);
    let is_for_marked =
        !marked.is_empty() && matches!(action, Action::Stop | Action::Wake | Action::Retry);
    if !is_for_marked
        && app.model.selection.focus == Focus::Main
        && let Some(allowed) = app.pane().allowed(&app.model, action)
    {
        return allowed;
    }
    let targets: Vec<Target> =
        if is_for_marked { marked } else { app.selected_agent().into_iter().collect() };
    let agent = || {
        let target = targets.first().ok_or_else(|| "select an agent first".to_owned())?;
        app.model.mirror().agent(target).ok_or_else(|| format!("{target} is gone"))
    };
    let one = || Ok::<_, String>(agent()?.target.clone());
    match action {
        Action::Stop if targets.len() > 1 => Ok(Act::Stop(targets)),
        Action::Stop => stop(app, agent()?),
        Action::StopAll => stop_all(app),
        Action::Wake if targets.len() > 1 => Ok(Act::Wake(targets)),
        Action::Wake => match agent()?.state {
            AgentState::Stopped => Err(format!("{} is stopped: s resumes it", one()?)),
            AgentState::Running => Err(format!("{} is at work already", one()?)),
            _ => Ok(Act::Wake(targets)),
        },
        Action::Retry if targets.len() > 1 => {
            let mut acts: Vec<Act> = targets.iter().filter_map(|one| retry(app, one)).collect();
            match acts.len() {
                0 => Err(format!("nothing of the {} marked agents failed", targets.len())),
                1 => Ok(acts.remove(0)),
                _ => Ok(Act::Each(acts)),
            }
        }
        Action::Retry => {
            let target = one()?;
            retry(app, &target).ok_or_else(|| format!("nothing of {target} failed for good"))
        }
        Action::Release => match one()? {
            target if has(app, &target, DeliveryState::Held) => Ok(Act::Release(target)),
            target => Err(format!("nothing of {target} is held")),
        },
        Action::Start => {
            if let Some(agent) = app.agent() {
                return match agent.state {
                    AgentState::Stopped | AgentState::Paused => {
                        Ok(Act::Resume(agent.target.clone()))
                    }
                    _ => Err(format!("{} is not stopped", agent.target)),
                };
            }
            match app.model.workflow() {
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
pub fn marked(app: &App) -> Vec<Target> {
    let is_there = |target: &&Target| app.model.mirror().agent(target).is_some();
    app.model.selection.marked.iter().filter(is_there).cloned().collect()
}

fn retry(app: &App, target: &Target) -> Option<Act> {
    match history::failed_run(&app.model, target) {
        Some(run) => Some(Act::RetryRun(run)),
        None if has(app, target, DeliveryState::Dead) => Some(Act::RetryMail(target.clone())),
        None => None,
    }
}

fn has(app: &App, target: &Target, what: DeliveryState) -> bool {
    use agent_worker_protocol::attention::AttentionKind;
    let kind = if what == DeliveryState::Dead { AttentionKind::Dead } else { AttentionKind::Held };
    let scope = target.scope_or(&agent_worker_protocol::target::Scope::global());
    needs::item(&app.model, &scope, kind, &target.to_string()).is_some()
}

fn stop(app: &App, agent: &agent_worker_protocol::agent::Agent) -> Result<Act, String> {
    if words::may_hurry(&app.model, &agent.target) {
        return Ok(Act::Kill(agent.target.clone()));
    }
    if !crate::model::words::is_stopping(&app.model, agent) {
        return match agent.state {
            AgentState::Stopped => {
                Err(format!("{} is stopped already: s resumes it", agent.target))
            }
            _ => Ok(Act::Stop(vec![agent.target.clone()])),
        };
    }
    let seconds = words::PATIENCE / 1000;
    Err(format!("{} is stopping: if it has not in {seconds} s, x ends it at once", agent.target))
}

fn stop_all(app: &App) -> Result<Act, String> {
    if let Some(agent) = app.agent() {
        return match agent.state {
            AgentState::Stopped => Ok(Act::Remove(agent.target.clone())),
            _ => Err(format!("stop {} with x before it is removed", agent.target)),
        };
    }
    let Some(workflow) = app.model.workflow() else {
        return Err("select a workflow, or a stopped agent".to_owned());
    };
    if workflow.scope.is_global() {
        return Err("global agents are stopped one by one".to_owned());
    }
    Ok(Act::StopWorkflow(workflow.scope.clone()))
}

/// Whether an action would do something here.
pub fn is_possible(app: &App, action: Action) -> bool {
    if action.is_act() && app.model.settings.read_only {
        return false;
    }
    match action {
        action if action.is_of_selected() => allowed(app, action).is_ok(),
        Action::Answer => app.question().is_some(),
        Action::Vote => app.panes.proposals.is_possible(&app.model, action),
        Action::Message => app.selected_agent().is_some() || !marked(app).is_empty(),
        Action::Mark => app.selected_agent().is_some(),
        Action::Peek => app.model.mirror().agents().any(|agent| agent.kind != MemberKind::Person),
        Action::Write => {
            app.model.has_picture()
                && Address::of(&app.model.place.subject, &app.model.settings.identity).is_some()
        }
        Action::Open | Action::Menu | Action::Search | Action::SearchAll => app.model.has_picture(),
        Action::Pager => app.pane().is_possible(&app.model, action),
        // Of an agent that works there is nothing to start.
        Action::Start if app.model.is_live() && app.selected_agent().is_some() => {
            allowed(app, action).is_ok()
        }
        Action::Start => {
            app.model.connection.reach != Reach::Looking && refusal::of(&app.model).is_none()
        }
        action if action.tab().is_some() => {
            action.tab().is_some_and(|number| number < app.model.place.subject.tabs().len())
        }
        Action::NextNeed | Action::PreviousNeed => app.model.mirror().attention().next().is_some(),
        _ => true,
    }
}

impl App {
    /// What can be done where the person is.
    pub fn possible(&self) -> Possible {
        let mut actions: Vec<(Action, Option<Act>)> = Vec::new();
        for row in BINDINGS {
            let is_known = actions.iter().any(|(action, _)| *action == row.action);
            if !is_known && is_possible(self, row.action) {
                actions.push((row.action, allowed(self, row.action).ok()));
            }
        }
        Possible { agent: self.selected_agent(), actions }
    }
}
