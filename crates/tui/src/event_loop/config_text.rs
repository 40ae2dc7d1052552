//! The text of `config.toml` with another setting or other keys in it.

use std::io;

use toml_edit::{Array, DocumentMut, Item, TableLike, TomlError, Value};

/// A text of settings with another value for one of `[tui]`; comments and everything else stay.
pub fn with(text: &str, name: &str, value: &str) -> io::Result<String> {
    let mut document = parsed(text)?;
    let own = document.entry("tui").or_insert(toml_edit::table());
    let own = own.as_table_like_mut().ok_or_else(|| wrong("`tui` is a table".to_owned()))?;
    put(own, name, value.into());
    Ok(document.to_string())
}

fn wrong(message: String) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, message)
}

fn parsed(text: &str) -> io::Result<DocumentMut> {
    text.parse().map_err(|error: TomlError| wrong(error.to_string()))
}

/// Gives a name another value; what stands around the old one stays.
fn put(table: &mut dyn TableLike, name: &str, value: Value) {
    match table.get_mut(name).and_then(Item::as_value_mut) {
        Some(old) => {
            let decor = old.decor().clone();
            *old = value;
            *old.decor_mut() = decor;
        }
        None => drop(table.insert(name, Item::Value(value))),
    }
}

/// A text of settings with other keys for an action of a context, or with its default ones.
pub fn with_keys(
    text: &str,
    context: &str,
    action: &str,
    keys: Option<&[String]>,
) -> io::Result<String> {
    let mut document = parsed(text)?;
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
        let inner = table.entry(name).or_insert(Item::Table(new));
        table =
            inner.as_table_like_mut().ok_or_else(|| wrong(format!("`{name}` is not a table")))?;
    }
    match keys {
        Some(keys) => put(table, action, keys.iter().collect::<Array>().into()),
        None => drop(table.remove(action)),
    }
    Ok(document.to_string())
}
