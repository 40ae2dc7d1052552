//! All that the screen is made from beside what panes and overlays keep for themselves.

use std::collections::{BTreeMap, BTreeSet};

use agent_worker_client::{
    mirror::{Connection, Mirror, MirrorFeed},
    remote::ssh_line,
    text::Zone,
};
use agent_worker_protocol::{
    Conversation, MemberKind, MessageId, Name, RunId, Scope, Target, Timestamp, Workflow,
};

use super::{
    Composer, Drafts, Effect, Environment, Focus, Layout, Messages, Notice, Place, RequestError,
    Settings, Sort, Sought, Subject, Tab, Tables, Talks, Until,
    acts::Question,
    known::{inboxes::Mail, view::View},
    settings::Look,
    tree::Nav,
};
use crate::{action::Action, keys::Keymap, symbols::Symbols, text::query::Query};

/// How the daemon is to be reached.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Reach {
    /// It is being looked for.
    #[default]
    Looking,
    Found,
    /// Not found: where the program looked, and what was in the way.
    Nobody {
        looked_at: String,
        /// What was in the way, if something was
        problem: Option<String>,
        /// Whether one is being started
        is_starting: bool,
    },
}

/// When a run was last heard of, and which picture of its spinner is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Pulse {
    pub heard: i64,
    /// When the spinner turned last, ms
    pub turned: i64,
    /// How often it turned
    pub turns: usize,
}

/// The terminal, and how the screen is laid out on it.
#[derive(Debug, Clone)]
#[expect(clippy::struct_excessive_bools, reason = "each is a fact of its own")]
pub struct Display {
    /// Columns and rows of the terminal
    pub size: (u16, u16),
    pub look: Look,
    /// Whether the focused pane is alone on the screen
    pub is_zoomed: bool,
    /// Whether the side panel is wanted; none: where there is room
    pub dock: Option<bool>,
    /// Whether two texts stand beside each other in the main pane, and need its whole width
    pub is_comparing: bool,
    /// Whether long lines are cut
    pub is_cutting: bool,
    /// Whether the terminal has focus, as far as it says so
    pub has_focus: bool,
    /// Whether the mouse is taken
    pub has_mouse: bool,
}

/// What the person has set, and as whom the person acts.
#[derive(Debug)]
pub struct Preferences {
    /// `[tui]` of `config.toml`
    pub chosen: Settings,
    /// Which key does what
    pub keymap: Keymap,
    /// What the environment says of the terminal
    pub environment: Environment,
    /// Nothing may be changed
    pub read_only: bool,
    /// As whom the person acts
    pub identity: Name,
}

/// The daemon, and how true the picture of it is.
#[derive(Debug, Default)]
pub struct Connected {
    /// What the daemon calls its machine, or what ssh does
    pub host: String,
    /// Whether that is another machine, whose programs cannot be started here
    pub is_remote: bool,
    /// How the daemon is to be reached
    pub reach: Reach,
    pub feed: MirrorFeed,
    /// When the picture was last known to be true, ms
    pub as_of: i64,
    /// When the daemon was heard last, ms
    pub heard_at: i64,
    /// How far the daemon's clock is ahead of this machine's, ms
    pub ahead: i64,
    /// Start time of the daemon that the snapshot came from
    pub daemon_since: Option<Timestamp>,
    /// After how long a snapshot that fails is asked for again, ms; at first not known
    pub fetch_after: u64,
    /// When a lost connection is tried again, ms
    pub retry_at: Option<i64>,
    /// Whether the first picture was shown
    pub has_begun: bool,
    /// Why it is not for whom the person acts as, and the empty one in its place
    pub stranger: Option<(String, Mirror)>,
}

/// Where the person is beside the place that is shown.
#[derive(Debug, Default)]
pub struct Selection {
    pub focus: Focus,
    pub tree: Nav,
    /// Agents that an act is meant for
    pub marked: BTreeSet<Target>,
    /// Messages of the shown inbox that an act is meant for
    pub marked_messages: BTreeSet<MessageId>,
    /// What is searched for in each tab
    pub searched: BTreeMap<Tab, String>,
    /// How the table of each tab is filtered
    pub queries: BTreeMap<Tab, Query>,
    /// By what the table of each tab is sorted
    pub sorts: BTreeMap<Tab, Sort>,
    /// Which columns of tables are shown
    pub layout: Layout,
    /// Filters that were written, the newest last
    pub filters: Vec<String>,
    /// The last tab of each subject
    pub tabs: BTreeMap<Subject, Tab>,
    /// Places before this one, and after it
    pub trail: (Vec<Place>, Vec<Place>),
    /// What is shown as soon as it is there
    pub awaited: Option<Place>,
    /// A search hit, until another place is shown: a step back leads to the results
    pub hit: Option<Sought>,
}

