//! Where keys mean something, and what a row of the table says.

use crate::action::Action;

/// Where a key means something. The innermost that has focus is asked first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Context {
    /// Everywhere but in text fields.
    Anywhere,
    /// Lists and texts that are moved in.
    Move,
    /// The tree of everything.
    Nav,
    Channel,
    /// Who is in a conversation.
    Members,
    /// The table of agents.
    Agents,
    Run,
    /// An inbox, or what waits for an agent.
    Inbox,
    /// A table of runs.
    Runs,
    /// What was used.
    Cost,
    Documents,
    Votes,
    /// When agents run by themselves.
    Schedules,
    Events,
    /// Where a message is written.
    Composer,
    /// Lists that are searched by typing, and boxes with fields.
    Picker,
    /// Boxes over the panes in which letters are no text.
    Box,
    Pager,
    /// The feed is not live.
    Offline,
    /// No daemon was found.
    NoDaemon,
    Empty,
}

/// All contexts with their names in `config.toml` and in the help.
pub const CONTEXTS: [(Context, &str, &str); 21] = [
    (Context::Anywhere, "global", "Anywhere"),
    (Context::Move, "move", "Moving"),
    (Context::Nav, "nav", "Tree"),
    (Context::Channel, "channel", "Channel"),
    (Context::Members, "members", "Members"),
    (Context::Agents, "agents", "Agents"),
    (Context::Run, "run", "Run"),
    (Context::Inbox, "inbox", "Inbox and queue"),
    (Context::Runs, "runs", "Runs"),
    (Context::Cost, "cost", "Cost and use"),
    (Context::Documents, "documents", "Documents"),
    (Context::Votes, "votes", "Votes"),
    (Context::Schedules, "schedules", "Schedules"),
    (Context::Events, "events", "Events"),
    (Context::Composer, "composer", "Writing"),
    (Context::Picker, "picker", "Command, jump and fields"),
    (Context::Box, "box", "Boxes"),
    (Context::Pager, "pager", "Pager"),
    (Context::Offline, "offline", "Not live"),
    (Context::NoDaemon, "no-daemon", "No daemon"),
    (Context::Empty, "empty", "Nothing yet"),
];

impl Context {
    /// What it is called in `config.toml`, and in the help.
    pub fn names(self) -> (&'static str, &'static str) {
        let known = CONTEXTS.iter().find(|(known, ..)| *known == self);
        known.map_or(("", ""), |(_, name, title)| (*name, *title))
    }
}

/// A row of the table.
#[derive(Debug, Clone, Copy)]
pub struct Binding {
    pub context: Context,
    pub action: Action,
    /// Its name in `config.toml`
    pub id: &'static str,
    /// By default; the first one is shown
    pub keys: &'static [&'static str],
    /// In a word or two, for the footer
    pub label: &'static str,
    /// What it does, for help, menus and the palette
    pub does: &'static str,
    /// Words by which the palette finds it as well
    pub words: &'static str,
    /// Whether the footer shows it
    pub in_footer: bool,
}
