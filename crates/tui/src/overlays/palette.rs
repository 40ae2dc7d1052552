//! A list that is searched by typing: commands, everything with a name, whom a text is for.

use agent_worker_protocol::{Conversation, Event, EventBody};
use ratatui_core::layout::Rect;

use super::{
    Caret, Outcome, Overlay,
    choices::{Choice, Entry, acts, agents, choose, commands, entry, places},
    kept, keys,
    overlay::keyed,
};
use crate::{
    action::Action,
    key::Key,
    keys::{Binding, Context, rows},
    model::{Address, Effect, Focus, Model, Possible, Tab, settings::CHANGED},
    paint::{Painter, Row},
    panes::Panes,
    parts::{field::Field, frame, list},
    text::{fenced::Block, fuzzy},
    theme::Role,
};

/// Where its keys are, beside the letters that are looked for.
const KEYS: &[Context] = &[Context::Picker, Context::Move];

/// What the list of everything with a name is called.
const JUMP: &str = "jump";

/// Verbs that fit any command.
const VERBS: [&str; 4] = ["show", "open", "go", "do"];

/// The list and what is typed.
#[derive(Debug)]
pub struct Picker {
    title: &'static str,
    entries: Vec<Entry>,
    field: Field,
    marked: usize,
    /// The first line on the screen when one was clicked
    first: usize,
    /// Where commands are searched together with what they are about
    is_palette: bool,
}

impl Picker {
    fn new(title: &'static str, entries: Vec<Entry>) -> Self {
        Self { title, entries, field: Field::default(), marked: 0, first: 0, is_palette: false }
    }

    /// All commands that do something here, then acts on everything with a name.
    pub fn palette(model: &Model, possible: &Possible) -> Self {
        let mut entries = commands(model, possible, |_| true);
        entries.extend(acts(model));
        entries.extend(kept::bookmarks(model, "go to bookmark "));
        entries.extend(kept::layouts(model, "open layout "));
        entries.extend(places(model));
        Self { is_palette: true, ..Self::new("command", entries) }
    }

    /// Everything with a name.
    pub fn jump(model: &Model) -> Self {
        Self::new(JUMP, places(model))
    }

    /// What was bookmarked.
    pub fn bookmarks(model: &Model) -> Self {
        Self::new("bookmarks", kept::bookmarks(model, ""))
    }

    /// Saved layouts, and what can be done with them.
    pub fn layouts(model: &Model) -> Self {
        Self::new("layouts", kept::layouts(model, ""))
    }

    /// Takes the lines of a newer one; the marked line stays marked if it is still there.
    fn renew(&mut self, model: &Model) {
        let marked = self.entry().map(|entry| entry.choice.clone());
        self.entries = places(model);
        let found = self.found();
        let at = marked.and_then(|choice| found.iter().position(|entry| entry.choice == choice));
        self.marked = at.unwrap_or(self.marked.min(found.len().saturating_sub(1)));
    }

    /// Whom the text is for.
    pub fn retarget(model: &Model) -> Self {
        let workflows = model.mirror().workflows();
        let channels = workflows.map(|workflow| Address::Channel(workflow.scope.clone()));
        let groups = model.mirror().groups().filter_map(|group| match &group.name {
            Conversation::Group(name) => Some(Address::Group(group.scope.clone(), name.clone())),
            _ => None,
        });
        let all = channels.chain(groups).chain(agents(model).into_iter().map(Address::Agent));
        let entries = all.map(|address| entry(address.to_string(), Choice::Retarget(address)));
        Self::new("to whom", entries.collect())
    }

    /// What of the shown pane is shown; none if it is never filtered.
    pub fn filter(model: &Model, panes: &Panes) -> Option<Self> {
        let (kinds, chosen) = panes.of(model.place.tab).filters(model)?;
        let entries = kinds.into_iter().enumerate();
        let entries = entries.map(|(at, label)| entry(label, Choice::Filter(at))).collect();
        Some(Self { marked: chosen, ..Self::new("show only", entries) })
    }

