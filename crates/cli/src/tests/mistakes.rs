//! What is meant by command lines that are not understood.

use clap::CommandFactory as _;

use super::*;

#[test]
fn the_help_of_an_action_is_found_behind_the_agent() {
    let help = |line: &str| {
        let words: Vec<_> = line.split(' ').map(str::to_owned).collect();
        help(&crate::args::Cli::command(), &words)
    };
    assert_eq!(help("schedule bob set 9am"), "agent-worker schedule set --help");
    assert_eq!(help("schedule list bob"), "agent-worker schedule list --help");
    assert_eq!(help("schedule bob 9am"), "agent-worker schedule --help");
    assert_eq!(help("send set run"), "agent-worker send --help");
}

fn error(words: &[&str]) -> clap::Error {
    let line = ["agent-worker"].iter().chain(words);
    crate::args::Cli::command().try_get_matches_from(line).unwrap_err()
}

#[test]
fn a_word_leads_first_to_the_command_that_begins_with_it() {
    for (word, meant) in [("stat", "status"), ("strt", "start")] {
        assert_eq!(near(&error(&[word]), word).as_deref(), Some(meant));
    }
}

#[test]
fn a_word_that_is_like_no_command_leads_to_the_help() {
    let unknown = error(&["bogus"]);
    assert!(unknown.get(ContextKind::SuggestedSubcommand).is_some());
    assert_eq!(near(&unknown, "bogus"), None);
    let program = crate::args::Cli::command();
    assert_eq!(meant(&program, &unknown, &["bogus".to_owned()]), None);
}

#[test]
fn an_unknown_command_is_called_a_command() {
    for words in [&["foo"][..], &["doc", "foo", "a.md"]] {
        let told = described(&error(words));
        assert!(told.starts_with("unknown command `foo`\n"), "{told}");
    }
}

#[test]
fn another_machine_or_member_is_not_guessed_from_any_word() {
    for (word, option, is) in [
        ("--hots", "--host", true),
        ("--cost", "--host", false),
        ("--last", "--as", false),
        ("--modle", "--model", true),
    ] {
        assert_eq!(is_near(word, option), is, "{word}");
    }
}

#[test]
fn two_letters_that_are_exchanged_are_one_mistake() {
    let program = crate::args::Cli::command();
    for (line, meant) in [("rnu", Some("run")), ("keys lsit", Some("list")), ("runn", None)] {
        let words: Vec<_> = line.split(' ').map(str::to_owned).collect();
        let word = words.last().unwrap();
        assert_eq!(transposed(&program, &words, word).as_deref(), meant, "{line}");
    }
}

#[test]
fn a_list_of_keys_is_no_value_of_a_key() {
    let program = crate::args::Cli::command();
    for (line, may_hold) in [("keys ls", false), ("keys ls sk-1", true), ("keys sk-1", true)] {
        let words: Vec<_> = line.split(' ').collect();
        let typed: Vec<_> = words.iter().map(|word| (*word).to_owned()).collect();
        assert_eq!(may_hold_key(&program, &error(&words), &typed), may_hold, "{line}");
    }
    assert_eq!(near(&error(&["keys", "ls"]), "ls").as_deref(), Some("list"));
}

#[test]
fn a_run_as_the_help_writes_it_leads_to_the_list_of_runs() {
    let words = ["logs", "RUN"];
    let program = crate::args::Cli::command();
    let hint = meant(&program, &error(&words), &words.map(str::to_owned));
    assert_eq!(hint.as_deref(), Some("agent-worker runs"));
    let told = described(&error(&words));
    assert!(told.contains(": write a run (`run_12`), an agent or a workflow"), "{told}");
}

#[test]
fn a_run_in_place_of_a_session_leads_to_its_transcript() {
    let program = crate::args::Cli::command();
    for (of, hint) in [("run_1", "logs run_1"), ("bob", "sessions list bob")] {
        let words = ["sessions", "show", of, "--json"];
        let told = meant(&program, &error(&words), &words.map(str::to_owned));
        assert_eq!(told, Some(format!("agent-worker {hint} --json")));
    }
}

#[test]
fn an_option_that_is_not_guessed_is_not_in_the_usage() {
    let program = crate::args::Cli::command();
    for (line, usage) in [
        ("limits --cost", "limits [OPTIONS] <TARGET> [LIMIT=VALUE]..."),
        ("ls --cost", "list [OPTIONS] [TARGET]"),
        ("--cost", "[OPTIONS] [COMMAND]"),
    ] {
        let words: Vec<_> = line.split(' ').collect();
        let unknown = error(&words);
        assert!(unknown.get(ContextKind::SuggestedArg).is_some());
        let words = words.into_iter().map(str::to_owned).collect();
        let told = refusal(&program, &unknown, words).to_string();
        let expected = format!("unexpected argument '--cost' found\nUsage: agent-worker {usage}");
        assert_eq!(told, expected);
    }
}

#[test]
fn a_target_that_is_missing_may_be_all() {
    let program = crate::args::Cli::command();
    for command in ["stop", "resume", "rm"] {
        let told = refusal(&program, &error(&[command]), vec![command.to_owned()]).to_string();
        let usage = format!("Usage: agent-worker {command} [OPTIONS] <TARGET>...|--all");
        assert!(told.ends_with(&usage), "{told}");
    }
}

