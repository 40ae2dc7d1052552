//! `[tui]` of `config.toml`, with every mistake in it named by its line. What is right is taken all
//! the same.

use std::{fmt, ops::Range, path::Path};

use toml::de::{DeTable, DeValue};

use crate::{
    settings::{Settings, Wishes},
    text::time::Zone,
};

/// Something in the file that is not taken.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// The file
    pub file: String,
    /// The line, from 1
    pub line: usize,
    /// What is wrong
    pub message: String,
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}", self.file, self.line, self.message)
    }
}

/// What is wrong with the `[tui]` of this file; nothing, if there is none.
pub fn check_config(path: &Path) -> Vec<Problem> {
    read(path).1
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
        match Settings::deserialize_table(single.clone()) {
            Ok(settings) => {
                let zone = settings.timezone.as_deref().map(Zone::named);
                if let Some(Err(error)) = zone {
                    reader.wrong(&value.span(), error.to_string());
                } else {
                    good.extend(single);
                }
            }
            Err(error) => reader.wrong(&name.span(), error),
        }
    }
    if let Ok(settings) = Settings::deserialize_table(good) {
        wishes.settings = settings;
    }
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
        DeValue::Array(items) => {
            toml::Value::Array(items.iter().map(|item| plain(item.get_ref())).collect())
        }
        DeValue::Table(table) => toml::Value::Table(
            table
                .iter()
                .map(|(name, value)| (name.get_ref().to_string(), plain(value.get_ref())))
                .collect(),
        ),
        other => toml::Value::String(format!("{other:?}")),
    }
}

/// `[tui.keys.<context>]`: `action = ["key", …]`
fn keys(reader: &mut Reader<'_>, wishes: &mut Wishes, value: &toml::Spanned<DeValue<'_>>) {
    let DeValue::Table(contexts) = value.get_ref() else {
        return reader
            .wrong(&value.span(), "`keys` is a table of contexts: write `[tui.keys.global]`");
    };
    for (context, actions) in contexts {
        let DeValue::Table(actions) = actions.get_ref() else {
            reader.wrong(&actions.span(), format!("`{context}` is a table of actions"));
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
            if let Err(bad) = wishes.keymap.set(context.get_ref(), action.get_ref(), &wanted) {
                reader.wrong(&action.span(), format!("[tui.keys.{context}]: {}", bad.problem));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{action::Action, key::Key, keys::Context, settings::Colours};

    fn problems(text: &str) -> Vec<String> {
        wishes("config.toml", text).1.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn c_10_a_wrong_line_is_named_and_a_right_one_is_taken() {
        let text = "[runs]\nmax_runs = 4\n\n[tui]\ntheme = \"dark\"\ncolour = true\n\n\
                    [tui.keys.global]\njump = [\"ctrl+f\"]\nquit = [\"j\", \"x\"]\nfly = [\"v\"]\n";
        let (wishes, problems) = wishes("config.toml", text);
        let problems: Vec<_> = problems.iter().map(ToString::to_string).collect();
        assert_eq!(problems.len(), 3, "{problems:?}");
        assert!(problems[0].starts_with("config.toml:6: unknown field `colour`"), "{problems:?}");
        assert_eq!(
            problems[1..],
            [
                "config.toml:10: [tui.keys.global]: `x` is the key of `stop` already",
                "config.toml:11: [tui.keys.global]: `fly` is no action there",
            ]
        );
        assert_eq!(wishes.settings.theme, Colours::Dark);
        let action = wishes.keymap.action(&[Context::Anywhere], Key::ctrl('f'));
        assert_eq!(action, Some(Action::Jump));
        assert_eq!(wishes.keymap.action(&[Context::Anywhere], Key::char('q')), Some(Action::Quit));
    }

    #[test]
    fn what_makes_no_sense_is_named_with_its_line() {
        assert_eq!(problems(""), Vec::<String>::new());
        assert_eq!(problems("[tui]\ntheme = \"auto\"\n"), Vec::<String>::new());
        assert!(problems("a = 1\ntui = 3\n")[0].starts_with("config.toml:2: `tui` is a table"));
        assert!(problems("[tui]\n\ntheme = \"pink\"\n")[0].starts_with("config.toml:3: "));
        assert!(problems("[tui]\ntimezone = \"Mars\"\n")[0].contains("no time zone"));
        assert!(problems("[tui\n")[0].starts_with("config.toml:1: "));
        assert!(problems("[tui.keys]\nglobal = 1\n")[0].contains("table of actions"));
        assert!(problems("[tui.keys.global]\nquit = 1\n")[0].contains("takes a list of keys"));
    }

    #[test]
    fn the_settings_that_the_default_file_shows_are_the_defaults() {
        let text = include_str!("../../daemon/src/settings/config.default.toml");
        let own = &text[text.find("[tui]").unwrap()..];
        let setting = |line: &str| match line.strip_prefix("# ") {
            Some(rest) if rest.contains(" = ") => rest.to_owned(),
            _ => line.to_owned(),
        };
        let lines: Vec<String> = own.lines().map(setting).collect();
        let (wishes, problems) = wishes("config.toml", &lines.join("\n"));
        assert_eq!(problems, []);
        let zone = Some("local".to_owned());
        assert_eq!(wishes.settings, Settings { timezone: zone, ..Settings::default() });
    }
}
