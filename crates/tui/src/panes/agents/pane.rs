//! What its keys do, what it hears, and how it looks.

use agent_worker_protocol::{Event, EventBody, Target};
use ratatui_core::layout::Rect;

use super::{
    columns::{self, Columns},
    state::{Agents, Filter, filtered},
};
use crate::{
    action::Action,
    model::{Act, Effect, Model, Pick, Subject, Tab, family, layout, settings::Order, tree_lines},
    paint::{Painter, Row},
    panes::Pane,
    parts::{list, table, tabs},
    theme::Role,
};

impl Agents {
    /// Lines may have been added, removed or moved.
    pub fn settle(&mut self, model: &Model) {
        let targets = self.targets(model);
        self.picked.entry(model.place.subject.clone()).or_default().settle(&targets);
    }

    /// Folds what the selected agent hired, or goes to its parent; none if the key means what it
    /// means elsewhere.
    fn fold(&mut self, model: &mut Model, open: bool) -> Option<Vec<Effect>> {
        let branches = self.branches(model);
        let targets: Vec<_> = branches.iter().map(|branch| branch.agent.target.clone()).collect();
        let own = self.picked.get(&model.place.subject)?.at(&targets)?;
        let is_deep = branches[own].depth > 0;
        if model.fold_hired(&targets[own], open) {
            return Some(Vec::new());
        }
        if open || !is_deep {
            return None;
        }
        let parent = family::parent(model.mirror().agent(&targets[own])?)?;
        let at = targets.iter().position(|target| *target == parent)?;
        Some(self.pick(model, Pick::Line(at)))
    }

    fn open(&self, model: &mut Model) -> Vec<Effect> {
        let Some(target) = self.selected(model) else { return model.tell("no agents here") };
        vec![Effect::show_agent(target)]
    }
}

impl Pane for Agents {
    /// It came onto the screen, or what it shows is another.
    fn on_show(&mut self, model: &mut Model) -> Vec<Effect> {
        self.settle(model);
        Vec::new()
    }

    /// The picture is a new one: what was between is not known.
    fn on_reset(&mut self, _: &mut Model) -> Vec<Effect> {
        self.since.clear();
        Vec::new()
    }

    fn on_event(&mut self, model: &mut Model, event: &Event) -> Vec<Effect> {
        match &event.body {
            EventBody::AgentChanged(agent) => {
                let since = &mut self.since;
                if since.get(&agent.target).is_none_or(|(was, _)| *was != agent.state) {
                    since.insert(agent.target.clone(), (agent.state, event.at));
                }
            }
            EventBody::AgentRemoved { target } => {
                self.since.remove(target);
            }
            EventBody::WorkflowRemoved { scope } => {
                self.since.retain(|target, _| target.scope.as_ref() != Some(scope));
                self.picked.remove(&Subject::Workflow(scope.clone()));
            }
            _ => {}
        }
        if model.place.tab == Tab::Agents && self.is_by_state(model) {
            self.settle(model);
        }
        Vec::new()
    }

    fn selected(&self, model: &Model) -> Option<Target> {
        let picked = self.picked.get(&model.place.subject)?;
        picked.get(&self.targets(model))
    }

    fn done(&mut self, model: &mut Model, action: Action) -> Option<Vec<Effect>> {
        match action {
            Action::Open => Some(self.open(model)),
            Action::Left | Action::Right => self.fold(model, action == Action::Right),
            _ => None,
        }
    }

    /// With an agent, `X` removes it: without one it does not stop the workflow in its place.
    fn allowed(&self, model: &Model, action: Action) -> Option<Result<Act, String>> {
        let is_none = action == Action::StopAll && self.selected(model).is_none();
        is_none.then(|| Err("no agent is selected".to_owned()))
    }