#[test]
fn an_action_that_is_left_out_is_told_only_where_the_line_is_understood() {
    let program = crate::args::Cli::command();
    for (line, hint) in [
        ("doc diff plan.md @team", None),
        ("doc plan.md @team --version 3", Some("doc read plan.md @team --version 3")),
        ("config runs.max_runs 2", Some("config set runs.max_runs 2")),
        ("config runs.max_runs", Some("config get runs.max_runs")),
        ("config runs.max_runs 2 3", None),
        ("resource plan.md", None),
        ("config list", Some("config get")),
        ("config show runs.idle", Some("config get runs.idle")),
        ("doc cat plan.md @team", Some("doc read plan.md @team")),
        ("group show", Some("group list")),
        ("group show team-a", Some("group members team-a")),
        ("home list", None),
        ("home list ivy@team", Some("home show ivy@team")),
        ("resource show res_1", Some("resource read res_1")),
        ("sessions get session_1", Some("sessions show session_1")),
    ] {
        let words: Vec<_> = line.split(' ').collect();
        let typed: Vec<_> = words.iter().map(|word| (*word).to_owned()).collect();
        let told = meant(&program, &error(&words), &typed);
        assert_eq!(told, hint.map(|hint| format!("agent-worker {hint}")), "{line}");
    }
}

#[test]
fn a_conversation_is_read_with_its_workflow_and_two_members_by_an_option() {
    let program = crate::args::Cli::command();
    for (line, hint) in [
        ("peek team-a --in @review", "peek team-a@review"),
        ("peek ida+bob --in=@review -n 3", "peek @review --group ida+bob -n 3"),
        ("peek --in @review:pr-1", "peek @review:pr-1"),
        ("peek ida+bob@review", "peek @review --group ida+bob"),
        ("peek ida+bob --follow", "peek --group ida+bob --follow"),
    ] {
        let words: Vec<_> = line.split(' ').collect();
        let typed: Vec<_> = words.iter().map(|word| (*word).to_owned()).collect();
        let told = meant(&program, &error(&words), &typed);
        assert_eq!(told, Some(format!("agent-worker {hint}")), "{line}");
        let right: Vec<_> = hint.split(' ').map(str::to_owned).collect();
        assert!(mistake(&program, &right).is_none(), "{hint}");
    }
    let words = ["search", "x", "--in", "@review"];
    assert_eq!(meant(&program, &error(&words), &words.map(str::to_owned)), None);
}

#[test]
fn a_value_is_corrected_only_to_what_is_not_refused_again() {
    let program = crate::args::Cli::command();
    for (line, hint) in [
        ("run --tag A:B", None),
        ("run --tag=A:B", None),
        ("run --model GPT", None),
        ("run --timeout Soon", None),
        ("run -p Base", None),
        ("run --timeout 10", Some("run --timeout 10s")),
        ("stop Alice Bob", Some("stop alice Bob")),
        ("list @TEAM:PR-1", Some("list @team:PR-1")),
        ("new ivy --in Foo", Some("new ivy --in foo")),
    ] {
        let words: Vec<_> = line.split(' ').collect();
        let typed: Vec<_> = words.iter().map(|word| (*word).to_owned()).collect();
        let told = meant(&program, &error(&words), &typed);
        assert_eq!(told, hint.map(|hint| format!("agent-worker {hint}")), "{line}");
    }
}

#[test]
fn a_new_agent_with_its_workflow_is_taken_apart() {
    for (word, right) in [
        ("bob@review", "bob --workflow review"),
        ("Bob@review:pr-1", "bob --workflow review --tag pr-1"),
        ("bob@global:", "bob --workflow global"),
    ] {
        let words = ["new", word];
        let hint = meant(&crate::args::Cli::command(), &error(&words), &words.map(str::to_owned));
        assert_eq!(hint, Some(format!("agent-worker new {right}")));
    }
}

#[test]
fn a_new_agent_is_taken_apart_only_if_the_line_is_understood_then() {
    let program = crate::args::Cli::command();
    for words in [
        &["new", "Bob Smith@review"][..],
        &["new", "2nd@review"],
        &["new", "bob@review:pr-2", "--tag", "pr-1"],
        &["new", "bob@review:pr-2", "--in", "@review"],
        &["new", "bob@review", "--workflow=news"],
    ] {
        let typed: Vec<_> = words.iter().map(|word| (*word).to_owned()).collect();
        assert_eq!(meant(&program, &error(words), &typed), None, "{words:?}");
    }
    let tagged = ["new", "bob@review", "--tag", "pr-1"];
    let hint = value("new", &tagged.map(str::to_owned), "bob@review").unwrap();
    assert!(mistake(&program, &hint).is_none(), "{hint:?}");
}

#[test]
fn an_elector_with_its_workflow_is_taken_apart() {
    let program = crate::args::Cli::command();
    let create = ["proposal", "create", "approval", "merge?", "--electors", "ann@news"];
    let expected = Some("agent-worker proposal create approval 'merge?' --electors ann --in @news");
    for more in [&["--in", "@news"][..], &[]] {
        let words = [&create[..], more].concat();
        let typed: Vec<_> = words.iter().map(|word| (*word).to_owned()).collect();
        let hint = meant(&program, &error(&words), &typed);
        assert_eq!(hint.as_deref(), expected, "{more:?}");
    }
    let words = [&create[..], &["--in", "@other"]].concat();
    let typed: Vec<_> = words.iter().map(|word| (*word).to_owned()).collect();
    assert_eq!(meant(&program, &error(&words), &typed), None);
}

#[test]
fn an_agent_behind_the_action_is_put_before_it_only_if_the_rest_is_understood() {
    let program = crate::args::Cli::command();
    let meant = |line: &str| {
        let words: Vec<&str> = line.split(' ').collect();
        let typed: Vec<_> = words.iter().map(|word| (*word).to_owned()).collect();
        meant(&program, &error(&words), &typed)
    };
    let right = "agent-worker schedule bob set 30m --name daily";
    assert_eq!(meant("schedule set bob 30m --name daily").as_deref(), Some(right));
    assert_eq!(meant("schedule set bob daily --cron 9am"), None);
}
