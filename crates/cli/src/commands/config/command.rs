//! `agent-worker config`: `config.toml` in the state directory

use std::{fs, path::PathBuf};

use agent_worker_protocol::{Interval, nearest::nearest, shell::quoted};
use anyhow::Context as _;
use clap::Subcommand;
use serde_json::Value as Json;
use toml_edit::{DocumentMut, InlineTable, Item, Key, Table, TableLike, Value};

use super::warning;
use crate::{
    editor::Draft,
    exit::{Exit, Refusal},
    files,
    help::examples,
    offline::{Broken, Offline},
    session::Session,
};

/// Actions on settings.
#[derive(Debug, Subcommand)]
pub enum Action {
    /// Print a setting, or all settings
    #[command(after_help = examples("config get\nconfig get runs.retry_delay"))]
    Get {
        /// A setting, such as `runs.retry_delay`
        key: Option<String>,
    },
    /// Change a setting and keep the file's comments
    #[command(after_help = examples("config set runs.retry_delay 30s\nconfig set tui.theme dark"))]
    Set {
        /// A setting, such as `runs.retry_delay`
        key: String,
        /// Number, `true`, `false`, `[…]` as in TOML, or text
        #[arg(allow_hyphen_values = true)]
        value: String,
    },
    /// Print the path of `config.toml`
    #[command(after_help = examples("config path"))]
    Path,
    /// Edit the file in your editor (`VISUAL` or `EDITOR`)
    #[command(after_help = examples("EDITOR=nano agent-worker config edit"))]
    Edit,
}

/// Prints and changes settings.
pub async fn config(session: &Session, action: Action) -> anyhow::Result<Exit> {
    session.person_only("the configuration")?;
    let file = Settings::of(session)?;
    match action {
        Action::Get { key } => get(session, &file, key.as_deref()),
        Action::Path => {
            let path = file.path.display().to_string();
            session.show(&serde_json::json!({ "path": path }), |_| path.clone())
        }
        Action::Set { key, value } => {
            session.home()?.make()?;
            let value = parsed(&value);
            file.set(&key, &value)?;
            changed(session, &format!("{key} = {value}")).await
        }
        Action::Edit => {
            session.home()?.make()?;
            let before = file.text()?;
            let mut draft = Draft::new("config.toml", &before)?;
            let instead = "agent-worker config set KEY VALUE";
            let edited = draft.edit(session.output, instead).await?;
            let Some(after) = edited else { return Ok(Exit::Done) };
            draft.unless_refused(session.output, file.replace(&before, &after))?;
            changed(session, "config.toml is changed").await
        }
    }
}

/// Returns the value of a setting, its default where none is set. `None` if the file is broken.
pub fn value(session: &Session, key: &str) -> Option<String> {
    if session.host().is_some() {
        return None;
    }
    let file = Settings::of(session).ok()?;
    let found = all(&file).ok()?.into_iter().find(|(name, _)| name == key);
    found.map(|(_, value)| value.to_string())
}

/// Prints the change, and how a running daemon gets it if it is one for the daemon.
async fn changed(session: &Session, what: &str) -> anyhow::Result<Exit> {
    session.output.show(&serde_json::json!({ "changed": what }), |_| what.to_owned())?;
    warning::note(session).await;
    Ok(Exit::Done)
}

/// The command that shows all settings, as a hint.
const ALL: &str = "agent-worker config get";

/// The file of the settings.
struct Settings {
    path: PathBuf,
    offline: &'static dyn Offline,
}

impl Settings {
    fn of(session: &Session) -> anyhow::Result<Self> {
        Ok(Self { path: session.home()?.path().join("config.toml"), offline: session.offline })
    }

    /// Its content, or the default content if it does not exist.
    fn text(&self) -> anyhow::Result<String> {
        let hint = || self.offline.check_settings(&self.path).err().map(|broken| broken.hint);
        let text = files::read(&self.path).map_err(|error| warning::unread(error, hint()))?;
        Ok(text.unwrap_or_else(|| self.offline.default_settings().to_owned()))
    }

