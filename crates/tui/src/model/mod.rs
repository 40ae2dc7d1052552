//! All that the screen is made from. It changes only in [`crate::app`], and holds no clock: time
//! comes in with every message.

pub mod acts;
pub mod drafts;
pub mod inboxes;
pub mod layout;
pub mod notes;
pub mod place;
pub mod questions;
pub mod refusal;
pub mod requests;
pub mod runs;
pub mod settings;
pub mod talks;
pub mod tree;
pub mod words;

use std::collections::{BTreeMap, BTreeSet};

use agent_worker_client::mirror::{Connection, Mirror, MirrorFeed};
use agent_worker_client::text::Zone;
use agent_worker_protocol::{
    agent::Agent,
    id::RunId,
    name::Name,
    target::{Scope, Target},
    time::Timestamp,
    workflow::Workflow,
};

use self::settings::Settings;
use crate::{
    keys::{Context, Keymap},
    overlays::Overlay,
    symbols::Symbols,
    theme::Theme,
};
use acts::Question;
use drafts::{Composer, Drafts};
use place::{Place, Subject, Tab};
use talks::Talks;
use tree::Nav;

/// How the daemon is to be reached.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reach {
    /// It is being looked for.
    Looking,
    /// There is one.
    Found,
    /// There is none; where was looked, and what was in the way.
    Nobody {
        /// The state directory
        looked_at: String,
        /// What was in the way, if something was
        problem: Option<String>,
        /// Whether one is being started
        is_starting: bool,
    },
}

/// What the screen looks like.
#[derive(Debug, Clone)]
pub struct Look {
    /// Colours
    pub theme: Theme,
    /// Characters
    pub symbols: &'static Symbols,
    /// Where times are shown
    pub zone: Zone,
    /// Whether spinners turn
    pub motion: bool,
}

/// Which part of the screen keys go to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Focus {
    /// The tree.
    #[default]
    Nav,
    /// What the selection is about.
    Main,
    /// The panel beside it.
    Dock,
}

/// A line for the person, until a key or for a while.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Notice {
    /// What happened
    pub text: String,
    /// Whether it is bad news: it stays until a key is pressed
    pub is_error: bool,
    /// When it came, ms
    pub since: i64,
}

/// When a run was last heard of, and which picture of its spinner is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Pulse {
    /// When, ms
    pub heard: i64,
    /// When the spinner turned last, ms
    pub turned: i64,
    /// How often it turned
    pub turns: usize,
}

/// Everything.
#[derive(Debug)]
#[expect(clippy::struct_excessive_bools, reason = "each is a fact of its own")]
pub struct State {
    /// Now: milliseconds since 1970 by the clock of this machine
    pub now: i64,
    /// Columns and rows of the terminal
    pub size: (u16, u16),
    /// How it looks
    pub look: Look,
    /// The person's wishes
    pub settings: Settings,
    /// Which key does what
    pub keymap: Keymap,
    /// Nothing may be changed
    pub read_only: bool,
    /// What the daemon calls its machine
    pub host: String,
    /// As whom the person acts
    pub identity: Name,
    /// How the daemon is to be reached
    pub reach: Reach,
    /// The daemon's state
    pub feed: MirrorFeed,
    /// When the picture was last known to be true, ms
    pub as_of: i64,
    /// When the daemon was heard last, ms
    pub heard_at: i64,
    /// When the daemon was started of which the picture was last true
    pub daemon_since: Option<Timestamp>,
    /// After how long a snapshot that fails is asked for again, ms; at first not known
    pub fetch_after: u64,
    /// When a lost connection is tried again, ms
    pub retry_at: Option<i64>,
    /// The tree
    pub nav: Nav,
    /// What is shown
    pub place: Place,
    /// The last tab of each subject
    pub tabs: BTreeMap<Subject, Tab>,
    /// Places before this one, and after it
    pub trail: (Vec<Place>, Vec<Place>),
    /// Where keys go
    pub focus: Focus,
    /// Whether the focused pane is alone on the screen
    pub is_zoomed: bool,
    /// Whether the side panel is wanted; none: where there is room
    pub dock: Option<bool>,
    /// Whether long lines are cut
    pub is_cutting: bool,
    /// Whether the terminal has focus, as far as it says so
    pub has_focus: bool,
    /// Whether the mouse is taken
    pub has_mouse: bool,
    /// Conversations
    pub talks: Talks,
    /// What is being written
    pub composer: Composer,
    /// What was written and not sent
    pub drafts: Drafts,
    /// What lies over the panes; the last is on top
    pub overlays: Vec<Overlay>,
    /// What is asked in the line of the composer
    pub question: Option<Question>,
    /// What is told in the line of the composer
    pub notice: Option<Notice>,
    /// Runs that were heard of
    pub pulses: BTreeMap<RunId, Pulse>,
    /// Agents that were asked to stop: since when, ms
    pub stopping: BTreeMap<Target, i64>,
    /// Agents that an act is meant for
    pub marked: BTreeSet<Target>,
    /// Since when the second Ctrl-C is waited for, ms
    pub leaving: Option<i64>,
    /// The panes' own
    pub panes: crate::panes::Panes,
}

