use clap::CommandFactory as _;

use super::*;

fn parse(line: &str) -> Result<Cli, clap::Error> {
    Cli::try_parse_from(line.split_whitespace())
}

#[test]
fn the_commands_fit_together() {
    Cli::command().debug_assert();
}

#[test]
fn every_command_has_a_help_with_an_example() {
    for command in Cli::command().get_subcommands().filter(|command| !command.is_hide_set()) {
        let name = command.get_name();
        assert!(command.get_about().is_some(), "{name}");
        let help = command.get_after_help().map(ToString::to_string).unwrap_or_default();
        assert!(help.contains(&format!("agent-worker {name}")), "{name}: {help}");
    }
}

#[test]
fn an_elector_is_named_in_any_case_and_with_its_sign() {
    let line = "agent-worker proposal create approval merge? --electors @Ann,bob";
    let matches = Cli::command().try_get_matches_from(line.split_whitespace()).unwrap();
    let (_, proposal) = matches.subcommand().unwrap();
    let (_, create) = proposal.subcommand().unwrap();
    let electors: Vec<&String> = create.get_many("electors").unwrap().collect();
    assert_eq!(electors, ["ann", "bob"]);
}

/// The examples of a command and those below it.
fn examples_of(command: &clap::Command) -> Vec<String> {
    let own = command.get_after_help().map(ToString::to_string).unwrap_or_default();
    let own = own.lines().skip(1).map(|line| line.trim().to_owned()).collect::<Vec<_>>();
    own.into_iter().chain(command.get_subcommands().flat_map(examples_of)).collect()
}

#[test]
fn every_example_names_commands_that_exist() {
    let program = Cli::command();
    let examples = examples_of(&program);
    assert!(examples.len() > 100, "{}", examples.len());
    for line in examples {
        let mut named = line.split("agent-worker ").skip(1).peekable();
        assert!(named.peek().is_some(), "{line}");
        for rest in named {
            let word = rest.split([' ', ')']).next().unwrap_or_default();
            assert!(program.find_subcommand(word).is_some(), "no command `{word}`: {line}");
        }
    }
}

#[test]
fn the_examples_with_the_review_name_its_members() {
    for line in examples_of(&Cli::command()).iter().filter(|line| line.contains("@review")) {
        let is_other = ["alice", "bob", "carol"].iter().any(|name| line.contains(name));
        assert!(!is_other, "{line}");
    }
}

#[test]
fn options_of_all_commands_may_stand_behind_the_command() {
    let cli = parse("agent-worker list @review --json --as alice --no-start").unwrap();
    assert!(cli.globals.json && cli.globals.no_start);
    assert_eq!(cli.globals.member.unwrap().to_string(), "alice");
    let cli = parse("agent-worker mcp --as ide@review:pr-1").unwrap();
    assert_eq!(cli.globals.member.unwrap().to_string(), "ide@review:pr-1");
}

#[test]
fn a_new_agent_joins_a_workflow_as_other_commands_name_it() {
    for scope in ["@review:pr-1", "review:pr-1"] {
        let cli = parse(&format!("agent-worker new bob --in {scope}")).unwrap();
        let Command::New(new) = cli.command.unwrap() else { panic!("`new` is read") };
        assert_eq!(new.scope.unwrap().to_string(), "@review:pr-1");
    }
    assert!(parse("agent-worker new bob --in @review --workflow review").is_err());
}

#[test]
fn what_is_no_target_is_refused_with_the_rule() {
    for line in [
        "agent-worker info alice@",
        "agent-worker logs -- -3",
        "agent-worker retry run@",
        "agent-worker limits @review tokens",
        "agent-worker events --kind message.read",
        "agent-worker run x.yaml --timeout soon",
        "agent-worker run x.yaml --model foo",
        "agent-worker start x.yaml --model openai/",
        "agent-worker mcp --as @review",
    ] {
        assert_eq!(parse(line).unwrap_err().exit_code(), 2, "{line}");
    }
}

#[test]
fn a_number_of_entries_is_at_least_one_and_at_most_what_the_help_says() {
    for list in [
        "daemon logs",
        "inbox",
        "peek",
        "proposal list",
        "questions",
        "resource list",
        "runs",
        "search x",
        "sessions list a",
        "sessions show session_1",
    ] {
        let with = |number: u32| parse(&format!("agent-worker {list} -n {number}"));
        assert_eq!(with(0).unwrap_err().exit_code(), 2, "{list}");
        assert!(with(1).is_ok() && with(100).is_ok(), "{list}");
    }
    for over in ["search x -n 101", "sessions show session_1 -n 501"] {
        assert!(parse(&format!("agent-worker {over}")).is_err(), "{over}");
    }
}

/// All text of the program in which a command could be named.
fn sources(folder: &std::path::Path, found: &mut Vec<String>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|end| end == "rs") {
            found.push(std::fs::read_to_string(&path).unwrap());
        }
    }
}

