//! Mistakes in settings, without the names of types.

use crate::plain::numbers;

/// Types of settings other than numbers, and what is written for one. Longer names come first.
const TYPES: [(&str, &str); 5] = [
    ("a boolean", "`true` or `false`"),
    ("a map", "a table"),
    ("a sequence", "a list in brackets"),
    ("a string", "a text in quotes"),
    ("string only", "a text in quotes"),
];

/// A message of the TOML parser that says what was expected in words.
pub fn message(text: &str) -> String {
    // That is what the parser calls all that is not a text where one of some words is wanted.
    let text = text.trim_end().replace("invalid type: unit variant, ", "invalid type: ");
    let mut text = numbers(&text);
    for (name, words) in TYPES {
        text = text.replace(&format!("expected {name}"), &format!("expected {words}"));
    }
    of_section(&text).unwrap_or(text)
}

/// The message with the heading of a section in place of the type that holds it.
fn of_section(text: &str) -> Option<String> {
    let (before, rest) = text.split_once("expected struct ")?;
    let end = rest.find(|c: char| !c.is_alphanumeric()).unwrap_or(rest.len());
    let (name, behind) = rest.split_at(end);
    let section = match name {
        "ProviderSetting" => "providers.NAME".to_owned(),
        "Price" => "providers.NAME.prices.MODEL".to_owned(),
        name => name.to_lowercase(),
    };
    Some(format!("{before}expected a table: `[{section}]`{behind}"))
}

#[cfg(test)]
mod tests {
    use super::super::Settings;
    use super::*;

    #[test]
    fn a_type_is_told_in_words() {
        for (text, wanted) in [
            ("[http]\nport = \"abc\"", "expected a number from 0 to 65535"),
            ("[http]\nport = 99999", "expected a number from 0 to 65535"),
            ("[guard]\nhops = \"x\"", "expected a number from 0 to 4294967295"),
            ("[guard]\nrepeats = \"x\"", "expected a whole number"),
            ("runs = 3", "expected a table: `[runs]`"),
            ("providers = 3", "expected a table"),
            ("[providers]\nhouse = 3", "expected a table: `[providers.NAME]`"),
            ("[tuii]\ntheme = \"dark\"", "`tui`"),
        ] {
            let told = message(&Settings::with(text).unwrap_err().to_string());
            assert!(told.contains(wanted), "{told}");
        }
    }
}
