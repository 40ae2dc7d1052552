//! What its keys do, and what it hears.

use agent_worker_protocol::{
    conversation::Conversation,
    event::{Event, EventPage, LoggedEvent},
    id::MessageId,
    target::Scope,
};
use ratatui_core::layout::Rect;

use super::state::{FAMILIES, FIELDS, Log, MOST, height, run_of};
use crate::{
    action::Action,
    model::{Answer, Effect, Model, Paging, Place, Reply, Request, Subject, Tab, Window, layout},
    paint::{Painter, Row},
    panes::Pane,
    parts::list::stride,
    theme::Role,
};

impl Log {
    /// A page of it.
    fn loaded(&mut self, scope: Option<&Scope>, before: Option<i64>, page: EventPage) {
        if self.scope.as_ref() != scope {
            return;
        }
        self.paging.load(page.more);
        self.older = page.next;
        let first = self.events.first().map_or(i64::MAX, |event| event.seq);
        let mut events = page.events;
        if before.is_some() && self.is_loaded {
            events.retain(|event| event.seq < first);
            events.append(&mut self.events);
        } else {
            let last = events.last().map_or(0, |event| event.seq);
            events.extend(self.events.drain(..).filter(|event| event.seq > last));
        }
        self.events = events;
        self.is_loaded = true;
        self.trim();
    }

    /// Lets go what is too much: the oldest events, or those farthest from the selected one.
    fn trim(&mut self) {
        let most = if self.selected.is_some() { MOST * 2 } else { MOST };
        if self.events.len() <= most {
            return;
        }
        let last = self.events.len() - MOST;
        let own = self.selected.and_then(|seq| self.events.iter().position(|it| it.seq == seq));
        let from = own.map_or(last, |own| own.saturating_sub(MOST / 2).min(last));
        if from > 0 {
            self.events.drain(..from);
            if self.paging == Paging::Whole {
                self.paging = Paging::Part;
            }
            self.older = self.events.first().map(|event| event.seq);
        }
        self.has_newer |= from < last;
        self.events.truncate(MOST);
    }

    /// To the newest, and those that come. What was let go is asked for.
    fn follow(&mut self, model: &mut Model) -> Vec<Effect> {
        self.selected = None;
        if std::mem::take(&mut self.has_newer) {
            (self.is_loaded, self.paging) = (false, Paging::default());
        }
        self.on_show(model)
    }

    fn step(&mut self, model: &mut Model, by: isize) -> Vec<Effect> {
        let shown = self.shown();
        let last = shown.len().saturating_sub(1);
        let to = self.at(&shown).unwrap_or(0).saturating_add_signed(by).min(last);
        let selected = shown.get(to).map(|event| event.seq);
        if to == last && by > 0 {
            return self.follow(model);
        }
        self.selected = selected;
        if to > 20 || by > 0 || !self.paging.more() {
            return Vec::new();
        }
        vec![Effect::Ask(Request::Log(self.scope.clone(), self.older))]
    }

    /// Goes to the thing the event is about.
    fn open(&self) -> Vec<Effect> {
        let shown = self.shown();
        let Some(event) = self.at(&shown).map(|at| shown[at].clone()) else { return Vec::new() };
        let family = event.kind.split('.').next().unwrap_or("");
        let effect = match family {
            "message" | "delivery" => event.subject.parse().ok().map(|id| show_message(&event, id)),
            "run" => run_of(&event).map(|run| Effect::show_agent(run.agent)),
            "agent" => event.subject.parse().ok().map(Effect::show_agent),
            "document" => {
                let place = Place::at(Subject::Workflow(event.scope), Tab::Documents);
                Some(Effect::Go(place, None))
            }
            _ => Some(Effect::Go(Place::of(Subject::Workflow(event.scope)), None)),
        };
        effect.into_iter().collect()
    }
}

/// Shows a message in its conversation; alone where the event does not say which that is.
fn show_message(event: &LoggedEvent, id: MessageId) -> Effect {
    let group = event.body.pointer("/message/group").cloned();
    let group: Option<Conversation> = group.and_then(|group| serde_json::from_value(group).ok());
    match group {
        Some(group) => Effect::show_message(&event.scope, &group, id),
        None => Effect::Open(Window::Message(id, None)),
    }
}

impl Pane for Log {
    /// It came onto the screen.
    fn on_show(&mut self, model: &mut Model) -> Vec<Effect> {
        if model.place.tab != Tab::Events || !model.is_live() {
            return Vec::new();
        }
        self.query = model.selection.queries.get(&Tab::Events).cloned();
        let scope = model.place.subject.scope().cloned();
        if self.scope != scope {
            let old = std::mem::take(self);
            let Log { epoch, errors_only, family, query, .. } = old;
            *self = Log { epoch, scope, errors_only, family, query, ..Log::default() };
        }
        let is_wanted = self.paging.begin();
        let request = Request::Log(self.scope.clone(), None);
        is_wanted.then_some(Effect::Ask(request)).into_iter().collect()
    }