    /// Changes one setting. One change at a time is made, so that none is lost.
    fn set(&self, key: &str, value: &Value) -> anyhow::Result<()> {
        let _turn = self.turn()?;
        let lacks_unit = value.is_integer() && self.is_time(key)?;
        let names = Key::parse(key).unwrap_or_default();
        let name = joined(names.iter().map(Key::get));
        let known = self.defaults()?;
        let hint = |broken: &Broken| {
            // Another line of the file may be at fault.
            let is_own = broken.why.contains(&format!("`{name}`"));
            if lacks_unit && is_own {
                "write a time with a unit, such as `3s`".to_owned()
            } else if is_unknown(Some(broken), &known, &names) {
                nearest_to(key, &known)
            } else {
                ALL.to_owned()
            }
        };
        self.put(&with(&self.text()?, key, value)?, hint)
    }

    /// Whether the default of a setting is a span of time.
    fn is_time(&self, key: &str) -> anyhow::Result<bool> {
        let default = found(&self.defaults()?, &Key::parse(key).unwrap_or_default());
        let text = default.as_ref().and_then(Value::as_str);
        Ok(text.is_some_and(|text| text.parse::<Interval>().is_ok()))
    }

    /// Every setting with its default.
    fn defaults(&self) -> anyhow::Result<Vec<(String, Value)>> {
        Ok(settings(document(&self.offline.all_settings())?.as_table(), ""))
    }

    /// Replaces the content that was edited, if no one else has changed it meanwhile.
    fn replace(&self, before: &str, after: &str) -> anyhow::Result<()> {
        let _turn = self.turn()?;
        if self.text()? != before {
            let path = self.path.display();
            let refusal = Refusal::new(format!("{path} changed while you edited it"));
            return Err(refusal.hint("agent-worker config edit").into());
        }
        self.put(after, |_| ALL.to_owned())
    }

    fn turn(&self) -> anyhow::Result<fs::File> {
        files::turn(&self.path).with_context(|| format!("cannot write {}", self.path.display()))
    }

    /// Replaces the file whole, if the daemon and the control room would take it.
    fn put(&self, text: &str, hint: impl Fn(&Broken) -> String) -> anyhow::Result<()> {
        let path = self.path.display();
        let target = files::target(&self.path).with_context(|| format!("cannot write {path}"))?;
        let draft = files::draft_of(&target);
        let written = files::write(&draft, text).with_context(|| format!("cannot write {path}"));
        let done = written.and_then(|()| match self.offline.check_settings(&draft) {
            Err(broken) if broken.is_of_prices => {
                let message = format!("{path} is unchanged: {}", broken.told());
                Err(Refusal::new(message).hint(&broken.hint).into())
            }
            Err(broken) => {
                let message = format!("{path} is unchanged: {}", broken.why);
                Err(Refusal::new(message).hint(hint(&broken)).into())
            }
            Ok(_) => fs::rename(&draft, &target).with_context(|| format!("cannot write {path}")),
        });
        if done.is_err() {
            // There may be none.
            let _ = fs::remove_file(&draft);
        }
        done
    }
}

/// The names of the settings in this text.
pub fn names(text: &str) -> Vec<String> {
    let found = document(text).map(|document| settings(document.as_table(), ""));
    found.unwrap_or_default().into_iter().map(|(name, _)| name).collect()
}

/// Every setting with its value.
fn all(file: &Settings) -> anyhow::Result<Vec<(String, Value)>> {
    let own = document(&file.text()?)?;
    let mut all = file.defaults()?;
    for (name, value) in settings(own.as_table(), "") {
        // One of several that stand together in one value.
        if let Some((above, last)) = name.rsplit_once('.')
            && let Some((_, Value::InlineTable(known))) =
                all.iter_mut().find(|(known, _)| known == above)
        {
            known.insert(last, value.clone());
        }
        match all.iter_mut().find(|(known, _)| *known == name) {
            Some(known) => known.1 = value,
            None => all.push((name, value)),
        }
    }
    Ok(all)
}

