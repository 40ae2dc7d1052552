//! Commands as other programs, or other commands, have them, and what they are called here.

use std::env;

use agent_worker_client::discovery::TOKEN_VARIABLE;
use agent_worker_protocol::{Conversation, Scope, Tag};

use crate::again;

/// Commands, with what others call them.
const COMMANDS: [(&str, &str); 21] = [
    ("ask", "chat"),
    ("check", "lint validate"),
    ("config", "settings"),
    ("daemon", "restart"),
    ("doc", "docs team_doc_read"),
    ("home", "memory"),
    ("inbox", "my_inbox"),
    ("info", "inspect show"),
    ("list", "agents workflows"),
    ("logs", "log tail"),
    ("new", "create hire"),
    ("peek", "channel channel_read follow messages read"),
    ("proposal", "votes"),
    ("providers", "models"),
    ("rm", "delete destroy remove"),
    ("runs", "tasks"),
    ("schedule", "schedules"),
    ("send", "channel_send message send_message send_to_agent"),
    ("start", "launch up"),
    ("stop", "down kill pause"),
    ("tui", "ui"),
];

/// Actions of reading, as one command or another calls them.
pub const READ: [&str; 7] = ["cat", "get", "list", "ls", "read", "show", "view"];

/// The command line for what a word would do elsewhere.
pub fn meant(word: &str) -> Option<String> {
    if word == "version" {
        return Some("agent-worker --version".to_owned());
    }
    let (ours, _) = COMMANDS.iter().find(|(_, others)| others.split(' ').any(|it| it == word))?;
    Some(match (word, *ours) {
        // An agent has a tool for it, and may not use the command.
        ("hire", _) if is_in_run() => "call the tool `agent_create`".to_owned(),
        ("restart", _) => "agent-worker daemon restart".to_owned(),
        ("team_doc_read", _) => "agent-worker doc read".to_owned(),
        (_, ours @ ("list" | "providers")) => format!("agent-worker {ours}"),
        (_, ours) => format!("agent-worker {ours} --help"),
    })
}

/// Whether this is the shell of an agent.
fn is_in_run() -> bool {
    env::var_os(TOKEN_VARIABLE).is_some_and(|token| !token.is_empty())
}

/// `run --background` is `start --background`.
pub fn detached(words: &[String], word: &str) -> Option<String> {
    let is_detached = ["-d", "--detach", "--background"].contains(&word);
    (is_detached && words.first()? == "run").then(|| again::with("run", "start"))
}

/// `peek team-a --in @review` is `peek team-a@review`.
pub fn in_workflow(words: &[String], option: &str) -> Option<String> {
    let [command, rest @ ..] = words else { return None };
    if command != "peek" || option != "--in" {
        return None;
    }
    let named = again::value(words, option)?;
    let scope: Scope = named.parse().ok()?;
    let is_place = |word: &str| word == named || word == option || word.starts_with("--in=");
    let mut line: Vec<_> = rest.iter().filter(|word| !is_place(word)).cloned().collect();
    let has_name = line.first().is_some_and(|word| !word.starts_with('-'));
    // Behind an option it is not known which word is the name.
    if !has_name && line.iter().any(|word| !word.starts_with('-')) {
        return Some(again::line(&[command.clone(), "--help".to_owned()]));
    }
    let name = if has_name { line.remove(0) } else { String::new() };
    if name.contains('@') {
        return None;
    }
    let target = format!("{name}{scope}");
    line.splice(0..0, [command.clone(), target.clone()]);
    pair(&line, &target).or_else(|| Some(again::line(&line)))
}

/// `peek alice+bob@review`: a conversation of two members is an option.
pub fn pair(words: &[String], word: &str) -> Option<String> {
    let [command, target, rest @ ..] = words else { return None };
    let (pair, scope) = word.split_at(word.find('@').unwrap_or(word.len()));
    let is_pair = pair.contains('+') && pair.parse::<Conversation>().is_ok();
    if command != "peek" || target != word || !is_pair {
        return None;
    }
    let front = [command.as_str(), scope, "--group", pair];
    let front = front.into_iter().filter(|word| !word.is_empty()).map(ToOwned::to_owned);
    let line: Vec<_> = front.chain(rest.iter().cloned()).collect();
    Some(again::line(&line))
}

/// `team-a@review` of a new group, `bob@review` of an elector: the workflow is an option.
pub fn in_place(word: &str) -> Option<[String; 3]> {
    let (name, scope) = word.split_once('@')?;
    let scope = format!("@{scope}");
    let is_place = !name.is_empty() && scope.parse::<Scope>().is_ok();
    is_place.then(|| [name.to_owned(), "--in".to_owned(), scope])
}

