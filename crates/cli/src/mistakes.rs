//! What a command line that is not understood was most likely meant to be.

use std::{
    net::IpAddr,
    num::{IntErrorKind, ParseIntError},
};

use agent_worker_client::remote::{Destination, ssh_line};
use agent_worker_protocol::nearest::nearest;
use clap::{
    Command,
    error::{ContextKind, ContextValue, ErrorKind},
};

use crate::{again, exit::Refusal, other_words, parse};

/// Refusal of a command line that is not understood, with what was probably meant, or with the
/// command's usage and where its help is.
pub fn refusal(program: &Command, error: &clap::Error, words: Vec<String>) -> Refusal {
    let words = &again::command_first(program, words);
    if let Some(refusal) = host_of_action(error, words) {
        return refusal;
    }
    if may_hold_key(program, error, words) {
        let what =
            "`keys set` takes a name alone: it prompts for the value, or reads it from a pipe";
        return Refusal::usage(what).hint("agent-worker keys set NAME");
    }
    let text = described(error);
    let mut parts = text.split("\n\n");
    let what = parts.next().unwrap_or_default();
    if let Some(hint) = meant(program, error, words) {
        return Refusal::usage(what.lines().next().unwrap_or_default()).hint(hint);
    }
    // clap shows the option that it guesses as if it was given.
    let usage = match error.get(ContextKind::SuggestedArg) {
        Some(_) => Some(usage(program.clone(), words)),
        None => parts.find(|part| part.starts_with("Usage:")).map(str::to_owned),
    };
    let told = [what.trim_end().to_owned()].into_iter().chain(usage).collect::<Vec<_>>();
    Refusal::usage(told.join("\n")).hint(help(program, words))
}

/// Whether the command line may hold the value of a key, which must not be repeated: any of
/// `keys`, spelled right or not, except for its actions that take none and `ls` alone.
fn may_hold_key(program: &Command, error: &clap::Error, words: &[String]) -> bool {
    let mut plain = words.iter().filter(|word| !word.starts_with('-'));
    // What stands before a command may be the value of an option that is misspelled.
    let command = plain.clone().find(|word| program.find_subcommand(word).is_some());
    let is_keys = command.is_some_and(|command| command == "keys");
    let is_near = matches!(
        error.get(ContextKind::SuggestedSubcommand),
        Some(ContextValue::Strings(near)) if near.iter().any(|near| near == "keys")
    );
    let kinds =
        [ErrorKind::InvalidSubcommand, ErrorKind::UnknownArgument, ErrorKind::TooManyValues];
    if is_keys {
        plain.find(|word| *word == "keys");
    } else {
        plain.next();
    }
    let takes_none = matches!(
        (plain.next().map(String::as_str), plain.next()),
        (None | Some("list" | "rm"), _) | (Some("ls"), None)
    );
    kinds.contains(&error.kind()) && (is_keys || is_near) && !takes_none
}

/// What is wrong, in our words for a command; of a number, clap and the standard library say it in
/// their own.
fn described(error: &clap::Error) -> String {
    let text = error.render().to_string();
    let text = text.trim_start_matches("error: ");
    if let Some(ContextValue::String(word)) = error.get(ContextKind::InvalidSubcommand) {
        let theirs = format!("unrecognized subcommand '{word}'");
        return text.replacen(&theirs, &format!("unknown command `{word}`"), 1);
    }
    let Some(why) = std::error::Error::source(error) else { return text.to_owned() };
    let told = why.to_string();
    let number = why.downcast_ref::<ParseIntError>().map(ParseIntError::kind);
    let range = told.split_once(" is not in ").and_then(|(_, range)| range.split_once("..="));
    match (number, range) {
        (Some(IntErrorKind::InvalidDigit), _) => text.replace(&told, "it is not a whole number"),
        (None, Some((least, most))) => text.replace(&told, &format!("must be {least} to {most}")),
        _ => text.to_owned(),
    }
}

/// The command that the words name, and its action, if it is named.
fn named<'p>(program: &'p Command, words: &[String]) -> Vec<&'p Command> {
    let (mut command, mut found) = (program, Vec::new());
    for (at, word) in words.iter().enumerate() {
        // `schedule alice set`: the agent stands before the action.
        let next = command.get_positionals().next().and_then(|_| words.get(at + 1));
        let below = command.find_subcommand(word);
        let Some(below) = below.or_else(|| command.find_subcommand(next?)) else { break };
        command = below;
        found.push(below);
    }
    found
}

