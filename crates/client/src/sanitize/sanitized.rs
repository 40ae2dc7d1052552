//! Sanitized text.

use std::fmt;

use unicode_segmentation::UnicodeSegmentation as _;
use unicode_width::UnicodeWidthStr;

use super::{
    chars,
    sanitizer::{Sanitizer, Shape},
};

/// Whether a character acts, or shows nothing by itself: what a format that can write it as an
/// escape should not write as it is. Line ends are among them; the word on how the character
/// before it is shown is not.
pub fn is_unseen(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{2028}' | '\u{2029}')
        || (chars::is_hidden(c) && !chars::is_presentation(c))
}

/// Text that cannot act on a terminal. Made only by [`Sanitized::line`] and
/// [`Sanitized::text`], or in pieces through [`super::Streamed`].
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub struct Sanitized {
    pub(super) text: String,
    pub(super) hidden: usize,
}

impl Sanitized {
    /// A single line, for a table's cell or a heading.
    pub fn line(raw: &str) -> Self {
        sanitize(raw, Shape::Line)
    }

    /// Text of any number of lines.
    pub fn text(raw: &str) -> Self {
        sanitize(raw, Shape::Text)
    }

    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// How many characters and sequences were taken out that are invisible. Colours do
    /// not count.
    pub fn hidden(&self) -> usize {
        self.hidden
    }

    /// How many cells its widest line takes.
    pub fn width(&self) -> usize {
        self.text.split('\n').map(UnicodeWidthStr::width).max().unwrap_or(0)
    }

    /// Every line cut to at most `width` cells. A cut line ends in `…`; no character is halved.
    #[must_use]
    pub fn truncate(&self, width: usize) -> Self {
        let lines: Vec<_> = self.text.split('\n').map(|line| cut(line, width)).collect();
        Self { text: lines.join("\n"), hidden: self.hidden }
    }
}

fn sanitize(text: &str, shape: Shape) -> Sanitized {
    let mut sanitizer = Sanitizer::with_room(shape, text.len());
    sanitizer.sanitize(text, 0);
    let (text, hidden) = sanitizer.take();
    Sanitized { text, hidden }
}

fn cut(line: &str, width: usize) -> String {
    if line.width() <= width {
        return line.to_owned();
    }
    let Some(room) = width.checked_sub(1) else { return String::new() };
    let mut used = 0;
    let fits = |part: &&str| {
        used += part.width();
        used <= room
    };
    line.graphemes(true).take_while(fits).chain(["…"]).collect()
}

impl AsRef<str> for Sanitized {
    fn as_ref(&self) -> &str {
        &self.text
    }
}

impl fmt::Display for Sanitized {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

#[cfg(test)]
#[path = "tests/properties.rs"]
mod properties;
#[cfg(test)]
#[path = "tests/cases.rs"]
mod tests;
