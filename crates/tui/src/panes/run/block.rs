//! One block of a transcript: its text, and the text laid out.

use std::{cell::RefCell, ops::Range};

use agent_worker_client::Clean;
use agent_worker_protocol::{BlockKind, BlockState, Timestamp};

use super::{
    calls::{self, Edit},
    text::Growing,
};
use crate::{
    model::has_passed,
    paint::{Ink, Row},
    text::{
        diff,
        markdown::{self, Page, Sheet, Stream},
        wrap::Laid,
    },
    theme::Role,
};

/// Above how many bytes a text is shown as it is written: no one reads so much of a page.
const MOST_MARKED: usize = 256 << 10;

/// How many layouts of one block are kept: it is shown in the main pane, beside it and over it.
const LAYOUTS: usize = 3;

/// After this many milliseconds a text that came with a gap is asked for again.
const AGAIN: i64 = 1_000;

/// How often that helps.
const TRIES: u32 = 5;

/// A block as far as it is known.
#[derive(Debug)]
pub struct Block {
    /// Its place in the transcript
    pub n: i64,
    pub kind: BlockKind,
    /// Whether it still grows
    pub state: BlockState,
    pub name: Option<String>,
    pub started_at: Timestamp,
    /// When it was whole
    pub ended_at: Option<Timestamp>,
    pub text: Growing,
    /// Of a call its arguments in one line, of a result how it failed
    pub brief: Option<String>,
    /// What a call changes in a file
    edit: Option<Box<Edit>>,
    /// How long its text is known to be
    reach: i64,
    /// When its text was asked for again, and how often
    asked: Option<(i64, u32)>,
    layouts: RefCell<Vec<Layout>>,
}

#[derive(Debug)]
struct Layout {
    sheet: Sheet,
    edition: u32,
    /// How much of the text is in it
    length: usize,
    shape: Shape,
}

#[derive(Debug)]
enum Shape {
    Plain(Laid),
    Growing(Box<Stream>),
    Whole(Page),
}

/// Whether a piece of a text had its place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[must_use]
pub enum Fit {
    Good,
    /// Something is missing before it: the text must be told again.
    Gap,
}

impl Block {
    /// A block that begins.
    pub fn new(n: i64, kind: BlockKind, name: Option<String>, started_at: Timestamp) -> Self {
        Self {
            n,
            kind,
            state: BlockState::Open,
            name,
            started_at,
            ended_at: None,
            text: Growing::default(),
            brief: None,
            edit: None,
            reach: 0,
            asked: None,
            layouts: RefCell::default(),
        }
    }

    pub fn is_growing(&self) -> bool {
        self.state == BlockState::Open
    }

    /// Adds a piece of its text that has this place in it.
    pub fn add(&mut self, off: i64, piece: &str, now: i64) -> Fit {
        self.reach = self.reach.max(off.saturating_add(length(piece)));
        let raw = self.text.raw();
        let known = usize::try_from(length(raw) - off).ok();
        let rest = known.and_then(|known| {
            let (seen, rest) = piece.split_at_checked(known.min(piece.len()))?;
            let start = raw.len() - known;
            let told = raw.as_bytes().get(start..start + seen.len())?;
            (told == seen.as_bytes()).then_some(rest)
        });
        match rest {
            Some("") => Fit::Good,
            Some(rest) => {
                self.text.push(rest);
                Fit::Good
            }
            None => self.ask(now),
        }
    }

    /// It is whole, or its run has ended.
    pub fn end(&mut self, state: BlockState, ended_at: Option<Timestamp>, now: i64) -> Fit {
        self.state = state;
        self.ended_at = ended_at.or(self.ended_at);
        if length(self.text.raw()) < self.reach && self.ask(now) == Fit::Gap {
            return Fit::Gap;
        }
        let shown = match self.kind {
            BlockKind::ToolCall => {
                self.brief = Some(calls::brief(self.text.raw()));
                self.edit = calls::edit(self.text.raw()).map(Box::new);
                calls::pretty(self.text.raw())
            }
            BlockKind::ToolResult => {
                self.brief = calls::failure(self.text.raw());
                None
            }
            _ => None,
        };
        self.text.close(shown.as_deref());
        Fit::Good
    }

    /// Forgets the text, unless it was asked for just now: what is still on its way from before
    /// has gaps as well.
    fn ask(&mut self, now: i64) -> Fit {
        let tries = match self.asked {
            Some((since, tries)) if tries >= TRIES || !has_passed(now, since, AGAIN) => {
                return Fit::Good;
            }
            Some((_, tries)) => tries + 1,
            None => 1,
        };
        self.asked = Some((now, tries));
        self.state = BlockState::Open;
        self.text.clear();
        Fit::Gap
    }