    fn fields(&self, _: &Model) -> &'static [&'static str] {
        &columns::FIELDS
    }

    fn heading(&self, model: &Model, width: usize) -> Row {
        Columns::new(model, width, &self.branches(model)).heading()
    }

    fn columns(&self) -> &'static [&'static str] {
        &columns::HIDEABLE
    }

    /// What the table can be filtered to, and which filter holds.
    fn filters(&self, model: &Model) -> Option<(Vec<String>, usize)> {
        let words = |(filter, words): &(Filter, &str)| {
            format!("{words}: {}", filtered(model, *filter).len())
        };
        Some((Filter::ALL.iter().map(words).collect(), self.filter as usize))
    }

    /// Filters the table, and says so if nothing is left.
    fn filter(&mut self, model: &mut Model, at: usize) -> Vec<Effect> {
        let Some((filter, _)) = Filter::ALL.get(at).copied() else { return Vec::new() };
        self.filter = filter;
        if let Some(words) = filter.words()
            && self.agents(model).is_empty()
        {
            let others = model.key(Action::Filter);
            model.tell(format!("no agent is {words}: {others} shows others"));
        }
        self.settle(model);
        Vec::new()
    }

    /// Its lines as they are searched, and the selected one.
    fn lines(&self, model: &Model) -> (Vec<String>, Option<usize>) {
        let agents = self.agents(model);
        let own = self.selected(model);
        let at = own.and_then(|own| agents.iter().position(|agent| agent.target == own));
        (agents.into_iter().map(|agent| columns::searched(model, agent)).collect(), at)
    }

    fn rows_above(&self) -> usize {
        1
    }

    /// Agents on the screen, between the heading and the total.
    fn list_height(&self, model: &Model) -> Option<usize> {
        Some(layout::channel_height(model).saturating_sub(2))
    }

    fn pick(&mut self, model: &mut Model, to: Pick) -> Vec<Effect> {
        let targets = self.targets(model);
        self.picked.entry(model.place.subject.clone()).or_default().go(&targets, to);
        Vec::new()
    }

    /// What the line below says: the order, and what is left out.
    fn line(&self, model: &Model) -> Option<String> {
        let filter = self.filter.words().map(|words| format!("; only those {words}"));
        let filter = filter.unwrap_or_default();
        let order = match (model.selection.sorts.get(&Tab::Agents), model.settings.chosen.order) {
            (Some(sort), _) => format!("sorted by {}", sort.field),
            (None, Order::Need) => "ordered by need for you".to_owned(),
            (None, Order::Name) => "ordered by name".to_owned(),
        };
        let [sort, only, line] =
            [Action::Order, Action::Filter, Action::FilterLine].map(|action| model.key(action));
        Some(format!("{order}{filter}; {sort} sorts, {only} shows only some, {line} filters"))
    }

    fn draw(&self, model: &Model, painter: &mut Painter<'_>, area: Rect) {
        let branches = self.branches(model);
        let area = list::margin(area);
        if branches.is_empty() {
            let words = match self.filter {
                Filter::All => "no agents here".to_owned(),
                _ => format!("no agent matches: {} shows others", model.pane_key(Action::Filter)),
            };
            return painter.hint(area, 2, table::nothing(model, &words));
        }
        let columns = Columns::new(model, usize::from(area.width.saturating_sub(1)), &branches);
        painter.row(area, 1, 0, &columns.heading());
        let targets: Vec<_> = branches.iter().map(|branch| branch.agent.target.clone()).collect();
        let height = usize::from(area.height).saturating_sub(2);
        let picked = self.picked.get(&model.place.subject).cloned().unwrap_or_default();
        let (body, _) = list::split(list::split(area, 1).1, height);
        list::lines(model, painter, body, (&picked, &targets), |at| {
            columns.line(self, model, branches[at])
        });
        if let Some(total) = columns.total(&self.all(model)) {
            let y = u16::try_from(targets.len().min(height) + 1).unwrap_or(u16::MAX);
            painter.row(area, 1, y, &total);
        }
    }

    fn count(&self, model: &Model, _: Tab) -> Option<(String, Role)> {
        let Subject::Workflow(scope) = &model.place.subject else { return None };
        tabs::count(tree_lines::members(model, scope).len())
    }
}
