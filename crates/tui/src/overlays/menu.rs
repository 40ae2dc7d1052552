//! What can be done with the selected thing, with the keys that do it: each works here at once.

use agent_worker_protocol::Target;
use ratatui_core::layout::Rect;
use unicode_width::UnicodeWidthStr as _;

use super::{
    Caret, Outcome, Overlay,
    choices::{self, Choice, Entry},
    overlay::keyed,
};
use crate::{
    action::Action,
    key::Key,
    keys::{self, Context},
    model::{Model, Possible, words},
    paint::{Painter, Row},
    panes::Panes,
    parts::{frame, list},
    theme::Role,
};

/// Where its keys are, beside those of its lines.
const KEYS: &[Context] = &[Context::Picker, Context::Move];

/// What is done with an agent, in the order in which it is wanted most.
const ACTS: [Action; 12] = [
    Action::Answer,
    Action::Retry,
    Action::Release,
    Action::Start,
    Action::Open,
    Action::Peek,
    Action::Message,
    Action::Wake,
    Action::Why,
    Action::Copy,
    Action::Stop,
    Action::StopAll,
];

/// Columns of the box, and of the keys in it.
const WIDTH: u16 = 64;
const KEY_CELLS: usize = 9;

#[derive(Debug)]
pub struct Menu {
    entries: Vec<Entry>,
    marked: usize,
    /// The first line on the screen when one was clicked
    first: usize,
    /// The agent that is selected
    agent: Option<Target>,
}

impl Menu {
    /// For what is selected now.
    pub fn new(model: &Model, possible: &Possible) -> Self {
        let contexts = model.contexts();
        let own = contexts.first().copied().unwrap_or(Context::Anywhere);
        // A menu of an agent that works starts nothing else.
        let starts = possible.agent.is_none()
            || !model.is_live()
            || possible.get(Action::Start).flatten().is_some();
        let of_pane = choices::commands(model, possible, |row| {
            row.context == own
                && row.action != Action::Menu
                && (starts || row.action != Action::Start)
        });
        let mut general = choices::commands(model, possible, |row| {
            let is_here = match row.action {
                // What it opens in a transcript is a block.
                Action::Open => matches!(own, Context::Nav | Context::Agents),
                Action::Peek => possible.agent.is_some(),
                Action::Start => starts,
                _ => true,
            };
            let is_near = row.context == Context::Anywhere || row.context == own;
            ACTS.contains(&row.action) && is_near && is_here
        });
        let rank = |entry: &Entry| ACTS.iter().position(|act| entry.choice == Choice::Do(*act));
        general.sort_by_key(rank);
        let is_of_agent = matches!(own, Context::Nav | Context::Run | Context::Agents);
        let (first, then) = if is_of_agent { (general, of_pane) } else { (of_pane, general) };
        let mut entries = first;
        for entry in then {
            if entries.iter().all(|known| known.choice != entry.choice) {
                entries.push(entry);
            }
        }
        let (_, about) = title(model, possible.agent.as_ref());
        for entry in &mut entries {
            let bare = entry.label.strip_suffix(&about).map(str::trim_end);
            let bare = bare.map(|bare| bare.strip_suffix(" of").unwrap_or(bare));
            if let Some(bare) = bare.filter(|bare| !bare.is_empty()).map(ToOwned::to_owned) {
                entry.label = bare;
            }
        }
        Self { entries, marked: 0, first: 0, agent: possible.agent.clone() }
    }

    /// What stands in it.
    #[cfg(test)]
    pub fn entries(&self) -> impl Iterator<Item = &Entry> {
        self.entries.iter()
    }

    /// What is marked, in a shell.
    fn shell(&self) -> Option<String> {
        self.entries.get(self.marked).and_then(|entry| entry.shell.clone())
    }

    fn run(&self, model: &mut Model, panes: &mut Panes, at: usize) -> Outcome {
        match self.entries.get(at).map(|entry| entry.choice.clone()) {
            Some(choice) => Outcome::Close(choices::choose(model, panes, choice)),
            None => Outcome::close(),
        }
    }
}