    /// By what the shown table is sorted.
    pub fn sort(model: &Model, fields: &'static [&'static str]) -> Self {
        let own = model.selection.sorts.get(&model.place.tab);
        let mut entries = vec![entry("as it comes".to_owned(), Choice::Sort(None))];
        entries.extend(fields.iter().map(|field| {
            let is_own = own.is_some_and(|own| own.field == *field);
            let label =
                if is_own { format!("{field}, the other way") } else { (*field).to_owned() };
            entry(label, Choice::Sort(Some(*field)))
        }));
        let at = own.and_then(|own| fields.iter().position(|field| *field == own.field));
        Self { marked: at.map_or(0, |at| at + 1), ..Self::new("sort by", entries) }
    }

    /// Which columns of the shown table are shown, with one of them marked; none if it has no
    /// columns that can be hidden.
    pub fn columns(model: &Model, panes: &Panes, marked: Option<&str>) -> Option<Self> {
        let tab = model.place.tab;
        let columns = panes.of(tab).columns();
        let entries = columns.iter().map(|column| {
            let is_shown = model.selection.layout.shows(tab, column);
            let sign = if is_shown { "[x]" } else { "[ ]" };
            entry(format!("{sign} {column}"), Choice::Column(column))
        });
        let at = columns.iter().position(|column| Some(*column) == marked).unwrap_or(0);
        let picker = Self { marked: at, ..Self::new("columns", entries.collect()) };
        (!columns.is_empty()).then_some(picker)
    }

    /// The settings of the screen, each with its value.
    pub fn settings(model: &Model, marked: Option<&str>) -> Self {
        let entries = CHANGED.iter().map(|(name, values)| {
            let label = format!("{name:<9}{}", model.settings.chosen.value(name));
            let words = values.join(" ");
            Entry { words, ..entry(label, Choice::Setting(name, values)) }
        });
        let keys = entry("keys     of every action".to_owned(), Choice::Keys);
        let keys = Entry { words: "bindings shortcuts".to_owned(), ..keys };
        let at = CHANGED.iter().position(|(name, _)| Some(*name) == marked).unwrap_or(0);
        Self { marked: at, ..Self::new("settings", entries.chain([keys]).collect()) }
    }

    /// Every key, to change it.
    pub fn keys(model: &Model, marked: Option<usize>) -> Self {
        let entries = keys::lines(model);
        let is_marked = |entry: &Entry| marked.is_some_and(|at| entry.choice == Choice::Key(at));
        let at = entries.iter().position(is_marked).unwrap_or(0);
        Self { marked: at, ..Self::new("keys", entries) }
    }

    /// Code blocks, to copy one.
    pub fn blocks(blocks: Vec<Block>) -> Self {
        let entries = blocks.into_iter();
        let entries = entries.map(|block| entry(block.label(), Choice::Copy(block.text))).collect();
        Self::new("copy code", entries)
    }

    /// The lines that are shown, the best first.
    pub fn found(&self) -> Vec<&Entry> {
        self.best().iter().filter_map(|found| self.entries.get(found.index)).collect()
    }

    /// The marked line.
    fn entry(&self) -> Option<&Entry> {
        self.found().get(self.marked).copied()
    }

    fn best(&self) -> Vec<fuzzy::Found> {
        let text = self.text();
        let words = telling(&text);
        // Not every name has the letters of such a verb.
        let is_verb = |word: &&str| self.is_palette && VERBS.contains(word);
        let named: Vec<&str> = words.iter().copied().filter(|word| !is_verb(word)).collect();
        let wanted = if named.is_empty() { &words } else { &named };
        let query = if wanted.is_empty() { text.clone() } else { wanted.join(" ") };
        let texts: Vec<String> =
            self.entries.iter().map(|entry| format!("{} {}", entry.label, entry.words)).collect();
        let mut found = fuzzy::best(&query, &texts);
        if self.is_palette {
            // Letters that can be found somewhere are no command: every word has to stand there.
            let has = |at: usize| {
                let text = texts[at].to_lowercase();
                let is_said = |word: &&str| VERBS.contains(word) || text.contains(*word);
                words.iter().all(is_said)
            };
            found.retain(|found| has(found.index));
        }
        // Words that were typed as they stand there say more than letters that can be found.
        found.sort_by_key(|found| std::cmp::Reverse(self.weight(found.index, &words)));
        found
    }

    /// Whether the marked line has each word as it is typed, not as a part of another word.
    pub fn is_as_typed(&self) -> bool {
        let text = self.text();
        let words = telling(&text);
        let Some(entry) = self.entry() else { return false };
        let said = format!("{} {}", entry.label, entry.words).to_lowercase();
        let is_verb = |word: &&str| words.len() > 1 && VERBS.contains(word);
        !words.is_empty() && words.iter().all(|word| is_verb(word) || fuzzy::stands(&said, word))
    }

    /// What is typed, without the sign of a command before it.
    fn text(&self) -> String {
        self.field.text().trim().trim_start_matches(['>', ':']).to_lowercase()
    }

    /// Why no command is found: it is one in another tab of what is shown, or none at all.
    fn nothing(&self, model: &Model) -> String {
        let text = self.text();
        let words = telling(&text);
        let is_meant = |row: &&Binding| {
            let said = format!("{} {} {}", row.label, row.does, row.words).to_lowercase();
            (!row.action.is_act() || !model.settings.read_only)
                && words.iter().all(|word| said.contains(*word))
        };
        let tabs = model.place.subject.tabs().iter().enumerate();
        // The keys of the shown pane are keys here only while it has focus.
        let is_here = |tab: Tab| tab == model.place.tab && model.selection.focus != Focus::Nav;
        let mut others = tabs.filter(|(_, tab)| !is_here(**tab));
        let elsewhere = others.find_map(|(number, tab)| {
            let row = rows(tab.context()?).find(is_meant)?;
            let key = model.settings.keymap.shown(row)?;
            Some(format!("not here: {} {}, {key}", number + 1, tab.label().1))
        });
        elsewhere.unwrap_or_else(|| {
            let help = model.key_in(&[Context::Anywhere], Action::Help);
            format!("no such command: {help} lists the keys")
        })
    }

    /// How many of these words a line has: those that it is called count most, and words as they
    /// were typed more than those that begin so.
    fn weight(&self, index: usize, words: &[&str]) -> usize {
        let Some(entry) = self.entries.get(index) else { return 0 };
        let weigh =
            |word: &&str| (3 * likeness(&entry.label, word)).max(2 * likeness(&entry.words, word));
        words.iter().map(weigh).sum()
    }

    #[cfg(test)]
    pub fn typing(&mut self, text: &str) {
        self.field.set(text);
        self.marked = 0;
    }
}

