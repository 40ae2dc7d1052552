//! The text of `config.toml` with another setting or other keys in it.

use std::io;

use toml_edit::{DocumentMut, TableLike};

/// A text of settings with another value for one of `[tui]`; comments and everything else stay.
pub fn with(text: &str, name: &str, value: &str) -> io::Result<String> {
    let wrong = |message: String| io::Error::new(io::ErrorKind::InvalidData, message);
    let mut document: DocumentMut =
        text.parse().map_err(|error: toml_edit::TomlError| wrong(error.to_string()))?;
    let own = document.entry("tui").or_insert(toml_edit::table());
    let own = own.as_table_like_mut().ok_or_else(|| wrong("`tui` is a table".to_owned()))?;
    match own.get_mut(name).and_then(toml_edit::Item::as_value_mut) {
        Some(old) => {
            let decor = old.decor().clone();
            *old = value.into();
            *old.decor_mut() = decor;
        }
        None => drop(own.insert(name, toml_edit::value(value))),
    }
    Ok(document.to_string())
}

/// A text of settings with other keys for an action of a context, or with its default ones.
pub fn with_keys(
    text: &str,
    context: &str,
    action: &str,
    keys: Option<&[String]>,
) -> io::Result<String> {
    let wrong = |message: String| io::Error::new(io::ErrorKind::InvalidData, message);
    let mut document: DocumentMut =
        text.parse().map_err(|error: toml_edit::TomlError| wrong(error.to_string()))?;
    let all = document.get("tui").map(|own| (own.is_table(), own.get("keys")));
    let is_new = keys.is_some()
        && all.is_none_or(|(is_table, all)| {
            is_table && all.is_none_or(|all| all.is_table() && all.get(context).is_none())
        });
    // What stands behind the last setting belongs to it: a new table comes after that.
    let rest = document.trailing().as_str().filter(|_| is_new).unwrap_or_default().to_owned();
    if is_new {
        document.set_trailing("");
    }
    let mut table: &mut dyn TableLike = document.as_table_mut();
    for name in ["tui", "keys", context] {
        let mut new = toml_edit::Table::new();
        // Without a heading of its own while it holds only the next one.
        new.set_implicit(true);
        if is_new && name == context {
            new.set_position(Some(isize::MAX));
            let blank = if text.is_empty() { "" } else { "\n" };
            new.decor_mut().set_prefix(format!("{rest}{blank}"));
        }
        let inner = table.entry(name).or_insert(toml_edit::Item::Table(new));
        table =
            inner.as_table_like_mut().ok_or_else(|| wrong(format!("`{name}` is not a table")))?;
    }
    let Some(keys) = keys else {
        table.remove(action);
        return Ok(document.to_string());
    };
    let keys: toml_edit::Value = keys.iter().collect::<toml_edit::Array>().into();
    match table.get_mut(action).and_then(toml_edit::Item::as_value_mut) {
        Some(old) => {
            let decor = old.decor().clone();
            *old = keys;
            *old.decor_mut() = decor;
        }
        None => drop(table.insert(action, toml_edit::value(keys))),
    }
    Ok(document.to_string())
}
