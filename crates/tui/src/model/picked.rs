//! Which line of a list is selected: by what it stands for, so that it stays selected wherever an
//! event moves it.

/// What is selected, where it stood, and which line is the first on the screen.
#[derive(Debug, Clone)]
pub struct Picked<K> {
    key: Option<K>,
    was_at: usize,
    top: usize,
    /// Whether it was selected by hand
    is_chosen: bool,
    /// Whether the last line was gone to, also of those that are still to be loaded
    wants_last: bool,
}

/// A step to the last line of any list.
pub const TO_LAST: isize = isize::MAX / 2;

/// By which value the lines of a table are sorted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sort {
    pub field: &'static str,
    /// From the highest
    pub is_down: bool,
}

/// How a selection moves.
#[derive(Debug, Clone, Copy)]
pub enum Pick {
    /// By this number of lines, down or up, in a list of this height.
    Step(isize, usize),
    /// To this line.
    Line(usize),
    /// To the line in this row of the list on the screen, which has this height.
    Row(usize, usize),
}

impl<K> Default for Picked<K> {
    fn default() -> Self {
        Self { key: None, was_at: 0, top: 0, is_chosen: false, wants_last: false }
    }
}

impl<K: Clone + PartialEq> Picked<K> {
    /// Where the selected line is; if it is gone, the line in its place.
    pub fn at(&self, keys: &[K]) -> Option<usize> {
        let found = self.key.as_ref().and_then(|key| keys.iter().position(|known| known == key));
        found.or_else(|| keys.len().checked_sub(1).map(|last| self.was_at.min(last)))
    }

    pub fn get(&self, keys: &[K]) -> Option<K> {
        self.at(keys).map(|at| keys[at].clone())
    }

    /// Keeps what is selected now, for when the list changes.
    pub fn settle(&mut self, keys: &[K]) {
        if let Some(at) = self.at(keys) {
            self.was_at = at;
            self.key = Some(keys[at].clone());
        }
    }

    /// The same in a list whose newest line comes first: without focus, that one is selected until
    /// another is by hand.
    pub fn settle_or_follow(&mut self, keys: &[K], has_focus: bool) {
        if !self.is_chosen && !has_focus {
            (self.key, self.was_at) = (None, 0);
        }
        self.settle(keys);
    }

    pub fn pick(&mut self, keys: &[K], at: usize) {
        if let Some(key) = keys.get(at) {
            self.is_chosen = true;
            self.wants_last = false;
            self.was_at = at;
            self.key = Some(key.clone());
        }
    }

    /// Selects the last line of a list to which a page was added, if the last line was gone to, and
    /// returns whether it was.
    pub fn reach_last(&mut self, keys: &[K]) -> bool {
        if self.wants_last {
            self.step(keys, TO_LAST, 1);
        }
        self.wants_last
    }

    /// Keeps the selected line when more lines are loaded.
    pub fn stay(&mut self) {
        self.wants_last = false;
    }

    /// Moves the selection.
    pub fn go(&mut self, keys: &[K], to: Pick) {
        match to {
            Pick::Step(by, height) => self.step(keys, by, height),
            Pick::Line(at) => self.pick(keys, at),
            Pick::Row(row, height) => self.pick(keys, self.top(keys, height) + row),
        }
    }

    /// Selects the line `by` further down.
    pub fn step(&mut self, keys: &[K], by: isize, height: usize) {
        let Some(at) = self.at(keys) else { return };
        self.top = self.top(keys, height);
        self.pick(keys, at.saturating_add_signed(by).min(keys.len() - 1));
        self.wants_last = by == TO_LAST;
        self.top = self.top(keys, height);
    }

    /// The first line on the screen: the same as before, if the selected one is still on it.
    pub fn top(&self, keys: &[K], height: usize) -> usize {
        top(self.at(keys).unwrap_or(0), self.top, height, keys.len())
    }
}

/// The first line on the screen of a list of `lines` lines and this height: `first`, which was it
/// before, as far as the marked line is then on the screen and no row is empty while lines are
/// above.
pub fn top(marked: usize, first: usize, height: usize, lines: usize) -> usize {
    let last = lines.saturating_sub(height);
    (marked + 1).saturating_sub(height).max(first.min(marked).min(last))
}

#[cfg(test)]
#[path = "tests/picked.rs"]
mod tests;