/// What is being written, and what was written and not sent.
#[derive(Debug, Default)]
pub struct Writing {
    /// The line below, and the box it becomes
    pub composer: Composer,
    /// Texts that were not sent
    pub drafts: Drafts,
}

#[derive(Debug, Default)]
pub struct Progress {
    /// Runs that were heard of
    pub pulses: BTreeMap<RunId, Pulse>,
    /// Agents that were asked to stop: since when, ms
    pub stopping: BTreeMap<Target, i64>,
}

/// What stands in the line of the composer.
#[derive(Debug, Default)]
pub struct Prompt {
    pub question: Option<Question>,
    pub notice: Option<Notice>,
    /// Since when the second Ctrl-C is waited for, ms
    pub leaving: Option<i64>,
}

/// What was loaded beside the picture and is shown in several places.
#[derive(Debug, Default)]
pub struct Known {
    pub talks: Talks,
    pub inboxes: Mail,
    pub messages: Messages,
    pub runs: Tables,
}

/// What the screen knows.
#[derive(Debug)]
pub struct Model {
    /// Milliseconds since 1970 by the clock of this machine
    pub now: i64,
    pub connection: Connected,
    pub display: Display,
    /// What the person has set
    pub settings: Preferences,
    pub place: Place,
    /// What of it is selected
    pub selection: Selection,
    pub writing: Writing,
    pub progress: Progress,
    /// What is asked and told
    pub prompt: Prompt,
    pub known: Known,
    /// As whom everything is seen; the user if `None`
    pub view: Option<Box<View>>,
}

impl Display {
    /// Returns a new model for a screen of this size.
    pub fn new(size: (u16, u16), look: Look, has_mouse: bool) -> Self {
        Self {
            size,
            look,
            is_zoomed: false,
            dock: None,
            is_comparing: false,
            is_cutting: false,
            has_focus: true,
            has_mouse,
        }
    }
}

impl Connected {
    /// Commands for a shell here that are about this daemon.
    pub fn in_shell(&self, line: &str) -> String {
        if !self.is_remote {
            return line.to_owned();
        }
        let on = format!("agent-worker --host {} ", self.host);
        let lines = line.split("; agent-worker ").map(|line| {
            let line = line.strip_prefix("agent-worker ").unwrap_or(line);
            format!("{on}{line}")
        });
        lines.collect::<Vec<_>>().join("; ")
    }

    /// A command for a shell here that needs the machine of this daemon.
    pub fn at_its_machine(&self, line: &str) -> String {
        if self.is_remote { ssh_line(&self.host, line) } else { line.to_owned() }
    }
}

impl Model {
    /// Before anything is known.
    pub fn new(now: i64, display: Display, settings: Preferences, host: String) -> Self {
        Self {
            now,
            connection: Connected { host, ..Connected::default() },
            display,
            settings,
            place: Place::of(Subject::All),
            selection: Selection::default(),
            writing: Writing::default(),
            progress: Progress::default(),
            prompt: Prompt::default(),
            known: Known::default(),
            view: None,
        }
    }

    /// The daemon's state as far as it is known, and seen.
    pub fn mirror(&self) -> &Mirror {
        match (&self.connection.stranger, &self.view) {
            (Some((_, nothing)), _) => nothing,
            (None, Some(view)) => &view.mirror,
            (None, None) => self.connection.feed.mirror(),
        }
    }

    /// Whether the picture is the daemon's.
    pub fn is_live(&self) -> bool {
        self.connection.reach == Reach::Found
            && matches!(self.connection.feed.connection(), Connection::Live | Connection::Silent)
    }

    /// Whether there is a picture at all.
    pub fn has_picture(&self) -> bool {
        self.mirror().epoch().is_some()
    }