    /// The picture is a new one, perhaps of another database, whose events have other numbers.
    fn on_reset(&mut self, model: &mut Model) -> Vec<Effect> {
        let epoch = model.mirror().epoch().map(ToOwned::to_owned);
        if self.epoch != epoch {
            self.events.clear();
            (self.epoch, self.selected, self.older) = (epoch, None, None);
        }
        (self.is_loaded, self.has_newer, self.paging) = (false, false, Paging::default());
        Vec::new()
    }

    fn on_event(&mut self, _: &mut Model, event: &Event) -> Vec<Effect> {
        let is_wanted = self.scope.as_ref().is_none_or(|scope| *scope == event.scope);
        if self.paging == Paging::Nothing || self.has_newer || !is_wanted {
            return Vec::new();
        }
        let value = serde_json::to_value(&event.body).unwrap_or_default();
        self.events.push(LoggedEvent {
            seq: event.seq,
            scope: event.scope.clone(),
            kind: event.body.kind().to_owned(),
            subject: event.body.subject(),
            run: event.run,
            actor: event.actor.clone(),
            at: event.at,
            body: value.get("body").cloned().unwrap_or_default(),
        });
        self.trim();
        Vec::new()
    }

    fn act(&mut self, model: &mut Model, action: Action) -> Option<Vec<Effect>> {
        let by = stride(action, height(layout::regions(model).main));
        Some(match action {
            Action::ErrorsOnly => {
                self.errors_only = !self.errors_only;
                Vec::new()
            }
            Action::Order => model.tell("events stand in the order in which they happened"),
            Action::Open | Action::Cause => self.open(),
            _ => self.step(model, by?),
        })
    }

    fn note(&self, _: &Model) -> Row {
        match self.selected {
            None => Row::of("follow", Role::Running),
            Some(selected) => {
                let below = self.shown().iter().filter(|event| event.seq > selected).count();
                let more = if self.has_newer { "+" } else { "" };
                Row::of(format!("paused, {below}{more} below"), Role::Wait)
            }
        }
    }

    /// What the line of the composer says.
    fn line(&self, model: &Model) -> Option<String> {
        let count = self.shown().len();
        let live = if model.is_live() { "live" } else { "not live" };
        Some(format!("{count} of {} events, {live}", model.mirror().seq()))
    }

    /// The kinds of events that can be shown, and which are.
    fn filters(&self, _: &Model) -> Option<(Vec<String>, usize)> {
        let words = |family: &&str| {
            let name = if family.is_empty() { "all" } else { family.trim_end_matches('.') };
            format!("{name}: {}", self.of(family).len())
        };
        Some((FAMILIES.iter().map(words).collect(), self.family))
    }

    /// Shows only one kind, and says so if no event has it.
    fn filter(&mut self, model: &mut Model, at: usize) -> Vec<Effect> {
        self.family = at.min(FAMILIES.len() - 1);
        if self.shown().is_empty() {
            let others = model.key(Action::Filter);
            model.tell(format!("no event of this kind is loaded: {others} shows others"));
        }
        Vec::new()
    }

    fn fields(&self, _: &Model) -> &'static [&'static str] {
        &FIELDS
    }

    /// Its lines as they are searched, and the selected one.
    fn lines(&self, _: &Model) -> (Vec<String>, Option<usize>) {
        let shown = self.shown();
        let line = |event: &&LoggedEvent| {
            let LoggedEvent { kind, actor, subject, scope, body, .. } = event;
            format!("{kind} {actor} {subject} {scope} {body}")
        };
        (shown.iter().map(line).collect(), self.at(&shown))
    }

    /// Selects one of them.
    fn pick_line(&mut self, _: &mut Model, at: usize) -> Vec<Effect> {
        self.selected = self.shown().get(at).map(|event| event.seq);
        Vec::new()
    }

    /// A page of it.
    fn on_answer(&mut self, model: &mut Model, request: &Request, answer: Answer) -> Vec<Effect> {
        match (request, answer) {
            (Request::Log(scope, before), Ok(Reply::Log(page))) => {
                self.loaded(scope.as_ref(), *before, page);
            }
            (_, Ok(_)) => {}
            (_, Err(trouble)) => {
                self.paging.fail(!self.is_loaded);
                model.not_loaded(&trouble);
            }
        }
        Vec::new()
    }

    fn draw(&self, model: &Model, painter: &mut Painter<'_>, area: Rect) {
        self.paint(model, painter, area);
    }
}
