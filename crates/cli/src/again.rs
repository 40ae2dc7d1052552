//! The command line as it was typed, with one thing changed: a hint that works when it is pasted.

use std::{env, ops::Range};

use agent_worker_client::{
    discovery::{HOST_VARIABLE, TOKEN_VARIABLE},
    remote::ssh_line,
};
use agent_worker_protocol::shell::quoted;
use clap::Command;

/// How a command begins in a text.
const PROGRAM: &str = "agent-worker ";

/// What stands before a command in a text. Elsewhere the program is named, or another one runs it.
const BEFORE: [&str; 10] = [": ", "; ", ", ", "(", "`", "see ", "or ", "then ", " and ", "&& "];

/// Commands that need the machine of the daemon. A test of `args::host` compares them.
const OF_MACHINE: [&str; 14] = [
    "run",
    "start",
    "check",
    "backup",
    "restore",
    "doctor",
    "config",
    "keys",
    "providers update",
    "daemon start",
    "daemon stop",
    "daemon restart",
    "daemon logs",
    "resume-in-terminal",
];

/// The command line with `other` in the place of a word.
pub fn with(word: &str, other: &str) -> String {
    replaced(typed(), word, other)
}

/// The command line with a word and one behind it as a single word.
pub fn joined(word: &str, next: &str) -> String {
    line(&with_joined(typed(), word, next))
}

fn with_joined(mut words: Vec<String>, word: &str, next: &str) -> Vec<String> {
    let last = |words: &[String], wanted: &str| words.iter().rposition(|typed| typed == wanted);
    if let Some(at) = last(&words, next)
        && let Some(before) = last(&words[..at], word)
    {
        words[before] = format!("{word} {next}");
        words.remove(at);
    }
    words
}

/// The command line with `more` behind a word.
pub fn behind(word: &str, more: &str) -> String {
    line(&with_behind(typed(), word, more))
}

/// The same without an option that excludes it.
pub fn instead_of(excluded: &str, word: &str, more: &str) -> String {
    line(&with_instead(typed(), excluded, word, more))
}

fn with_instead(mut words: Vec<String>, excluded: &str, word: &str, more: &str) -> Vec<String> {
    words.retain(|typed| typed != excluded);
    with_behind(words, word, more)
}

fn with_behind(mut words: Vec<String>, word: &str, more: &str) -> Vec<String> {
    let at = words.iter().position(|typed| typed == word).map_or(words.len(), |at| at + 1);
    words.insert(at, more.to_owned());
    words
}

/// The command line with this value of an option of a command.
pub fn with_value(command: &str, option: &str, value: &str) -> String {
    line(&with_value_in(typed(), command, option, value))
}

fn with_value_in(words: Vec<String>, command: &str, option: &str, value: &str) -> Vec<String> {
    // As one word: behind an option whose value may be left out, the next word would be its value.
    let whole = format!("{option}={value}");
    with_behind(without_in(words, option, true), command, &whole)
}

/// The command line without an option, and without its value if it takes one.
pub fn without(option: &str, takes_value: bool) -> String {
    line(&without_in(typed(), option, takes_value))
}

fn without_in(mut words: Vec<String>, option: &str, takes_value: bool) -> Vec<String> {
    if let Some(place) = place(&words, option, takes_value) {
        words.drain(place);
    }
    words
}

/// The command line of this program as this member, in this workflow unless it names one already.
pub fn as_member(program: Command, name: &str, scope: &str) -> String {
    as_member_of(program, typed(), name, scope)
}

fn as_member_of(program: Command, words: Vec<String>, name: &str, scope: &str) -> String {
    let mut words = without_in(words, "--as", true);
    if !words.iter().any(|word| word.contains('@')) {
        place_in(program, &mut words, scope);
    }
    words.extend(["--as".to_owned(), name.to_owned()]);
    line(&words)
}

/// Names a workflow where the command has a place for one: what has a number of its own has none.
fn place_in(mut command: Command, words: &mut Vec<String>, scope: &str) {
    let mut at = 0;
    for (place, word) in words.iter().enumerate() {
        if let Some(found) = command.find_subcommand(word) {
            (command, at) = (found.clone(), place + 1);
        }
    }
    if command.get_arguments().any(|arg| arg.get_long() == Some("in")) {
        words.extend(["--in".to_owned(), scope.to_owned()]);
        return;
    }
    let is_first = match command.get_positionals().position(|arg| arg.get_id() == "target") {
        Some(place) => place == 0,
        None => return,
    };
    match words.get_mut(at).filter(|word| !word.starts_with('-')) {
        Some(agent) if is_first => agent.push_str(scope),
        None if is_first => words.insert(at, scope.to_owned()),
        _ => words.push(scope.to_owned()),
    }
}