impl State {
    /// The daemon's state as far as it is known.
    pub fn mirror(&self) -> &Mirror {
        self.feed.mirror()
    }

    /// Whether the picture is the daemon's.
    pub fn is_live(&self) -> bool {
        self.reach == Reach::Found
            && matches!(self.feed.connection(), Connection::Live | Connection::Silent)
    }

    /// Whether there is a picture at all.
    pub fn has_picture(&self) -> bool {
        self.mirror().epoch().is_some()
    }

    /// Now by the clock that goes on only while the picture is true.
    pub fn shown_now(&self) -> i64 {
        if self.is_live() { self.now } else { self.as_of }
    }

    /// The scope of what is shown.
    pub fn scope(&self) -> Scope {
        self.place.subject.scope().cloned().unwrap_or_else(Scope::global)
    }

    /// The workflow that is shown, or the one of the agent that is.
    pub fn workflow(&self) -> Option<&Workflow> {
        self.mirror().workflow(self.place.subject.scope()?)
    }

    /// The agent that is selected: in the pane that has focus, else in the tree.
    pub fn selected_agent(&self) -> Option<Target> {
        if self.focus == Focus::Main
            && let Some(target) = crate::panes::selected_agent(self)
        {
            return Some(target);
        }
        if self.focus == Focus::Dock
            && let Some(target) = crate::app::side_panel::target(self)
        {
            return Some(target);
        }
        match &self.place.subject {
            Subject::Agent(target) => Some(target.clone()),
            _ => None,
        }
    }

    /// The agent that is selected, whole.
    pub fn agent(&self) -> Option<&Agent> {
        self.mirror().agent(&self.selected_agent()?)
    }

    /// Where keys mean something now, the innermost first.
    pub fn contexts(&self) -> Vec<Context> {
        if let Some(overlay) = self.overlays.last() {
            return overlay.contexts();
        }
        if self.composer.is_open {
            return vec![Context::Composer];
        }
        if let Reach::Nobody { .. } = self.reach
            && !self.has_picture()
        {
            return vec![Context::NoDaemon, Context::Anywhere];
        }
        if refusal::of(self).is_some() && !self.has_picture() {
            return vec![Context::Offline, Context::Anywhere];
        }
        let mut contexts = Vec::new();
        if !self.is_live() && self.has_picture() {
            contexts.push(Context::Offline);
        }
        if self.is_empty() {
            contexts.push(Context::Empty);
        }
        match self.focus {
            Focus::Nav => contexts.push(Context::Nav),
            Focus::Main => contexts.extend(self.place.tab.context()),
            Focus::Dock if self.place.tab == Tab::Documents => contexts.push(Context::Documents),
            Focus::Dock => contexts.push(Context::Run),
        }
        contexts.extend([Context::Move, Context::Anywhere]);
        contexts
    }

    /// Whether the daemon has nothing to show.
    pub fn is_empty(&self) -> bool {
        let agents = self.mirror().agents_of(&Scope::global());
        self.has_picture()
            && self.mirror().workflows().all(|workflow| workflow.scope.is_global())
            && agents
                .into_iter()
                .all(|agent| agent.kind == agent_worker_protocol::agent::MemberKind::Person)
    }

    /// Tells the person something good.
    pub fn tell(&mut self, text: impl Into<String>) {
        self.notice = Some(Notice { text: text.into(), is_error: false, since: self.now });
    }

    /// Tells the person something that went wrong.
    pub fn warn(&mut self, text: impl Into<String>) {
        self.notice = Some(Notice { text: text.into(), is_error: true, since: self.now });
    }
}
