//! The picture as a terminal shows it: one text for one cell or several, and nothing that a
//! terminal would obey.

use std::borrow::Cow;

use ratatui_core::{
    buffer::{Buffer, Cell},
    style::{Color, Modifier},
};
use unicode_width::{UnicodeWidthChar as _, UnicodeWidthStr as _};

/// What a cell looks like.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Look {
    pub fg: Color,
    pub bg: Color,
    pub modifier: Modifier,
}

/// What stands in a cell.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Shown {
    /// This text, in this many cells
    Text(Cow<'static, str>, u16),
    /// A further cell of what stands before it
    Half,
}

/// A cell of the terminal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shape {
    pub shown: Shown,
    pub look: Look,
}

impl Shape {
    /// What is there after all was erased.
    pub fn blank() -> Self {
        Self { shown: Shown::Text(Cow::Borrowed(" "), 1), look: Look::default() }
    }

    /// Takes the slant off its letters.
    pub fn straighten(&mut self) {
        self.look.modifier.remove(Modifier::ITALIC);
    }

    /// Its text, if it begins here.
    pub fn text(&self) -> Option<&str> {
        match &self.shown {
            Shown::Text(text, _) => Some(text),
            Shown::Half => None,
        }
    }

    /// Whether every terminal moves its cursor by as much as it should after this.
    pub fn is_certain(&self, narrow: bool) -> bool {
        self.text().and_then(only).is_some_and(|c| c.is_ascii() || narrow && is_plain(c))
    }

    /// Whether this takes several cells and some terminals draw it in fewer: emoji and clusters.
    pub fn may_be_narrower(&self) -> bool {
        matches!(&self.shown, Shown::Text(text, 2..) if !only(text).is_some_and(is_ideograph))
    }

    /// Whether this is text that terminals may give another width than it has.
    pub fn is_risky(&self) -> bool {
        self.text().is_some() && !self.is_certain(true)
    }

    /// Whether it stands between panes.
    pub fn is_separator(&self) -> bool {
        self.text().is_some_and(|text| text.starts_with(['│', '╎', '┌', '┐', '└', '┘']))
    }
}

/// The character of a text that has no other.
fn only(text: &str) -> Option<char> {
    let mut chars = text.chars();
    chars.next().filter(|_| chars.next().is_none())
}

/// Letters of alphabets, punctuation, lines and blocks: one cell wherever what is debatable is.
fn is_plain(c: char) -> bool {
    matches!(
        c,
        '\u{a1}'..='\u{ac}'
            | '\u{ae}'..='\u{2ff}'
            | '\u{370}'..='\u{482}'
            | '\u{48a}'..='\u{52f}'
            | '\u{2010}'..='\u{2027}'
            | '\u{2190}'..='\u{2193}'
            | '\u{2500}'..='\u{259f}'
            | '\u{2801}'..='\u{28ff}'
    ) && c.width() == Some(1)
}

/// East Asian scripts and their punctuation: two cells wherever they are wide.
fn is_ideograph(c: char) -> bool {
    matches!(
        c,
        '\u{1100}'..='\u{115f}'
            | '\u{2e80}'..='\u{a4cf}'
            | '\u{ac00}'..='\u{d7a3}'
            | '\u{f900}'..='\u{faff}'
            | '\u{fe30}'..='\u{fe6f}'
            | '\u{ff01}'..='\u{ff60}'
            | '\u{ffe0}'..='\u{ffe6}'
            | '\u{20000}'..='\u{3fffd}'
    )
}

/// Whether a character is shown, and does nothing else.
pub fn is_harmless(c: char) -> bool {
    !c.is_control()
        && !matches!(
            c,
            '\u{ad}'
                | '\u{61c}'
                | '\u{200b}'..='\u{200f}'
                | '\u{2028}'..='\u{202e}'
                | '\u{2060}'..='\u{206f}'
                | '\u{feff}'
                | '\u{fff9}'..='\u{fffb}'
                | '\u{e0000}'..='\u{e007f}'
        )
}

/// One row of a picture, cell by cell. A wide character without all of its cells is a space.
pub fn row(buffer: &Buffer, y: u16, row: &mut Vec<Shape>) {
    let area = buffer.area();
    row.clear();
    let cells: Vec<&Cell> = (area.left()..area.right()).map(|x| &buffer[(x, y)]).collect();
    let mut x = 0;
    while x < cells.len() {
        let cell = cells[x];
        let look = Look { fg: cell.fg, bg: cell.bg, modifier: cell.modifier };
        let (text, width) = text(cell.symbol());
        let end = x + usize::from(width);
        let is_whole = cells
            .get(x + 1..end)
            .is_some_and(|rest| rest.iter().all(|cell| matches!(cell.symbol(), "" | " ")));
        let (text, width, end) =
            if is_whole { (text, width, end) } else { (Cow::Borrowed(" "), 1, x + 1) };
        row.push(Shape { shown: Shown::Text(text, width), look });
        row.resize(end, Shape { shown: Shown::Half, look });
        x = end;
    }
}

/// Which cells are to be written: what differs, all cells of what is wide, and what stands
/// between panes behind text that may have shifted it.
pub fn changed(shown: &[Shape], next: &[Shape]) -> Vec<bool> {
    let mut changed: Vec<bool> =
        shown.iter().zip(next).map(|(shown, next)| shown != next).collect();
    let mut start = 0;
    for x in 0..next.len() {
        if next[x].shown != Shown::Half {
            start = x;
        } else if changed[start] || changed[x] {
            changed[start..=x].fill(true);
        }
    }
    let risky = |row: &[Shape]| row.iter().any(Shape::is_risky);
    if risky(shown) || risky(next) {
        let first = changed.iter().position(|changed| *changed).unwrap_or(0);
        for x in first..next.len() {
            changed[x] |= next[x].is_separator();
        }
    }
    changed
}

/// Joins emoji to one, which terminals draw in different widths.
const JOINER: char = '\u{200d}';

/// Whether it is a skin tone, with which terminals draw emoji in different widths.
fn is_tone(c: char) -> bool {
    matches!(c, '\u{1f3fb}'..='\u{1f3ff}')
}

/// What of a symbol is shown, and in how many cells: of emoji that are joined or have a skin
/// tone, the first character. Behind a space, a letter or another tone, a tone is shown.
fn text(symbol: &str) -> (Cow<'static, str>, u16) {
    if symbol == " " {
        return (Cow::Borrowed(" "), 1);
    }
    let mut chars = symbol.chars();
    let base = chars.next().filter(|base| {
        let has_tones = !(base.is_whitespace() || base.is_alphanumeric() || is_tone(*base));
        chars.any(|c| c == JOINER || has_tones && is_tone(c))
    });
    if let Some(base) = base.filter(|base| is_harmless(*base)) {
        return text(base.encode_utf8(&mut [0; 4]));
    }
    if !symbol.chars().all(is_harmless) {
        return (Cow::Borrowed("?"), 1);
    }
    let width = u16::try_from(symbol.width()).unwrap_or(u16::MAX);
    if width == 0 {
        return (Cow::Borrowed(" "), 1);
    }
    (Cow::Owned(symbol.to_owned()), width)
}