/// What is selected, with what it is doing; and what it is called in an act.
fn title(model: &Model, agent: Option<&Target>) -> (Row, String) {
    let (name, is, about) = if let Some(agent) = agent.and_then(|it| model.mirror().agent(it)) {
        let name = agent.target.to_string();
        (name.clone(), words::agent(model, agent), name)
    } else if let Some(workflow) = model.workflow() {
        let key = workflow.scope.key();
        (key.clone(), words::workflow(model.symbols(), workflow), format!("workflow {key}"))
    } else {
        return (Row::of("actions", Role::Title), String::new());
    };
    let row = Row::of(name, Role::Title).with("  ", Role::Text);
    (row.with(format!("{} {}", is.symbol, is.word), is.role), about)
}

impl Overlay for Menu {
    fn is_of_database(&self) -> bool {
        true
    }

    /// A key: a key of the list does what its line says.
    fn key(&mut self, model: &mut Model, panes: &mut Panes, key: Key) -> Outcome {
        let shown = keys::short(key);
        let at_once = self.entries.iter().position(|entry| entry.key.as_ref() == Some(&shown));
        let keymap = &model.settings.keymap;
        let leaves = keymap.action(&[Context::Box], key) == Some(Action::Quit)
            || keymap.action(&[Context::Anywhere], key) == Some(Action::Menu);
        match (keymap.action(KEYS, key), at_once) {
            (Some(Action::Send), _) => return self.run(model, panes, self.marked),
            (Some(Action::Copy), _) => return Outcome::copy(self.shell()),
            (_, Some(at)) => return self.run(model, panes, at),
            (Some(Action::Up), None) => self.scroll(model, -1),
            (Some(Action::Down), None) => self.scroll(model, 1),
            _ if leaves => return Outcome::close(),
            _ => {}
        }
        Outcome::stay()
    }

    fn scroll(&mut self, _: &Model, rows: isize) {
        let last = self.entries.len().saturating_sub(1);
        self.first = self.first.min(self.marked);
        self.marked = self.marked.saturating_add_signed(rows).min(last);
    }

    fn keys(&self, model: &Model) -> Vec<(String, String)> {
        let mut keys = keyed(model, KEYS, &[(&[Action::Send], "run")]);
        keys.extend(keyed(model, &[Context::Move], &[(&[Action::Down, Action::Up], "move")]));
        keys.extend(frame::pairs(&[("key", "run at once")]));
        if self.shell().is_some() {
            keys.extend(keyed(model, KEYS, &[(&[Action::Copy], "copy shell command")]));
        }
        frame::with_esc(keys, "close")
    }

    fn draw(&self, model: &Model, _: &Panes, painter: &mut Painter<'_>, area: Rect) -> Caret {
        let symbols = model.symbols();
        let count = u16::try_from(self.entries.len().max(1)).unwrap_or(u16::MAX);
        let size = (WIDTH, count.saturating_add(4).min(area.height.saturating_sub(4)));
        let (title, _) = title(model, self.agent.as_ref());
        let key = model.settings.keymap.name(&[Context::Anywhere], Action::Menu);
        let bottom = key.map(|key| format!("{key} menu")).unwrap_or_default();
        let inside = frame::frame(painter, area, size, title.text(), bottom);
        let width = usize::from(inside.width);
        let height = usize::from(inside.height.saturating_sub(2)).max(1);
        let top = list::top(self.marked, self.first, height, self.entries.len());
        let shown = self.entries.iter().enumerate().skip(top).take(height);
        for (y, (number, entry)) in (0..).zip(shown) {
            let mark = if number == self.marked { symbols.selected } else { " " };
            let key = entry.key.clone().unwrap_or_default();
            let gap = KEY_CELLS.saturating_sub(key.width() + 2).max(1);
            let row = Row::of(mark, Role::Accent).pad(1).with(key, Role::Accent).pad(gap);
            let row = row.with(entry.label.clone(), Role::Text);
            painter.row(inside, 0, y, &row.cut(width, symbols.ellipsis));
            painter.spot(inside, y, number);
        }
        if self.entries.is_empty() {
            painter.row(inside, 2, 0, &Row::of("nothing can be done here", Role::Dim));
        }
        if let Some(shell) = self.shell() {
            let row = Row::of("in a shell: ", Role::Dim).with(shell, Role::Dim);
            let y = inside.height.saturating_sub(1);
            painter.row(inside, 0, y, &row.cut(width, symbols.ellipsis));
        }
        None
    }

    fn marked(&self) -> Option<usize> {
        Some(self.marked)
    }

    fn mark(&mut self, _: &Model, line: usize, first: usize) {
        (self.marked, self.first) = (line, first);
    }

    fn contexts(&self) -> Vec<Context> {
        KEYS.to_vec()
    }
}
