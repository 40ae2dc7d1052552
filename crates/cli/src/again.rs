//! The command line as it was typed, with one thing changed: a hint that works when it is pasted.

use std::{env, ops::Range};

use agent_worker_client::discovery::{HOST_VARIABLE, TOKEN_VARIABLE};
use agent_worker_protocol::shell::quoted;
use clap::Command;

/// How a command begins in a text.
const PROGRAM: &str = "agent-worker ";

/// What stands before a command in a text. Elsewhere the program is named, or another one runs it.
const BEFORE: [&str; 8] = [": ", "; ", ", ", "(", "`", "see ", "or ", "then "];

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

/// The command line of this program as this member, in this workflow unless it names one already.
pub fn as_member(program: Command, name: &str, scope: &str) -> String {
    as_member_of(program, typed(), name, scope)
}

fn as_member_of(program: Command, mut words: Vec<String>, name: &str, scope: &str) -> String {
    if let Some(at) = place(&words, "--as", true) {
        words.drain(at);
    }
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
            out.extend(["ssh -t ", &quoted(to), " "]);
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

#[cfg(test)]
mod tests {
    use clap::CommandFactory as _;

    use super::*;
    use crate::args::Cli;

    #[test]
    fn a_hint_is_for_the_directory_that_was_named() {
        let words = ["status", "--state-dir", "/tmp/my home", "--json"].map(str::to_owned);
        let of = |words: &[String]| option_of(words, "--state-dir");
        assert_eq!(of(&words).unwrap(), "--state-dir '/tmp/my home'");
        assert_eq!(of(&["--state-dir=/tmp/x".to_owned()]).unwrap(), "--state-dir=/tmp/x");
        assert_eq!(of(&["status".to_owned()]), None);
    }

    #[test]
    fn every_command_of_a_text_is_for_the_machine_that_was_named() {
        let typed = ["logs", "run_1", "--host", "box", "--state-dir=/x"].map(str::to_owned);
        for (text, expected) in [
            ("hint: agent-worker list", "hint: agent-worker --host box --state-dir=/x list"),
            (
                "a: agent-worker peek bob shows it, agent-worker logs run_1 its run",
                "a: agent-worker --host box --state-dir=/x peek bob shows it, \
                 agent-worker --host box --state-dir=/x logs run_1 its run",
            ),
            ("see agent-worker runs", "see agent-worker --host box --state-dir=/x runs"),
            ("test: ssh box agent-worker --version", "test: ssh box agent-worker --version"),
            ("a version of agent-worker is old", "a version of agent-worker is old"),
        ] {
            let told = placed(text, &typed, Some("box"));
            assert_eq!(told, expected);
            assert_eq!(placed(&told, &typed, Some("box")), expected, "once is enough");
        }
        assert_eq!(placed("hint: agent-worker list", &[], None), "hint: agent-worker list");
    }

    #[test]
    fn a_command_alone_is_for_the_machine_that_was_named() {
        let typed = ["questions", "--host", "box", "--state-dir=/x"].map(str::to_owned);
        let line = "agent-worker answer q_7 TEXT";
        let expected = "agent-worker --host box --state-dir=/x answer q_7 TEXT";
        assert_eq!(command_placed(line, &typed, Some("box")), expected);
        assert_eq!(command_placed(expected, &typed, Some("box")), expected, "once is enough");
        assert_eq!(command_placed(line, &[], None), line);
    }

    #[test]
    fn a_command_that_needs_the_other_machine_is_run_there() {
        let typed = ["list", "--host", "box", "--state-dir", "/my x"].map(str::to_owned);
        let (all, named, none) = (&typed[..], &typed[..3], &typed[..0]);
        for (text, typed, expected) in [
            ("hint: agent-worker doctor", named, "hint: ssh -t box agent-worker doctor"),
            ("hint: agent-worker doctor", none, "hint: ssh -t box agent-worker doctor"),
            ("hint: agent-worker list", none, "hint: agent-worker list"),
            ("hint: agent-worker runs bob", none, "hint: agent-worker runs bob"),
            (
                "`agent-worker daemon logs` or `agent-worker daemon status`",
                named,
                "`ssh -t box agent-worker daemon logs` or `agent-worker --host box daemon status`",
            ),
            (
                "hint: agent-worker doctor",
                all,
                r"hint: ssh -t box agent-worker '--state-dir '\''/my x'\''' doctor",
            ),
            ("no --host here: agent-worker run", named, "no --host here: agent-worker run"),
        ] {
            let told = placed(text, typed, Some("box"));
            assert_eq!(told, expected);
            assert_eq!(placed(&told, typed, Some("box")), expected, "once is enough");
        }
        let typed = ["daemon", "--host", "0.0.0.0"].map(str::to_owned);
        assert_eq!(machine(&typed), None);
        let hint = "hint: agent-worker daemon stop";
        assert_eq!(placed(hint, &typed, None), hint, "its `--host` is an address");
    }

    #[test]
    fn each_command_of_a_hint_is_for_the_machine_that_was_named() {
        let typed = ["list", "--host", "here", "--state-dir=/x"].map(str::to_owned);
        let hint = "hint: agent-worker daemon stop; agent-worker daemon --host 127.0.0.2";
        let expected = "hint: agent-worker --host here --state-dir=/x daemon stop; \
                        agent-worker --state-dir=/x daemon --host 127.0.0.2";
        assert_eq!(placed(hint, &typed, None), expected);
        assert_eq!(placed(expected, &typed, None), expected, "once is enough");
    }

    #[test]
    fn a_member_is_named_beside_its_workflow() {
        let of = |line: &str| {
            let words = line.split(' ').map(str::to_owned).collect();
            as_member_of(Cli::command(), words, "ivy", "@news")
        };
        assert_eq!(of("peek --as ivy@news"), "agent-worker peek @news --as ivy");
        assert_eq!(of("--as=ivy@news peek -n 3"), "agent-worker peek @news -n 3 --as ivy");
        assert_eq!(of("doc read --as ivy@news"), "agent-worker doc read --in @news --as ivy");
        assert_eq!(of("send @news hi --as ivy@x"), "agent-worker send @news hi --as ivy");
        for (typed, again) in [
            ("proposal vote prop_2 x", "proposal vote prop_2 x"),
            ("resource read res_1", "resource read res_1"),
            ("group list", "group list @news"),
            ("logs run_1", "logs run_1"),
            ("sessions show session_1", "sessions show session_1"),
            ("why q_1", "why q_1"),
            ("status", "status"),
            ("search two", "search two @news"),
            ("schedule bob", "schedule bob@news"),
            ("home show bob", "home show bob@news"),
        ] {
            let again = format!("agent-worker {again} --as ivy");
            assert_eq!(of(&format!("{typed} --as ivy@news")), again);
        }
    }

    #[test]
    fn an_option_is_found_with_its_value() {
        let words = ["--as=bob", "list", "--as", "alice", "--no-start"].map(str::to_owned);
        assert_eq!(place(&words, "--as", true), Some(0..1));
        assert_eq!(place(&words[1..], "--as", true), Some(1..3));
        assert_eq!(place(&words, "--no-start", false), Some(4..5));
        assert_eq!(place(&words, "--no", false), None);
        assert_eq!(value(&words, "--as").as_deref(), Some("bob"));
        assert_eq!(value(&words[1..], "--as").as_deref(), Some("alice"));
        assert_eq!(value(&words, "--host"), None);
    }

    #[test]
    fn two_words_are_joined_and_the_options_stay() {
        let words = ["search", "search", "-n", "3", "word", "--as", "ivy"].map(str::to_owned);
        let joined = with_joined(words.to_vec(), "search", "word");
        assert_eq!(joined, ["search", "search word", "-n", "3", "--as", "ivy"]);
    }

    #[test]
    fn one_word_is_replaced_and_all_are_quoted() {
        let words = ["send", "news", "it's 5 o'clock"].map(str::to_owned).to_vec();
        let line = replaced(words, "news", "@news");
        assert_eq!(line, r"agent-worker send @news 'it'\''s 5 o'\''clock'");
    }
}
