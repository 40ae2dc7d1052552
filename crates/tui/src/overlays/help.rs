//! The keys: those of what has focus first, the others after them; searchable.

use ratatui_core::layout::Rect;

use super::{Caret, Outcome, Overlay, overlay::keyed};
use crate::{
    action::Action,
    key::{Code, Key},
    keys::{self, CONTEXTS, Context},
    model::Model,
    paint::{Painter, Row},
    panes::Panes,
    parts::{field::Field, frame},
    theme::Role,
};

/// Where its keys are, beside the letters that filter it.
const KEYS: &[Context] = &[Context::Picker, Context::Box, Context::Move];

/// What the signs and the columns of tables mean.
const LEGEND: [(&str, &str); 8] = [
    ("@2 14", "14 unread messages, 2 of them for you"),
    ("@ 2 unread", "messages to you that are unread, in ended workflows too"),
    ("q", "messages that wait to start the agent"),
    ("try", "attempt of how many: 2/3 is the second of three"),
    ("for", "how long the agent has been in its state"),
    ("unread", "messages in the agent's inbox"),
    ("? 1 asks", "questions and permissions that wait for your answer"),
    ("4.1k/900", "tokens read and written"),
];

/// What is shown of the list.
#[derive(Debug)]
pub struct Help {
    contexts: Vec<Context>,
    field: Field,
    top: usize,
}

impl Help {
    /// The keys of what has focus now.
    pub fn new(model: &Model) -> Self {
        let mut contexts = model.contexts();
        contexts.extend(CONTEXTS.iter().map(|(context, ..)| *context));
        let mut seen = std::collections::BTreeSet::new();
        contexts.retain(|context| seen.insert(*context));
        Self { contexts, field: Field::default(), top: 0 }
    }

    /// Whether something is searched for.
    fn is_filtered(&self) -> bool {
        !self.field.text().is_empty()
    }

    /// The lines: for each context a heading and its keys.
    pub fn rows(&self, model: &Model) -> Vec<Row> {
        let wanted = self.field.text().to_lowercase();
        let tabs = model.place.subject.tabs().len();
        let mut rows = Vec::new();
        for context in &self.contexts {
            let bindings: Vec<_> = keys::rows(*context)
                .filter(|row| !row.action.is_act() || !model.settings.read_only)
                .filter(|row| row.action.tab().is_none_or(|number| number < tabs))
                .filter(|row| matches(&wanted, row.does, row.words, row.id))
                .collect();
            if bindings.is_empty() {
                continue;
            }
            let title = CONTEXTS.iter().find(|(known, ..)| known == context);
            rows.push(Row::of(title.map_or("", |(_, _, title)| *title), Role::Title));
            for binding in bindings {
                let shown =
                    model.settings.keymap.keys_of(binding).iter().map(|key| keys::short(*key));
                let shown: Vec<_> = shown.collect();
                let mut row = Row::of(format!("  {}", shown.join(" ")), Role::Accent);
                row.tab(row.width().max(16) + 2);
                row.push(binding.does, Role::Text);
                rows.push(row);
            }
            rows.push(Row::new());
        }
        rows.extend(Self::legend(model, &wanted));
        rows
    }

    /// What the signs of the screen mean, as far as they match.
    fn legend(model: &Model, wanted: &str) -> Vec<Row> {
        let [message, stop, retry, wake] =
            [Action::Message, Action::Stop, Action::Retry, Action::Wake]
                .map(|action| model.key_in(&[Context::Agents, Context::Anywhere], action));
        let marked =
            format!("marked: {message}, {stop}, {retry} and {wake} act on all that are marked");
        let known = LEGEND.into_iter().map(|(sign, means)| (sign, means.to_owned()));
        let is_wanted =
            |sign: &(&str, String)| matches(wanted, &sign.1, sign.0, "legend signs columns");
        let signs: Vec<_> = known.chain([("*", marked)]).filter(is_wanted).collect();
        if signs.is_empty() {
            return Vec::new();
        }
        let mut rows = vec![Row::of("Signs and columns", Role::Title)];
        rows.extend(signs.into_iter().map(|(sign, means)| {
            let mut row = Row::of("  ", Role::Text).with(sign, Role::Accent);
            row.tab(row.width().max(16) + 2);
            row.with(means, Role::Text)
        }));
        rows
    }
}

fn matches(wanted: &str, does: &str, words: &str, id: &str) -> bool {
    let all = format!("{does} {words} {id}").to_lowercase();
    wanted.split_whitespace().all(|word| all.contains(word))
}

impl Overlay for Help {
    /// A key: letters filter, arrows scroll.
    fn key(&mut self, model: &mut Model, _: &mut Panes, key: Key) -> Outcome {
        let keymap = &model.settings.keymap;
        let action = if self.is_filtered() {
            keymap.beside_text(KEYS, key)
        } else {
            keymap.action(KEYS, key)
        };
        let is_text = key.written().is_some();
        let is_help = keymap.action(&[Context::Anywhere], key) == Some(Action::Help);
        match action {
            _ if key == Key::plain(Code::Esc) => self.field.set(""),
            _ if is_help && !(is_text && self.is_filtered()) => return Outcome::close(),
            Some(Action::Quit) => return Outcome::close(),
            Some(Action::Up) if !is_text => self.scroll(model, -1),
            Some(Action::Down) if !is_text => self.scroll(model, 1),
            Some(Action::PageUp) if !is_text => self.scroll(model, -10),
            Some(Action::PageDown) if !is_text => self.scroll(model, 10),
            _ => {
                self.field.key(key);
                self.top = 0;
            }
        }
        Outcome::stay()
    }

    fn scroll(&mut self, model: &Model, rows: isize) {
        let last = self.rows(model).len().saturating_sub(1);
        self.top = self.top.saturating_add_signed(rows).min(last);
    }

    fn keys(&self, model: &Model) -> Vec<(String, String)> {
        let mut keys = frame::pairs(&[("type", "filter")]);
        keys.extend(keyed(model, KEYS, &[(&[Action::Up, Action::Down], "scroll")]));
        keys.extend(frame::pairs(&[("Esc", "close")]));
        keys
    }

    fn draw(&self, model: &Model, _: &Panes, painter: &mut Painter<'_>, area: Rect) -> Caret {
        let first = self.contexts.first();
        let name = CONTEXTS.iter().find(|(context, ..)| Some(context) == first);
        let title = format!("help: {}", name.map_or("keys", |(_, _, title)| *title).to_lowercase());
        let size = (76, area.height.saturating_sub(4).min(40));
        let inside = frame::frame(painter, area, size, title, "keys for what has focus come first");
        let rows = self.rows(model);
        let height = inside.height.saturating_sub(2);
        for (y, row) in (0..height).zip(rows.iter().skip(self.top)) {
            let row = row.clone().cut(usize::from(inside.width), painter.symbols.ellipsis);
            painter.row(inside, 0, y, &row);
        }
        let y = inside.height.saturating_sub(1);
        let label = if self.is_filtered() { "filter " } else { "type to filter these keys " };
        let x = painter.row(inside, 0, y, &Row::of(label, Role::Dim));
        Some(self.field.draw(painter, inside, x, y))
    }

    fn contexts(&self) -> Vec<Context> {
        KEYS.to_vec()
    }

    fn keeps_esc(&self) -> bool {
        self.is_filtered()
    }

    fn field(&mut self) -> Option<&mut Field> {
        Some(&mut self.field)
    }
}
