//! A transcript as a column of entries: what each says in its first line, what it holds when it is
//! open.

use std::{ops::Range, time::Duration};

use agent_worker_client::text::numbers;
use agent_worker_protocol::{BlockKind, BlockState, Run};

use super::{
    block::Block,
    state::Transcripts,
    transcript::{Item, Look, Sight, Transcript},
};
use crate::{
    action::Action,
    model::{Model, known::talks::View},
    paint::{Ink, Row},
    parts::flow::{self, Flow, Spot},
    text::markdown::Sheet,
    theme::Role,
};

/// How far the text of an entry stands from the left.
const INDENT: usize = 4;

/// Rows of a tool's answer that are shown of its beginning and of its end.
const FIRST: usize = 3;
const LAST: usize = 5;

/// A transcript as it is looked at.
pub struct Column<'a> {
    pub model: &'a Model,
    /// What is kept of all
    pub transcripts: &'a Transcripts,
    /// What is looked at
    pub transcript: &'a Transcript,
    /// The run, as far as the picture has it
    pub run: Option<&'a Run>,
    pub width: usize,
    look: &'a Look,
    pane: Sight,
    items: Vec<Item>,
}

/// Some rows of an open entry.
enum Part<'a> {
    Rows(Vec<Row>),
    Text { block: &'a Block, role: Role, range: Range<usize>, is_last: bool },
}

impl Part<'_> {
    fn len(&self) -> usize {
        match self {
            Self::Rows(rows) => rows.len(),
            Self::Text { range, .. } => range.len(),
        }
    }
}

impl<'a> Column<'a> {
    /// What is looked at in a place of the screen, so wide.
    pub fn of(
        model: &'a Model,
        transcripts: &'a Transcripts,
        pane: Sight,
        width: usize,
    ) -> Option<Self> {
        let run = transcripts.run(model, transcripts.shown_in(model, pane)?);
        let transcript = transcripts.seen_in(model, pane)?;
        let look = transcript.look(pane);
        let mut items: Vec<Item> = match pane {
            Sight::Prompt => transcript.given(),
            Sight::Main | Sight::Dock(..) => transcript.told(!transcripts.hides_thinking),
        };
        items.extend((transcript.end.is_some() && pane != Sight::Prompt).then_some(Item::End));
        Some(Self { model, transcripts, transcript, run, width, look, pane, items })
    }

    /// The entry at this place.
    pub fn item(&self, at: usize) -> Option<Item> {
        self.items.get(at).copied()
    }

    /// The place of the selected entry.
    pub fn selected(&self) -> Option<usize> {
        let n = self.look.selected?;
        self.items.iter().position(|item| self.transcript.key(*item) == n)
    }

    /// The place of the selected entry, while the window holds a row of it.
    pub fn selected_in(&self, height: usize) -> Option<usize> {
        let spot = self.place(height);
        let shown = spot.item..=flow::last_visible(self, spot, height);
        self.selected().filter(|at| shown.contains(at))
    }

    /// Where the window stands.
    pub fn place(&self, height: usize) -> Spot {
        if self.pane == Sight::Prompt && self.look.view == View::Following {
            return Spot::default();
        }
        flow::place(self, self.look.view, height, |n| {
            self.items.partition_point(|item| self.transcript.key(*item) < n)
        })
    }

    /// The same as it is kept: at the end, the window follows.
    pub fn view(&self, spot: Spot, height: usize) -> View<i64> {
        let is_start = self.pane == Sight::Prompt && spot == Spot::default();
        let is_end = self.pane != Sight::Prompt && spot >= flow::end(self, height);
        if is_start || is_end {
            return View::Following;
        }
        self.paused(spot)
    }

    /// The same as it is kept where the window does not follow.
    pub fn paused(&self, spot: Spot) -> View<i64> {
        let mark = self.items.get(spot.item).map_or(0, |item| self.transcript.key(*item));
        View::At { mark, line: spot.line, width: self.width }
    }

    /// The rows of a window, each with the place of its entry and its line there.
    pub fn window(&self, spot: Spot, height: usize) -> Vec<(Spot, Row)> {
        let mut shown = Vec::new();
        let mut line = spot.line;
        for item in spot.item..self.items.len() {
            let room = height - shown.len();
            if room == 0 {
                break;
            }
            let rows = self.rows(item, line..line.saturating_add(room));
            shown.extend((line..).zip(rows).map(|(line, row)| (Spot { item, line }, row)));
            line = 0;
        }
        shown
    }

