//! The table of keys: what dispatches, the footer, the help, the menus, the palette and the list of
//! keys all come from it.

use std::collections::BTreeMap;

use crate::{action::Action, key::Key};

mod table;

#[cfg(test)]
mod tests;

pub use table::BINDINGS;

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
    /// The table of agents.
    Agents,
    Run,
    /// An inbox, or what waits for an agent.
    Inbox,
    /// A table of runs.
    Runs,
    Documents,
    Votes,
    /// When agents run by themselves.
    Schedules,
    Events,
    /// Where a message is written.
    Composer,
    Picker,
    Pager,
    /// The feed is not live.
    Offline,
    /// No daemon was found.
    NoDaemon,
    Empty,
}

/// All contexts with their names in `config.toml` and in the help.
pub const CONTEXTS: [(Context, &str, &str); 18] = [
    (Context::Anywhere, "global", "Anywhere"),
    (Context::Move, "move", "Moving"),
    (Context::Nav, "nav", "Tree"),
    (Context::Channel, "channel", "Channel"),
    (Context::Agents, "agents", "Agents"),
    (Context::Run, "run", "Run"),
    (Context::Inbox, "inbox", "Inbox and queue"),
    (Context::Runs, "runs", "Runs"),
    (Context::Documents, "documents", "Documents"),
    (Context::Votes, "votes", "Votes"),
    (Context::Schedules, "schedules", "Schedules"),
    (Context::Events, "events", "Events"),
    (Context::Composer, "composer", "Writing"),
    (Context::Picker, "picker", "Command and jump"),
    (Context::Pager, "pager", "Pager"),
    (Context::Offline, "offline", "Not live"),
    (Context::NoDaemon, "no-daemon", "No daemon"),
    (Context::Empty, "empty", "Nothing yet"),
];

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

/// Which key does what, after the person's own wishes.
#[derive(Debug, Clone)]
pub struct Keymap {
    keys: BTreeMap<(Context, Action), Vec<Key>>,
}

/// What is wrong with a wish for a key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BadBinding {
    /// The context as it was written
    pub context: String,
    /// The action as it was written
    pub action: String,
    pub problem: String,
}

impl Default for Keymap {
    fn default() -> Self {
        let parse = |text: &&str| text.parse().expect("the tests parse every key of the table");
        let keys = BINDINGS
            .iter()
            .map(|row| ((row.context, row.action), row.keys.iter().map(parse).collect()))
            .collect();
        Self { keys }
    }
}

impl Keymap {
    /// What a key does in these contexts, the innermost first.
    pub fn action(&self, contexts: &[Context], key: Key) -> Option<Action> {
        let found = |key: Key| {
            contexts.iter().find_map(|context| {
                let mut rows = BINDINGS.iter().filter(|row| row.context == *context);
                rows.find(|row| self.keys_of(row).contains(&key)).map(|row| row.action)
            })
        };
        found(key).or_else(|| found(key.on_base_layout()?))
    }

    /// The keys of a row of the table.
    pub fn keys_of(&self, row: &Binding) -> &[Key] {
        self.keys.get(&(row.context, row.action)).map_or(&[], Vec::as_slice)
    }

    /// The key that a row is shown with.
    pub fn shown(&self, row: &Binding) -> Option<String> {
        self.keys_of(row).first().map(|key| short(*key))
    }

    /// Gives an action of a context other keys. Nothing changes if something is wrong.
    pub fn set(&mut self, context: &str, action: &str, keys: &[String]) -> Result<(), BadBinding> {
        let bad = |problem: String| BadBinding {
            context: context.to_owned(),
            action: action.to_owned(),
            problem,
        };
        let known = CONTEXTS.iter().find(|(_, name, _)| *name == context);
        let (context, ..) =
            *known.ok_or_else(|| bad(format!("unknown key context `{context}`")))?;
        let row = BINDINGS.iter().find(|row| row.context == context && row.id == action);
        let row = row.ok_or_else(|| bad(format!("unknown action `{action}`")))?;
        let mut parsed = Vec::new();
        for text in keys {
            let key: Key = text.parse().map_err(|error| bad(format!("{error}")))?;
            if let Some(other) = self.holder(context, key).filter(|other| other.id != row.id) {
                return Err(bad(format!("`{text}` is the key of `{}` already", other.id)));
            }
            parsed.push(key);
        }
        self.keys.insert((context, row.action), parsed);
        Ok(())
    }

    fn holder(&self, context: Context, key: Key) -> Option<&'static Binding> {
        BINDINGS.iter().find(|row| row.context == context && self.keys_of(row).contains(&key))
    }
}

/// The rows of a context.
pub fn rows(context: Context) -> impl Iterator<Item = &'static Binding> {
    BINDINGS.iter().filter(move |row| row.context == context)
}

/// A key as the screen names it: `C-l`, `M-b`, `Enter`.
pub fn short(key: Key) -> String {
    let text = key.to_string();
    let text = text.replace("ctrl+", "C-").replace("alt+", "M-").replace("shift+", "S-");
    let (mods, name) = match text.rfind('-') {
        Some(at) if at + 1 < text.len() => text.split_at(at + 1),
        _ => ("", text.as_str()),
    };
    if name.chars().count() < 2 {
        return text;
    }
    let named = match name {
        "pgup" => "PgUp",
        "pgdn" => "PgDn",
        "plus" => "+",
        other => &format!("{}{}", other[..1].to_uppercase(), &other[1..]),
    };
    format!("{mods}{named}")
}
