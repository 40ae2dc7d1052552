//! Schedules: when each agent runs by itself next, and below the list what became of the last
//! times of one of them.

mod draw;
use std::collections::{BTreeMap, BTreeSet};

use agent_worker_protocol::{
    event::{Event, EventBody},
    id::ScheduleId,
    schedule::{Schedule, ScheduleDetail, ScheduleDetails, ScheduleState},
    target::{Scope, Target},
};

use super::run;
use crate::parts::list::{Picked, stride};
use crate::{
    action::Action,
    app::go,
    model::{
        Focus, State,
        acts::Act,
        place::{Place, Subject, Tab},
        requests::{Effect, Request},
    },
    overlays::{self, Overlay},
};

pub use draw::draw;

/// What the pane keeps.
#[derive(Debug, Default)]
pub struct Schedules {
    /// Of a scope, or of everything
    picked: BTreeMap<Option<Scope>, Picked<ScheduleId>>,
    /// What was loaded of the agents that have one
    known: BTreeMap<Target, ScheduleDetails>,
    asked: Option<Target>,
    /// Agents of which something has happened since they were asked about
    old: BTreeSet<Target>,
}

fn scope(state: &State) -> Option<Scope> {
    state.place.subject.scope().cloned()
}

/// The schedules of what is shown that are not over.
pub fn all(state: &State) -> Vec<&Schedule> {
    match state.place.subject.scope() {
        Some(scope) => state.mirror().schedules_of(scope).collect(),
        None => state.mirror().schedules().collect(),
    }
}

fn ids(state: &State) -> Vec<ScheduleId> {
    all(state).into_iter().map(|schedule| schedule.id).collect()
}

fn picked(state: &State) -> Picked<ScheduleId> {
    state.panes.sched.picked.get(&scope(state)).cloned().unwrap_or_default()
}

/// The selected one.
pub fn selected(state: &State) -> Option<&Schedule> {
    let id = picked(state).get(&ids(state))?;
    all(state).into_iter().find(|schedule| schedule.id == id)
}

/// Its agent.
pub fn agent(state: &State) -> Option<Target> {
    selected(state).map(|schedule| schedule.agent.clone())
}

/// Its next times and its last ones, if they are loaded.
fn detail(state: &State) -> Option<&ScheduleDetail> {
    let schedule = selected(state)?;
    let details = state.panes.sched.known.get(&schedule.agent)?;
    details.schedules.iter().find(|detail| detail.schedule.id == schedule.id)
}

/// Shows a schedule.
pub fn open(state: &mut State, scope: &Scope, id: ScheduleId) -> Vec<Effect> {
    state.panes.sched.picked.entry(Some(scope.clone())).or_default().pick(&[id], 0);
    let effects = go::go(state, Place::at(Subject::Workflow(scope.clone()), Tab::Schedules));
    state.focus = Focus::Main;
    effects
}

/// It came onto the screen, or another one is selected.
pub fn shown(state: &mut State) -> Vec<Effect> {
    if state.place.tab != Tab::Schedules || !state.is_live() {
        return Vec::new();
    }
    let Some(agent) = agent(state) else { return Vec::new() };
    let sched = &mut state.panes.sched;
    let is_known = sched.known.contains_key(&agent) && !sched.old.contains(&agent);
    if is_known || sched.asked.is_some() {
        return Vec::new();
    }
    sched.old.remove(&agent);
    sched.asked = Some(agent.clone());
    vec![Effect::Ask(Request::Schedules(agent))]
}

/// An agent's schedules.
pub fn loaded(state: &mut State, target: &Target, details: ScheduleDetails) -> Vec<Effect> {
    state.panes.sched.asked = None;
    state.panes.sched.known.insert(target.clone(), details);
    shown(state)
}

/// They could not be loaded.
pub fn failed(state: &mut State, request: &Request) {
    if let Request::Schedules(_) = request {
        state.panes.sched.asked = None;
    }
}

/// The picture is a new one: what was loaded may be of another database.
pub fn renewed(state: &mut State) {
    state.panes.sched.known.clear();
    state.panes.sched.asked = None;
}

/// Something changed: what became of a due time is known when its run is.
pub fn heard(state: &mut State, event: &Event) -> Vec<Effect> {
    let target = match &event.body {
        EventBody::ScheduleChanged(schedule) => &schedule.agent,
        EventBody::RunChanged(run) => &run.agent,
        EventBody::AgentRemoved { target } => {
            state.panes.sched.known.remove(target);
            return Vec::new();
        }
        _ => return Vec::new(),
    };
    let sched = &mut state.panes.sched;
    if sched.known.contains_key(target) || sched.asked.as_ref() == Some(target) {
        sched.old.insert(target.clone());
    }
    shown(state)
}

