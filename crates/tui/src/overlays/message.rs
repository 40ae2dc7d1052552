//! A message whole: its text, who got it, who has read it, which run wrote it and which it led to.

use agent_worker_client::{Clean, text::numbers};
use agent_worker_protocol::{Message, MessageDetail, MessageId, Run};
use ratatui_core::layout::Rect;

use super::{Caret, Outcome, Overlay, overlay::keyed};
use crate::{
    action::Action,
    key::Key,
    keys::Context,
    model::{Effect, Model, words},
    paint::{Ink, Painter, Row},
    panes::{Panes, conversation},
    parts::{frame, mail, message, run::lasted},
    text::{fenced::blocks, wrap},
    theme::{Role, hue},
};

/// Where its keys are: a message has here those that it has in its conversation.
const KEYS: &[Context] = &[Context::Box, Context::Channel, Context::Move];

/// Cells of what a line is about.
const NAME: usize = 12;

/// One message, over the panes.
#[derive(Debug)]
pub struct Detail {
    id: MessageId,
    message: Option<Box<Message>>,
    top: usize,
}

impl Detail {
    /// A message, as far as it is known.
    pub fn new(id: MessageId, message: Option<Box<Message>>) -> Self {
        Self { id, message, top: 0 }
    }

    fn shown<'a>(&'a self, model: &'a Model) -> Option<&'a Message> {
        let known = model.known.messages.get(&self.id).map(|detail| &detail.message);
        known.or(self.message.as_deref())
    }

    fn rows(&self, model: &Model, width: usize) -> Vec<Row> {
        match self.shown(model) {
            Some(message) => rows(model, message, width),
            None if model.known.messages.has_failed(&self.id) => {
                vec![Row::of("it could not be loaded", Role::Failed)]
            }
            None => vec![Row::of("loading", Role::Dim)],
        }
    }

    fn size(model: &Model) -> (u16, u16) {
        let (width, height) = model.display.size;
        (width.saturating_sub(4).min(100), height.saturating_sub(4).min(20))
    }

    fn last(&self, model: &Model) -> usize {
        let (width, height) = Self::size(model);
        let count = self.rows(model, usize::from(width.saturating_sub(4))).len();
        count.saturating_sub(usize::from(height.saturating_sub(2)))
    }

    fn act(&self, model: &mut Model, action: Option<Action>) -> Outcome {
        let Some(message) = self.shown(model).cloned() else { return Outcome::stay() };
        match action {
            Some(Action::Copy) => {
                let text = Clean::text(&message.content).as_str().to_owned();
                Outcome::Stay(vec![Effect::Copy(text)])
            }
            Some(Action::CopyCode) => match Effect::copy_code(blocks(&message.content)) {
                Some(effect) => Outcome::Stay(vec![effect]),
                None => Outcome::Stay(model.tell("no code block here")),
            },
            Some(Action::Pager) => Outcome::Stay(message::whole(model, &message)),
            Some(Action::Cause) => Outcome::Close(conversation::cause_of(model, &message)),
            Some(Action::Reply) if !model.settings.read_only => {
                Outcome::Close(conversation::reply_to(model, &message))
            }
            _ => Outcome::stay(),
        }
    }
}

impl Overlay for Detail {
    fn key(&mut self, model: &mut Model, _: &mut Panes, key: Key) -> Outcome {
        let last = self.last(model);
        let page = usize::from(Self::size(model).1.saturating_sub(3)).max(1);
        match model.settings.keymap.action(KEYS, key) {
            Some(Action::Down) => self.scroll(model, 1),
            Some(Action::Up) => self.scroll(model, -1),
            Some(Action::PageDown) => self.top = (self.top + page).min(last),
            Some(Action::PageUp) => self.top = self.top.min(last).saturating_sub(page),
            Some(Action::First) => self.top = 0,
            Some(Action::Last) => self.top = last,
            Some(Action::Quit | Action::Open) => return Outcome::close(),
            action => return self.act(model, action),
        }
        Outcome::stay()
    }

    fn scroll(&mut self, model: &Model, rows: isize) {
        let last = self.last(model);
        self.top = self.top.min(last).saturating_add_signed(rows).min(last);
    }

    fn keys(&self, model: &Model) -> Vec<(String, String)> {
        use Action::{Cause, Copy, CopyCode, Down, Pager, Reply, Up};
        let mut rows: Vec<(&[Action], &str)> = vec![
            (&[Down, Up], "scroll"),
            (&[Pager], "whole text"),
            (&[Copy], "copy"),
            (&[Cause], "cause"),
        ];
        if !model.settings.read_only {
            rows.push((&[Reply], "reply"));
        }
        if self.shown(model).is_some_and(|message| !blocks(&message.content).is_empty()) {
            rows.push((&[CopyCode], "copy code"));
        }
        frame::with_esc(keyed(model, KEYS, &rows), "close")
    }

