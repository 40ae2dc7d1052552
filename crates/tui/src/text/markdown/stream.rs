//! Markdown that is still being written: what lies before the last gap between blocks is laid out
//! once, what comes after it is plain text until it is known what it becomes.

use std::ops::Range;

use agent_worker_client::Clean;
use agent_worker_protocol::{
    Fence,
    mention::{self},
};

#[cfg(test)]
use super::{page::Page, render::render};
use super::{
    page::{Link, Sheet},
    render::render_part,
};
use crate::{paint::Row, text::wrap::Laid, theme::Role};

/// A text that grows at its end.
#[derive(Debug, Clone)]
pub struct Stream {
    sheet: Sheet,
    text: String,
    /// Up to here it is laid out for good
    frozen: usize,
    rows: Vec<Row>,
    links: Vec<Link>,
    tail: Laid,
    gaps: Gaps,
}

impl Stream {
    /// A text that has not begun.
    pub fn new(sheet: Sheet) -> Self {
        Self {
            sheet,
            text: String::new(),
            frozen: 0,
            rows: Vec::new(),
            links: Vec::new(),
            tail: Laid::over("", sheet.width, 0),
            gaps: Gaps::default(),
        }
    }

    /// Adds what was written since.
    pub fn push(&mut self, delta: &Clean) {
        self.push_clean(delta.as_str());
    }

    fn push_clean(&mut self, delta: &str) {
        self.text.push_str(delta);
        while let Some(gap) = self.gaps.next(&self.text) {
            self.freeze(gap);
        }
        self.tail.grow_over(&self.text[self.frozen..]);
    }

    /// The same text on another sheet.
    #[cfg(test)]
    #[must_use]
    pub fn on(&self, sheet: Sheet) -> Self {
        let mut stream = Self::new(sheet);
        stream.push_clean(&self.text);
        stream
    }

    fn freeze(&mut self, gap: usize) {
        let part = &self.text[self.frozen..gap];
        let page = render_part(part, self.sheet, std::mem::take(&mut self.links));
        if !self.rows.is_empty() && !page.rows.is_empty() {
            self.rows.push(Row::new());
        }
        self.rows.extend(page.rows);
        self.links = page.links;
        self.frozen = gap;
        self.tail = Laid::over("", self.sheet.width, 0);
    }

    /// The text so far.
    #[cfg(test)]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// How many rows it takes so far.
    pub fn len(&self) -> usize {
        self.tail_row() + self.tail.len()
    }

    /// Where the plain text begins, behind a blank row.
    fn tail_row(&self) -> usize {
        let has_gap = !self.rows.is_empty() && !self.tail.is_empty();
        self.rows.len() + usize::from(has_gap)
    }

    /// The rows in this range, as far as there are any.
    pub fn rows(&self, range: Range<usize>) -> Vec<Row> {
        let end = range.end.min(self.len());
        let start = range.start.min(end);
        let frozen = self.rows.len();
        let mut rows = self.rows[start.min(frozen)..end.min(frozen)].to_vec();
        let tail = self.tail_row();
        if (start..end).contains(&frozen) && tail > frozen {
            rows.push(Row::new());
        }
        let plain = start.saturating_sub(tail)..end.saturating_sub(tail);
        rows.extend(self.tail.rows_over(&self.text[self.frozen..], Role::Text, plain));
        rows
    }

    /// The whole of it, once it has ended. It takes the text as it is known at the end: pieces
    /// that were cleaned one by one may differ from it.
    #[cfg(test)]
    pub fn end(self, whole: &Clean) -> Page {
        render(whole, self.sheet)
    }
}

/// Finds the gaps between blocks as the text grows.
#[derive(Debug, Clone, Copy, Default)]
struct Gaps {
    /// The line that is looked at begins here
    at: usize,
    /// Up to here it does not end
    seen: usize,
    /// The open fence, and whether it is in a list, where its end may be indented further
    fence: Option<(Fence, bool)>,
    is_after_blank: bool,
}

impl Gaps {
    /// The next place at which a block begins behind a blank line: none in a fence, and not where
    /// a line is indented, since that may go on with a list.
    fn next(&mut self, text: &str) -> Option<usize> {
        loop {
            let first = text[self.at..].bytes().next()?;
            if self.is_after_blank && !matches!(first, b' ' | b'\n') {
                self.is_after_blank = false;
                return Some(self.at);
            }
            let Some(length) = text[self.seen..].find('\n') else {
                self.seen = text.len();
                return None;
            };
            let end = self.seen + length + 1;
            self.end_line(&text[self.at..end]);
            (self.at, self.seen) = (end, end);
        }
    }

    fn end_line(&mut self, line: &str) {
        self.is_after_blank = false;
        if let Some((fence, is_nested)) = self.fence {
            let line = if is_nested { line.trim_start() } else { line };
            if fence.is_closed_by(line) {
                self.fence = None;
            }
            return;
        }
        let own = Fence::opened_by(line).map(|fence| (fence, false));
        let nested = || Fence::opened_by(mention::bare(line)).map(|fence| (fence, true));
        self.fence = own.or_else(nested);
        self.is_after_blank = line.trim().is_empty();
    }
}