/// The command line that shows the help of the command that the words name.
fn help(program: &Command, words: &[String]) -> String {
    let names = named(program, words).into_iter().map(|command| command.get_name().to_owned());
    again::line(&names.chain(["--help".to_owned()]).collect::<Vec<_>>())
}

/// How the command that the words name is used, or the program.
fn usage(mut program: Command, words: &[String]) -> String {
    program.build();
    let command = named(&program, words).last().copied().unwrap_or(&program);
    command.clone().render_usage().to_string()
}

/// Command line that was probably meant.
fn meant(program: &Command, error: &clap::Error, words: &[String]) -> Option<String> {
    let text = |kind| match error.get(kind)? {
        ContextValue::String(text) => Some(text.clone()),
        ContextValue::Strings(texts) => texts.last().cloned(),
        _ => None,
    };
    let command = words.first()?;
    let is_right = |line: &Vec<String>| mistake(program, line).is_none();
    let swapped = || swapped(words).filter(is_right).map(|line| again::line(&line));
    match error.kind() {
        ErrorKind::InvalidSubcommand => {
            let word = text(ContextKind::InvalidSubcommand)?;
            // Below a command the same word means something else.
            let other = if *command == word { other_words::meant(&word) } else { None };
            let near = || transposed(program, words, &word).or_else(|| near(error, &word));
            let near = || Some(again::with(&word, &near()?));
            other.or_else(swapped).or_else(near).or_else(|| read(program, words, &word))
        }
        ErrorKind::UnknownArgument => {
            let word = text(ContextKind::InvalidArg)?;
            swapped()
                .or_else(|| unquoted(words, &word))
                .or_else(|| other_words::detached(words, &word))
                .or_else(|| other_words::in_workflow(words, &word))
                .or_else(|| other_words::dashed(words))
                .or_else(|| {
                    let near = text(ContextKind::SuggestedArg)?;
                    is_near(&word, &near).then(|| again::with(&word, &near))
                })
        }
        ErrorKind::ValueValidation => {
            let word = text(ContextKind::InvalidValue)?;
            // As the help writes it.
            if word == "RUN" {
                return Some(again::line(&["runs".to_owned()]));
            }
            // The name of a schedule has no `@`.
            let is_member = word.contains('@') && !word.starts_with('@');
            if let Some(line) = swapped().filter(|_| is_member) {
                return Some(line);
            }
            if let Some(line) = other_words::pair(words, &word) {
                return Some(line);
            }
            let line = value(command, words, &word)?;
            // Before the `@` may be anything, and the workflow may be named a second time.
            let is_unsure = ["new", "proposal"].contains(&command.as_str());
            let is_wrong =
                repeats(program, words, &line) || is_unsure && mistake(program, &line).is_some();
            (!is_wrong).then(|| again::line(&line))
        }
        _ => None,
    }
}

/// Whether an option may have been meant by a word. Those of all commands are like many others:
/// `--cost` is not `--host`, which would lead to another machine. `--in` is an option elsewhere.
fn is_near(word: &str, option: &str) -> bool {
    let is_of_all = ["--as", "--host"].contains(&option);
    word != "--in" && (!is_of_all || word.chars().nth(2) == option.chars().nth(2))
}

/// The command or action that the word is with two neighbouring letters exchanged: `rnu`.
fn transposed(program: &Command, words: &[String], word: &str) -> Option<String> {
    let first = words.first().filter(|first| *first != word);
    let command = first.and_then(|first| program.find_subcommand(first)).unwrap_or(program);
    let letters: Vec<char> = word.chars().collect();
    (1..letters.len()).find_map(|at| {
        let mut letters = letters.clone();
        letters.swap(at - 1, at);
        let name: String = letters.into_iter().collect();
        command.find_subcommand(name).map(|found| found.get_name().to_owned())
    })
}

/// The command most like the word, of those that begin with it if there are any.
fn near(error: &clap::Error, word: &str) -> Option<String> {
    let ContextValue::Strings(near) = error.get(ContextKind::SuggestedSubcommand)? else {
        return None;
    };
    let begun = near.iter().rev().find(|near| near.starts_with(word)).map(String::as_str);
    // clap also gives commands that are hardly alike: `logs` for `bogus`.
    let alike = || nearest(word, near.iter().map(String::as_str));
    begun.or_else(alike).map(ToOwned::to_owned)
}

