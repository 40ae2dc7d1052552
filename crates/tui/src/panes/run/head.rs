//! The first line of an entry: what it is, how it went and for how long, what it was about, when it
//! began.

use agent_worker_client::text::numbers;
use agent_worker_protocol::{BlockKind, Run};

use super::{block::Block, column::Column, ending, transcript::Item};
use crate::{
    model::words,
    paint::{Ink, Row},
    parts::run::{sender, standing},
    theme::Role,
};

/// The columns at which a state and a summary begin.
const STATE: usize = 11;
const SUMMARY: usize = 20;

/// From how many cells on there is room for the time at which an entry began.
const WITH_TIME: usize = 70;

/// How many characters of a text its line looks at.
const MOST: usize = 400;

impl Column<'_> {
    /// An entry's first line.
    pub(super) fn head(&self, at: usize, item: Item) -> Row {
        let symbols = self.model.symbols();
        let mark = match (self.has_body(at), self.is_open(at)) {
            (false, _) => " ",
            (true, true) => symbols.open,
            (true, false) => symbols.folded,
        };
        let row = Row::of(mark, Role::Dim).with(" ", Role::Text);
        let row = row.with(self.kind(item), Role::Title);
        let mut row = row.tabbed(STATE).and(state(self, item));
        let time = self.transcript.began(item).filter(|_| self.width >= WITH_TIME);
        let room = if time.is_some() { self.width - 10 } else { self.width };
        let (summary, size) = summary(self, at, item);
        if summary.width() + size.width() > 0 {
            let start = SUMMARY.max(row.width() + 2);
            row.tab(start);
            let tail = if size.width() > 0 { size.width() + 3 } else { 0 };
            row.append(summary.cut(room.saturating_sub(start + tail), symbols.ellipsis));
            row.space(tail - size.width());
            row.append(size);
        }
        let mut row = row.cut(room, symbols.ellipsis);
        if let Some(at) = time {
            row.put(self.width - 8, self.model.zone().clock_seconds(at), Role::Dim);
        }
        row
    }

    /// What an entry is called.
    pub(super) fn kind(&self, item: Item) -> Ink {
        match item {
            Item::Wake { system: Some(_), prompt: None } => Ink::from("system"),
            Item::Wake { .. } => Ink::from("wake"),
            Item::Tool { number, .. } => Ink::from(format!("tool {number}")),
            Item::Plain(index) => Ink::from(match self.transcript.blocks[index].kind {
                BlockKind::Thinking => "thinking",
                BlockKind::Notice => "notice",
                BlockKind::Error => "error",
                _ => "text",
            }),
            Item::End => Ink::from("end"),
            Item::Run(_) => {
                let run = self.transcript.run_of(item);
                run.map(|run| Ink::from(run.to_string())).unwrap_or_default()
            }
        }
    }

    /// Whether the first line of a call leaves out what it was called with.
    pub(super) fn hides_arguments(&self, call: &Block) -> bool {
        let brief = arguments(call);
        let ink = Ink::from(brief.clone());
        let name = call.name.as_deref().map_or(0, str::len);
        brief.contains('\n') || SUMMARY + name + ink.width() + 18 > self.width
    }
}

/// How an entry went, and for how long.
pub fn state(column: &Column<'_>, item: Item) -> Row {
    let symbols = column.model.symbols();
    let told = |symbol: &'static str, words: &str, role: Role| {
        let row = Row::of(symbol, role);
        if words.is_empty() { row } else { row.with(format!(" {words}"), role) }
    };
    if let Item::End = item {
        let Some(end) = &column.transcript.end else { return Row::new() };
        let is = words::run_state(symbols, end.state);
        return told(is.symbol, &is.word, is.role);
    }
    if let Item::Run(_) = item {
        let run = run(column, item);
        return run.map_or_else(Row::new, |run| standing(column.model, run));
    }
    if column.is_running(item) {
        let now = column.model.shown_at();
        let began = column.transcript.began(item);
        let lasts = began.map(|began| now.since(began)).unwrap_or_default();
        let (symbol, role) = turning(column);
        return told(symbol, &numbers::elapsed(lasts), role);
    }
    if column.is_cut(item) {
        let is_of_program = run(column, item).or(column.run).is_some_and(Run::is_of_program);
        let word = match item {
            _ if column.transcript.is_broken_off(item) && !is_of_program => "not called",
            Item::Tool { .. } => "no answer",
            _ => "cut short",
        };
        return told(symbols.stopped, word, Role::Stopped);
    }
    let Some(last) = item.last() else { return Row::new() };
    let block = &column.transcript.blocks[last];
    let took = column.took(item).filter(|_| block.kind != BlockKind::Text);
    let lasts = took.map(numbers::span).unwrap_or_default();
    match (block.kind, &block.brief) {
        (BlockKind::Error, _) => Row::of(symbols.failed, Role::Failed),
        (BlockKind::Notice, _) => Row::of(symbols.retry, Role::Wait),
        (_, Some(failure)) => {
            told(symbols.failed, format!("{lasts} {failure}").trim(), Role::Failed)
        }
        (_, None) => told(symbols.done, &lasts, Role::Ok),
    }
}

