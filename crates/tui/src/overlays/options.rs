//! What the person chooses from: the options of a question, or of a proposal.

use agent_worker_client::text::numbers;

use crate::{action::Action, key::Key, paint::Row, symbols::Symbols, text::wrap, theme::Role};

/// The most options that a digit chooses.
pub const DIGITS: usize = 9;

/// Where the person is among options.
#[derive(Debug, Default)]
pub struct Options {
    /// The marked option; none before one is marked, so that no key chooses by itself
    pub marked: Option<usize>,
    /// Whether the mark was moved here: a held Enter must not cast an earlier vote again
    pub is_moved: bool,
    /// The first line on the screen when one was clicked
    pub first: usize,
}

impl Options {
    /// Moves the mark. The first step marks the first option, or the last one if it is upwards.
    pub fn step(&mut self, rows: isize, count: usize) {
        let last = count.saturating_sub(1);
        let first = if rows < 0 { last } else { 0 };
        let moved = |at: usize| at.saturating_add_signed(rows).min(last);
        self.mark(self.marked.map_or(first, moved), self.first.min(self.marked.unwrap_or(0)));
    }

    /// Marks the option in this line; `first` is the first one on the screen.
    pub fn mark(&mut self, line: usize, first: usize) {
        (self.marked, self.is_moved, self.first) = (Some(line), true, first);
    }

    /// Moves the mark, or takes an option: the marked one by Enter if the mark was moved here,
    /// another by its digit.
    pub fn take(
        &mut self,
        options: &[String],
        action: Option<Action>,
        digit: Option<usize>,
    ) -> Option<String> {
        let marked = self.marked.filter(|_| self.is_moved);
        match action {
            Some(Action::Down) => self.step(1, options.len()),
            Some(Action::Up) => self.step(-1, options.len()),
            Some(Action::Open) => return options.get(marked?).cloned(),
            _ => return options.get(digit?).cloned(),
        }
        None
    }
}

/// The place in a list that a digit chooses: `1` its first.
pub fn numbered(key: Key) -> Option<usize> {
    let digit = key.written()?.to_digit(10)?;
    usize::try_from(digit).ok()?.checked_sub(1)
}

/// The beginning of an option's line: the sign of the marked one, and the digit that chooses it.
pub fn head(at: usize, is_marked: bool, has_digits: bool, symbols: &Symbols) -> Row {
    let mark = if is_marked { symbols.selected } else { " " };
    let has_digit = at < DIGITS && has_digits;
    let number = if has_digit { format!("{}  ", at + 1) } else { "   ".to_owned() };
    Row::of(mark, Role::Accent).pad(1).with(number, Role::Accent)
}

/// Options laid out in rows, each over as many as it takes. An option that is taller than the list
/// is cut when it is shown.
#[derive(Debug, Default)]
pub struct Listed {
    /// Each row with the number of its option, from 0 on
    rows: Vec<(usize, Row)>,
}

impl Listed {
    /// Adds an option in at most this many cells, behind the beginning of its line. The rows that
    /// continue it are indented by that.
    pub fn add(&mut self, begin: Row, option: &Row, width: usize) {
        let (number, indent) = (self.count(), begin.width());
        let mut rows = wrap::wrap_row(option, width.saturating_sub(indent), 0).into_iter();
        self.rows.push((number, begin.and(rows.next().unwrap_or_default())));
        self.rows.extend(rows.map(|row| (number, Row::new().pad(indent).and(row))));
    }

    /// How many rows all options take.
    pub fn height(&self) -> usize {
        self.rows.len()
    }

    fn count(&self) -> usize {
        self.rows.last().map_or(0, |(option, _)| option + 1)
    }

    fn start(&self, option: usize) -> usize {
        self.rows.partition_point(|(number, _)| *number < option)
    }

    /// The first row on the screen, which has room for this many. An option begins there: `first`,
    /// as far as `seen` is then whole on the screen and no room is left below the last option. The
    /// first option of all if `seen` is `None`.
    pub fn top(&self, seen: Option<usize>, first: usize, room: usize) -> usize {
        let Some(seen) = seen else { return 0 };
        let count = self.count();
        let fits = |from: usize, end: usize| self.start(end) - self.start(from) <= room;
        let most = (0..count).find(|from| fits(*from, count)).unwrap_or(count.saturating_sub(1));
        let needed = (0..seen).find(|from| fits(*from, seen + 1)).unwrap_or(seen);
        self.start(needed.max(first.min(seen).min(most)))
    }

    /// As many rows from this one on as there is room for, each with the number of its option. An
    /// option that goes on below them ends in the ellipsis.
    pub fn shown(
        &self,
        top: usize,
        room: usize,
        width: usize,
        ellipsis: &'static str,
    ) -> Vec<(usize, Row)> {
        let mut rows: Vec<_> = self.rows.iter().skip(top).take(room).cloned().collect();
        let next = self.rows.get(top + rows.len()).map(|(option, _)| *option);
        if let Some((option, row)) = rows.last_mut()
            && next == Some(*option)
        {
            *row = std::mem::take(row).with(ellipsis, Role::Dim).cut(width, ellipsis);
        }
        rows
    }

    /// How many options have no row before this one.
    pub fn below(&self, row: usize) -> usize {
        let above = &self.rows[..row.min(self.rows.len())];
        self.count() - above.last().map_or(0, |(option, _)| option + 1)
    }

    /// What the lower edge of a box says of the options that have no row before this one; empty
    /// if each has.
    pub fn more(&self, row: usize) -> String {
        match self.below(row) {
            0 => String::new(),
            hidden => numbers::counted(hidden, "more option", "more options"),
        }
    }
}
