//! The lines of a conversation as rows, laid out when they are looked at.

use std::{cell::OnceCell, rc::Rc};

use agent_worker_client::Clean;
use agent_worker_protocol::{FailureClass, MemberKind, Message, MessageType};

use super::item::{Entry, items};
use crate::{
    action::Action,
    model::{
        Model, Talk, history,
        known::talks::{Mark, View},
        layout,
        notes::{Note, What},
        words,
    },
    paint::Row,
    parts::{
        flow::{self, Flow, Spot},
        message, run,
    },
    text::{
        cut,
        found::{marked, rows_of},
        wrap,
    },
    theme::{Role, hue},
};

/// Lines of a long message that are shown before it is unfolded, and how long a long one is.
const FOLDED: usize = 10;
const LONG: usize = 12;

/// A conversation laid out, as wide as it is on the screen.
pub struct Pages<'a> {
    pub(super) model: &'a Model,
    pub(super) talk: &'a Talk,
    items: Vec<Entry<'a>>,
    width: usize,
    rows: Vec<OnceCell<Vec<Row>>>,
}

impl<'a> Pages<'a> {
    /// The lines of a conversation.
    pub fn new(model: &'a Model, talk: &'a Talk) -> Self {
        let items = items(model, talk);
        let rows = vec![OnceCell::new(); items.len()];
        Self { model, talk, items, width: layout::channel_width(model), rows }
    }

    pub fn get(&self, item: usize) -> Option<Entry<'a>> {
        self.items.get(item).copied()
    }

    /// Where a line is, or the first one behind its place.
    pub fn position(&self, mark: Mark) -> usize {
        self.items.partition_point(|item| item.mark() < mark)
    }

    /// Where a line is.
    pub fn index(&self, mark: Mark) -> Option<usize> {
        self.items.binary_search_by_key(&mark, |item| item.mark()).ok()
    }

    /// The newest `messages` messages of the last `lines` lines: their count, and how many name
    /// the person.
    pub fn newest_of_last(&self, lines: usize, messages: usize) -> (usize, usize) {
        let own = self.model.person();
        let last = self.items[self.items.len().saturating_sub(lines)..].iter();
        let newest = last.rev().filter_map(|item| item.message()).take(messages);
        newest.fold((0, 0), |(all, named), message| {
            (all + 1, named + usize::from(message.mentions.resolved.contains(own)))
        })
    }

    /// Where the window stands.
    pub fn place(&self, height: usize) -> Spot {
        flow::place(self, self.talk.view, height, |mark| self.position(mark))
    }

    /// The same as it is kept: at the end of what there is, the window follows.
    pub fn view(&self, spot: Spot, height: usize) -> View {
        if spot >= flow::end(self, height) && !self.talk.has_newer {
            return View::Following;
        }
        let mark = self.get(spot.item).map(Entry::mark).unwrap_or_default();
        View::At { mark, line: spot.line, width: self.room() }
    }

    /// The rows of a line, with the rules that stand above it.
    pub fn rows(&self, item: usize) -> &[Row] {
        self.rows[item].get_or_init(|| {
            let mut rows = self.rules(item);
            match self.items[item] {
                Entry::Message(message) => rows.extend(self.message(message)),
                Entry::Note(note, _) => rows.extend(self.note(note)),
            }
            rows.into_iter().map(|row| marked(row, &self.talk.find)).collect()
        })
    }

    /// How many rows of rules stand above a line.
    pub fn rules_above(&self, item: usize) -> usize {
        self.rules(item).len()
    }

    /// A new day, and where what is new begins.
    fn rules(&self, item: usize) -> Vec<Row> {
        let (this, before) = (self.items[item], self.items[..item].last().copied());
        let zone = self.model.zone();
        let mut rows = Vec::new();
        let is_new_day = before.and_then(|before| zone.day(before.at())) != zone.day(this.at());
        if is_new_day && (before.is_some() || !self.talk.has_older) {
            rows.push(self.rule(&zone.day_line(this.at())));
        }
        rows.extend(self.unread_from(item).map(|count| self.rule(&format!("{count} new"))));
        rows
    }

    /// How many messages are new, if this is the first of them. Own messages are not new.
    fn unread_from(&self, item: usize) -> Option<usize> {
        let (read, message) = (self.talk.bookmark.read?, self.items[item].message()?);
        let own = self.model.person();
        let is_new = |message: &Message| message.seq > read && message.sender != *own;
        let mut before = self.items[..item].iter().rev().filter_map(|item| item.message());
        let known = before.find(|before| before.seq <= read || is_new(before));
        let is_first = known.map_or(!self.talk.has_older, |known| known.seq <= read);
        if !is_first || !is_new(message) {
            return None;
        }
        Some(self.talk.messages.iter().filter(|message| is_new(message)).count())
    }

    fn rule(&self, words: &str) -> Row {
        let line = self.model.symbols().horizontal;
        let room = self.width.saturating_sub(words.chars().count() + 2);
        let left = room / 2;
        let row = Row::of(line.repeat(left), Role::Dim).with(format!(" {words} "), Role::Accent);
        row.with(line.repeat(room - left), Role::Dim)
    }

    fn room(&self) -> usize {
        self.width.saturating_sub(indent(self.model)).max(8)
    }

    fn message(&self, message: &Message) -> Vec<Row> {
        let symbols = self.model.symbols();
        let mut text = self.text(message);
        let hidden = Clean::text(cut::part(&message.content)).hidden();
        if hidden > 0 {
            text.push(Row::of(format!("{} {hidden} hidden", symbols.hidden), Role::Wait));
        }
        if message.kind == MessageType::System {
            text = text.into_iter().map(|row| row.all(Role::Dim)).collect();
        }
        let clock = self.model.zone().clock(message.created_at);
        self.hung(Row::of(clock, Role::Dim).pad(1).and(self.author(message)), text)
    }

    /// Rows behind a head, which stands before the first.
    fn hung(&self, mut head: Row, text: Vec<Row>) -> Vec<Row> {
        let rows = text
            .into_iter()
            .map(|line| std::mem::take(&mut head).tabbed(indent(self.model)).and(line));
        rows.collect()
    }

    fn author(&self, message: &Message) -> Row {
        if message.kind == MessageType::System {
            return Row::of("system", Role::Dim);
        }
        let name = message.sender.to_string();
        let role = match message.sender_kind {
            MemberKind::Person => Role::Strong,
            _ => hue(&name),
        };
        let cells = name_width(self.model);
        Row::of(cut::end(name, cells, self.model.symbols().ellipsis), role)
    }

    /// Whether a message is long, and a part of it is shown.
    pub fn is_folded(&self, message: &Message) -> bool {
        self.whole(message).len() > LONG && !self.talk.unfolded.contains(&message.seq)
    }

    /// In which row of a whole message the first match ends; `None` if its rows do not show it.
    pub fn row_found(&self, message: &Message) -> Option<usize> {
        rows_of(&self.whole(message), &self.talk.find).map(|(_, last)| last)
    }

    /// Whether what is searched for is in the part of a message that is not shown.
    pub fn is_match_folded(&self, message: &Message) -> bool {
        self.is_folded(message) && self.row_found(message).is_none_or(|row| row >= FOLDED)
    }

    /// All rows of a message. They are laid out once, with the colours of code.
    fn whole(&self, message: &Message) -> Rc<Vec<Row>> {
        let display = &self.model.display;
        let paper = (message.seq, self.room(), display.look.symbols.set, display.is_cutting);
        self.talk.laid.rows(paper, || self.lay(message))
    }

    fn lay(&self, message: &Message) -> Vec<Row> {
        if !self.model.display.is_cutting {
            return message::text(self.model, message, self.room());
        }
        let ellipsis = self.model.symbols().ellipsis;
        let rows = message::text(self.model, message, usize::MAX / 2).into_iter();
        rows.map(|row| row.cut(self.room(), ellipsis)).collect()
    }

    fn text(&self, message: &Message) -> Vec<Row> {
        let whole = self.whole(message);
        let is_folded = self.is_folded(message);
        let shown = if is_folded { FOLDED } else { whole.len() };
        let mut rows = whole[..shown].to_vec();
        if is_folded {
            let more = whole.len() - FOLDED;
            let ellipsis = self.model.symbols().ellipsis;
            let open = self.model.pane_key(Action::Open);
            rows.push(Row::of(format!("{ellipsis} {more} more lines, {open}"), Role::Dim));
        }
        let open = || self.model.pane_key(Action::Pager);
        if let Some(resource) = message.resource {
            rows.push(Row::of(format!("whole text: {resource} ({} opens)", open()), Role::Link));
        } else if cut::part(&message.content).len() < message.content.len() {
            rows.push(Row::of(format!("whole text: {} opens", open()), Role::Link));
        }
        if rows.is_empty() {
            rows.push(Row::new());
        }
        rows
    }

    fn note(&self, note: &Note) -> Vec<Row> {
        let clock = self.model.zone().clock(note.at);
        let head = Row::of(clock, Role::Dim).pad(1).with("~", Role::Dim);
        let text = Row::of(happened(self.model, note), Role::Dim);
        self.hung(head, wrap::wrap_row(&text, self.room(), 0))
    }
}

