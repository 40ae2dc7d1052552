//! The tree as the person left it, its lines by what they stand for, and several daemons as its
//! roots. Each daemon has a control room of its own, and one of these is on the screen: its tree
//! also has the lines of the others, as they drew them.

use std::collections::BTreeSet;

use agent_worker_protocol::{AttentionKind, Conversation, Scope, Target};

use crate::{model::Place, paint::Row};

/// The tree as the person left it.
#[derive(Debug, Clone, Default)]
pub struct Nav {
    pub selected: NavId,
    /// Where it was in the tree, for when it goes away
    pub was_at: usize,
    /// The first line that is shown
    pub top: usize,
    /// The selected line when the wheel moved it since the last key: that may be off the screen
    pub scrolled_from: Option<NavId>,
    /// Scopes whose agents are hidden
    pub folded: BTreeSet<Scope>,
    /// Scopes whose agents the person wants to see although they have ended
    pub unfolded: BTreeSet<Scope>,
    /// Agents whose hired agents are hidden
    pub parents: BTreeSet<Target>,
    /// The workflows that were at work since the room was opened
    pub seen_at_work: BTreeSet<Scope>,
    /// What lines must hold
    pub filter: String,
    /// What needed the person when it was looked at last
    pub known: BTreeSet<(AttentionKind, String)>,
    /// What needed the person and was gone to last, and where it was among all of that
    pub need: Option<(NavId, usize)>,
    /// The unread conversation that was gone to last, and those that had mail of the person then
    pub walked: Option<(Place, Vec<Place>)>,
    /// How many things need the person by the title of the window
    pub titled: usize,
    /// The daemons, if there are several
    pub roots: Roots,
}

impl Nav {
    /// Shows a scope's lines, or hides them.
    pub fn fold(&mut self, scope: Scope, open: bool) {
        let (to, from) = if open {
            (&mut self.unfolded, &mut self.folded)
        } else {
            (&mut self.folded, &mut self.unfolded)
        };
        from.remove(&scope);
        to.insert(scope);
    }
}

/// A line of the tree, by what it stands for: it stays selected wherever it moves.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub enum NavId {
    /// A heading; never selected.
    Heading(&'static str),
    /// A line that says that there is nothing; never selected.
    Nothing(&'static str),
    /// What needs the person: what kind of thing, and what it is about.
    Need(AttentionKind, String),
    #[default]
    All,
    Workflow(Scope),
    Channel(Scope),
    Agent(Target),
    Talk(Scope, Conversation),
    /// One of several daemons.
    Root(usize),
    /// A line of the tree of another daemon.
    Far(usize, Box<NavId>),
}

impl NavId {
    /// Whether it can be selected.
    pub fn is_open(&self) -> bool {
        match self {
            Self::Heading(_) | Self::Nothing(_) => false,
            Self::Far(_, line) => line.is_open(),
            _ => true,
        }
    }

    /// The scope it belongs to.
    pub fn scope(&self) -> Option<&Scope> {
        match self {
            Self::Workflow(scope) | Self::Channel(scope) | Self::Talk(scope, _) => Some(scope),
            Self::Agent(target) => target.scope.as_ref(),
            _ => None,
        }
    }
}

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