/// The words of a text that say what is wanted.
fn telling(text: &str) -> Vec<&str> {
    const IDLE: [&str; 8] = ["a", "an", "the", "my", "of", "to", "is", "me"];
    text.split_whitespace().filter(|word| !IDLE.contains(word)).collect()
}

/// How well a text has a word: 2 as it is, 1 as the beginning of another.
fn likeness(text: &str, word: &str) -> usize {
    let word = word.to_lowercase();
    let parts = text.split(|c: char| !c.is_alphanumeric() && c != '-').map(str::to_lowercase);
    let like = |part: String| usize::from(part.starts_with(&word)) + usize::from(part == word);
    parts.map(like).max().unwrap_or(0)
}

impl Overlay for Picker {
    fn key(&mut self, model: &mut Model, panes: &mut Panes, key: Key) -> Outcome {
        match model.settings.keymap.beside_text(KEYS, key) {
            Some(Action::Up) => self.scroll(model, -1),
            Some(Action::Down) => self.scroll(model, 1),
            Some(Action::Close) => return Outcome::close(),
            Some(Action::Complete) => {
                if let Some(label) = self.choice() {
                    self.field.set(&label);
                    self.marked = 0;
                }
            }
            Some(Action::Copy) => {
                return Outcome::copy(self.entry().and_then(|entry| entry.shell.clone()));
            }
            Some(Action::Send) => {
                let choice = self.entry().map(|entry| entry.choice.clone());
                let done = choice.map(|choice| choose(model, panes, choice));
                return done.map_or_else(Outcome::stay, Outcome::Close);
            }
            Some(Action::PageDown) => self.scroll(model, 8),
            Some(Action::PageUp) => self.scroll(model, -8),
            _ => {
                self.field.key(key);
                self.marked = 0;
            }
        }
        Outcome::stay()
    }

