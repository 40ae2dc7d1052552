//! The tree of everything: what needs the person first, then workflows with their agents, agents of
//! `@global`, groups, conversations of two.

use std::collections::BTreeSet;

use agent_worker_protocol::{
    attention::AttentionKind,
    target::{Scope, Target},
};

use super::{NavId, Roots};
use crate::model::place::Place;

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