/// What happened, in words.
pub fn happened(model: &Model, note: &Note) -> String {
    match &note.what {
        What::Document { file, version, author } => format!("{file} v{version} by {author}"),
        What::Failed(id) => {
            let Some(run) = model.known.talks.notes.run(*id) else { return format!("{id} failed") };
            let name = words::name(&run.agent);
            let is = words::run_state(model.symbols(), run.state);
            let error = run.error.as_ref().map(|error| format!(": {}", error.trim()));
            let error = error.unwrap_or_default();
            let again = history::failed_run(model, &run.agent) == Some(*id);
            let again = (again && !model.settings.read_only)
                .then(|| format!("{} try again, ", model.pane_key(Action::Retry)));
            let (again, open) = (again.unwrap_or_default(), model.pane_key(Action::Pager));
            // A model that is unavailable uses no attempt.
            let attempt = (run.class != Some(FailureClass::Unavailable))
                .then(|| format!(", attempt {}", run::attempt(run)));
            let (is, attempt) = (is.word, attempt.unwrap_or_default());
            format!("{name} {id} {is}{attempt}{error} ({again}{open} open)")
        }
    }
}

/// How many cells a name has.
fn name_width(model: &Model) -> usize {
    match layout::class(model.display.size) {
        layout::Class::TooSmall | layout::Class::Small => 8,
        layout::Class::Middle => 10,
        layout::Class::Large => 12,
    }
}

/// Where what is said begins: behind the time and a name.
pub fn indent(model: &Model) -> usize {
    6 + name_width(model) + 1
}

impl Flow for Pages<'_> {
    fn len(&self) -> usize {
        self.items.len()
    }

    fn height(&self, item: usize) -> usize {
        self.rows(item).len()
    }

    fn width(&self) -> usize {
        self.room()
    }

    fn height_at(&self, item: usize, width: usize) -> usize {
        let items = self.items.clone();
        let rows = vec![OnceCell::new(); items.len()];
        let width = width + indent(self.model);
        Pages { model: self.model, talk: self.talk, items, width, rows }.height(item)
    }
}
