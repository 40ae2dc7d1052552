//! How a permission request is shown to the user.

use std::fmt::Write as _;

use serde_json::{Map, Value};

pub const MOST_OF_NAME: usize = 100;

/// How many characters of one argument are shown.
const MOST_OF_ARGUMENT: usize = 2000;

/// How many arguments are shown.
const MOST_ARGUMENTS: usize = 20;

/// A tool and what it would be used with, an argument on each line. No value can look like the
/// name of another one: further lines of it are indented.
pub fn shown(tool: &str, arguments: &Map<String, Value>) -> String {
    let mut text = tool.to_owned();
    for (name, value) in arguments.iter().take(MOST_ARGUMENTS) {
        let value = match value {
            Value::String(value) => value.clone(),
            other => other.to_string(),
        };
        let _ = write!(text, "\n{}: ", in_one_line(name)); // a String takes any text
        let cut = value.char_indices().nth(MOST_OF_ARGUMENT).map_or(value.len(), |(at, _)| at);
        text.push_str(&value[..cut].replace(is_line_end, "\n  "));
        if cut < value.len() {
            let rest = value[cut..].chars().count();
            let _ = write!(text, " [… {rest} more characters]");
        }
    }
    if arguments.len() > MOST_ARGUMENTS {
        let rest = arguments.len() - MOST_ARGUMENTS;
        let _ = write!(text, "\n[… {rest} more arguments]");
    }
    text
}

/// Arguments in one order, in whichever they came: then the same ones look the same.
pub fn sorted(arguments: &Map<String, Value>) -> Map<String, Value> {
    let mut sorted = arguments.clone();
    sorted.sort_keys();
    sorted.values_mut().for_each(Value::sort_all_objects);
    sorted
}

/// What has no place in a choice.
pub fn is_no_text(c: char) -> bool {
    c.is_control() || is_line_end(c)
}

fn is_line_end(c: char) -> bool {
    matches!(c, '\n' | '\r' | '\u{b}' | '\u{c}' | '\u{85}' | '\u{2028}' | '\u{2029}')
}

/// The name of an argument, quoted unless it is a plain word.
fn in_one_line(name: &str) -> String {
    let is_plain =
        !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || "_-.".contains(c));
    if is_plain {
        name.to_owned()
    } else {
        format!("{name:?}").chars().take(MOST_OF_NAME).collect()
    }
}