/// `daemon start --host box`: `--host` of `daemon` is an address, and its actions have none.
fn host_of_action(error: &clap::Error, words: &[String]) -> Option<Refusal> {
    let Some(ContextValue::String(word)) = error.get(ContextKind::InvalidArg) else { return None };
    let is_unknown = error.kind() == ErrorKind::UnknownArgument && word == "--host";
    if !is_unknown || words.first()? != "daemon" {
        return None;
    }
    let host = again::value(words, "--host")?;
    if let Some(refusal) = address_of_start(words, &host) {
        return Some(refusal);
    }
    let to = match host.parse::<Destination>() {
        Ok(to) => to,
        Err(bad) => return Some(Refusal::usage(bad.to_string())),
    };
    let line = again::without("--host", true);
    let command = line.trim_start_matches("agent-worker ");
    let hint = match host.as_str() {
        "here" => line,
        _ if again::needs_machine(command) => ssh_line(to.as_str(), &line),
        _ => format!("agent-worker --host {to} {command}"),
    };
    let message = "cannot use `--host` here: it names a machine only before `daemon`";
    Some(Refusal::usage(message).hint(hint))
}

/// `daemon restart --host 0.0.0.0`: only `daemon` alone takes an address to listen on.
fn address_of_start(words: &[String], host: &str) -> Option<Refusal> {
    let numeric = if host == "localhost" { "127.0.0.1" } else { host };
    let address = numeric.parse::<IpAddr>().ok()?;
    let at = words.iter().position(|word| word == "start" || word == "restart")?;
    let mut line = words.to_vec();
    let action = line.remove(at);
    for word in &mut line {
        if [host, &format!("--host={host}")].contains(&word.as_str()) {
            *word = word.replace(host, numeric);
        }
    }
    let lets_in = address.is_loopback() || again::value(&line, "--allow-host").is_some();
    let more = if lets_in { "" } else { " --allow-host $(hostname)" };
    // The address is not the machine of the daemon that is stopped.
    let stop = if action == "restart" { "agent-worker --host here daemon stop; " } else { "" };
    let message =
        format!("cannot use `--host` with `daemon {action}`: it listens on 127.0.0.1 only");
    Some(Refusal::usage(message).hint(format!("{stop}{}{more}", again::line(&line))))
}

/// `schedule set alice 30m`: the agent comes before the action.
pub fn swapped(words: &[String]) -> Option<Vec<String>> {
    let [command, action, agent, rest @ ..] = words else { return None };
    let is_action = ["set", "clear", "run", "pause", "resume"].contains(&action.as_str());
    (command == "schedule" && is_action && parse::target(agent).is_ok()).then(|| {
        let front = [command, agent, action].map(Clone::clone);
        [&front[..], rest].concat()
    })
}

/// `home ivy`: where the action is left out, it is to read, and so it is where it is called as in
/// other commands (`home list ivy`). Only a line that is understood is told.
fn read(program: &Command, words: &[String], word: &str) -> Option<String> {
    let [command, thing, rest @ ..] = words else { return None };
    let is_action = other_words::READ.contains(&thing.as_str());
    let actions: &[&str] = match command.as_str() {
        "doc" | "group" | "proposal" | "resource" if thing.starts_with('@') => &["list"],
        "home" | "proposal" => &["show"],
        "doc" if !is_action && names_more(rest) => return None,
        "doc" | "resource" => &["read"],
        "group" => &["members", "list"],
        "sessions" if is_action => &["show", "list"],
        "sessions" if other_words::id(command, thing).as_ref() == Some(thing) => &["show"],
        "sessions" => &["list"],
        "config" if ["unset", "reset", "remove", "rm"].contains(&thing.as_str()) => {
            return Some(again::line(&["config", "edit"].map(ToOwned::to_owned)));
        }
        "config" => &["get", "set"],
        _ => return None,
    };
    let with = |action: &&str| {
        let front = [command.clone(), (*action).to_owned(), thing.clone()];
        [&front[..if is_action { 2 } else { 3 }], rest].concat()
    };
    let line = actions.iter().map(with).find(|line| mistake(program, line).is_none())?;
    (thing == word).then(|| again::line(&line))
}