/// A text whose commands are for the state directory and the machine that were named. May be called
/// again on its own result.
pub fn at_home(text: &str) -> String {
    let typed = typed();
    placed(text, &typed, machine(&typed).as_deref())
}

/// The same for a text that is one command.
pub fn command(line: &str) -> String {
    let typed = typed();
    command_placed(line, &typed, machine(&typed).as_deref())
}

fn command_placed(line: &str, typed: &[String], machine: Option<&str>) -> String {
    // The mark tells that a command follows.
    let marked = placed(&format!("`{line}"), typed, machine);
    marked.trim_start_matches('`').to_owned()
}

fn placed(text: &str, typed: &[String], machine: Option<&str>) -> String {
    let state_dir = option_of(typed, "--state-dir");
    let host = option_of(typed, "--host").filter(|_| !serves(typed));
    let mut parts = text.split(PROGRAM);
    let lead = parts.next().unwrap_or_default();
    let mut out = lead.to_owned();
    for part in parts {
        let is_command = BEFORE.iter().any(|before| out.ends_with(before));
        // A command line that was typed has it already, and a text about an option is left alone.
        let lacks = |option: &str| ![lead, part].iter().any(|text| text.contains(option));
        let state_dir = state_dir.as_ref().filter(|_| lacks("--state-dir"));
        let host = host.as_ref().filter(|_| lacks("--host"));
        let machine = machine.filter(|_| lacks("--host"));
        let there = machine.filter(|_| is_command && needs_machine(part));
        if let Some(to) = there {
            out.push_str(&ssh_line(&quoted(to), ""));
        }
        out.push_str(PROGRAM);
        let own_host = host.filter(|_| there.is_none());
        for option in own_host.into_iter().chain(state_dir).filter(|_| is_command) {
            // Over ssh a second shell reads it.
            let is_read_twice = there.is_some() && option.contains('\'');
            out.push_str(&if is_read_twice { quoted(option) } else { option.clone() });
            out.push(' ');
        }
        out.push_str(part);
    }
    out
}

/// Whether a command, without the program's name, is refused on the daemon of another machine.
pub fn needs_machine(command: &str) -> bool {
    let is_more = |c: char| c.is_alphanumeric() || c == '-';
    let begins =
        |with: &str| command.strip_prefix(with).is_some_and(|rest| !rest.starts_with(is_more));
    OF_MACHINE.into_iter().any(begins)
}

/// The other machine whose daemon is used.
fn machine(typed: &[String]) -> Option<String> {
    let is_set = |name: &str| env::var(name).ok().filter(|value| !value.is_empty());
    if is_set(TOKEN_VARIABLE).is_some() || serves(typed) {
        return None;
    }
    let named = value(typed, "--host").or_else(|| is_set(HOST_VARIABLE))?;
    (named != "here").then_some(named)
}

/// Whether it is the command line of a daemon, whose `--host` is an address.
fn serves(typed: &[String]) -> bool {
    const ACTIONS: [&str; 5] = ["start", "stop", "restart", "status", "logs"];
    let has = |wanted: &str| typed.iter().any(|word| word == wanted);
    has("daemon") && !ACTIONS.into_iter().any(has)
}

/// The value of an option; the option itself if it has none.
pub fn value(words: &[String], option: &str) -> Option<String> {
    let last = words[place(words, option, true)?].last()?;
    let whole = last.strip_prefix(option).and_then(|rest| rest.strip_prefix('='));
    Some(whole.unwrap_or(last).to_owned())
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

/// The words of a command line whose options of all commands stand behind the command.
pub fn command_first(program: &Command, mut words: Vec<String>) -> Vec<String> {
    let mut at = 0;
    while let Some(name) = words.get(at).and_then(|word| word.strip_prefix("--")) {
        let takes_value = !name.contains('=')
            && program
                .get_arguments()
                .any(|arg| arg.get_long() == Some(name) && arg.get_action().takes_values());
        at += if takes_value { 2 } else { 1 };
    }
    let front = words.drain(..at.min(words.len())).collect::<Vec<_>>();
    words.extend(front);
    words
}

fn replaced(mut words: Vec<String>, word: &str, other: &str) -> String {
    // An option may be given several times; another word stands there twice by chance.
    let most = if word.starts_with('-') { words.len() } else { 1 };
    let mut is_found = false;
    for found in words.iter_mut().filter(|typed| *typed == word).take(most) {
        other.clone_into(found);
        is_found = true;
    }
    if !is_found {
        words.push(other.to_owned());
    }
    line(&words)
}

/// The command line of these words.
pub fn line(words: &[String]) -> String {
    let quoted = words.iter().map(|word| quoted(word));
    std::iter::once("agent-worker".to_owned()).chain(quoted).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
#[path = "tests/again.rs"]
mod tests;