/// Its keys.
pub fn act(state: &mut State, action: Action) -> Option<Vec<Effect>> {
    let height = draw::list_height(state);
    if let Some(by) = stride(action, height) {
        let (ids, scope) = (ids(state), scope(state));
        state.panes.sched.picked.entry(scope).or_default().step(&ids, by, height);
        return Some(shown(state));
    }
    Some(match action {
        Action::Open => last_run(state),
        Action::Pager => {
            if let (Some(name), Some(text)) = (agent(state), draw::whole(state)) {
                state.overlays.push(Overlay::pager(format!("schedule of {name}"), &text));
            }
            Vec::new()
        }
        Action::Edit => match selected(state).cloned() {
            Some(schedule) => overlays::open(state, Overlay::schedule(&schedule)),
            None => none(state),
        },
        Action::New => {
            let target = state.selected_agent().or_else(|| scope(state).map(Target::scope));
            overlays::open(state, Overlay::new_schedule(target.as_ref()))
        }
        _ => return None,
    })
}

fn none(state: &mut State) -> Vec<Effect> {
    state.warn("there is no schedule here: + makes one");
    Vec::new()
}

/// Shows the run that the last time led to.
fn last_run(state: &mut State) -> Vec<Effect> {
    let run = detail(state).and_then(|detail| detail.fired.iter().find_map(|fired| fired.run));
    match (agent(state), run) {
        (Some(agent), Some(run)) => run::open(state, &agent, run),
        (Some(_), None) => {
            state.tell("no run has come of it yet");
            Vec::new()
        }
        (None, _) => none(state),
    }
}

/// What an act means here.
pub fn wish(state: &State, action: Action) -> Option<Result<Act, String>> {
    let schedule = selected(state);
    let nothing = || "there is no schedule here: + makes one".to_owned();
    let of = |schedule: &Schedule| (schedule.agent.clone(), schedule.name.clone());
    Some(match (action, schedule) {
        (Action::Wake | Action::Pause | Action::StopAll, None) => Err(nothing()),
        (Action::Wake, Some(schedule)) => {
            let (agent, name) = of(schedule);
            Ok(Act::RunSchedule(agent, name))
        }
        (Action::Pause, Some(schedule)) => {
            let (agent, name) = of(schedule);
            Ok(match schedule.state {
                ScheduleState::Paused => Act::ResumeSchedule(agent, name),
                _ => Act::PauseSchedule(agent, name),
            })
        }
        (Action::StopAll, Some(schedule)) => {
            let (agent, name) = of(schedule);
            Ok(Act::ClearSchedule(agent, name))
        }
        _ => return None,
    })
}

/// Its lines as they are searched, and the selected one.
pub fn lines(state: &State) -> (Vec<String>, Option<usize>) {
    let line = |one: &&Schedule| {
        let prompt = one.prompt.as_deref().unwrap_or_default();
        format!("{} {} {} {prompt}", one.agent, one.name, one.spec)
    };
    (all(state).iter().map(line).collect(), picked(state).at(&ids(state)))
}

/// Selects one of them.
pub fn pick_line(state: &mut State, at: usize) -> Vec<Effect> {
    let (ids, scope) = (ids(state), scope(state));
    state.panes.sched.picked.entry(scope).or_default().pick(&ids, at);
    shown(state)
}

/// A row of the list was clicked.
pub fn click(state: &mut State, row: u16) -> Vec<Effect> {
    let (ids, scope, height) = (ids(state), scope(state), draw::list_height(state));
    if usize::from(row) < height {
        let picked = state.panes.sched.picked.entry(scope).or_default();
        picked.pick(&ids, picked.top(&ids, height) + usize::from(row));
    }
    shown(state)
}

/// What is copied: the whole of the selected one.
pub fn copied(state: &State) -> Option<String> {
    draw::whole(state)
}

/// What the line of the composer says.
pub fn line(state: &State) -> String {
    match selected(state) {
        Some(schedule) if schedule.timezone.as_str() != "UTC" => {
            format!("times are yours; it is due by the clock of {}", schedule.timezone.as_str())
        }
        Some(_) => "times are yours; it is due by the clock of UTC".to_owned(),
        None => "agents run by themselves here if they have a schedule".to_owned(),
    }
}