    fn scroll(&mut self, _: &Model, rows: isize) {
        let last = self.found().len().saturating_sub(1);
        self.first = self.first.min(self.marked);
        self.marked = self.marked.saturating_add_signed(rows).min(last);
    }

    fn keys(&self, model: &Model) -> Vec<(String, String)> {
        use Action::{Complete, Copy, Down, Send, Up};
        let does = if self.is_palette { "run" } else { "choose" };
        let mut rows: Vec<(&[Action], &str)> =
            vec![(&[Send], does), (&[Up, Down], "move"), (&[Complete], "complete")];
        if self.is_palette {
            rows.push((&[Copy], "copy shell command"));
        }
        frame::with_esc(keyed(model, KEYS, &rows), "close")
    }

    fn draw(&self, model: &Model, _: &Panes, painter: &mut Painter<'_>, area: Rect) -> Caret {
        let (found, best) = (self.found(), self.best());
        let lines = u16::try_from(found.len().clamp(1, 12)).unwrap_or(12);
        let bottom = format!("{} of {}", found.len(), self.entries.len());
        let inside = frame::frame(painter, area, (68, lines + 6), self.title, bottom);
        let x = painter.row(inside, 0, 0, &Row::of("> ", Role::Accent));
        let caret = self.field.draw(painter, inside, x, 0);
        painter.rule(inside, 1, None);
        let height = usize::from(inside.height.saturating_sub(4)).max(1);
        let top = list::top(self.marked, self.first, height, found.len());
        let width = usize::from(inside.width);
        for (y, (number, entry)) in (2..).zip(found.iter().enumerate().skip(top).take(height)) {
            let is_marked = number == self.marked;
            let symbol = if is_marked { model.symbols().selected } else { " " };
            let key = entry.key.clone().unwrap_or_default();
            let mut row = Row::of(symbol, Role::Accent).pad(1);
            let at = best.get(number).map_or(&[][..], |found| &found.at);
            row.append(fuzzy::marked(&entry.label.clone().into(), at, Role::Text));
            row = row.cut(width.saturating_sub(key.len() + 2), model.symbols().ellipsis);
            row.put(width.saturating_sub(key.len() + 1), key, Role::Accent);
            painter.row(inside, 0, y, &row);
            painter.spot(inside, y, number);
        }
        if found.is_empty() {
            let words = if self.is_palette { self.nothing(model) } else { "no match".to_owned() };
            painter.row(inside, 2, 2, &Row::of(words, Role::Dim));
        }
        let shell = found.get(self.marked).and_then(|entry| entry.shell.clone());
        if let Some(shell) = shell {
            let row = Row::of("in a shell: ", Role::Dim).with(shell, Role::Dim);
            let row = row.cut(width, model.symbols().ellipsis);
            painter.row(inside, 0, inside.height.saturating_sub(1), &row);
        }
        Some(caret)
    }

    fn contexts(&self) -> Vec<Context> {
        KEYS.to_vec()
    }

    fn choice(&self) -> Option<String> {
        self.entry().map(|entry| entry.label.clone())
    }

    fn marked(&self) -> Option<usize> {
        Some(self.marked)
    }

    fn mark(&mut self, _: &Model, line: usize, first: usize) {
        (self.marked, self.first) = (line, first);
    }

    fn field(&mut self) -> Option<&mut Field> {
        Some(&mut self.field)
    }

    fn pasted(&mut self, _: &mut Model, _: &mut Panes) -> Vec<Effect> {
        self.marked = 0;
        Vec::new()
    }

    /// Something has a name that had none, or has none any more: where it can be gone to is told
    /// anew.
    fn on_event(&mut self, model: &Model, event: &Event) {
        let is_named = matches!(
            event.body,
            EventBody::AgentChanged(_)
                | EventBody::AgentRemoved { .. }
                | EventBody::WorkflowChanged(_)
                | EventBody::WorkflowRemoved { .. }
                | EventBody::DocumentChanged(_)
                | EventBody::ProposalChanged(_)
                | EventBody::ScheduleChanged(_)
                | EventBody::GroupChanged(_)
        );
        if is_named && self.title == JUMP {
            self.renew(model);
        }
    }
}