    /// These rows of an entry.
    pub fn rows(&self, at: usize, range: Range<usize>) -> Vec<Row> {
        let Some(item) = self.item(at) else { return Vec::new() };
        let head = range.contains(&0).then(|| self.head(at, item));
        let mut rows: Vec<Row> = head.into_iter().collect();
        let mut start = 1;
        for part in self.parts(at) {
            let end = start + part.len();
            let wanted = range.start.max(start)..range.end.min(end);
            if !wanted.is_empty() {
                rows.extend(self.made(part, wanted.start - start..wanted.end - start));
            }
            start = end;
        }
        rows
    }

    fn made(&self, part: Part<'_>, wanted: Range<usize>) -> Vec<Row> {
        let indented = |rows: Vec<Row>| rows.into_iter().map(|row| Row::new().pad(INDENT).and(row));
        match part {
            Part::Rows(rows) => indented(rows[wanted].to_vec()).collect(),
            Part::Text { block, role, range, is_last } => {
                let has_mark = is_last && range.start + wanted.end == range.end;
                let wanted = range.start + wanted.start..range.start + wanted.end;
                let mut rows: Vec<Row> = indented(block.rows(self.sheet(), role, wanted)).collect();
                if has_mark && let Some(row) = rows.last_mut() {
                    row.push(self.model.symbols().tail, Role::Running);
                }
                rows
            }
        }
    }

    /// What texts are laid out on. The mark of a growing text fits behind its last word: the main
    /// pane has a blank column for it.
    fn sheet(&self) -> Sheet {
        let taken = if self.pane.is_beside() { INDENT + 1 } else { INDENT };
        Sheet {
            width: self.width.saturating_sub(taken).max(8),
            symbols: self.model.symbols(),
            wrap_code: !self.model.display.is_cutting,
        }
    }

    /// Whether an entry is open.
    pub fn is_open(&self, at: usize) -> bool {
        let Some(item) = self.item(at) else { return false };
        if self.pane == Sight::Prompt {
            return true;
        }
        let n = self.transcript.key(item);
        if let Some(is_open) = self.look.folds.get(&n) {
            return *is_open;
        }
        if self.look.read.contains(&n) {
            return true;
        }
        let is_last = at + 1 == self.items.len();
        match item {
            Item::Wake { .. } | Item::Run(_) => false,
            Item::Tool { .. } => is_last || self.is_running(item),
            Item::Plain(index) => {
                let block = &self.transcript.blocks[index];
                block.kind != BlockKind::Thinking || is_last || block.is_growing()
            }
            Item::End => true,
        }
    }

    /// Whether a tool has not answered yet, and still may.
    pub fn is_running(&self, item: Item) -> bool {
        if let Some(last) = item.last() {
            return self.transcript.blocks[last].is_growing();
        }
        let is_tool = matches!(item, Item::Tool { .. }) && !self.transcript.is_broken_off(item);
        is_tool && !self.transcript.is_over(item) && self.is_live()
    }

    /// Whether the run goes on, as far as is known.
    pub fn is_live(&self) -> bool {
        self.run.is_none_or(|run| run.state.is_live())
    }

    /// Whether there is anything to unfold.
    pub fn has_body(&self, at: usize) -> bool {
        match self.item(at) {
            Some(Item::End) => !self.ending().is_empty(),
            Some(item) => item.blocks().any(|index| !self.text_of(index).is_empty()),
            None => false,
        }
    }

