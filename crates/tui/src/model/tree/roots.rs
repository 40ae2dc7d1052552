//! Several daemons as roots of one tree. Each has a control room of its own, and one of these is
//! on the screen: its tree also has the lines of the others, as they drew them.

use std::collections::BTreeSet;

use super::NavId;
use crate::paint::Row;

/// The daemons; none of them stands in the tree while there is only one.
#[derive(Debug, Clone, Default)]
pub struct Roots {
    /// Which of them is on the screen
    pub here: usize,
    /// In the order of the tree
    pub all: Vec<Root>,
    /// Those whose lines are hidden
    pub folded: BTreeSet<usize>,
}

/// A daemon, as it was when it was last on the screen or something became of it.
#[derive(Debug, Clone, Default)]
pub struct Root {
    /// What its machine is called
    pub name: String,
    /// How its connection is, or what is going on there
    pub state: Row,
    /// How much needs the user there
    pub needs: usize,
    /// The lines below it
    pub lines: Vec<Line>,
}

/// A line of the tree of a daemon that is not on the screen.
#[derive(Debug, Clone)]
pub struct Line {
    pub line: NavId,
    /// What stands left and right in it
    pub parts: (Row, Row),
}

impl Roots {
    /// The daemon that a line belongs to, with the line in its own tree, if it is another one than
    /// that on the screen.
    pub fn elsewhere<'a>(&self, line: &'a NavId) -> Option<(usize, &'a NavId)> {
        match line {
            NavId::Far(at, own) => Some((*at, own)),
            NavId::Root(at) if *at != self.here => Some((*at, line)),
            _ => None,
        }
    }

    /// What stands in a line of another daemon.
    pub fn parts(&self, line: &NavId) -> Option<&(Row, Row)> {
        let NavId::Far(at, own) = line else { return None };
        let mut lines = self.all.get(*at)?.lines.iter();
        lines.find(|line| line.line == **own).map(|line| &line.parts)
    }

    /// How much needs the user on the other daemons.
    pub fn needs_elsewhere(&self) -> usize {
        let others = self.all.iter().enumerate().filter(|(at, _)| *at != self.here);
        others.map(|(_, root)| root.needs).sum()
    }

    /// Shows the lines of a daemon, or hides them; false if it is so already.
    pub fn fold(&mut self, at: usize, open: bool) -> bool {
        if open { self.folded.remove(&at) } else { self.folded.insert(at) }
    }
}

impl Root {
    /// The lines below it, for the tree of daemon number `here`.
    pub fn lines(&self, here: usize) -> impl Iterator<Item = NavId> {
        self.lines.iter().map(move |line| NavId::Far(here, Box::new(line.line.clone())))
    }
}
