//! The agent that is selected, and what is asked where the person is.

use agent_worker_protocol::{Proposal, Question, Target};

use super::{App, side_panel};
use crate::{
    model::{Effect, Focus, NavId, RequestError, Window, history, needs},
    panes::run::attach,
};

impl App {
    /// The agent that is selected: in the pane that has focus, else in the tree.
    pub fn selected_agent(&self) -> Option<Target> {
        let focused = match self.model.selection.focus {
            Focus::Nav => None,
            Focus::Main => self.pane().selected(&self.model),
            Focus::Dock => side_panel::target(self),
        };
        focused.or_else(|| self.model.place.subject.agent().cloned())
    }

    /// The question that is meant where the person is: the selected one, else that of the shown
    /// run, else the first of the agent, of the workflow, of all.
    pub fn question(&self) -> Option<&Question> {
        let model = &self.model;
        let agent = self.selected_agent();
        let selected = needs::of_line(model, &model.selection.tree.selected).filter(|question| {
            model.selection.focus == Focus::Nav || agent.as_ref() == Some(&question.agent)
        });
        if selected.is_some() {
            return selected;
        }
        if let Some(target) = agent {
            let shown = self.pane().run(model).and_then(|run| needs::of_run(model, run));
            let shown = shown.filter(|question| question.agent == target);
            return shown.or_else(|| needs::of_agent(model, &target));
        }
        let scope = model.place.subject.scope();
        let is_here = |question: &&Question| scope.is_none_or(|scope| question.scope == *scope);
        model.mirror().questions().find(is_here)
    }

    /// The proposal that waits for the user's vote: the selected one, else, where no agent is
    /// selected, the first of the workflow, of all.
    pub fn vote(&self) -> Option<&Proposal> {
        let model = &self.model;
        let selected = needs::proposal_of(model, &model.selection.tree.selected);
        if selected.is_some() || self.selected_agent().is_some() {
            return selected;
        }
        let scope = model.place.subject.scope();
        let needs = model.mirror().attention();
        let mut here = needs.filter(|need| scope.is_none_or(|scope| need.scope == *scope));
        here.find_map(|need| {
            needs::proposal_of(model, &NavId::Need(need.kind, need.subject.clone()))
        })
    }
}

/// Marks the selected agent for an act on several, or no longer.
pub fn mark(app: &mut App) -> Vec<Effect> {
    if let Some(target) = app.selected_agent()
        && !app.model.selection.marked.remove(&target)
    {
        app.model.selection.marked.insert(target);
    }
    Vec::new()
}

/// Hands the terminal to the program of the selected run, or of the last run of the selected agent.
pub fn attach(app: &mut App) -> Vec<Effect> {
    let newest = || history::newest(&app.model, &app.selected_agent()?);
    let effects = match app.pane().run(&app.model).or_else(newest) {
        Some(run) => attach::attach(&mut app.model, run),
        None => app.model.warn("select a run, or an agent that has one"),
    };
    app.perform(effects)
}

/// Says which command shows the daemon's log.
pub fn daemon_log(app: &mut App) -> Vec<Effect> {
    let line = app.model.connection.at_its_machine("agent-worker daemon logs");
    if !app.model.connection.is_remote {
        return app.model.tell(line);
    }
    // The line below has no room for it.
    let message = format!("it is on {}", app.model.connection.host);
    let trouble = RequestError::with_command(message, line);
    app.open(Window::Refused("show the daemon's log".to_owned(), trouble))
}
