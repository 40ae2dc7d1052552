//! Where keys mean something, and what a row of the table says.

use crate::action::Action;

macro_rules! contexts {
    ($($(#[$about:meta])* $context:ident $name:literal $title:literal;)+) => {
        /// Where a key means something. The innermost that has focus is asked first.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum Context {
            $($(#[$about])* $context,)+
        }

        /// All contexts with their names in `config.toml` and in the help.
        pub const CONTEXTS: &[(Context, &str, &str)] = &[$((Context::$context, $name, $title)),+];
    };
}

contexts! {
    /// Everywhere but in text fields.
    Anywhere "global" "Anywhere";
    /// Lists and texts that are moved in.
    Move "move" "Moving";
    /// The tree of everything.
    Nav "nav" "Tree";
    Channel "channel" "Channel";
    /// Who is in a conversation.
    Members "members" "Members";
    /// The table of agents.
    Agents "agents" "Agents";
    Run "run" "Run";
    /// An inbox, or what waits for an agent.
    Inbox "inbox" "Inbox and queue";
    /// A table of runs.
    Runs "runs" "Runs";
    /// What was used.
    Cost "cost" "Cost and use";
    Documents "documents" "Documents";
    Votes "votes" "Votes";
    /// When agents run by themselves.
    Schedules "schedules" "Schedules";
    Events "events" "Events";
    /// Where a message is written.
    Composer "composer" "Writing";
    /// Lists that are searched by typing, and boxes with fields.
    Picker "picker" "Command, jump and fields";
    /// Boxes over the panes in which letters are no text.
    Box "box" "Boxes";
    Pager "pager" "Pager";
    /// The feed is not live.
    Offline "offline" "Not live";
    /// No daemon was found.
    NoDaemon "no-daemon" "No daemon";
    Empty "empty" "Nothing yet";
}

impl Context {
    /// What it is called in `config.toml`, and in the help.
    pub fn names(self) -> (&'static str, &'static str) {
        let (_, name, title) = CONTEXTS[self as usize];
        (name, title)
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
