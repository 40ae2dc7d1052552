//! What is kept of schedules, and which is selected.

use std::collections::BTreeMap;

use agent_worker_protocol::{Schedule, ScheduleDetail, ScheduleDetails, ScheduleId, Scope, Target};

use crate::{
    model::{Loaded, Model, Picked, Tab},
    parts::table,
    text::query::{Fact, Value},
};

/// What the pane keeps.
#[derive(Debug, Default)]
pub struct Schedules {
    /// Of a scope, or of everything
    pub(super) picked: BTreeMap<Option<Scope>, Picked<ScheduleId>>,
    /// What was loaded of the agents that have one
    pub(super) known: Loaded<Target, ScheduleDetails, 100>,
}

pub(super) fn scope(model: &Model) -> Option<Scope> {
    model.place.subject.scope().cloned()
}

/// The schedules of what is shown that are not over.
pub fn all(model: &Model) -> Vec<&Schedule> {
    let all = match model.place.subject.scope() {
        Some(scope) => model.mirror().schedules_of(scope).collect(),
        None => model.mirror().schedules().collect(),
    };
    table::arranged(model, Tab::Schedules, all, |schedule| facts(model, schedule))
}

/// What schedules can be filtered and sorted by.
pub(super) const FIELDS: [&str; 7] =
    ["agent", "name", "workflow", "state", "when", "due", "prompt"];

/// The values of a schedule by these names.
fn facts(model: &Model, schedule: &Schedule) -> Vec<Fact> {
    let due = schedule.next_due.map(|due| Value::span(due.since(model.shown_at())));
    vec![
        ("agent", Value::from(&schedule.agent)),
        ("name", Value::from(&schedule.name)),
        ("workflow", Value::from(&schedule.scope.key())),
        ("state", Value::from(schedule.state.as_str())),
        ("when", Value::from(&schedule.spec)),
        ("due", due.unwrap_or(Value::Unknown)),
        ("prompt", schedule.prompt.as_ref().map_or(Value::Unknown, Value::from)),
    ]
}

pub(super) fn ids(model: &Model) -> Vec<ScheduleId> {
    all(model).into_iter().map(|schedule| schedule.id).collect()
}

impl Schedules {
    /// Keeps the selected schedule selected when others come on top of it.
    pub(super) fn settle(&mut self, model: &Model) {
        self.picked.entry(scope(model)).or_default().settle(&ids(model));
    }

    pub(super) fn picked(&self, model: &Model) -> Picked<ScheduleId> {
        self.picked.get(&scope(model)).cloned().unwrap_or_default()
    }

    pub fn selected<'a>(&'a self, model: &'a Model) -> Option<&'a Schedule> {
        let id = self.picked(model).get(&ids(model))?;
        all(model).into_iter().find(|schedule| schedule.id == id)
    }

    pub fn agent(&self, model: &Model) -> Option<Target> {
        self.selected(model).map(|schedule| schedule.agent.clone())
    }

    /// Its next times and its last ones, if they are loaded.
    pub(super) fn detail<'a>(&'a self, model: &'a Model) -> Option<&'a ScheduleDetail> {
        let schedule = self.selected(model)?;
        let details = self.known.get(&schedule.agent)?;
        details.schedules.iter().find(|detail| detail.schedule.id == schedule.id)
    }
}

/// Rows of the list at most; a third of the pane is enough.
pub(super) const LIST: usize = 12;
