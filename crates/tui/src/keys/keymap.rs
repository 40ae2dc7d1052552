//! Which key does what, after the settings of the user.

use std::collections::BTreeMap;

use super::{
    binding::{Binding, CONTEXTS, Context},
    table::BINDINGS,
};
use crate::{
    action::Action,
    key::{BadKey, Key},
};

/// Which key does what, after the person's own wishes.
#[derive(Debug, Clone)]
pub struct Keymap {
    keys: BTreeMap<(Context, Action), Vec<Key>>,
}

impl Default for Keymap {
    fn default() -> Self {
        let keys = BINDINGS.iter().map(|row| ((row.context, row.action), defaults(row)));
        Self { keys: keys.collect() }
    }
}

impl Keymap {
    /// What a key does in these contexts, the innermost first.
    pub fn action(&self, contexts: &[Context], key: Key) -> Option<Action> {
        let found = |key: Key| {
            contexts.iter().find_map(|context| self.holder(*context, key)).map(|row| row.action)
        };
        found(key).or_else(|| found(key.on_base_layout()?))
    }

    /// The same where letters are text, which they stay.
    pub fn beside_text(&self, contexts: &[Context], key: Key) -> Option<Action> {
        if key.written().is_some() { None } else { self.action(contexts, key) }
    }

    /// The keys of a row of the table.
    pub fn keys_of(&self, row: &Binding) -> &[Key] {
        self.keys.get(&(row.context, row.action)).map_or(&[], Vec::as_slice)
    }

    /// All keys of a row, as the screen names them.
    pub fn all_shown(&self, row: &Binding) -> String {
        self.keys_of(row).iter().map(|key| short(*key)).collect::<Vec<_>>().join(" ")
    }

    /// The key that a row is shown with.
    pub fn shown(&self, row: &Binding) -> Option<String> {
        self.keys_of(row).first().map(|key| short(*key))
    }

    /// The first key of an action in these contexts, the innermost first.
    pub fn first(&self, contexts: &[Context], action: Action) -> Option<Key> {
        contexts.iter().find_map(|context| {
            let mut rows = rows(*context);
            self.keys_of(rows.find(|row| row.action == action)?).first().copied()
        })
    }

    /// The key that an action is shown with in these contexts, the innermost first.
    pub fn name(&self, contexts: &[Context], action: Action) -> Option<String> {
        self.first(contexts, action).map(short)
    }

    /// Gives an action of a context other keys. Nothing changes if something is wrong, which the
    /// error says.
    pub fn set(&mut self, context: &str, action: &str, keys: &[String]) -> Result<(), String> {
        let known = named(context);
        let context = known.ok_or_else(|| format!("unknown key context `{context}`"))?;
        let row = row_of(context, action);
        let row = row.ok_or_else(|| format!("unknown action `{action}`"))?;
        let mut parsed = Vec::new();
        for text in keys {
            let key = text.parse::<Key>().map_err(|bad| bad.to_string())?;
            let takes_text = matches!(context, Context::Composer | Context::Picker);
            if takes_text && key.written().is_some() {
                return Err(format!("`{text}` is text here: write `ctrl+{text}` or `alt+{text}`"));
            }
            if let Some(other) = self.holder(context, key).filter(|other| other.id != row.id) {
                return Err(format!("`{text}` is the key of `{}` already", other.id));
            }
            if let Some(other) = self.hidden_by(row, key) {
                return Err(format!(
                    "`{text}` is the key of `{}` too, and one of them would not work",
                    other.id
                ));
            }
            parsed.push(key);
        }
        self.keys.insert((context, row.action), parsed);
        Ok(())
    }

    /// Takes the keys of an action away, so that others can have them; it gets its own next.
    pub fn free(&mut self, context: &str, action: &str) {
        if let Some(row) = named(context).and_then(|context| row_of(context, action)) {
            self.keys.insert((row.context, row.action), Vec::new());
        }
    }

    /// Gives an action its default keys, but for those that another has in its context. The action
    /// that has one, if one has.
    pub fn reset(&mut self, row: &Binding) -> Option<&'static Binding> {
        let is_other = |other: &&Binding| other.id != row.id;
        let holder = |key: &Key| self.holder(row.context, *key).filter(is_other);
        let (taken, free): (Vec<Key>, Vec<Key>) =
            defaults(row).into_iter().partition(|key| holder(key).is_some());
        let other = taken.first().and_then(holder);
        self.keys.insert((row.context, row.action), free);
        other
    }

    /// The same by name.
    pub fn restore(&mut self, context: &str, action: &str) {
        if let Some(row) = named(context).and_then(|context| row_of(context, action)) {
            self.reset(row);
        }
    }

    /// Whether the keys of a row are its default ones.
    pub fn is_default(&self, row: &Binding) -> bool {
        self.keys_of(row) == defaults(row).as_slice()
    }

    /// What a key does in other contexts than this.
    pub fn elsewhere(&self, context: Context, key: Key) -> Vec<&'static Binding> {
        let rows = BINDINGS.iter().filter(|row| row.context != context);
        rows.filter(|row| self.keys_of(row).contains(&key)).collect()
    }

    /// What would take a key from an action, or lose it to that: the way out and the help work
    /// wherever one moves.
    fn hidden_by(&self, row: &Binding, key: Key) -> Option<&'static Binding> {
        let is_pinned = |row: &Binding| {
            row.context == Context::Anywhere && matches!(row.action, Action::Quit | Action::Help)
        };
        self.elsewhere(row.context, key).into_iter().find(|other| {
            (is_pinned(row) && other.context == Context::Move)
                || (row.context == Context::Move && is_pinned(other))
        })
    }

    fn holder(&self, context: Context, key: Key) -> Option<&'static Binding> {
        rows(context).find(|row| self.keys_of(row).contains(&key))
    }
}

fn defaults(row: &Binding) -> Vec<Key> {
    let parse = |text: &&str| text.parse().expect("the tests parse every key of the table");
    row.keys.iter().map(parse).collect()
}

fn named(context: &str) -> Option<Context> {
    CONTEXTS.iter().find(|(_, name, _)| *name == context).map(|(context, ..)| *context)
}

fn row_of(context: Context, action: &str) -> Option<&'static Binding> {
    rows(context).find(|row| row.id == action)
}

/// The rows of a context.
pub fn rows(context: Context) -> impl Iterator<Item = &'static Binding> {
    BINDINGS.iter().filter(move |row| row.context == context)
}

/// What the screen and `config.toml` say of keys that are held, in the order in which both do.
const HELD: [(&str, &str); 3] = [("C-", "ctrl+"), ("M-", "alt+"), ("S-", "shift+")];

/// The key of a name that the screen shows, or `config.toml` takes: `C-l`, `ctrl+l`.
pub fn read(text: &str) -> Result<Key, BadKey> {
    text.parse::<Key>().or_else(|error| {
        let (mut mods, mut name) = (String::new(), text);
        for (shown, written) in HELD {
            if let Some(rest) = name.strip_prefix(shown).filter(|rest| !rest.is_empty()) {
                (mods, name) = (mods + written, rest);
            }
        }
        let name = match name {
            "+" => "plus".to_owned(),
            _ if name.chars().count() > 1 => name.to_lowercase(),
            _ => name.to_owned(),
        };
        format!("{mods}{name}").parse().map_err(|_| error)
    })
}

/// A key as the screen names it: `C-l`, `M-b`, `Enter`.
pub fn short(key: Key) -> String {
    let text = HELD.iter().fold(key.to_string(), |text, (shown, held)| text.replace(held, shown));
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
