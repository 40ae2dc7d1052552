//! What the person chooses from: the options of a question, or of a proposal.

use crate::{action::Action, key::Key, paint::Row, symbols::Symbols, theme::Role};

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
