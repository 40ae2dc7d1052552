//! `[tui]` of `config.toml`, with every mistake in it named by its line. What is right is taken all
//! the same.

use std::{fmt, ops::Range, path::Path};

use toml::de::{DeTable, DeValue};

use agent_worker_client::{remote::Destination, text::Zone};

use crate::model::{Settings, Wishes};

/// Something in the file that is not taken.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    pub file: String,
    /// The line, from 1
    pub line: usize,
    pub message: String,
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}", self.file, self.line, self.message)
    }
}

/// The problems in the `[tui]` table of this file.
pub fn check_config(path: &Path) -> Vec<Problem> {
    read(path).1
}

/// The machines whose daemons are shown if none is named; `here` alone if none is set.
pub fn hosts(path: &Path) -> Vec<String> {
    match read(path).0.settings.hosts {
        hosts if hosts.is_empty() => vec!["here".to_owned()],
        hosts => hosts,
    }
}

/// The person's wishes, and what of them could not be taken.
pub fn read(path: &Path) -> (Wishes, Vec<Problem>) {
    match std::fs::read_to_string(path) {
        Ok(text) => wishes(&path.display().to_string(), &text),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Default::default(),
        Err(error) => {
            let file = path.display().to_string();
            (Wishes::default(), vec![Problem { file, line: 1, message: error.to_string() }])
        }
    }
}

struct Reader<'a> {
    file: &'a str,
    text: &'a str,
    problems: Vec<Problem>,
}

impl Reader<'_> {
    fn wrong(&mut self, at: &Range<usize>, message: impl Into<String>) {
        let before = self.text.get(..at.start).unwrap_or(self.text);
        let line = before.matches('\n').count() + 1;
        self.problems.push(Problem { file: self.file.to_owned(), line, message: message.into() });
    }
}

/// The wishes in a text.
pub fn wishes(file: &str, text: &str) -> (Wishes, Vec<Problem>) {
    let mut reader = Reader { file, text, problems: Vec::new() };
    let mut wishes = Wishes::default();
    match DeTable::parse(text) {
        Ok(table) => {
            if let Some(own) = table.get_ref().get("tui") {
                match own.get_ref() {
                    DeValue::Table(own) => take(&mut reader, &mut wishes, own),
                    _ => reader.wrong(&own.span(), "`tui` is a table: write `[tui]`"),
                }
            }
        }
        Err(error) => {
            let at = error.span().unwrap_or(0..0);
            reader.wrong(&at, error.message());
        }
    }
    reader.problems.sort_by_key(|problem| problem.line);
    (wishes, reader.problems)
}

/// Each setting by itself, so that one mistake does not take the others along.
fn take(reader: &mut Reader<'_>, wishes: &mut Wishes, own: &DeTable<'_>) {
    let mut good = toml::Table::new();
    for (name, value) in own {
        if name.get_ref() == "keys" {
            keys(reader, wishes, value);
            continue;
        }
        let single = toml::Table::from_iter([(name.get_ref().to_string(), plain(value.get_ref()))]);
        let taken = Settings::deserialize_table(single.clone());
        match taken.map_err(|error| in_words(name.get_ref(), &error)) {
            Ok(settings) => {
                let zone = settings.timezone.as_deref().map(Zone::named);
                let mut hosts = settings.hosts.iter().map(|host| host.parse::<Destination>());
                if let Some(Err(error)) = zone {
                    reader.wrong(&value.span(), error.to_string());
                } else if let Some(Err(error)) = hosts.find(Result::is_err) {
                    reader.wrong(&value.span(), error.to_string());
                } else if let Some(host) = twice(&settings.hosts) {
                    reader.wrong(&value.span(), format!("host `{host}` is given twice"));
                } else {
                    good.extend(single);
                }
            }
            Err(error) if error.contains(&format!("`{}`", name.get_ref())) => {
                reader.wrong(&name.span(), error);
            }
            Err(error) => {
                reader.wrong(&name.span(), format!("`tui.{}`: {error}", name.get_ref()));
            }
        }
    }
    if let Ok(settings) = Settings::deserialize_table(good) {
        wishes.settings = settings;
    }
}