    /// Now by the daemon's clock, by which all times are that it tells, ms.
    pub fn daemon_now(&self) -> i64 {
        self.now + self.connection.ahead
    }

    /// The same by the clock that goes on only while the picture is true.
    pub fn shown_now(&self) -> i64 {
        let at = if self.is_live() { self.now } else { self.connection.as_of };
        at + self.connection.ahead
    }

    /// The characters in use.
    pub fn symbols(&self) -> &'static Symbols {
        self.display.look.symbols
    }

    /// Where times are shown.
    pub fn zone(&self) -> &Zone {
        &self.display.look.zone
    }

    /// Now by the same clock as [`Model::shown_now`], as a time.
    pub fn shown_at(&self) -> Timestamp {
        Timestamp(self.shown_now())
    }

    /// The scope of what is shown.
    pub fn scope(&self) -> Scope {
        self.place.subject.scope().cloned().unwrap_or_else(Scope::global)
    }

    /// The conversation on the screen.
    pub fn conversation(&self) -> Option<(Scope, Conversation)> {
        let is_talk = matches!(self.place.tab, Tab::Channel | Tab::Messages);
        self.place.subject.conversation().filter(|_| is_talk)
    }

    /// The workflow that is shown, or the one of the agent that is.
    pub fn workflow(&self) -> Option<&Workflow> {
        self.mirror().workflow(self.place.subject.scope()?)
    }

    /// Whether the daemon has nothing to show.
    pub fn is_empty(&self) -> bool {
        let agents = self.mirror().agents_of(&Scope::global());
        self.has_picture()
            && self.mirror().workflows().all(|workflow| workflow.scope.is_global())
            && agents.into_iter().all(|agent| agent.kind == MemberKind::Person)
    }

    /// Whether a subject is still there.
    pub fn exists(&self, subject: &Subject) -> bool {
        match subject {
            Subject::All => true,
            Subject::Workflow(scope) => self.mirror().workflow(scope).is_some(),
            Subject::Agent(target) => self.mirror().agent(target).is_some(),
            Subject::Talk(scope, talk) => self.mirror().group(scope, talk).is_some(),
        }
    }

    /// Whether something can be done now; else the person is told why not.
    pub fn may_act(&mut self) -> bool {
        if self.settings.read_only {
            self.warn("read-only: nothing was done");
        } else if !self.is_live() {
            self.warn("not connected: nothing was done");
        }
        self.is_live() && !self.settings.read_only
    }

    /// Tells what could not be loaded. That is all: no effects follow.
    pub fn not_loaded(&mut self, trouble: &RequestError) -> Vec<Effect> {
        if !self.is_live() {
            return Vec::new();
        }
        let again = self.key(Action::Refresh);
        self.warn(format!("not loaded: {}; {again} loads it again", trouble.message))
    }

    /// Something was heard of a run. Its spinner turns, but not faster than can be seen.
    pub fn pulse(&mut self, run: RunId) {
        const TURN: i64 = 250;
        let pulse = self.progress.pulses.entry(run).or_default();
        pulse.heard = self.now;
        if super::has_passed(self.now, pulse.turned, TURN) {
            pulse.turned = self.now;
            pulse.turns += 1;
        }
    }

    /// Tells the person something good. That is all: no effects follow.
    pub fn tell(&mut self, text: impl Into<String>) -> Vec<Effect> {
        self.notice(text.into(), false, None)
    }

    /// Tells the person something that went wrong. That is all: no effects follow.
    pub fn warn(&mut self, text: impl Into<String>) -> Vec<Effect> {
        self.notice(text.into(), true, None)
    }

    /// Tells the person something that went wrong, until it is put right. No effects follow.
    pub fn warn_until(&mut self, until: Until, text: String) -> Vec<Effect> {
        self.notice(text, true, Some(until))
    }

    /// Takes back what was told until now.
    pub fn put_right(&mut self, until: Until) {
        self.prompt.notice.take_if(|notice| notice.until == Some(until));
    }

    fn notice(&mut self, text: String, is_error: bool, until: Option<Until>) -> Vec<Effect> {
        self.prompt.notice = Some(Notice { text, is_error, since: self.now, until });
        Vec::new()
    }
}