fn get(session: &Session, file: &Settings, key: Option<&str>) -> anyhow::Result<Exit> {
    let all = all(file)?;
    let broken = file.offline.check_settings(&file.path).err();
    let warn = || {
        if let Some(broken) = &broken {
            session.output.note(&warning::of_broken(broken));
        }
    };
    let Some(key) = key else {
        warn();
        let values: serde_json::Map<_, _> =
            all.iter().map(|(name, value)| (name.clone(), json(value))).collect();
        let lines = all.iter().map(|(name, value)| format!("{name} = {value}"));
        return session.show(&values, |_| lines.collect::<Vec<_>>().join("\n"));
    };
    let names = Key::parse(key).unwrap_or_default();
    let is_unknown = is_unknown(broken.as_ref(), &file.defaults()?, &names);
    if let Some(value) = found(&all, &names).filter(|_| !is_unknown) {
        warn();
        let plain = value.as_str().map_or_else(|| value.to_string(), ToOwned::to_owned);
        return session.show(&json(&value), |_| plain);
    }
    Err(Refusal::new(format!("unknown setting `{key}`")).hint(nearest_to(key, &all)).into())
}

/// The command that shows the setting whose name is nearest, or all settings.
fn nearest_to(key: &str, all: &[(String, Value)]) -> String {
    let near = all.iter().map(|(name, _)| name.as_str()).filter(|name| *name != key);
    nearest(key, near).map_or(ALL.to_owned(), |near| format!("{ALL} {}", quoted(near)))
}

/// Whether the file is refused because it sets this, which is none of the settings.
fn is_unknown(broken: Option<&Broken>, defaults: &[(String, Value)], names: &[Key]) -> bool {
    let (Some(broken), Some(last)) = (broken, names.last()) else { return false };
    found(defaults, names).is_none()
        && broken.why.contains(&format!("unknown field `{}`", last.get()))
}

/// The value with these names one below the other; the last ones may stand in an inline table.
fn found(all: &[(String, Value)], names: &[Key]) -> Option<Value> {
    let (above, below) = (1..=names.len()).rev().find_map(|end| {
        let whole = joined(names[..end].iter().map(Key::get));
        let (_, value) = all.iter().find(|(name, _)| *name == whole)?;
        Some((value, &names[end..]))
    })?;
    let mut value = below
        .iter()
        .try_fold(above, |value, name| value.as_inline_table()?.get(name.get()))?
        .clone();
    value.decor_mut().clear();
    Some(value)
}

fn document(text: &str) -> anyhow::Result<DocumentMut> {
    text.parse().map_err(|error: toml_edit::TomlError| {
        let message = format!("config.toml is broken: {}", error.to_string().trim_end());
        Refusal::new(message).hint("agent-worker config edit").into()
    })
}

/// A name as the file has it: in quotes where it needs them.
fn written(name: &str) -> String {
    Key::new(name).display_repr().into_owned()
}

/// Names as one, as the file has it.
fn joined<'a>(names: impl Iterator<Item = &'a str>) -> String {
    names.map(written).collect::<Vec<_>>().join(".")
}

/// All values by their whole names.
fn settings(table: &Table, above: &str) -> Vec<(String, Value)> {
    let mut found = Vec::new();
    for (name, item) in table {
        let name = written(name);
        let name = if above.is_empty() { name } else { format!("{above}.{name}") };
        match item {
            Item::Table(table) => found.extend(settings(table, &name)),
            Item::Value(value) => {
                let mut value = value.clone();
                value.decor_mut().clear();
                found.push((name, value));
            }
            _ => {}
        }
    }
    found
}