/// What the parser calls its types, and what is written for one.
const TYPES: [(&str, &str); 3] = [
    ("struct Confirm", "a table: `{ tier1 = \"ask\" }`"),
    ("a sequence", "a list, such as `[\"here\"]`"),
    ("a string", "a text in quotes"),
];

/// The mistake in a setting without the names of types.
fn in_words(name: &str, error: &str) -> String {
    let mut told = error.to_owned();
    if told.contains("expected string only") {
        // Only for an unknown text does the parser name the known ones.
        let none = (name.to_owned(), toml::Value::String(String::new()));
        let unknown = Settings::deserialize_table(toml::Table::from_iter([none]));
        let unknown = unknown.err().unwrap_or_default();
        let wanted = unknown.split_once("expected ").map_or("a text in quotes", |(_, all)| all);
        told = format!("expected {wanted}");
    }
    for (name, words) in TYPES {
        told = told.replace(&format!("expected {name}"), &format!("expected {words}"));
    }
    told
}

/// The first host that stands in the list before.
fn twice(hosts: &[String]) -> Option<&String> {
    let mut places = hosts.iter().enumerate();
    places.find(|(at, host)| hosts[..*at].contains(host)).map(|(_, host)| host)
}

impl Settings {
    fn deserialize_table(table: toml::Table) -> Result<Self, String> {
        table.try_into().map_err(|error: toml::de::Error| error.message().to_owned())
    }
}

fn plain(value: &DeValue<'_>) -> toml::Value {
    match value {
        DeValue::String(text) => toml::Value::String(text.to_string()),
        DeValue::Boolean(is) => toml::Value::Boolean(*is),
        DeValue::Integer(number) => i64::from_str_radix(number.as_str(), number.radix())
            .map_or_else(|_| toml::Value::String(number.to_string()), toml::Value::Integer),
        DeValue::Float(number) => toml::Value::String(number.as_str().to_owned()),
        DeValue::Datetime(at) => toml::Value::Datetime(*at),
        DeValue::Array(items) => {
            toml::Value::Array(items.iter().map(|item| plain(item.get_ref())).collect())
        }
        DeValue::Table(table) => toml::Value::Table(
            table
                .iter()
                .map(|(name, value)| (name.get_ref().to_string(), plain(value.get_ref())))
                .collect(),
        ),
    }
}

/// `[tui.keys.<context>]`: `action = ["key", …]`
fn keys(reader: &mut Reader<'_>, wishes: &mut Wishes, value: &toml::Spanned<DeValue<'_>>) {
    let DeValue::Table(contexts) = value.get_ref() else {
        return reader
            .wrong(&value.span(), "`keys` is a table of contexts: write `[tui.keys.global]`");
    };
    let mut wanted_keys = Vec::new();
    for (context, actions) in contexts {
        let DeValue::Table(actions) = actions.get_ref() else {
            let text = format!("`{context}` must be a table of actions: `[tui.keys.{context}]`");
            reader.wrong(&actions.span(), text);
            continue;
        };
        for (action, wanted) in actions {
            let wanted = match wanted.get_ref() {
                DeValue::String(key) => Some(vec![key.to_string()]),
                DeValue::Array(keys) => keys
                    .iter()
                    .map(|key| key.get_ref().as_str().map(ToOwned::to_owned))
                    .collect::<Option<Vec<_>>>(),
                _ => None,
            };
            let Some(wanted) = wanted else {
                reader.wrong(&action.span(), format!("`{action}` takes a list of keys"));
                continue;
            };
            let (context, name) = (context.get_ref().to_string(), action.get_ref().to_string());
            wishes.keymap.free(&context, &name);
            wanted_keys.push((action.span(), context, name, wanted));
        }
    }
    // Once all of them have given theirs up, so that the order in the file does not matter.
    for (at, context, action, wanted) in wanted_keys {
        if let Err(problem) = wishes.keymap.set(&context, &action, &wanted) {
            reader.wrong(&at, format!("[tui.keys.{context}]: {problem}"));
            wishes.keymap.restore(&context, &action);
        }
    }
}

#[cfg(test)]
#[path = "tests/config.rs"]
mod tests;