    fn draw(&self, model: &Model, _: &Panes, painter: &mut Painter<'_>, area: Rect) -> Caret {
        let (width, height) = Self::size(model);
        let rows = self.rows(model, usize::from(width.saturating_sub(4)));
        let wanted = u16::try_from(rows.len() + 2).unwrap_or(u16::MAX).clamp(5, height.max(5));
        let top = self.top.min(self.last(model));
        let seen = top + usize::from(wanted.saturating_sub(2));
        let more = || numbers::counted(rows.len() - seen, "more row", "more rows");
        let bottom = if seen < rows.len() { more() } else { String::new() };
        let title = self.id.to_string();
        let inside = frame::frame(painter, area, (width, wanted), title, bottom);
        painter.rows(inside, 0, rows.iter().skip(top));
        None
    }

    fn contexts(&self) -> Vec<Context> {
        KEYS.to_vec()
    }

    fn message(&self) -> Option<MessageId> {
        Some(self.id)
    }
}

/// What is known of a message, row by row.
fn rows(model: &Model, message: &Message, width: usize) -> Vec<Row> {
    let detail = model.known.messages.get(&message.id);
    let mut rows = message::text(model, message, width);
    if let Some(resource) = message.resource {
        let size = detail.map(|detail| format!(", {}", numbers::size(detail.bytes)));
        let size = size.unwrap_or_default();
        let open = model.key_in(KEYS, Action::Pager);
        rows.push(Row::of(format!("whole text: {resource}{size} ({open} opens)"), Role::Link));
    }
    rows.push(Row::new());
    let mut facts = vec![
        fact("by", message.sender.to_string(), hue(message.sender.as_str())),
        fact("at", model.zone().full(message.created_at), Role::Text),
        fact("in", format!("{} of {}", message.group, message.scope), Role::Text),
    ];
    if let Some(detail) = detail {
        facts.extend(known(model, message, detail));
    } else {
        facts.push(fact("to", message::to(message), Role::Text));
        facts.extend(message.run.map(|run| fact("run", run.to_string(), Role::Text)));
    }
    facts.extend(message.reply_to.map(|to| fact("answers", to.to_string(), Role::Text)));
    if !message.mentions.unresolved.is_empty() {
        let names = format!("@{}", message.mentions.unresolved.join(", @"));
        facts.push(fact("unknown", names, Role::Wait));
    }
    rows.extend(wrap::wrap(&facts, width, NAME));
    rows
}

fn fact(name: &'static str, text: impl Into<Ink>, role: Role) -> Row {
    Row::of(name, Role::Dim).tabbed(NAME).with(text, role)
}

fn known(model: &Model, message: &Message, detail: &MessageDetail) -> Vec<Row> {
    let mut facts = Vec::new();
    if let Some(run) = &detail.sent_by {
        facts.push(run_fact(model, "run", run));
    } else if let Some(run) = message.run {
        facts.push(fact("run", run.to_string(), Role::Text));
    }
    let to = message::recipients(detail).unwrap_or_else(|| message::to(message));
    facts.push(fact("to", to, Role::Text));
    for delivery in &detail.deliveries {
        let delivery = &delivery.delivery;
        let name = words::name(&delivery.agent);
        let row = fact("", name.clone(), hue(&name)).tabbed(NAME + 11).pad(1);
        facts.push(row.with(mail::sentence(model, delivery), Role::Text));
    }
    facts.push(fact("read by", message::read_by(model, detail), Role::Text));
    let (begun, given): (Vec<_>, Vec<_>) =
        detail.runs.iter().partition(|run| run.cause == Some(message.id));
    facts.extend(begun.into_iter().map(|run| run_fact(model, "woke", run)));
    facts.extend(given.into_iter().map(|run| run_fact(model, "given to", run)));
    facts.extend(detail.more_runs.then(|| fact("", "and more runs", Role::Dim)));
    if detail.root != message.id {
        facts.push(fact("began with", detail.root.to_string(), Role::Text));
    }
    facts
}

/// A run as it is now, if it is among those that are known.
fn run_fact(model: &Model, name: &'static str, run: &Run) -> Row {
    let run = model.mirror().run(run.id).unwrap_or(run);
    let is = words::run_state(model.symbols(), run.state);
    let agent = words::name(&run.agent);
    let lasts = numbers::elapsed(lasted(model, run));
    let cost = run.cost.map(|cost| format!(", {}", numbers::cost(Some(cost)))).unwrap_or_default();
    let row = fact(name, format!("{} of {agent}  ", run.id), Role::Text);
    row.with(format!("{} {}", is.symbol, is.word), is.role)
        .with(format!(", {lasts}{cost}"), Role::Dim)
}
