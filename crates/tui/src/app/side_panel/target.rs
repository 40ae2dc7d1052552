//! What the side panel is about.

use agent_worker_protocol::{AgentState, Run, RunId, Target};

use crate::{
    app::App,
    model::{Focus, history},
    panes::documents::beside,
};

/// Whether it shows what belongs to an agent, and no run of its own.
pub fn is_beside_agent(app: &App) -> bool {
    app.model.place.subject.agent().is_some()
}

/// The agent it is about: the selected one, else the agent at work for longest, else
/// the agent that was at work last.
pub fn target(app: &App) -> Option<Target> {
    if beside::is_shown(&app.model) {
        return None;
    }
    if let Some(target) = app.model.place.subject.agent() {
        return Some(target.clone());
    }
    let selected = app.model.selection.focus == Focus::Main;
    let selected = selected.then(|| app.pane().selected(&app.model)).flatten();
    if let Some(target) = selected.filter(|target| history::newest(&app.model, target).is_some()) {
        return Some(target);
    }
    let scope = app.model.place.subject.scope();
    let mirror = app.model.mirror();
    let runs = mirror.runs().filter(|run| scope.is_none_or(|scope| run.scope == *scope));
    let is_at_work = |run: &&Run| {
        let agent = mirror.agent(&run.agent);
        run.state.is_live() && agent.is_some_and(|agent| agent.run == Some(run.id))
    };
    let (live, ended): (Vec<&Run>, Vec<&Run>) = runs.partition(is_at_work);
    let waits = |run: &Run| {
        let agent = mirror.agent(&run.agent);
        agent.is_some_and(|agent| agent.state == AgentState::Waiting)
    };
    let first = live.into_iter().min_by_key(|run| (waits(run), run.started_at, run.id));
    let last = || ended.into_iter().max_by_key(|run| run.id);
    first.or_else(last).map(|run| run.agent.clone())
}

/// The run that it follows; none beside an agent, whose run is in the main pane.
pub fn run(app: &App) -> Option<RunId> {
    if is_beside_agent(app) {
        return None;
    }
    history::newest(&app.model, &target(app)?)
}