fn json(value: &Value) -> Json {
    match value {
        Value::String(text) => Json::from(text.value().as_str()),
        Value::Integer(number) => Json::from(*number.value()),
        Value::Float(number) => Json::from(*number.value()),
        Value::Boolean(truth) => Json::from(*truth.value()),
        Value::Datetime(at) => Json::from(at.value().to_string()),
        Value::Array(items) => items.iter().map(json).collect(),
        Value::InlineTable(fields) => {
            fields.iter().map(|(name, value)| (name.to_owned(), json(value))).collect()
        }
    }
}

/// A value as it is written in the file. Text that is not valid TOML becomes a string.
fn parsed(text: &str) -> Value {
    let mut value = text.parse::<Value>().unwrap_or_else(|_| Value::from(text));
    value.decor_mut().clear();
    value
}

/// Returns the text with one setting changed.
fn with(text: &str, key: &str, value: &Value) -> anyhow::Result<String> {
    let mut document = document(text)?;
    let path = Key::parse(key).map_err(|_| no_key(key))?;
    let names: Vec<_> = path.iter().map(Key::get).collect();
    let [sections @ .., name] = &names[..] else { return Err(no_key(key)) };
    if sections.is_empty() {
        return Err(no_key(key));
    }
    let heading = joined(sections.iter().copied());
    let mut table: &mut dyn TableLike = document.as_table_mut();
    let mut is_inline = false;
    for (at, section) in sections.iter().enumerate() {
        if !table.contains_key(section) {
            if is_inline || table.is_dotted() {
                // A heading adds nothing to an inline table.
                table.insert(section, Item::Value(nested(&names[at + 1..], value)));
                return Ok(document.to_string());
            }
            // Behind everything: the last comments belong to the section before.
            let text = text.trim_end();
            return Ok(format!("{text}\n\n[{heading}]\n{} = {value}\n", written(name)));
        }
        let below = table.get_mut(section).ok_or_else(|| no_key(key))?;
        is_inline = below.is_inline_table();
        table = below.as_table_like_mut().ok_or_else(|| no_key(key))?;
    }
    if let Some(Item::Value(known)) = table.get_mut(name) {
        let mut value = value.clone();
        // The comment behind it stays.
        *value.decor_mut() = known.decor().clone();
        *known = value;
        return Ok(document.to_string());
    }
    if let Some(text) = uncommented(text, &heading, &written(name), value) {
        return Ok(text);
    }
    table.insert(name, Item::Value(value.clone().decorated(" ", "")));
    Ok(document.to_string())
}

/// A value below these names, as inline tables.
fn nested(names: &[&str], value: &Value) -> Value {
    names.iter().rev().fold(value.clone(), |value, name| {
        let mut table = InlineTable::new();
        table.insert(*name, value);
        Value::InlineTable(table)
    })
}

fn no_key(key: &str) -> anyhow::Error {
    let message = format!("invalid setting `{key}`: write its section too");
    Refusal::usage(message).hint(ALL).into()
}

/// The text with the line that shows a setting's default in place of a comment.
fn uncommented(text: &str, section: &str, name: &str, value: &Value) -> Option<String> {
    let heading = format!("[{section}]");
    let mut is_inside = false;
    let mut lines: Vec<String> = text.lines().map(ToOwned::to_owned).collect();
    for line in &mut lines {
        if line.starts_with('[') {
            is_inside = line.trim_end() == heading;
        }
        let default = line.strip_prefix("# ").and_then(|rest| rest.strip_prefix(name));
        let Some(rest) = default.and_then(|rest| rest.strip_prefix(" = ")) else { continue };
        if is_inside {
            let comment = rest.find(" #").map_or("", |at| &rest[rest[..at].trim_end().len()..]);
            *line = format!("{name} = {value}{comment}");
            return Some(lines.join("\n") + "\n");
        }
    }
    None
}

#[cfg(test)]
#[path = "tests/command.rs"]
mod tests;
