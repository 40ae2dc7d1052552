//! The keys: those of what has focus first, the others after them; searchable. A line does what
//! its key would do where the help was opened.

use ratatui_core::layout::Rect;

use super::{Caret, Outcome, Overlay, overlay::keyed};
use crate::{
    action::Action,
    key::{Code, Key},
    keys::{self, Binding, CONTEXTS, Context},
    model::{Effect, Model, Possible},
    paint::{Painter, Row},
    panes::Panes,
    parts::{field::Field, frame, list},
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
    ("4.1k/900", "tokens read, without cached ones, and written"),
];

/// The number of the line below the first heading.
const FIRST: usize = 1;

/// What a line of the list is.
enum Item {
    /// A heading, or nothing: it is never marked
    Heading,
    Key(&'static Binding),
    /// The meaning of a sign
    Sign,
}

/// What is shown of the list.
#[derive(Debug)]
pub struct Help {
    contexts: Vec<Context>,
    /// Where keys meant something when it was opened
    here: Vec<Context>,
    /// The actions that did something then
    possible: Vec<Action>,
    field: Field,
    marked: usize,
    /// The first line on the screen when one was clicked
    first: usize,
}

impl Help {
    /// The keys of what has focus now.
    pub fn new(model: &Model, possible: &Possible) -> Self {
        let mut contexts = model.contexts();
        // The keys of a text that is written do nothing beside it.
        let is_writing = model.writing.composer.is_open;
        let here = if is_writing { Vec::new() } else { contexts.clone() };
        let possible = possible.actions.iter().map(|(action, _)| *action).collect();
        contexts.extend(CONTEXTS.iter().map(|(context, ..)| *context));
        let mut seen = std::collections::BTreeSet::new();
        contexts.retain(|context| seen.insert(*context));
        Self { contexts, here, possible, field: Field::default(), marked: FIRST, first: 0 }
    }

    /// Marks the first line: the lines are others.
    fn begin(&mut self) {
        (self.marked, self.first) = (FIRST, 0);
    }

    /// Whether something is searched for.
    fn is_filtered(&self) -> bool {
        !self.field.text().is_empty()
    }

    /// What stands in the lines.
    #[cfg(test)]
    pub fn rows(&self, model: &Model) -> Vec<Row> {
        self.lines(model).into_iter().map(|(row, _)| row).collect()
    }

    /// The lines: for each context a heading and its keys, then the signs.
    fn lines(&self, model: &Model) -> Vec<(Row, Item)> {
        let wanted = self.field.text().to_lowercase();
        let tabs = model.place.subject.tabs().len();
        let mut lines = Vec::new();
        for context in &self.contexts {
            let bindings: Vec<_> = keys::rows(*context)
                .filter(|row| !row.action.is_act() || !model.settings.read_only)
                .filter(|row| row.action.tab().is_none_or(|number| number < tabs))
                .filter(|row| matches(&wanted, row.does, row.words, row.id))
                .collect();
            if bindings.is_empty() {
                continue;
            }
            lines.push((Row::of(context.names().1, Role::Title), Item::Heading));
            for binding in bindings {
                let shown = model.settings.keymap.all_shown(binding);
                let mut row = Row::of(format!("  {shown}"), Role::Accent);
                row.put(row.width().max(16) + 2, binding.does, Role::Text);
                lines.push((row, Item::Key(binding)));
            }
            lines.push((Row::new(), Item::Heading));
        }
        lines.extend(Self::legend(model, &wanted));
        lines
    }

    /// Does what the marked line says, if its key would do that where the help was opened.
    fn run(&self, model: &mut Model) -> Outcome {
        let lines = self.lines(model);
        let Some((_, Item::Key(row))) = lines.get(self.marked) else { return Outcome::stay() };
        if self.here.contains(&row.context) && self.possible.contains(&row.action) {
            return Outcome::Close(vec![Effect::Do(row.action)]);
        }
        Outcome::Stay(model.tell(format!("not where the help was opened: {}", row.does)))
    }

