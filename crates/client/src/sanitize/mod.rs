//! Text from agents, made harmless for a terminal. It is stored as it came; whoever shows it
//! takes a [`Clean`], so that no way to the screen leads around this module.
//!
//! | in | out |
//! | --- | --- |
//! | `\r\n`, lone `\r` | a line break |
//! | U+0085, U+2028, U+2029 | a line break; in a single line a space |
//! | a line break in a single line | ` ⏎ `, once for a run of them, none at its ends |
//! | tab | four spaces; in a single line one |
//! | colours (`ESC [ … m`) and `ESC [ … K` | nothing |
//! | any other escape sequence, 7-bit or 8-bit, terminated or not | `⟦esc⟧`, once for a run |
//! | other C0 controls and DEL | `^G`, `^?` |
//! | other C1 controls, private use, noncharacters | U+FFFD |
//! | bidi controls, zero width, tags, fillers, selectors | nothing |
//! | U+200D | kept between two pictographs only |
//! | U+FE0E, U+FE0F | one is kept after a character |
//! | a combining mark | kept, four on a letter at most; on none it stands on `◌` |

mod chars;
mod escape;
#[cfg(test)]
#[path = "tests/properties.rs"]
mod properties;
mod streamed;
#[cfg(test)]
#[path = "tests/cases.rs"]
mod tests;
mod wash;

use std::fmt;

use unicode_segmentation::UnicodeSegmentation as _;
use unicode_width::UnicodeWidthStr;

pub use streamed::Streamed;
use wash::{Shape, wash};

/// Whether a character acts, or shows nothing by itself: what a format that can write it as an
/// escape should not write as it is. Line ends are among them; the word on how the character
/// before it is shown is not.
pub fn is_unseen(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{2028}' | '\u{2029}')
        || (chars::is_hidden(c) && !chars::is_presentation(c))
}

/// Text that cannot act on a terminal. There is no way to one but through [`Clean::line`] and
/// [`Clean::text`], or in pieces through [`Streamed`].
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub struct Clean {
    text: String,
    hidden: usize,
}

impl Clean {
    /// A single line, for a table's cell or a heading.
    pub fn line(raw: &str) -> Self {
        wash(raw, Shape::Line)
    }

    /// Text of any number of lines.
    pub fn text(raw: &str) -> Self {
        wash(raw, Shape::Text)
    }

    /// The clean text.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// How many characters and sequences were taken out that nobody could have seen. Colours do
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
        let mut text = String::with_capacity(self.text.len());
        for (index, line) in self.text.split('\n').enumerate() {
            if index > 0 {
                text.push('\n');
            }
            cut(line, width, &mut text);
        }
        Self { text, hidden: self.hidden }
    }
}

fn cut(line: &str, width: usize, out: &mut String) {
    if line.width() <= width {
        return out.push_str(line);
    }
    let Some(room) = width.checked_sub(1) else { return };
    let mut used = 0;
    for part in line.graphemes(true) {
        used += part.width();
        if used > room {
            break;
        }
        out.push_str(part);
    }
    out.push('…');
}

impl AsRef<str> for Clean {
    fn as_ref(&self) -> &str {
        &self.text
    }
}

impl fmt::Display for Clean {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}
