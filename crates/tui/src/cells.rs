//! What takes room on a line: extended grapheme clusters, and how many cells each takes.

use unicode_segmentation::UnicodeSegmentation as _;
use unicode_width::UnicodeWidthStr as _;

/// One cluster of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Cluster {
    pub(crate) end: usize,
    /// How many cells it takes
    pub(crate) cells: usize,
}

/// The cluster that begins here, which must be where one does. `end` is where the text ends.
pub(crate) fn cluster(text: &str, at: usize, end: usize) -> Option<Cluster> {
    #[cfg(test)]
    LOOKED_AT.set(LOOKED_AT.get() + 1);
    let bytes = text.as_bytes();
    if at >= end {
        return None;
    }
    let alone = bytes[at].is_ascii() && (at + 1 == end || bytes[at + 1].is_ascii());
    if alone && !bytes[at].is_ascii_control() {
        return Some(Cluster { end: at + 1, cells: 1 });
    }
    let part = text[at..end].graphemes(true).next()?;
    Some(Cluster { end: at + part.len(), cells: part.width() })
}

#[cfg(test)]
thread_local! {
    static LOOKED_AT: std::cell::Cell<u32> = const { std::cell::Cell::new(0) };
}

/// How many clusters this thread has looked at: what laying out costs, without a clock.
#[cfg(test)]
pub(crate) fn looked_at() -> u32 {
    LOOKED_AT.get()
}

/// How many cells a text takes when it is drawn, which is cluster by cluster.
pub(crate) fn width(text: &str) -> usize {
    fitting(text, usize::MAX).1
}

/// How much of the beginning of a text fits into this many cells: where it ends, and its width.
pub(crate) fn fitting(text: &str, cells: usize) -> (usize, usize) {
    let (mut at, mut used) = (0, 0);
    while let Some(next) = cluster(text, at, text.len()) {
        if used + next.cells > cells {
            break;
        }
        at = next.end;
        used += next.cells;
    }
    (at, used)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_as_wide_as_its_clusters() {
        for (text, cells) in
            [("", 0), ("ab", 2), ("中文", 4), ("e\u{301}x", 2), ("👩\u{200d}💻", 2)]
        {
            assert_eq!(width(text), cells, "{text}");
        }
        assert_eq!(fitting("a中b", 2), (1, 1));
        assert_eq!(fitting("a中b", 3), (4, 3));
    }
}
