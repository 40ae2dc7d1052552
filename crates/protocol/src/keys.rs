//! The form of `keys.env`: a line `NAME=value` for each key, quoted as in a shell.
//!
//! A line may begin with `export`; blank lines and comments are skipped. A value is plain text,
//! `'…'`, `"…"` or several of these in a row; nothing in it is expanded. The last line for a name
//! counts.

use std::collections::BTreeMap;

use crate::terms::Variable;

/// The keys in a file, and the lines that hold none.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Keys {
    pub values: BTreeMap<String, String>,
    /// Lines that are not understood
    pub mistakes: Vec<Mistake>,
}

/// A line that is not understood. It never shows what may be a key.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line} of keys.env: {what}")]
pub struct Mistake {
    /// Its number, from 1
    pub line: usize,
    /// What is wrong with it
    pub what: &'static str,
}

/// What editors put at the start of a file to mark it as UTF-8.
const BYTE_ORDER_MARK: char = '\u{feff}';

/// Reads the file's text.
pub fn parse(text: &str) -> Keys {
    let mut keys = Keys::default();
    for (number, line) in (1..).zip(lines(text)) {
        match entry(line) {
            Ok(None) => {}
            Ok(Some((name, value))) => drop(keys.values.insert(name.to_owned(), value)),
            Err(what) => keys.mistakes.push(Mistake { line: number, what }),
        }
    }
    keys
}

/// The text with a key set to a value, or without the key. All other lines stay as they are.
pub fn change(text: &str, name: &str, value: Option<&str>) -> String {
    let is_of = |line: &str| assigned(line.trim()).is_some_and(|(found, _)| found == name);
    let mut kept: Vec<_> = lines(text).filter(|line| !is_of(line)).map(str::to_owned).collect();
    kept.extend(value.map(|value| format!("{name}={}", quoted(value))));
    kept.push(String::new());
    kept.join("\n")
}

fn lines(text: &str) -> std::str::Lines<'_> {
    text.strip_prefix(BYTE_ORDER_MARK).unwrap_or(text).lines()
}

/// The name and the value of a line; `None` if it is blank or a comment.
fn entry(line: &str) -> Result<Option<(&str, String)>, &'static str> {
    let line = line.trim();
    if line.is_empty() || line.starts_with('#') {
        return Ok(None);
    }
    let (name, rest) = assigned(line).ok_or("expected NAME=value")?;
    if name.parse::<Variable>().is_err() {
        return Err("invalid name: a letter or `_`, then letters, digits and `_`");
    }
    Ok(Some((name, value(rest)?)))
}

/// What stands before and after the first `=` of a line, without `export`.
fn assigned(line: &str) -> Option<(&str, &str)> {
    let exported = line.strip_prefix("export").filter(|rest| rest.starts_with([' ', '\t']));
    exported.unwrap_or(line).trim_start().split_once('=')
}

/// Reads a value as a shell reads a word, but expands nothing.
fn value(text: &str) -> Result<String, &'static str> {
    const EXPANDED: &str = "`$` and backticks are not expanded: put the value in single quotes";
    let mut value = String::new();
    let mut rest = text.chars();
    while let Some(next) = rest.next() {
        match next {
            '\'' => {
                let quoted = rest.as_str().split_once('\'');
                let (quoted, behind) = quoted.ok_or("a single quote is not closed")?;
                value.push_str(quoted);
                rest = behind.chars();
            }
            '"' => double(&mut rest, &mut value)?,
            '\\' => value.push(rest.next().ok_or("the line ends with a backslash")?),
            '$' | '`' => return Err(EXPANDED),
            ';' | '&' | '|' | '<' | '>' | '(' | ')' => {
                return Err("the value has a character of the shell: put it in single quotes");
            }
            space if space.is_whitespace() => return after(rest.as_str()).map(|()| value),
            plain => value.push(plain),
        }
    }
    Ok(value)
}

fn double(rest: &mut std::str::Chars<'_>, value: &mut String) -> Result<(), &'static str> {
    const OPEN: &str = "a double quote is not closed";
    loop {
        match rest.next().ok_or(OPEN)? {
            '"' => return Ok(()),
            '\\' => match rest.next().ok_or(OPEN)? {
                escaped @ ('"' | '\\' | '$' | '`') => value.push(escaped),
                other => value.extend(['\\', other]),
            },
            '$' | '`' => return Err("`$` and backticks are not expanded: use single quotes"),
            plain => value.push(plain),
        }
    }
}

/// After a value only a comment may follow.
fn after(rest: &str) -> Result<(), &'static str> {
    match rest.trim_start() {
        "" => Ok(()),
        comment if comment.starts_with('#') => Ok(()),
        _ => Err("there is text after the value: put a value with spaces in quotes"),
    }
}

/// A value as it is written: in quotes where it needs them.
fn quoted(value: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "_-./:=+@%,^".contains(c);
    if value.chars().all(is_plain) {
        return value.to_owned();
    }
    format!("'{}'", value.replace('\'', r"'\''"))
}

#[cfg(test)]
#[path = "tests/keys.rs"]
mod tests;