    fn text_of(&self, index: usize) -> &'a str {
        self.transcript.blocks[index].text.clean()
    }

    /// What an open entry holds.
    fn parts(&self, at: usize) -> Vec<Part<'a>> {
        if !self.is_open(at) {
            return Vec::new();
        }
        let blocks = &self.transcript.blocks;
        match self.item(at) {
            Some(Item::Wake { system, prompt }) if self.pane == Sight::Prompt => {
                self.whole(system.or(prompt), Role::Text)
            }
            Some(Item::Wake { prompt, system }) => self.preview(prompt.or(system), Role::Dim),
            Some(Item::Tool { call, result, .. }) => {
                let hidden = call.filter(|call| self.hides_arguments(&blocks[*call]));
                let mut parts = self.preview(hidden, Role::Dim);
                parts.extend(self.preview(result, Role::Text));
                parts
            }
            Some(Item::Plain(index)) => {
                let role = match blocks[index].kind {
                    BlockKind::Thinking => Role::Dim,
                    BlockKind::Error => Role::Failed,
                    BlockKind::Notice => Role::Wait,
                    _ => Role::Text,
                };
                self.whole(Some(index), role)
            }
            Some(Item::End) => vec![Part::Rows(self.ending())],
            Some(Item::Run(_)) | None => Vec::new(),
        }
    }

    fn whole(&self, index: Option<usize>, role: Role) -> Vec<Part<'a>> {
        let Some(index) = index else { return Vec::new() };
        let block = &self.transcript.blocks[index];
        let length = block.rows_len(self.sheet());
        if length == 0 && block.is_growing() {
            let tail = self.model.symbols().tail;
            return vec![Part::Rows(vec![Row::of(tail, Role::Running)])];
        }
        vec![Part::Text { block, role, range: 0..length, is_last: block.is_growing() }]
    }

    /// The beginning of a text and its end, and how much is between them.
    fn preview(&self, index: Option<usize>, role: Role) -> Vec<Part<'a>> {
        let Some(index) = index else { return Vec::new() };
        let block = &self.transcript.blocks[index];
        let length = block.rows_len(self.sheet());
        if length <= FIRST + LAST + 1 {
            return self.whole(Some(index), role);
        }
        let hidden = length - FIRST - LAST;
        let ellipsis = self.model.symbols().ellipsis;
        let count = numbers::count(i64::try_from(hidden).unwrap_or(i64::MAX));
        let open = self.model.pane_key(Action::Pager);
        let gap = Row::of(format!("{ellipsis} {count} earlier lines ({open} open)"), Role::Dim);
        vec![
            Part::Text { block, role, range: 0..FIRST, is_last: false },
            Part::Rows(vec![gap]),
            Part::Text { block, role, range: length - LAST..length, is_last: block.is_growing() },
        ]
    }

    /// The last rows of an entry's text, for where there is little room.
    pub fn tail(&self, at: usize, most: usize) -> Vec<Row> {
        let Some(last) = self.item(at).and_then(Item::last) else { return Vec::new() };
        let block = &self.transcript.blocks[last];
        let length = block.rows_len(self.sheet());
        let mut rows = block.rows(self.sheet(), Role::Text, length.saturating_sub(most)..length);
        if block.is_growing() {
            let last = rows.pop().unwrap_or_default();
            rows.push(last.with(self.model.symbols().tail, Role::Running));
        }
        rows
    }

    /// How long an entry took, if it has ended.
    pub fn took(&self, item: Item) -> Option<Duration> {
        let ended = self.transcript.blocks[item.last()?].ended_at?;
        Some(ended.since(self.transcript.began(item)?))
    }

    /// Whether an entry was cut short, by the end of its run at the latest.
    pub fn is_cut(&self, item: Item) -> bool {
        match item.last() {
            Some(last) => self.transcript.blocks[last].state == BlockState::Cut,
            None => matches!(item, Item::Tool { .. }) && !self.is_running(item),
        }
    }

    /// The whole text of an entry, as it is copied and read.
    pub fn text(&self, at: usize) -> String {
        match self.item(at) {
            Some(Item::End) => self.ending_text(),
            Some(item) => {
                let texts = item.blocks().map(|index| self.text_of(index));
                texts.filter(|text| !text.is_empty()).collect::<Vec<_>>().join("\n\n")
            }
            None => String::new(),
        }
    }

    /// What an entry is called.
    pub fn title(&self, at: usize) -> Ink {
        self.item(at).map(|item| self.kind(item)).unwrap_or_default()
    }
}

impl Flow for Column<'_> {
    fn len(&self) -> usize {
        self.items.len()
    }

    fn height(&self, at: usize) -> usize {
        1 + self.parts(at).iter().map(Part::len).sum::<usize>()
    }

    fn width(&self) -> usize {
        self.width
    }

    fn height_at(&self, at: usize, width: usize) -> usize {
        let column = Self::of(self.model, self.transcripts, self.pane, width);
        column.map_or(1, |column| column.height(at))
    }
}