#[test]
fn every_command_that_is_named_anywhere_exists() {
    let crates = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut texts = Vec::new();
    for name in ["protocol", "client", "daemon", "worker", "cli"] {
        sources(&crates.join(name).join("src"), &mut texts);
    }
    let command = Cli::command();
    let exists = |word: &str| command.find_subcommand(word).is_some();
    let program = concat!("agent-worker", " ");
    let mut named = 0;
    for line in texts.iter().flat_map(|text| text.lines()) {
        // In a comment, or behind an `of`, it is the program and no command.
        let is_prose = line.trim_start().starts_with("//") && !line.contains('`');
        let is_named = |at: usize| !is_prose && !line[..at].ends_with("of ");
        for (at, _) in line.match_indices(program).filter(|(at, _)| is_named(*at)) {
            let rest = &line[at + program.len()..];
            let is_word = |c: char| c.is_ascii_lowercase() || c == '-';
            let end = rest.find(|c: char| !is_word(c)).unwrap_or(rest.len());
            let word = rest[..end].trim_end_matches('-').split("--").next().unwrap_or("");
            named += usize::from(!word.is_empty());
            assert!(word.is_empty() || exists(word), "no command `{word}`: {line}");
        }
    }
    assert!(named > 100, "{named}");
}

#[test]
fn the_daemon_has_options_or_a_command() {
    assert!(parse("agent-worker daemon --port 4711 --host 0.0.0.0 --allow-host box").is_ok());
    assert!(parse("agent-worker daemon stop").is_ok());
    assert!(parse("agent-worker daemon --port 4711 stop").is_err());
}

/// The helps of a command and those below it, and of their arguments, that are longer than 60
/// characters before the values in brackets.
fn long_helps(command: &clap::Command) -> Vec<String> {
    let of_arguments = command.get_arguments().filter_map(clap::Arg::get_help);
    let own = command.get_about().into_iter().chain(of_arguments).map(ToString::to_string);
    let said = |help: &String| help.split(" [").next().unwrap_or_default().chars().count();
    let long = own.filter(|help| said(help) > 60);
    long.chain(command.get_subcommands().flat_map(long_helps)).collect()
}

/// The help of an argument of a command.
fn help_of(command: &str, argument: &str) -> String {
    let program = Cli::command();
    let mut arguments = program.find_subcommand(command).unwrap().get_arguments();
    let found = arguments.find(|arg| arg.get_id().as_str() == argument).unwrap();
    found.get_help().unwrap().to_string()
}

#[test]
fn all_says_for_each_command_what_it_takes() {
    let told = ["stop", "resume", "rm"].map(|command| help_of(command, "all"));
    assert_eq!(
        told,
        [
            "All running workflows, and active agents of `@global`",
            "All that are stopped, paused or stalled",
            "All that are stopped or have ended, if you confirm it",
        ]
    );
}

/// All that the help of a command says about it.
fn about(command: &str) -> String {
    let program = Cli::command();
    program.find_subcommand(command).unwrap().get_long_about().unwrap().to_string()
}

#[test]
fn the_commands_for_deliveries_say_what_these_are() {
    for command in ["retry", "drop"] {
        let told = about(command);
        assert!(told.contains("A dead letter is a delivery without attempts left."), "{told}");
    }
    for command in ["drop", "release"] {
        let told = about(command);
        assert!(told.contains("A held delivery waits for your decision"), "{told}");
    }
}

#[test]
fn wake_says_what_it_does_with_and_without_deliveries() {
    let told = about("wake");
    assert!(told.contains("Deliveries that were to start it later"), "{told}");
    assert!(told.contains("Without such deliveries it gets one run"), "{told}");
}

#[test]
fn cancel_says_what_becomes_of_the_deliveries_and_of_a_question() {
    let told = about("cancel");
    assert!(told.starts_with("End a run now and hold its deliveries"), "{told}");
    assert!(told.contains("`release` gives the held deliveries to the agent again."), "{told}");
    assert!(told.contains("The question of an `ask` is discarded."), "{told}");
}

/// Arguments of a command and those below it whose values are not in the help.
fn of_hidden_values(command: &clap::Command) -> Vec<String> {
    let own = command.get_arguments().filter(|arg| arg.is_hide_possible_values_set());
    let own = own.map(|arg| format!("{} {}", command.get_name(), arg.get_id()));
    own.chain(command.get_subcommands().flat_map(of_hidden_values)).collect()
}

#[test]
fn every_help_names_the_values_of_an_option() {
    assert_eq!(of_hidden_values(&Cli::command()), Vec::<String>::new());
}

/// Arguments of a command and those below it that take a span of time, without an example of one.
fn of_spans_without_example(command: &clap::Command) -> Vec<String> {
    let takes_span = |arg: &&clap::Arg| {
        arg.get_value_names().unwrap_or_default().iter().any(|name| name.as_str() == "SPAN")
    };
    let help = |arg: &clap::Arg| arg.get_help().map(ToString::to_string).unwrap_or_default();
    let bare = command.get_arguments().filter(takes_span).map(help);
    let bare = bare.filter(|help| !help.contains("such as `"));
    bare.chain(command.get_subcommands().flat_map(of_spans_without_example)).collect()
}

#[test]
fn every_help_of_a_span_of_time_has_an_example() {
    assert_eq!(of_spans_without_example(&Cli::command()), Vec::<String>::new());
}

#[test]
fn every_help_says_in_60_characters_what_it_is_for() {
    assert_eq!(long_helps(&Cli::command()), Vec::<String>::new());
}
