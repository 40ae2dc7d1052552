//! What is drawn, and the only way onto the screen. Nothing reaches it that was not cleaned: a text
//! made at run time is cleaned on its way in, a text of the program itself is taken as it is.

use std::borrow::Cow;

use agent_worker_client::Clean;
use ratatui_core::{
    buffer::Buffer,
    layout::Rect,
    style::{Color, Modifier, Style},
};
use unicode_segmentation::UnicodeSegmentation as _;
use unicode_width::UnicodeWidthStr as _;

use crate::{
    cells,
    symbols::Symbols,
    theme::{Role, Theme},
};

/// A text that does no harm on a terminal.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub struct Ink(Cow<'static, str>);

impl Ink {
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// How many cells it takes when it is drawn.
    pub fn width(&self) -> usize {
        cells::width(&self.0)
    }

    /// A part of a clean text, which is clean.
    pub(crate) fn part(text: &str) -> Self {
        Self(Cow::Owned(text.to_owned()))
    }
}

impl From<&'static str> for Ink {
    fn from(text: &'static str) -> Self {
        Self(Cow::Borrowed(text))
    }
}

impl From<String> for Ink {
    fn from(text: String) -> Self {
        Self(Cow::Owned(Clean::line(&text).as_str().to_owned()))
    }
}

impl From<&Clean> for Ink {
    /// A text of many lines becomes one: a line break moves the cursor as any control does.
    fn from(text: &Clean) -> Self {
        match text.as_str() {
            lines if lines.contains('\n') => Self::part(Clean::line(lines).as_str()),
            line => Self::part(line),
        }
    }
}

impl From<Clean> for Ink {
    fn from(text: Clean) -> Self {
        Self::from(&text)
    }
}

/// A line of the screen: pieces, each in its role.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Row {
    /// The pieces, from the left
    pub spans: Vec<(Ink, Role)>,
}

impl Row {
    pub fn new() -> Self {
        Self::default()
    }

    /// A line of one piece.
    pub fn of(text: impl Into<Ink>, role: Role) -> Self {
        Self::new().with(text, role)
    }

    /// The same line with another piece.
    #[must_use]
    pub fn with(mut self, text: impl Into<Ink>, role: Role) -> Self {
        self.push(text, role);
        self
    }

    /// The same line with this many spaces.
    #[must_use]
    pub fn pad(mut self, cells: usize) -> Self {
        self.space(cells);
        self
    }

    /// The same line with spaces up to this column.
    #[must_use]
    pub fn tabbed(mut self, column: usize) -> Self {
        self.tab(column);
        self
    }

    /// The same line with another line's pieces.
    #[must_use]
    pub fn and(mut self, other: Self) -> Self {
        self.append(other);
        self
    }

    pub fn push(&mut self, text: impl Into<Ink>, role: Role) {
        let text = text.into();
        if !text.as_str().is_empty() {
            self.spans.push((text, role));
        }
    }

    pub fn space(&mut self, cells: usize) {
        if cells > 0 {
            self.spans.push((Ink::part(&" ".repeat(cells)), Role::Text));
        }
    }

    /// Adds spaces up to this column.
    pub fn tab(&mut self, column: usize) {
        self.space(column.saturating_sub(self.width()));
    }

    /// Adds a piece from this column on.
    pub fn put(&mut self, column: usize, text: impl Into<Ink>, role: Role) {
        self.tab(column);
        self.push(text, role);
    }

    /// Adds another line's pieces.
    pub fn append(&mut self, other: Self) {
        self.spans.extend(other.spans);
    }

    /// How many cells it takes.
    pub fn width(&self) -> usize {
        self.spans.iter().map(|(text, _)| text.width()).sum()
    }

    pub fn text(&self) -> String {
        self.spans.iter().map(|(text, _)| text.as_str()).collect()
    }

    /// The same line with every piece in one role.
    #[must_use]
    pub fn all(mut self, role: Role) -> Self {
        for span in &mut self.spans {
            span.1 = role;
        }
        self
    }

    /// The line in at most this many cells; a line that was cut ends in the ellipsis.
    #[must_use]
    pub fn cut(self, cells: usize, ellipsis: &'static str) -> Self {
        if self.width() <= cells {
            return self;
        }
        let mut room = cells.saturating_sub(ellipsis.width());
        let mut out = Self::new();
        let mut last = Role::Text;
        for (text, role) in self.spans {
            last = role;
            let (end, used) = cells::fitting(text.as_str(), room);
            out.push(Ink::part(&text.as_str()[..end]), role);
            if end < text.as_str().len() {
                break;
            }
            room -= used;
        }
        if ellipsis.width() <= cells {
            out.push(ellipsis, last);
        }
        out
    }
}

/// Where a click means something in what was drawn.
#[derive(Debug, Default)]
pub struct Spots {
    /// The box with its frame; `None` without one
    pub outer: Option<Rect>,
    /// Rows of the screen, with the number of the list's line that stands there
    pub lines: Vec<(Rect, usize)>,
}

