//! Mistakes in settings, without the names of types.

/// Types of settings, and what is written for one. Longer names come first.
const TYPES: [(&str, &str); 7] = [
    ("u16", "a number from 0 to 65535"),
    ("u32", "a number from 0 to 4294967295"),
    ("u64", "a number from 0"),
    ("usize", "a number from 0"),
    ("i64", "a whole number"),
    ("f64", "a number"),
    ("a boolean", "`true` or `false`"),
];

/// A message of the TOML parser that says what was expected in words.
pub fn message(text: &str) -> String {
    let mut text = text.trim_end().to_owned();
    for (name, words) in TYPES {
        text = text.replace(&format!("expected {name}"), &format!("expected {words}"));
    }
    text
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
            ("[tuii]\ntheme = \"dark\"", "`tui`"),
        ] {
            let told = message(&Settings::with(text).unwrap_err().to_string());
            assert!(told.contains(wanted), "{told}");
        }
    }
}
