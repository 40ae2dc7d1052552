//! The command line as it was typed, with one thing changed: a hint that works when it is pasted.

use std::{env, ops::Range};

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

/// The command line without an option, and without its value if it takes one.
pub fn without(option: &str, takes_value: bool) -> String {
    let mut words = typed();
    if let Some(place) = place(&words, option, takes_value) {
        words.drain(place);
    }
    line(&words)
}

/// The command line with an empty text in place of standard input.
pub fn emptied() -> String {
    let mut words = typed();
    match words.iter_mut().rev().find(|word| *word == "-") {
        Some(word) => word.clear(),
        None => words.push(String::new()),
    }
    line(&words)
}

/// The command line as this member, in this workflow unless it names one already.
pub fn as_member(name: &str, scope: &str) -> String {
    as_member_of(typed(), name, scope)
}

fn as_member_of(mut words: Vec<String>, name: &str, scope: &str) -> String {
    if let Some(at) = place(&words, "--as", true) {
        words.drain(at);
    }
    if !words.iter().any(|word| word.contains('@')) {
        let command = words.iter().position(|word| !word.starts_with('-')).unwrap_or(0);
        let has_place =
            |word: &String| ["group", "doc", "proposal", "resource"].contains(&word.as_str());
        if words.get(command).is_some_and(has_place) {
            words.extend(["--in".to_owned(), scope.to_owned()]);
        } else {
            words.insert((command + 1).min(words.len()), scope.to_owned());
        }
    }
    words.extend(["--as".to_owned(), name.to_owned()]);
    line(&words)
}

/// A text whose commands are for the state directory that was named on the command line.
pub fn at_home(text: &str) -> String {
    let typed = typed();
    let mut text = text.to_owned();
    for option in ["--state-dir", "--host"] {
        // A command line that was typed has it already.
        if let Some(written) = option_of(&typed, option).filter(|_| !text.contains(option)) {
            for word in ["hint", "next"] {
                let plain = format!("{word}: agent-worker ");
                text = text.replace(&plain, &format!("{plain}{written} "));
            }
        }
    }
    text
}

/// An option with its value, as it was typed.
fn option_of(words: &[String], option: &str) -> Option<String> {
    let place = place(words, option, true)?;
    let words: Vec<_> = words[place].iter().map(|word| quoted(word)).collect();
    Some(words.join(" "))
}

/// The words of an option and its value, which may be one word: `--as=alice`.
fn place(words: &[String], option: &str, takes_value: bool) -> Option<Range<usize>> {
    let is_whole = |word: &str| word.strip_prefix(option).is_some_and(|it| it.starts_with('='));
    let at = words.iter().position(|word| word == option || is_whole(word))?;
    let end = if takes_value && words[at] == option { at + 2 } else { at + 1 };
    Some(at..end.min(words.len()))
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
        let words = ["status", "--state-dir", "/tmp/my home", "--json"].map(str::to_owned);
        let of = |words: &[String]| option_of(words, "--state-dir");
        assert_eq!(of(&words).unwrap(), "--state-dir '/tmp/my home'");
        assert_eq!(of(&["--state-dir=/tmp/x".to_owned()]).unwrap(), "--state-dir=/tmp/x");
        assert_eq!(of(&["status".to_owned()]), None);
    }

    #[test]
    fn a_member_is_named_beside_its_workflow() {
        let of = |line: &str| {
            let words = line.split(' ').map(str::to_owned).collect();
            as_member_of(words, "ivy", "@news")
        };
        assert_eq!(of("peek --as ivy@news"), "agent-worker peek @news --as ivy");
        assert_eq!(of("--as=ivy@news peek -n 3"), "agent-worker peek @news -n 3 --as ivy");
        assert_eq!(of("doc read --as ivy@news"), "agent-worker doc read --in @news --as ivy");
        assert_eq!(of("send @news hi --as ivy@x"), "agent-worker send @news hi --as ivy");
    }

    #[test]
    fn an_option_is_found_with_its_value() {
        let words = ["--as=bob", "list", "--as", "alice", "--no-start"].map(str::to_owned);
        assert_eq!(place(&words, "--as", true), Some(0..1));
        assert_eq!(place(&words[1..], "--as", true), Some(1..3));
        assert_eq!(place(&words, "--no-start", false), Some(4..5));
        assert_eq!(place(&words, "--no", false), None);
    }

    #[test]
    fn one_word_is_replaced_and_all_are_quoted() {
        let words = ["send", "news", "it's 5 o'clock"].map(str::to_owned).to_vec();
        let line = replaced(words, "news", "@news");
        assert_eq!(line, r"agent-worker send @news 'it'\''s 5 o'\''clock'");
    }
}