/// The screen that is being drawn. Writes outside of it, or into half a wide character, are cut.
pub struct Painter<'a> {
    pub buffer: &'a mut Buffer,
    /// What roles look like
    pub theme: Theme,
    /// The characters in use
    pub symbols: &'static Symbols,
    /// What a click means
    pub spots: Spots,
}

impl<'a> Painter<'a> {
    /// Draws into this buffer.
    pub fn new(buffer: &'a mut Buffer, theme: Theme, symbols: &'static Symbols) -> Self {
        Self { buffer, theme, symbols, spots: Spots::default() }
    }

    /// Notes that a row of an area shows this line of a list.
    pub fn spot(&mut self, area: Rect, y: u16, line: usize) {
        let row = Rect { y: area.y.saturating_add(y), height: 1, ..area };
        self.spots.lines.push((row.intersection(area), line));
    }

    /// Writes a line into a row of an area, from a column on, cut at the area's edge. Gives the
    /// column behind it.
    pub fn row(&mut self, area: Rect, x: u16, y: u16, row: &Row) -> u16 {
        row.spans.iter().fold(x, |x, (text, role)| self.text(area, x, y, text, *role))
    }

    /// Writes rows below each other, from a row of an area on, as far as they fit.
    pub fn rows<'r>(&mut self, area: Rect, y: u16, rows: impl IntoIterator<Item = &'r Row>) {
        for (y, row) in (y..area.height).zip(rows) {
            self.row(area, 0, y, row);
        }
    }

    /// Says why there is nothing else in an area.
    pub fn hint(&mut self, area: Rect, x: u16, words: impl Into<Ink>) {
        self.row(area, x, area.height / 3, &Row::of(words, Role::Dim));
    }

    /// Writes a text into a row of an area, from a column on, cut at the area's edge. Gives the
    /// column behind it.
    pub fn text(&mut self, area: Rect, x: u16, y: u16, text: &Ink, role: Role) -> u16 {
        let area = area.intersection(*self.buffer.area());
        let style = self.theme.style(role);
        let mut x = x;
        if y >= area.height {
            return x;
        }
        for part in text.as_str().graphemes(true) {
            let width = u16::try_from(part.width()).unwrap_or(u16::MAX);
            if width == 0 {
                continue;
            }
            if x.saturating_add(width) > area.width {
                break;
            }
            self.cell(area.x + x, area.y + y, part, width, style);
            x += width;
        }
        x
    }

    fn cell(&mut self, x: u16, y: u16, symbol: &str, width: u16, style: Style) {
        self.halve(x, y);
        self.halve(x + width, y);
        for offset in 0..width {
            let cell = &mut self.buffer[(x + offset, y)];
            cell.reset();
            cell.set_style(style);
            cell.set_symbol(if offset == 0 { symbol } else { "" });
        }
    }

    /// If this cell is a further one of a wide character, clears all cells of that character.
    fn halve(&mut self, x: u16, y: u16) {
        let area = *self.buffer.area();
        let begins = |x: &u16| !self.buffer[(*x, y)].symbol().is_empty();
        if x <= area.x || x >= area.right() || begins(&x) {
            return;
        }
        let first = (area.x..x).rev().find(begins).unwrap_or(x);
        let end = (x..area.right()).find(begins).unwrap_or(area.right());
        for x in first..end {
            self.buffer[(x, y)].set_symbol(" ");
        }
    }

    /// Makes an area blank.
    pub fn clear(&mut self, area: Rect) {
        let area = area.intersection(*self.buffer.area());
        for y in area.y..area.bottom() {
            self.halve(area.x, y);
            self.halve(area.right(), y);
            for x in area.x..area.right() {
                self.buffer[(x, y)].reset();
            }
        }
    }

    /// Gives all cells of an area the look of a role, whatever is in them. What is selected is of
    /// one piece: colours of its own would make patches.
    pub fn tint(&mut self, area: Rect, role: Role) {
        let mut style = self.theme.style(role);
        if role == Role::Selected {
            style = style.fg(Color::Reset).remove_modifier(Modifier::DIM);
        }
        self.buffer.set_style(area.intersection(*self.buffer.area()), style);
    }

    /// A rule from left to right, with words in it.
    pub fn rule(&mut self, area: Rect, y: u16, words: Option<Row>) {
        let line = self.symbols.horizontal.repeat(usize::from(area.width));
        self.text(area, 0, y, &Ink::part(&line), Role::Dim);
        if let Some(words) = words {
            let room = usize::from(area.width.saturating_sub(3));
            let words = words.cut(room.saturating_sub(2), self.symbols.ellipsis);
            self.row(area, 1, y, &Row::of(" ", Role::Text).and(words).with(" ", Role::Text));
        }
    }

    /// A rule from top to bottom in the first column of an area.
    pub fn divider(&mut self, area: Rect) {
        for y in 0..area.height {
            self.text(area, 0, y, &Ink::from(self.symbols.vertical), Role::Dim);
        }
    }
}

#[cfg(test)]
#[path = "tests/paint.rs"]
mod tests;
