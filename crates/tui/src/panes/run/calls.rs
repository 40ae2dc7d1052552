//! What a tool was called with and what it answered, in short.

use serde_json::{Map, Value};

/// How many characters of arguments are looked at for one line.
const MOST: usize = 400;

/// The arguments in one line: `(limit=50)`, and of a command the command itself.
pub fn brief(raw: &str) -> String {
    let Ok(Value::Object(arguments)) = serde_json::from_str(raw) else {
        let raw: String = raw.chars().take(MOST).collect();
        return if raw.is_empty() { raw } else { format!("({raw})") };
    };
    if let Some(command) = command(&arguments) {
        return format!("  {}", command.chars().take(MOST).collect::<String>());
    }
    // What is long hides nothing that stands before it.
    let is_long = |value: &Value| value.as_str().is_some_and(|text| text.len() > 40);
    let (long, short): (Vec<_>, Vec<_>) = arguments.iter().partition(|(_, value)| is_long(value));
    let mut line = String::from("(");
    for (number, (name, value)) in short.into_iter().chain(long).enumerate() {
        if number > 0 {
            line.push_str(", ");
        }
        match value {
            Value::String(text) if arguments.len() == 1 => line.push_str(text),
            Value::String(text) => line.extend([name, "=", text]),
            other => line.extend([name, "=", &other.to_string()]),
        }
        if line.len() > MOST {
            return line.chars().take(MOST).collect();
        }
    }
    line.push(')');
    line
}

/// What is run, of a tool that runs commands.
fn command(arguments: &Map<String, Value>) -> Option<String> {
    match arguments.get("command").or_else(|| arguments.get("cmd"))? {
        Value::String(text) => Some(text.clone()),
        Value::Array(words) => {
            let words: Option<Vec<_>> = words.iter().map(Value::as_str).collect();
            Some(words?.join(" "))
        }
        _ => None,
    }
}

/// The arguments to be read: a line for each, and long texts as they are. None if they are no
/// arguments.
pub fn pretty(raw: &str) -> Option<String> {
    let Ok(Value::Object(arguments)) = serde_json::from_str(raw) else { return None };
    let lines = arguments.iter().map(|(name, value)| match value {
        Value::String(text) if text.contains('\n') => format!("{name}:\n{text}"),
        Value::String(text) => format!("{name}: {text}"),
        other => format!("{name}: {other}"),
    });
    Some(lines.collect::<Vec<_>>().join("\n"))
}

/// What a call changes in a file.
#[derive(Debug, PartialEq, Eq)]
pub struct Edit {
    /// The file and what else the call says
    pub about: String,
    pub old: String,
    pub new: String,
}

/// What a call changes in a file, if it replaces a text by another.
pub fn edit(raw: &str) -> Option<Edit> {
    const NAMES: [(&str, &str); 3] =
        [("old", "new"), ("old_string", "new_string"), ("oldText", "newText")];
    let Ok(Value::Object(mut arguments)) = serde_json::from_str(raw) else { return None };
    let is_text = |name: &str| arguments.get(name).is_some_and(Value::is_string);
    let (old, new) = NAMES.into_iter().find(|(old, new)| is_text(old) && is_text(new))?;
    let mut take = |name: &str| {
        let mut text = arguments.remove(name)?.as_str()?.to_owned();
        // A part of a file needs no line break at its end.
        if !text.is_empty() && !text.ends_with('\n') {
            text.push('\n');
        }
        Some(text)
    };
    let (old, new) = (take(old)?, take(new)?);
    let about = pretty(&Value::Object(arguments).to_string()).unwrap_or_default();
    Some(Edit { about, old, new })
}

/// How a tool failed, in words, as far as its answer says so: nothing else tells it.
pub fn failure(text: &str) -> Option<String> {
    let text = text.trim();
    match text.strip_prefix("error: ") {
        // The output of a command that worked.
        Some(_) if text.ends_with("\nexit 0") => None,
        // A worker puts this before the answer of a failed call of an agent program.
        Some(answer) => Some(reason(answer.trim()).unwrap_or_else(|| "failed".to_owned())),
        None => reason(text),
    }
}

fn reason(text: &str) -> Option<String> {
    // A line of a diff may say anything, but never from its first column on.
    let last = text.rsplit('\n').next().unwrap_or_default();
    let code = last.strip_prefix("exit ").or_else(|| {
        // So a worker writes the exit code that an agent program tells.
        last.strip_prefix("(exit code ")?.strip_suffix(')')
    });
    if let Some(code) = code.and_then(|code| code.parse::<i32>().ok()) {
        return (code != 0).then(|| format!("failed, exit {code}"));
    }
    if last.starts_with("signal: ") {
        return Some(format!("killed, {last}"));
    }
    let first: String = text.lines().next().unwrap_or_default().chars().take(80).collect();
    let first = first.to_lowercase();
    let begins = |words: &[&str]| words.iter().any(|word| first.starts_with(word));
    let is_answer_of_this_daemon = text.contains('\n') && last.starts_with("hint: ");
    let is_late = last.starts_with("timed out after ");
    let word = match () {
        () if begins(&["denied", "permission denied", "not allowed", "not permitted"]) => "denied",
        () if is_late || begins(&["timed out", "timeout", "the command timed out"]) => "timed out",
        () if begins(&["error:", "error "]) => "failed",
        () if is_answer_of_this_daemon => "refused",
        () => return None,
    };
    Some(word.to_owned())
}

#[cfg(test)]
#[path = "../tests/run_calls.rs"]
mod tests;
