//! What its keys do, and what it hears.

use agent_worker_protocol::{Event, EventBody, Name, ScheduleState, Target};
use ratatui_core::layout::Rect;

use super::{
    draw::as_text,
    state::{LIST, Schedules, all, ids, scope},
};
use crate::{
    action::Action,
    model::{
        Act, Answer, Effect, Item, Loaded, Model, Pick, Place, Reply, Request, Subject, Tab, Window,
    },
    paint::Painter,
    panes::Pane,
    parts::{list, tabs},
    theme::Role,
};

fn none(model: &Model) -> String {
    format!("no schedule here: {} creates one", model.pane_key(Action::New))
}

impl Schedules {
    /// Shows the run that the last time led to.
    fn last_run(&mut self, model: &mut Model) -> Vec<Effect> {
        let run =
            self.detail(model).and_then(|detail| detail.fired.iter().find_map(|fired| fired.run));
        match (self.agent(model), run) {
            (Some(agent), Some(run)) => vec![Effect::show_run(&agent, run)],
            (Some(_), None) => model.tell("no run has come of it yet"),
            (None, _) => model.warn(none(model)),
        }
    }
}

impl Pane for Schedules {
    /// It came onto the screen, or another one is selected.
    fn on_show(&mut self, model: &mut Model) -> Vec<Effect> {
        if model.place.tab != Tab::Schedules {
            return Vec::new();
        }
        self.settle(model);
        let agent = self.agent(model).filter(|_| model.is_live());
        let wanted = agent.filter(|agent| self.known.ask(agent));
        wanted.map(|agent| Effect::Ask(Request::Schedules(agent))).into_iter().collect()
    }

    /// The picture is a new one: what was loaded may be of another database.
    fn on_reset(&mut self, _: &mut Model) -> Vec<Effect> {
        self.known = Loaded::default();
        Vec::new()
    }

    /// Something changed: what became of a due time is known when its run is.
    fn on_event(&mut self, model: &mut Model, event: &Event) -> Vec<Effect> {
        let target = match &event.body {
            EventBody::ScheduleChanged(schedule) => &schedule.agent,
            EventBody::RunChanged(run) => &run.agent,
            EventBody::AgentRemoved { target } => {
                self.known.remove(target);
                return Vec::new();
            }
            _ => return Vec::new(),
        };
        self.known.outdate(target);
        self.on_show(model)
    }

    fn done(&mut self, model: &mut Model, action: Action) -> Option<Vec<Effect>> {
        Some(match action {
            Action::Open => self.last_run(model),
            Action::Pager => {
                let found = self.agent(model).zip(self.whole(model));
                let pager = |(name, text): (Target, String)| {
                    Effect::Open(Window::pager(format!("schedule of {name}"), &text))
                };
                found.map(pager).into_iter().collect()
            }
            Action::Edit => match self.selected(model).cloned() {
                Some(schedule) => vec![Effect::Open(Window::Schedule(Box::new(schedule)))],
                None => model.warn(none(model)),
            },
            Action::New => {
                let target = self.agent(model).or_else(|| scope(model).map(Target::scope));
                vec![Effect::Open(Window::NewSchedule(target))]
            }
            _ => return None,
        })
    }

    /// What an act means here.
    fn allowed(&self, model: &Model, action: Action) -> Option<Result<Act, String>> {
        let schedule = self.selected(model);
        let is_paused = schedule.is_some_and(|one| one.state == ScheduleState::Paused);
        let act: fn(Target, Name) -> Act = match action {
            Action::Wake => Act::RunSchedule,
            Action::Pause if is_paused => Act::ResumeSchedule,
            Action::Pause => Act::PauseSchedule,
            Action::StopAll => Act::ClearSchedule,
            _ => return None,
        };
        let act = schedule.map(|schedule| act(schedule.agent.clone(), schedule.name.clone()));
        Some(act.ok_or_else(|| none(model)))
    }

    fn fields(&self, _: &Model) -> &'static [&'static str] {
        &super::state::FIELDS
    }

    /// Its lines as they are searched, and the selected one.
    fn lines(&self, model: &Model) -> (Vec<String>, Option<usize>) {
        let lines = all(model).into_iter().map(|one| as_text(model, one));
        (lines.collect(), self.picked(model).at(&ids(model)))
    }

    fn is_possible(&self, model: &Model, action: Action) -> bool {
        let is_of_line = matches!(action, Action::Open | Action::Edit | Action::Pager);
        !is_of_line || Self::selected(self, model).is_some()
    }

    fn list_height(&self, model: &Model) -> Option<usize> {
        Some(list::height(model, all(model).len(), LIST))
    }

    fn pick(&mut self, model: &mut Model, to: Pick) -> Vec<Effect> {
        self.picked.entry(scope(model)).or_default().go(&ids(model), to);
        self.on_show(model)
    }

    /// What is copied: the whole of the selected one.
    fn copied(&self, model: &Model, _: Option<Target>) -> Option<String> {
        self.whole(model)
    }

    /// What the line of the composer says.
    fn line(&self, model: &Model) -> Option<String> {
        Some(match self.selected(model) {
            Some(schedule) => {
                let zone = schedule.timezone.as_str();
                format!("times in your zone; the schedule uses {zone}")
            }
            None => "agents run by themselves here if they have a schedule".to_owned(),
        })
    }

    fn on_answer(&mut self, model: &mut Model, request: &Request, answer: Answer) -> Vec<Effect> {
        let Request::Schedules(target) = request else { return Vec::new() };
        match answer {
            Ok(Reply::Schedules(details)) => {
                self.known.load(target.clone(), details);
                self.on_show(model)
            }
            Ok(_) => Vec::new(),
            Err(trouble) => {
                self.known.retry(target);
                model.not_loaded(&trouble)
            }
        }
    }

    fn go_to(&mut self, _: &mut Model, subject: &Subject, item: Item) {
        if let Item::Schedule(id) = item {
            self.picked.entry(subject.scope().cloned()).or_default().pick(&[id], 0);
        }
    }

    fn item(&self, model: &Model) -> Option<(Place, Item, String)> {
        let schedule = Self::selected(self, model)?;
        let label = format!("schedule {} of {}", schedule.name, schedule.agent);
        Some((model.place.clone(), Item::Schedule(schedule.id), label))
    }

    fn draw(&self, model: &Model, painter: &mut Painter<'_>, area: Rect) {
        self.paint(model, painter, area);
    }

    fn selected(&self, model: &Model) -> Option<Target> {
        self.agent(model)
    }

    fn count(&self, model: &Model, _: Tab) -> Option<(String, Role)> {
        let Subject::Workflow(scope) = &model.place.subject else { return None };
        tabs::count(model.mirror().schedules_of(scope).count())
    }

    fn counts_down(&self, model: &Model) -> bool {
        all(model).iter().any(|schedule| schedule.next_due.is_some())
    }
}
