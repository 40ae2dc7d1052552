//! Which row of a text stands at the top, also once the text is laid out in other columns.

use std::ops::Range;

/// The sections of a text that is laid out: what is above its first heading, or above the first
/// part of a diff, then one for each of those.
#[derive(Debug)]
pub(super) struct Sections {
    /// The rows in which all but the first begin, in order
    pub(super) stops: Vec<usize>,
    /// How many rows the text has
    pub(super) count: usize,
    /// In how many columns it is laid out
    pub(super) width: usize,
}

impl Sections {
    /// The rows of a section.
    fn rows(&self, section: usize) -> Range<usize> {
        let stop = |at: usize| self.stops.get(at).copied().unwrap_or(self.count);
        section.checked_sub(1).map_or(0, stop)..stop(section)
    }
}

/// The row at the top, told by its section, since headings are rows in all columns.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Top {
    row: usize,
    /// In how many columns it is that row
    width: usize,
    section: usize,
    /// How many rows of the section are above it
    above: usize,
    /// How many rows the section has
    count: usize,
}

impl Top {
    /// This row of a text.
    pub(super) fn at(row: usize, text: &Sections) -> Self {
        let section = text.stops.partition_point(|stop| *stop <= row);
        let rows = text.rows(section);
        let above = row.saturating_sub(rows.start);
        Self { row, width: text.width, section, above, count: rows.len() }
    }

    /// Which row of a text that is. In other columns it is as far down in its section as before,
    /// and the text fills a window of this height.
    pub(super) fn row(self, text: &Sections, height: usize) -> usize {
        if self.width == text.width {
            return self.row;
        }
        let rows = text.rows(self.section);
        let above = self.above * rows.len() / self.count.max(1);
        (rows.start + above).min(text.count.saturating_sub(height))
    }
}