    /// How many rows its text takes.
    pub fn rows_len(&self, sheet: Sheet) -> usize {
        self.laid(sheet, |shape| match shape {
            Shape::Plain(laid) => laid.len(),
            Shape::Growing(stream) => stream.len(),
            Shape::Whole(page) => page.rows.len(),
        })
    }

    /// These rows of its text.
    pub fn rows(&self, sheet: Sheet, role: Role, range: Range<usize>) -> Vec<Row> {
        self.laid(sheet, |shape| match shape {
            Shape::Plain(laid) if !sheet.wrap_code => {
                range.map_while(|row| self.cut_row(laid, row, sheet, role)).collect()
            }
            Shape::Plain(laid) => laid.rows_over(self.text.clean(), role, range),
            Shape::Growing(stream) => stream.rows(range),
            Shape::Whole(page) => {
                let end = range.end.min(page.rows.len());
                page.rows[range.start.min(end)..end].to_vec()
            }
        })
    }

    /// A line as far as it can be seen, however long it is.
    fn cut_row(&self, laid: &Laid, row: usize, sheet: Sheet, role: Role) -> Option<Row> {
        /// Bytes that a cell takes at the most, and then some.
        const BYTES: usize = 16;
        let text = self.text.clean();
        let start = laid.start_of(row)?;
        let end = laid.start_of(row + 1).unwrap_or(text.len());
        let most = text.ceil_char_boundary(start + (sheet.width + 1) * BYTES);
        let line = text[start..end.min(most)].trim_end_matches('\n');
        Some(Row::of(Ink::part(line), role).cut(sheet.width, sheet.symbols.ellipsis))
    }

    fn laid<T>(&self, sheet: Sheet, look: impl FnOnce(&Shape) -> T) -> T {
        let mut layouts = self.layouts.borrow_mut();
        let at = layouts.iter().position(|layout| layout.sheet == sheet).unwrap_or_else(|| {
            if layouts.len() == LAYOUTS {
                layouts.remove(0);
            }
            layouts.push(self.layout(sheet));
            layouts.len() - 1
        });
        let layout = &mut layouts[at];
        self.refresh(layout);
        look(&layout.shape)
    }

    fn layout(&self, sheet: Sheet) -> Layout {
        let clean = self.text.clean();
        let width = if sheet.wrap_code { sheet.width } else { usize::MAX / 4 };
        let shape = match (self.is_marked(), self.text.whole()) {
            _ if self.edit.is_some() => Shape::Whole(self.changes(sheet)),
            (false, _) => Shape::Plain(Laid::over(clean, width, 0)),
            (true, Some(whole)) => Shape::Whole(markdown::render(whole, sheet)),
            (true, None) => Shape::Growing(Box::new(Stream::new(sheet))),
        };
        let length = if matches!(shape, Shape::Growing(_)) { 0 } else { clean.len() };
        Layout { sheet, edition: self.text.edition(), length, shape }
    }

    /// Lays out what was added, or everything if what was there is another.
    fn refresh(&self, layout: &mut Layout) {
        let is_same_shape = match &layout.shape {
            Shape::Plain(_) => !self.is_marked() && self.edit.is_none(),
            Shape::Growing(_) => self.is_marked() && self.text.whole().is_none(),
            Shape::Whole(_) => self.edit.is_some() || self.text.whole().is_some(),
        };
        if !is_same_shape || layout.edition != self.text.edition() {
            *layout = self.layout(layout.sheet);
        }
        let clean = self.text.clean();
        if layout.length == clean.len() {
            return;
        }
        match &mut layout.shape {
            Shape::Plain(laid) => laid.grow_over(clean),
            Shape::Growing(stream) => stream.push(&Clean::text(&clean[layout.length..])),
            Shape::Whole(_) => {}
        }
        layout.length = clean.len();
    }

    /// What a call changes, as a difference.
    fn changes(&self, sheet: Sheet) -> Page {
        let Some(edit) = &self.edit else { return Page::default() };
        let about = Clean::text(&edit.about);
        let laid = Laid::over(about.as_str(), sheet.width, 0);
        let mut rows = laid.rows_over(about.as_str(), Role::Dim, 0..usize::MAX);
        rows.extend(diff::diff(&edit.old, &edit.new, sheet.symbols, sheet.width).rows);
        Page { rows, ..Page::default() }
    }

    fn is_marked(&self) -> bool {
        self.kind == BlockKind::Text && self.text.raw().len() <= MOST_MARKED
    }
}

fn length(text: &str) -> i64 {
    i64::try_from(text.len()).unwrap_or(i64::MAX)
}
