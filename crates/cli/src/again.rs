//! The command line as it was typed, with one thing changed: a hint that works when it is pasted.

use std::env;

/// The command line with `other` in the place of a word.
pub fn with(word: &str, other: &str) -> String {
    replaced(typed(), word, other)
}

/// The command line with `more` behind a word.
pub fn behind(word: &str, more: &str) -> String {
    let mut words = typed();
    let at = words.iter().position(|typed| typed == word).map_or(words.len(), |at| at + 1);
    words.insert(at, more.to_owned());
    line(&words)
}

/// A text whose commands are for the state directory that was named on the command line.
pub fn at_home(text: &str) -> String {
    match home(&typed()) {
        // A command line that was typed has it already.
        Some(home) if !text.contains("--home") => {
            text.replace("hint: agent-worker ", &format!("hint: agent-worker {home} "))
        }
        _ => text.to_owned(),
    }
}

/// `--home DIR`, as it was typed.
fn home(words: &[String]) -> Option<String> {
    let at = words.iter().position(|word| word == "--home" || word.starts_with("--home="))?;
    let count = if words[at] == "--home" { 2 } else { 1 };
    let words: Vec<_> = words[at..].iter().take(count).map(|word| quoted(word)).collect();
    Some(words.join(" "))
}

/// The words behind the program's name.
pub fn typed() -> Vec<String> {
    env::args_os().skip(1).map(|word| word.to_string_lossy().into_owned()).collect()
}

fn replaced(mut words: Vec<String>, word: &str, other: &str) -> String {
    match words.iter_mut().find(|typed| *typed == word) {
        Some(found) => other.clone_into(found),
        None => words.push(other.to_owned()),
    }
    line(&words)
}

/// The command line of these words.
pub fn line(words: &[String]) -> String {
    let quoted = words.iter().map(|word| quoted(word));
    std::iter::once("agent-worker".to_owned()).chain(quoted).collect::<Vec<_>>().join(" ")
}

/// A word as a shell reads it back.
pub fn quoted(word: &str) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || "@%+=:,./_-".contains(c);
    if !word.is_empty() && word.chars().all(is_plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', "'\\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hint_is_for_the_directory_that_was_named() {
        let words = ["status", "--home", "/tmp/my home", "--json"].map(str::to_owned);
        assert_eq!(home(&words).unwrap(), "--home '/tmp/my home'");
        assert_eq!(home(&["--home=/tmp/x".to_owned()]).unwrap(), "--home=/tmp/x");
        assert_eq!(home(&["status".to_owned()]), None);
    }

    #[test]
    fn one_word_is_replaced_and_all_are_quoted() {
        let words = ["send", "news", "it's 5 o'clock"].map(str::to_owned).to_vec();
        let line = replaced(words, "news", "@news");
        assert_eq!(line, r"agent-worker send @news 'it'\''s 5 o'\''clock'");
    }
}
