//! One line of text that is edited.

use agent_worker_client::Clean;
use ratatui_core::layout::Rect;
use unicode_segmentation::UnicodeSegmentation as _;
use unicode_width::UnicodeWidthStr as _;

use crate::{
    key::{Code, Key},
    paint::{Ink, Painter},
    theme::Role,
};

/// How much text a paste may fill a line to, bytes: all of it is looked at with every key.
pub const MOST: usize = 16 * 1024;

/// What is said of a paste of more.
pub const CUT: &str = "paste cut: a field takes at most 16 KiB";

/// Which of `count` earlier texts stands in a field after a step to an earlier one, or to a later one
/// if not `is_earlier`; `None`: none of them.
pub fn recalled(at: Option<usize>, is_earlier: bool, count: usize) -> Option<usize> {
    match (at, is_earlier) {
        (None, true) => count.checked_sub(1),
        (Some(at), true) => Some(at.saturating_sub(1)),
        (at, false) => at.map(|at| at + 1).filter(|at| *at < count),
    }
}

/// The text and the caret in it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Field {
    text: String,
    /// In bytes
    caret: usize,
    /// Whether the next character takes the place of the text
    is_old: bool,
}

impl Field {
    /// A field with a text, and the caret behind it.
    pub fn with(text: &str) -> Self {
        Self { text: text.to_owned(), caret: text.len(), is_old: false }
    }

    /// A field with a text that typing or pasting replaces, unless another key comes first.
    pub fn with_old(text: &str) -> Self {
        Self { is_old: true, ..Self::with(text) }
    }

    pub fn text(&self) -> &str {
        &self.text
    }

    /// Puts another text in.
    pub fn set(&mut self, text: &str) {
        *self = Self::with(text);
    }

    /// Puts a text in at the caret, in one line: a space stands where a line ended. Returns false
    /// if it was cut because the line holds no more.
    pub fn insert_str(&mut self, text: &str) -> bool {
        if self.is_old {
            self.set("");
        }
        let lines: Vec<&str> = text.trim_matches('\n').lines().collect();
        let text = Clean::line(&lines.join(" ")).as_str().to_owned();
        let room = MOST.saturating_sub(self.text.len());
        let part = &text[..text.floor_char_boundary(room)];
        self.text.insert_str(self.caret, part);
        self.caret += part.len();
        part.len() == text.len()
    }

    /// A key; false if it means nothing here. At the edges nothing happens.
    pub fn key(&mut self, key: Key) -> bool {
        if std::mem::take(&mut self.is_old) && key.written().is_some() {
            self.set("");
        }
        match key.code {
            _ if key == Key::ctrl('a') => self.caret = 0,
            _ if key == Key::ctrl('e') => self.caret = self.text.len(),
            _ if key == Key::ctrl('u') => self.delete_from(0),
            _ if key == Key::ctrl('k') => self.text.truncate(self.caret),
            _ if key == Key::ctrl('w') => self.delete_word(),
            Code::Backspace => self.delete_from(self.before()),
            Code::Delete => drop(self.text.drain(self.caret..self.after())),
            Code::Left => self.caret = self.before(),
            Code::Right => self.caret = self.after(),
            Code::Home => self.caret = 0,
            Code::End => self.caret = self.text.len(),
            _ => match key.written() {
                Some(c) => {
                    self.text.insert(self.caret, c);
                    self.caret += c.len_utf8();
                }
                None => return false,
            },
        }
        true
    }

    fn before(&self) -> usize {
        let mut parts = self.text[..self.caret].grapheme_indices(true);
        parts.next_back().map_or(0, |(at, _)| at)
    }

    fn after(&self) -> usize {
        let first = self.text[self.caret..].graphemes(true).next();
        self.caret + first.map_or(0, str::len)
    }

    /// Deletes what stands before the caret, from this byte on.
    fn delete_from(&mut self, from: usize) {
        self.text.drain(from..self.caret);
        self.caret = from;
    }

    fn delete_word(&mut self) {
        let head = self.text[..self.caret].trim_end();
        let from = head.rfind(|c: char| c.is_whitespace() || c == '/').map_or(0, |at| at + 1);
        self.delete_from(from);
    }

    /// Draws it from a column on; gives where the caret is. Of a long text the end is shown.
    pub fn draw(&self, painter: &mut Painter<'_>, area: Rect, x: u16, y: u16) -> (u16, u16) {
        let room = usize::from(area.width.saturating_sub(x + 1)).max(1);
        let (mut from, mut used) = (self.caret, 0);
        // Back from the caret: what does not fit is never measured.
        for (at, part) in self.text[..self.caret].grapheme_indices(true).rev() {
            let cells = part.width();
            if used + cells >= room {
                break;
            }
            (from, used) = (at, used + cells);
        }
        let role = if self.is_old { Role::Selected } else { Role::Text };
        painter.text(area, x, y, &Ink::from(self.text[from..].to_owned()), role);
        let caret = u16::try_from(used).unwrap_or(0);
        (area.x + x + caret, area.y + y)
    }
}

#[cfg(test)]
#[path = "tests/field.rs"]
mod tests;
