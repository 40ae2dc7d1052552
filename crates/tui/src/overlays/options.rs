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
    /// How many rows of the marked option are above the list, if it is taller than the list
    pub read: usize,
}

impl Options {
    /// Moves the mark in a list that shows `room` rows. The first step marks the first option, or
    /// the last one if it is upwards. In an option that is taller than the list, it shows the next
    /// part first.
    pub fn step(&mut self, rows: isize, listed: &Listed, room: usize) {
        if self.read_on(rows, listed, room) {
            return;
        }
        let last = listed.count().saturating_sub(1);
        let first = if rows < 0 { last } else { 0 };
        let moved = |at: usize| at.saturating_add_signed(rows).min(last);
        self.mark(self.marked.map_or(first, moved), self.first.min(self.marked.unwrap_or(0)));
    }

    /// Shows the next part of the marked option, or the previous one, which have a row in common if
    /// they have several; false if the option has no more.
    fn read_on(&mut self, rows: isize, listed: &Listed, room: usize) -> bool {
        let Some(marked) = self.marked else { return false };
        let most = listed.beyond(marked, room);
        let (read, page) = (self.read.min(most), room.saturating_sub(1).max(1));
        self.read = if rows < 0 { read.saturating_sub(page) } else { (read + page).min(most) };
        self.is_moved |= self.read != read;
        self.read != read
    }

    /// The first row of a list that shows `room` rows: with the option `seen` on the screen, or the
    /// part of it that is read.
    pub fn top(&self, seen: Option<usize>, listed: &Listed, room: usize) -> usize {
        let marked = seen.filter(|_| seen == self.marked);
        let read = marked.map_or(0, |option| self.read.min(listed.beyond(option, room)));
        listed.top(seen, self.first, room) + read
    }

    /// Marks the option in this line; `first` is the first one on the screen.
    pub fn mark(&mut self, line: usize, first: usize) {
        if self.marked != Some(line) {
            self.read = 0;
        }
        (self.marked, self.is_moved, self.first) = (Some(line), true, first);
    }

    /// Moves the mark, or takes an option: the marked one by Enter if the mark was moved here,
    /// another by its digit.
    pub fn take(
        &mut self,
        options: &[String],
        action: Option<Action>,
        digit: Option<usize>,
        (listed, room): (&Listed, usize),
    ) -> Option<String> {
        let marked = self.marked.filter(|_| self.is_moved);
        match action {
            Some(Action::Down) => self.step(1, listed, room),
            Some(Action::Up) => self.step(-1, listed, room),
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
/// is shown in parts.
#[derive(Debug, Default)]
pub struct Listed {
    /// What the line of each option begins with
    begins: Vec<Row>,
    /// Each row without that, with the number of its option, from 0 on
    rows: Vec<(usize, Row)>,
}

impl Listed {
    /// Adds an option in at most this many cells, behind the beginning of its line. The rows that
    /// continue it are indented by that.
    pub fn add(&mut self, begin: Row, option: &Row, width: usize) {
        let number = self.count();
        let rows = wrap::wrap_row(option, width.saturating_sub(begin.width()), 0);
        self.begins.push(begin);
        self.rows.extend(rows.into_iter().map(|row| (number, row)));
    }

    /// How many rows all options take.
    pub fn height(&self) -> usize {
        self.rows.len()
    }

    fn count(&self) -> usize {
        self.begins.len()
    }

    fn start(&self, option: usize) -> usize {
        self.rows.partition_point(|(number, _)| *number < option)
    }

    /// How many rows an option has beyond those there is room for; 0 if nothing is shown.
    fn beyond(&self, option: usize, room: usize) -> usize {
        if room == 0 {
            return 0;
        }
        (self.start(option + 1) - self.start(option)).saturating_sub(room)
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

    /// As many rows from this one on as there is room for, each with the number of its option. The
    /// first row of each has the beginning of its line. An option that goes on below them ends in
    /// the ellipsis. A single row does not: no other part shows what the ellipsis would hide.
    pub fn shown(
        &self,
        top: usize,
        room: usize,
        width: usize,
        ellipsis: &'static str,
    ) -> Vec<(usize, Row)> {
        let mut above = None;
        let rows = self.rows.iter().skip(top).take(room).map(|(option, row)| {
            let begin = &self.begins[*option];
            let is_first = above.replace(*option) != Some(*option);
            let begin = if is_first { begin.clone() } else { Row::new().pad(begin.width()) };
            (*option, begin.and(row.clone()))
        });
        let mut rows: Vec<_> = rows.collect();
        let next = self.rows.get(top + rows.len()).map(|(option, _)| *option);
        if let Some((option, row)) = rows.last_mut()
            && next == Some(*option)
            && room > 1
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
