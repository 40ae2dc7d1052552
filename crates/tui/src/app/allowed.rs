//! The act that an action's key begins on the selection, or the reason why it begins none.

use agent_worker_client::text::Words as _;
use agent_worker_protocol::{Agent, AgentState, AttentionKind, MemberKind, Target};

use super::App;
use crate::{
    action::Action,
    keys::BINDINGS,
    model::{
        Act, Address, Focus, Possible, Reach, Tab, history, needs, refusal, tree_lines, words,
    },
    panes::Pane as _,
};

/// What an act's key means for what is selected, or why it means nothing.
pub fn allowed(app: &App, action: Action) -> Result<Act, String> {
    if action == Action::Join {
        return join(app);
    }
    let marked = if is_for_marked(app, action) { marked(app) } else { Vec::new() };
    if marked.len() > 1 {
        return of_many(app, action, &marked);
    }
    if marked.is_empty()
        && app.model.selection.focus == Focus::Main
        && let Some(allowed) = app.pane().allowed(&app.model, action)
    {
        return allowed;
    }
    match marked.into_iter().next().or_else(|| app.selected_agent()) {
        Some(target) => of_one(app, action, &target),
        None => of_none(app, action),
    }
}

/// Whether an act is done to all marked agents together. Keys that mean something else elsewhere do
/// so only in the table of agents.
fn is_for_marked(app: &App, action: Action) -> bool {
    use Action::{Release, Retry, Start, Stop, StopAll, Wake};
    let is_in_table = app.model.place.tab == Tab::Agents;
    matches!(action, Stop | Wake | Retry)
        || is_in_table && matches!(action, StopAll | Release | Start)
}

/// The same for several agents: for those that it means something for.
fn of_many(app: &App, action: Action, targets: &[Target]) -> Result<Act, String> {
    let more = targets.len() - 1;
    let act = Act::of_several(targets.iter().map(|target| of_one(app, action, target)))
        .map_err(|why| format!("nothing to do for the marked agents: {why}, and {more} more"))?;
    // One act stops or wakes them all, so that its consequence is one.
    let is_one = |act: &Act| matches!(act, Act::Stop(_) | Act::Wake(_));
    match act {
        Act::Each(acts) if acts.iter().all(is_one) => {
            let targets = acts.into_iter().flat_map(|act| match act {
                Act::Stop(targets) | Act::Wake(targets) => targets,
                _ => Vec::new(),
            });
            let targets = targets.collect();
            Ok(if action == Action::Stop { Act::Stop(targets) } else { Act::Wake(targets) })
        }
        act => Ok(act),
    }
}

/// What an act means for one agent.
fn of_one(app: &App, action: Action, target: &Target) -> Result<Act, String> {
    let agent = app.model.mirror().agent(target).ok_or_else(|| format!("{target} is gone"))?;
    let own = agent.target.clone();
    match action {
        Action::Stop => stop(app, agent),
        Action::StopAll if agent.state == AgentState::Stopped => Ok(Act::Remove(own)),
        Action::StopAll => {
            let stop = app.model.key(Action::Stop);
            Err(format!("stop {own} with {stop} before it is removed"))
        }
        Action::Wake if agent.kind == MemberKind::External => {
            Err(format!("{own} works outside: it fetches its messages itself"))
        }
        Action::Wake => match agent.state {
            state @ (AgentState::Stopped | AgentState::Paused) => {
                let (word, resume) = (state.word().text, app.model.key(Action::Start));
                Err(format!("{own} is {word}: {resume} resumes it"))
            }
            AgentState::Running => Err(format!("{own} is at work already")),
            _ => Ok(Act::Wake(vec![own])),
        },
        Action::Retry => retry(app, &own).ok_or_else(|| match agent.state {
            AgentState::Paused => {
                format!("{own} is paused: {} resumes it", app.model.key(Action::Start))
            }
            _ => format!("nothing of {own} failed for good"),
        }),
        Action::Release if has(app, &own, AttentionKind::Held) => Ok(Act::Release(own)),
        Action::Release => Err(format!("{own} has no held messages")),
        Action::Start => match agent.state {
            AgentState::Stopped | AgentState::Paused => Ok(Act::Resume(own)),
            _ => Err(format!("{own} is not stopped")),
        },
        _ => Err("not possible here".to_owned()),
    }
}

/// What an act means where no agent is selected.
fn of_none(app: &App, action: Action) -> Result<Act, String> {
    match action {
        Action::StopAll => stop_all(app),
        Action::Start => match app.model.workflow() {
            Some(workflow) if workflow.state.can_resume() => {
                Ok(Act::ResumeWorkflow(workflow.scope.clone()))
            }
            _ => Err("nothing that is stopped is selected".to_owned()),
        },
        Action::Stop | Action::Wake | Action::Retry | Action::Release => {
            Err("select an agent first".to_owned())
        }
        _ => Err("not possible here".to_owned()),
    }
}