/// `bob@review` of a new agent: its workflow is an option.
pub fn joining(word: &str) -> Option<Vec<String>> {
    let [name, _, scope] = in_place(word.trim_end_matches([':', '@', ',', '.']))?;
    let scope: Scope = scope.parse().ok()?;
    let mut line = vec![name.to_lowercase(), "--workflow".to_owned(), scope.workflow.to_string()];
    if scope.tag != Tag::main() {
        line.extend(["--tag".to_owned(), scope.tag.to_string()]);
    }
    Some(line)
}

/// `doc read plan.md@review` is `doc read plan.md @review`, where no workflow is named already.
/// Returns the workflow too, which may not exist.
pub fn document(words: &[String], word: &str) -> Option<(Scope, String)> {
    if words.iter().any(|word| word.starts_with('@')) || again::value(words, "--in").is_some() {
        return None;
    }
    let at = words.iter().position(|typed| typed == word)?;
    let [name, _, place] = in_place(word)?;
    let scope: Scope = place.parse().ok()?;
    let mut line = words.to_vec();
    line.splice(at..=at, [name, place]);
    Some((scope, again::line(&line)))
}

/// `doc append "- a point"`: a text that looks like an option.
pub fn dashed(words: &[String]) -> Option<String> {
    let at = words.iter().position(|word| word.starts_with("- "))?;
    let mut line = words.to_vec();
    match words.get(at.checked_sub(1)?).filter(|before| before.starts_with("--")) {
        Some(option) => {
            line.splice(at - 1..=at, [format!("{option}={}", words[at])]);
        }
        None => line.insert(at, "--".to_owned()),
    }
    Some(again::line(&line))
}

/// The id that a number is of, alone or behind a beginning of the id's own prefix.
pub fn id(command: &str, word: &str) -> Option<String> {
    let prefix = match command {
        "answer" => "q_",
        "cancel" => "run_",
        "proposal" => "prop_",
        "resource" => "res_",
        "sessions" => "session_",
        _ => return None,
    };
    let digits = word.trim_start_matches(|c: char| !c.is_ascii_digit());
    let before = word.strip_suffix(digits)?.to_lowercase();
    let number = digits.parse::<i64>().ok()?;
    prefix.starts_with(&before).then(|| format!("{prefix}{number}"))
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory as _;

    use super::*;
    use crate::args::Cli;

    #[test]
    fn every_other_word_leads_to_a_command_and_is_none_itself() {
        let command = Cli::command();
        for (ours, others) in COMMANDS {
            assert!(command.find_subcommand(ours).is_some(), "{ours}");
            for other in others.split(' ') {
                assert!(command.find_subcommand(other).is_none(), "{other}");
            }
        }
        assert_eq!(meant("send_message").unwrap(), "agent-worker send --help");
        assert_eq!(meant("version").unwrap(), "agent-worker --version");
        assert_eq!(meant("nothing"), None);
    }

    #[test]
    fn a_document_with_its_workflow_is_taken_apart_where_no_other_is_named() {
        for (line, path, hint) in [
            ("doc read plan.md@hello", "plan.md@hello", Some("doc read plan.md @hello")),
            (
                "doc read --file a@x:pr-1 --json",
                "a@x:pr-1",
                Some("doc read --file a @x:pr-1 --json"),
            ),
            ("doc read --file=a@x", "--file=a@x", Some("doc read --file=a @x")),
            ("doc read plan.md@hello @team", "plan.md@hello", None),
            ("doc read plan.md@hello --in=@team", "plan.md@hello", None),
            ("doc read plan@2", "plan@2", None),
            ("doc read plan.md", "plan.md", None),
        ] {
            let words: Vec<_> = line.split(' ').map(str::to_owned).collect();
            let expected = hint.map(|hint| format!("agent-worker {hint}"));
            assert_eq!(document(&words, path).map(|(_, line)| line), expected, "{line}");
        }
    }

    #[test]
    fn an_id_is_corrected_only_to_one_of_its_own_kind() {
        for word in ["3", "q3", "Q_3", "q_3", "003"] {
            assert_eq!(id("answer", word).as_deref(), Some("q_3"), "{word}");
        }
        assert_eq!(id("sessions", "sess3").as_deref(), Some("session_3"));
        for word in ["q_3", "x3", "3x", "run_", "", "-3", "99999999999999999999"] {
            assert_eq!(id("cancel", word), None, "{word}");
        }
    }
}
