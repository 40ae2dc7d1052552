//! What its keys do, and what it hears.

use agent_worker_protocol::{Conversation, Event, EventPage, LoggedEvent, MessageId};
use ratatui_core::layout::Rect;

use super::state::{FAMILIES, FIELDS, Log, MOST, height, run_of};
use crate::{
    action::Action,
    model::{Answer, Effect, LogPage, Model, Place, Reply, Request, Subject, Tab, Window, layout},
    paint::{Painter, Row},
    panes::Pane,
    parts::list::stride,
    theme::Role,
};

/// How near to the ends of what is kept the next page is asked for.
const NEAR: usize = 20;

/// How many pages are loaded in a row for the first event that the filters let through.
const MOST_SOUGHT: usize = 20;

impl Log {
    fn ask(&mut self, page: LogPage) -> Vec<Effect> {
        self.asked = Some(page);
        self.meanwhile.clear();
        vec![Effect::Ask(Request::Log(self.scope.clone(), page))]
    }

    /// The next newer page, if there are events that were not kept.
    fn newer(&self) -> Option<LogPage> {
        let last = self.events.last().filter(|_| self.has_newer);
        last.map(|event| LogPage::After(event.seq))
    }

    /// A page of it takes its place among the events that are kept. Those after it stay if they
    /// follow without a gap.
    fn loaded(&mut self, asked: LogPage, page: EventPage) {
        let after = if let LogPage::After(seq) = asked { Some(seq) } else { None };
        let first = after.unwrap_or(0);
        let last = page.events.last().map_or(first, |event| event.seq);
        let known = self.events.drain(..).chain(self.meanwhile.drain(..));
        let (mut events, newer): (Vec<_>, Vec<_>) = known.partition(|event| event.seq <= first);
        let is_joined = after.is_none() || !page.more;
        events.extend(page.events);
        events.extend(newer.into_iter().filter(|event| is_joined && event.seq > last));
        self.events = events;
        self.is_loaded = true;
        if after.is_none() {
            self.older = page.next;
        } else {
            self.has_newer = page.more;
        }
        if asked == LogPage::OLDEST {
            (self.older, self.selected) = (None, None);
        }
        if after.is_some() && self.selected.is_none() {
            self.selected = self.shown().first().map(|event| event.seq);
        }
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
            self.older = self.events.first().map(|event| event.seq);
        }
        self.has_newer |= from < last;
        self.events.truncate(MOST);
    }

    /// To the newest, and those that come. What was let go is asked for.
    fn follow(&mut self, model: &mut Model) -> Vec<Effect> {
        self.selected = None;
        let is_joined = !std::mem::take(&mut self.has_newer);
        self.is_loaded &= is_joined;
        // An answer with other events would lead away from the newest.
        self.asked = self.asked.filter(|page| is_joined && *page == LogPage::Newest);
        self.on_show(model)
    }

    /// To the oldest, from which the log is loaded anew if what is kept does not reach to it.
    fn oldest(&mut self) -> Vec<Effect> {
        self.selected = self.shown().first().map(|event| event.seq);
        let is_there = self.is_loaded && self.older.is_none();
        if is_there || self.asked == Some(LogPage::OLDEST) {
            return Vec::new();
        }
        self.ask(LogPage::OLDEST)
    }

    fn step(&mut self, model: &mut Model, by: isize) -> Vec<Effect> {
        let shown = self.shown();
        let last = shown.len().saturating_sub(1);
        let to = self.at(&shown).unwrap_or(0).saturating_add_signed(by).min(last);
        let selected = shown.get(to).map(|event| event.seq);
        if to == last && by > 0 && !self.has_newer {
            return self.follow(model);
        }
        self.selected = selected;
        let page = if by > 0 {
            self.newer().filter(|_| last - to <= NEAR)
        } else {
            self.older.filter(|_| to <= NEAR).map(LogPage::Before)
        };
        let page = page.filter(|_| self.is_loaded && self.asked.is_none());
        page.map_or_else(Vec::new, |page| self.ask(page))
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
            let Log { epoch, errors_only, family, query, .. } = std::mem::take(self);
            *self = Log { epoch, scope, errors_only, family, query, ..Log::default() };
        }
        if self.is_loaded || self.asked.is_some() {
            return Vec::new();
        }
        self.ask(LogPage::Newest)
    }

    /// The picture is a new one, perhaps of another database, whose events have other numbers.
    fn on_reset(&mut self, model: &mut Model) -> Vec<Effect> {
        let epoch = model.mirror().epoch().map(ToOwned::to_owned);
        if self.epoch != epoch {
            self.events.clear();
            (self.epoch, self.selected, self.older) = (epoch, None, None);
        }
        (self.is_loaded, self.has_newer, self.asked) = (false, false, None);
        Vec::new()
    }

    fn on_event(&mut self, _: &mut Model, event: &Event) -> Vec<Effect> {
        let is_wanted = self.scope.as_ref().is_none_or(|scope| *scope == event.scope);
        let is_known = self.events.last().is_some_and(|last| event.seq <= last.seq);
        let is_begun = self.is_loaded || self.asked.is_some();
        let is_joined = !self.has_newer || matches!(self.asked, Some(LogPage::After(_)));
        if !is_wanted || is_known || !is_begun || !is_joined {
            return Vec::new();
        }
        let value = serde_json::to_value(&event.body).unwrap_or_default();
        let kept = if self.has_newer { &mut self.meanwhile } else { &mut self.events };
        kept.push(LoggedEvent {
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
        self.sought = 0;
        let by = stride(action, height(layout::regions(model).main));
        Some(match action {
            Action::ErrorsOnly => {
                self.errors_only = !self.errors_only;
                Vec::new()
            }
            Action::Order => model.tell("events stand in the order in which they happened"),
            Action::Open | Action::Cause => self.open(),
            Action::First => self.oldest(),
            Action::Last => self.follow(model),
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
        let Request::Log(scope, page) = request else { return Vec::new() };
        let is_asked = self.scope == *scope && self.asked == Some(*page);
        if is_asked {
            self.asked = None;
        }
        match answer {
            Ok(Reply::Log(events)) if is_asked => self.loaded(*page, events),
            Ok(_) => return Vec::new(),
            Err(trouble) => return model.not_loaded(&trouble),
        }
        // Goes on to the first event that the filters let through.
        let is_sought = model.place.tab == Tab::Events && self.shown().is_empty();
        match self.newer().filter(|_| is_sought && matches!(page, LogPage::After(_))) {
            Some(LogPage::After(seq)) if self.sought + 1 >= MOST_SOUGHT => {
                let key = model.pane_key(Action::Down);
                model.tell(format!("nothing of this kind up to event {seq}: {key} looks further"))
            }
            Some(page) => {
                self.sought += 1;
                self.ask(page)
            }
            None => Vec::new(),
        }
    }

    fn draw(&self, model: &Model, painter: &mut Painter<'_>, area: Rect) {
        self.paint(model, painter, area);
    }
}
