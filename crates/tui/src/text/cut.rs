//! Texts of one line made to fit: names and sentences lose their end, paths, ids and URLs their
//! middle. Numbers, states and times are not for here: they go as a whole.

use unicode_segmentation::UnicodeSegmentation as _;

use crate::{
    cells::{fitting, width},
    paint::Ink,
};

/// How much of a text is looked at where no more of it fits a screen, bytes: a daemon may be set
/// to send a megabyte, and all of it would be looked at with every key.
const MOST: usize = 64 * 1024;

/// As much of a long text as is looked at for a screen.
pub fn part(text: &str) -> &str {
    &text[..text.floor_char_boundary(MOST)]
}

/// The text in at most this many cells; what was cut ends in the ellipsis.
pub fn end(text: impl Into<Ink>, cells: usize, ellipsis: &'static str) -> Ink {
    let text = text.into();
    if width(text.as_str()) <= cells {
        return text;
    }
    let Some(room) = cells.checked_sub(width(ellipsis)) else { return Ink::default() };
    let (kept, _) = fitting(text.as_str(), room);
    Ink::part(&format!("{}{ellipsis}", &text.as_str()[..kept]))
}

/// The text in at most this many cells; what was cut has the ellipsis in its middle. Of a path
/// the last part is kept longest, then the first.
pub fn middle(text: impl Into<Ink>, cells: usize, ellipsis: &'static str) -> Ink {
    let text = text.into();
    if width(text.as_str()) <= cells {
        return text;
    }
    let Some(room) = cells.checked_sub(width(ellipsis)) else { return Ink::default() };
    let text = text.as_str();
    let (head, tail) = path(text, room).unwrap_or_else(|| halves(text, room));
    Ink::part(&format!("{head}{ellipsis}{tail}"))
}

/// The first part of a path and as many of its last ones as fit.
fn path(text: &str, room: usize) -> Option<(&str, &str)> {
    let mut seams = text.match_indices('/').map(|(at, _)| at).rev();
    let last = seams.next().filter(|at| *at > 0 && at + 1 < text.len())?;
    let taken = width(&text[last..]);
    let rest = room.checked_sub(taken)?;
    let first = text.match_indices('/').map(|(at, _)| at).find(|at| *at > 0)?;
    let head = &text[..=first];
    if first == last || width(head) > rest {
        let (kept, _) = fitting(&text[..last], rest);
        return Some((&text[..kept], &text[last..]));
    }
    let room = room - width(head);
    let fits = |at: &usize| *at >= head.len() && width(&text[*at..]) <= room;
    let tail = seams.take_while(fits).last().unwrap_or(last);
    Some((head, &text[tail..]))
}

fn halves(text: &str, room: usize) -> (&str, &str) {
    let (kept, used) = fitting(text, room.div_ceil(2));
    let (mut tail, mut left) = (text.len(), room - used);
    for (at, part) in text.grapheme_indices(true).rev() {
        let cells = width(part);
        if at < kept || cells > left {
            break;
        }
        left -= cells;
        tail = at;
    }
    (&text[..kept], &text[tail..])
}

#[cfg(test)]
#[path = "tests/cut.rs"]
mod tests;