/// Whether a second path stands before the options: the first one is an action that is not known.
fn names_more(words: &[String]) -> bool {
    let mut plain = words.iter().take_while(|word| !word.starts_with('-'));
    plain.any(|word| !word.starts_with('@'))
}

/// Whether a word that was corrected is refused again: not all values are names.
fn repeats(program: &Command, typed: &[String], line: &[String]) -> bool {
    let Some(again) = mistake(program, line) else { return false };
    let is_new = |word: &String| !typed.iter().any(|typed| typed.ends_with(word));
    matches!(again.get(ContextKind::InvalidValue), Some(ContextValue::String(word)) if is_new(word))
}

/// Returns why the program does not understand a command line.
fn mistake(program: &Command, words: &[String]) -> Option<clap::Error> {
    let line = std::iter::once("agent-worker").chain(words.iter().map(String::as_str));
    program.clone().try_get_matches_from(line).err()
}

/// A text whose words were not quoted.
fn unquoted(words: &[String], word: &str) -> Option<String> {
    if word.starts_with('-') || words.iter().any(|word| word.starts_with('-')) {
        return None;
    }
    match words.first()?.as_str() {
        "send" | "ask" | "serve" => {
            let (front, message) = words.split_at_checked(2)?;
            Some(again::line(&[front, &[message.join(" ")]].concat()))
        }
        "search" => {
            let (last, rest) = words[1..].split_last()?;
            let (text, place) = match last.strip_prefix('@') {
                Some(_) => (rest.join(" "), Some(last.clone())),
                None => (words[1..].join(" "), None),
            };
            let line: Vec<_> = ["search".to_owned(), text].into_iter().chain(place).collect();
            Some(again::line(&line))
        }
        _ => None,
    }
}

/// Returns the words with the invalid value corrected.
fn value(command: &str, words: &[String], word: &str) -> Option<Vec<String>> {
    let at =
        words.iter().position(|typed| typed == word || typed.ends_with(&format!("={word}")))?;
    let mut line = words.to_vec();
    // `--timeout=10`: the option stays before its value.
    let option = line[at].strip_suffix(word).unwrap_or_default().to_owned();
    if command == "limits" {
        let value = line.get(at + 1).filter(|value| !value.starts_with('-'))?.clone();
        line[at] = format!("{word}={value}");
        line.remove(at + 1);
        return Some(line);
    }
    // A group that exists has its workflow behind its name.
    let needs_in = command == "proposal" || command == "group" && words.get(1)? == "create";
    if needs_in
        && option.is_empty()
        && let Some(place) = other_words::in_place(word)
    {
        let is_named = again::value(words, "--in").as_ref() == Some(&place[2]);
        line.splice(at..=at, place.into_iter().take(if is_named { 1 } else { 3 }));
        return Some(line);
    }
    if command == "new" && option.is_empty() && word.contains('@') {
        line.splice(at..=at, other_words::joining(word)?);
        return Some(line);
    }
    if command == "sessions" && parse::target(word).is_ok() {
        if words.get(1)? != "show" {
            return None;
        }
        let front: &[&str] =
            if parse::run(word).is_ok() { &["logs"] } else { &["sessions", "list"] };
        line.splice(..2, front.iter().map(|front| (*front).to_owned()));
        return Some(line);
    }
    let is_number = !word.is_empty() && word.bytes().all(|b| b.is_ascii_digit());
    let before = match option.strip_suffix('=') {
        Some(option) => option,
        None => at.checked_sub(1).map_or("", |before| words[before].as_str()),
    };
    let right = if is_number && ["--timeout", "--since"].contains(&before) {
        format!("{word}s")
    } else if let Some(id) = other_words::id(command, word) {
        id
    } else {
        // A tag keeps its case.
        let (names, tag) = word.split_at(word.find(':').unwrap_or(word.len()));
        let plain = names.to_lowercase() + tag;
        let plain = plain.trim_end_matches([':', '@', ',', '.']);
        parse::target(plain).is_ok_and(|_| plain != word).then(|| plain.to_owned())?
    };
    line[at] = option + &right;
    Some(line)
}

#[cfg(test)]
#[path = "tests/mistakes.rs"]
mod tests;