/// What goes on: turning as the run is heard of, and still while the picture is old.
fn turning(column: &Column<'_>) -> (&'static str, Role) {
    let model = column.model;
    if !model.is_live() {
        return (model.symbols().stale, Role::Stale);
    }
    (words::spinner(model, column.run.map(|run| run.id)), Role::Running)
}

/// What an entry is about, and how large it is.
pub fn summary(column: &Column<'_>, at: usize, item: Item) -> (Row, Row) {
    let blocks = &column.transcript.blocks;
    match item {
        Item::Wake { system, prompt } => (wake(column, system, prompt), Row::new()),
        Item::Tool { call, result, .. } => {
            let size = result.map(|result| blocks[result].text.raw().len()).unwrap_or_default();
            let size = i64::try_from(size).unwrap_or(i64::MAX);
            let size = if size > 0 { Row::of(numbers::short(size), Role::Dim) } else { Row::new() };
            (called(column, call, result), size)
        }
        Item::Plain(index) => {
            let block = &blocks[index];
            let text = if column.is_open(at) { "" } else { block.text.clean() };
            (hidden(column, block).with(first_line(text), Role::Dim), Row::new())
        }
        Item::End => (ending::summary(column), Row::new()),
        Item::Run(_) => {
            let told = |run: &Run| {
                let error = run.error.as_deref().map(|text| format!(": {}", first_line(text)));
                Row::of(format!("{}{}", run.kind.as_str(), error.unwrap_or_default()), Role::Text)
            };
            (run(column, item).map_or_else(Row::new, told), Row::new())
        }
    }
}

/// The run of an entry, of several, as far as it is known.
fn run<'a>(column: &Column<'a>, item: Item) -> Option<&'a Run> {
    column.transcripts.run(column.model, column.transcript.run_of(item)?)
}

/// What could not be seen of a text.
fn hidden(column: &Column<'_>, block: &Block) -> Row {
    let count = block.text.hidden();
    if count == 0 {
        return Row::new();
    }
    let mark = column.model.symbols().hidden;
    Row::of(format!("{mark} {count} hidden  "), Role::Wait)
}

/// The tool with its arguments.
fn called(column: &Column<'_>, call: Option<usize>, result: Option<usize>) -> Row {
    let blocks = &column.transcript.blocks;
    let Some(index) = call.or(result) else { return Row::new() };
    let block = &blocks[index];
    let row = result.map_or_else(Row::new, |result| hidden(column, &blocks[result]));
    let name = block.name.clone().unwrap_or_else(|| "a tool".to_owned());
    let arguments = call.map(|_| arguments(block)).unwrap_or_default();
    row.with(name, Role::Text).with(arguments, Role::Text)
}

fn arguments(call: &Block) -> String {
    match &call.brief {
        Some(brief) => brief.clone(),
        None if call.text.clean().is_empty() => String::new(),
        None => format!("({}", first_line(call.text.clean())),
    }
}

/// The first line of a text, as far as it can matter.
fn first_line(text: &str) -> String {
    text.trim_start().lines().next().unwrap_or_default().chars().take(MOST).collect()
}

/// What a run was given to read.
fn wake(column: &Column<'_>, system: Option<usize>, prompt: Option<usize>) -> Row {
    let size = |index: usize| {
        let length = column.transcript.blocks[index].text.raw().len();
        numbers::short(i64::try_from(length).unwrap_or(i64::MAX))
    };
    if prompt.is_none() {
        return system.map_or_else(Row::new, |index| Row::of(size(index), Role::Dim));
    }
    let mail = column.transcript.detail.as_ref().map_or(&[][..], |detail| &detail.mail);
    if mail.is_empty() {
        let size = prompt.map(size).unwrap_or_default();
        return Row::of(format!("prompt of {size}"), Role::Text);
    }
    let s = if mail.len() == 1 { "" } else { "s" };
    let told = mail.iter().map(|id| {
        let sender = column.run.and_then(|run| sender(column.model, run, *id));
        sender.map_or_else(|| id.to_string(), |sender| format!("{id} {sender}"))
    });
    let told = told.collect::<Vec<_>>().join(", ");
    Row::of(format!("{} message{s}: {told}", mail.len()), Role::Text)
}

/// An entry in short, for where there is little room: what it is and does, and its state.
pub fn short(column: &Column<'_>, at: usize) -> Row {
    let Some(item) = column.item(at) else { return Row::new() };
    let ellipsis = column.model.symbols().ellipsis;
    let mut row = Row::of(column.kind(item), Role::Title);
    let state = state(column, item);
    let is_plain = matches!(item, Item::Plain(_));
    let summary = if is_plain { Row::new() } else { summary(column, at, item).0 };
    if summary.width() > 0 {
        row.space(2);
        let room = column.width.saturating_sub(row.width() + state.width() + 3);
        row = row.and(summary.cut(room, ellipsis)).pad(1);
    }
    if state.width() > 0 { row.pad(2).and(state) } else { row }
}