    /// What the signs of the screen mean, as far as they match.
    fn legend(model: &Model, wanted: &str) -> Vec<(Row, Item)> {
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
        let mut lines = vec![(Row::of("Signs and columns", Role::Title), Item::Heading)];
        lines.extend(signs.into_iter().map(|(sign, means)| {
            let mut row = Row::of("  ", Role::Text).with(sign, Role::Accent);
            row.tab(row.width().max(16) + 2);
            (row.with(means, Role::Text), Item::Sign)
        }));
        lines
    }
}

fn matches(wanted: &str, does: &str, words: &str, id: &str) -> bool {
    let all = format!("{does} {words} {id}").to_lowercase();
    wanted.split_whitespace().all(|word| all.contains(word))
}

impl Overlay for Help {
    /// A key: letters filter, arrows move.
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
            _ if key == Key::plain(Code::Esc) => {
                self.field.set("");
                self.begin();
            }
            _ if is_help && !(is_text && self.is_filtered()) => return Outcome::close(),
            Some(Action::Quit) => return Outcome::close(),
            Some(Action::Send) => return self.run(model),
            Some(Action::Up) if !is_text => self.scroll(model, -1),
            Some(Action::Down) if !is_text => self.scroll(model, 1),
            Some(Action::PageUp) if !is_text => self.scroll(model, -10),
            Some(Action::PageDown) if !is_text => self.scroll(model, 10),
            _ => {
                self.field.key(key);
                self.begin();
            }
        }
        Outcome::stay()
    }

    fn scroll(&mut self, model: &Model, rows: isize) {
        let lines = self.lines(model);
        let is_marked = |at: &usize| !matches!(lines[*at].1, Item::Heading);
        let items: Vec<usize> = (0..lines.len()).filter(is_marked).collect();
        let at = items.iter().position(|at| *at == self.marked).unwrap_or(0);
        let to = at.saturating_add_signed(rows).min(items.len().saturating_sub(1));
        self.marked = items.get(to).copied().unwrap_or(FIRST);
        // The heading above the first is shown with it.
        self.first = self.first.min(self.marked.saturating_sub(1));
    }

    fn keys(&self, model: &Model) -> Vec<(String, String)> {
        let mut keys = frame::pairs(&[("type", "filter")]);
        let rows: [(&[Action], &str); 2] =
            [(&[Action::Up, Action::Down], "move"), (&[Action::Send], "run it")];
        keys.extend(keyed(model, KEYS, &rows));
        frame::with_esc(keys, "close")
    }

    fn draw(&self, model: &Model, _: &Panes, painter: &mut Painter<'_>, area: Rect) -> Caret {
        // Each context is among them, so one is the first.
        let title = format!("help: {}", self.contexts[0].names().1.to_lowercase());
        let size = (76, area.height.saturating_sub(4).min(40));
        let inside = frame::frame(painter, area, size, title, "keys for what has focus come first");
        let height = inside.height.saturating_sub(2);
        let lines = self.lines(model);
        let top = list::top(self.marked, self.first, usize::from(height), lines.len());
        let shown = lines.into_iter().enumerate().skip(top);
        for (y, (number, (row, _))) in (0..height).zip(shown) {
            let row = row.cut(usize::from(inside.width), painter.symbols.ellipsis);
            painter.row(inside, 0, y, &row);
            painter.spot(inside, y, number);
            if number == self.marked {
                painter.row(inside, 0, y, &Row::of(painter.symbols.selected, Role::Accent));
            }
        }
        let y = inside.height.saturating_sub(1);
        let label = if self.is_filtered() { "filter " } else { "type to filter these keys " };
        let x = painter.row(inside, 0, y, &Row::of(label, Role::Dim));
        Some(self.field.draw(painter, inside, x, y))
    }

    fn contexts(&self) -> Vec<Context> {
        KEYS.to_vec()
    }

    fn marked(&self) -> Option<usize> {
        Some(self.marked)
    }

    fn mark(&mut self, model: &Model, line: usize, first: usize) {
        if self.lines(model).get(line).is_some_and(|(_, item)| !matches!(item, Item::Heading)) {
            (self.marked, self.first) = (line, first);
        }
    }

    fn told(&self, model: &Model) -> Option<Vec<String>> {
        let lines = self.lines(model).into_iter().enumerate().map(|(number, (row, _))| {
            let sign = if number == self.marked { model.symbols().selected } else { " " };
            // An entry is indented, a heading is not.
            row.text().replacen(' ', sign, 1)
        });
        Some(lines.filter(|line| !line.is_empty()).collect())
    }

    fn pasted(&mut self, _: &mut Model, _: &mut Panes) -> Vec<Effect> {
        self.begin();
        Vec::new()
    }

    fn keeps_esc(&self) -> bool {
        self.is_filtered()
    }

    fn field(&mut self) -> Option<&mut Field> {
        Some(&mut self.field)
    }
}
