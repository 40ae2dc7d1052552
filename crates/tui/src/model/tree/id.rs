//! A line of the tree, by what it stands for.

use agent_worker_protocol::{
    attention::AttentionKind,
    conversation::Conversation,
    target::{Scope, Target},
};

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