/// Joins the group that is shown, or leaves it.
fn join(app: &App) -> Result<Act, String> {
    let (group, name) = app.model.shown_group().ok_or("select a group first")?;
    let (scope, name, own) = (group.scope.clone(), name.clone(), app.model.person().clone());
    if group.members.contains(&own) {
        return Ok(Act::LeaveGroup(scope, name));
    }
    Ok(Act::AddToGroup(scope, name, vec![own]))
}

/// The marked agents.
pub fn marked(app: &App) -> Vec<Target> {
    app.model.selection.marked.iter().cloned().collect()
}

fn retry(app: &App, target: &Target) -> Option<Act> {
    let mail = || has(app, target, AttentionKind::Dead).then(|| Act::RetryMail(target.clone()));
    history::failed_run(&app.model, target).map(Act::RetryRun).or_else(mail)
}

fn has(app: &App, target: &Target, kind: AttentionKind) -> bool {
    needs::item(&app.model, target, kind).is_some()
}

fn stop(app: &App, agent: &Agent) -> Result<Act, String> {
    let own = agent.target.clone();
    if words::may_hurry(&app.model, &own) {
        return Ok(Act::Kill(own));
    }
    if words::is_stopping(&app.model, agent) {
        let (seconds, end) = (words::PATIENCE / 1000, app.model.key(Action::Stop));
        return Err(format!(
            "{own} is stopping: if it has not in {seconds} s, {end} ends it at once"
        ));
    }
    if agent.state != AgentState::Stopped {
        return Ok(Act::Stop(vec![own]));
    }
    Err(format!("{own} is stopped already: {} resumes it", app.model.key(Action::Start)))
}

fn stop_all(app: &App) -> Result<Act, String> {
    let workflow = app.model.workflow().ok_or("select a workflow, or a stopped agent")?;
    if workflow.scope.is_global() {
        return Err("global agents are stopped one by one".to_owned());
    }
    let mut members = app.model.mirror().agents_of(&workflow.scope);
    if workflow.state.has_ended() && !members.any(|agent| agent.run.is_some()) {
        let state = words::workflow(app.model.symbols(), workflow).word;
        return Err(format!("workflow {} is {state} already", workflow.scope.key()));
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
        Action::Answer => app.question().is_some() || app.vote().is_some(),
        Action::Vote => app.panes.proposals.is_possible(&app.model, action),
        Action::New => app.model.place.tab != Tab::Members || app.model.shown_group().is_some(),
        Action::Message => app.selected_agent().is_some() || !marked(app).is_empty(),
        Action::Attach => app.pane().run(&app.model).is_some() || app.selected_agent().is_some(),
        Action::Mark => app.selected_agent().is_some(),
        Action::Why => app.selected_agent().is_some() || app.model.place.subject.scope().is_some(),
        Action::Peek => app.model.mirror().agents().any(|agent| agent.kind != MemberKind::Person),
        Action::Write => {
            let address = Address::of(&app.model.place.subject, &app.model.settings.identity);
            app.model.has_picture() && address.is_some_and(|address| app.model.may_write(&address))
        }
        Action::Open
        | Action::Diff
        | Action::Older
        | Action::Newer
        | Action::Copy
        | Action::Reply
            if app.model.selection.focus == Focus::Main && app.model.has_picture() =>
        {
            app.pane().is_possible(&app.model, action)
        }
        Action::Open | Action::Menu | Action::Search | Action::SearchAll => app.model.has_picture(),
        Action::Edit | Action::Pager => app.pane().is_possible(&app.model, action),
        // Of an agent that works there is nothing to start.
        Action::Start if app.model.is_live() && app.selected_agent().is_some() => {
            allowed(app, action).is_ok()
        }
        Action::Start => may_start(app),
        Action::DaemonLog => !app.model.is_out_of_reach(),
        Action::NextNeed | Action::PreviousNeed => {
            let roots = tree_lines::roots(&app.model);
            app.model.mirror().attention().next().is_some()
                || roots.is_some_and(|roots| roots.needs_elsewhere() > 0)
        }
        _ => action.tab().is_none_or(|number| number < app.model.place.subject.tabs().len()),
    }
}

/// Whether a workflow or the daemon can be started, with anything selected.
fn may_start(app: &App) -> bool {
    !app.model.settings.read_only
        && app.model.connection.reach != Reach::Looking
        && refusal::of(&app.model).is_none()
        && !app.model.is_out_of_reach()
}

impl App {
    /// What can be done where the person is. A workflow can be started beside an agent that works,
    /// which has nothing to start itself.
    pub fn possible(&self) -> Possible {
        let mut actions: Vec<(Action, Option<Act>)> = Vec::new();
        for row in BINDINGS {
            let is_known = actions.iter().any(|(action, _)| *action == row.action);
            let is_start = row.action == Action::Start && may_start(self);
            if !is_known && (is_start || is_possible(self, row.action)) {
                actions.push((row.action, allowed(self, row.action).ok()));
            }
        }
        Possible { agent: self.selected_agent(), actions }
    }
}
