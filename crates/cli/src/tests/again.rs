use agent_worker_protocol::Home;
use clap::{CommandFactory as _, Parser as _};

use super::*;
use crate::args::{Cli, Command as Typed};

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
        (
            "hint: mv -n a b && agent-worker runs",
            "hint: mv -n a b && agent-worker --host box --state-dir=/x runs",
        ),
        (
            "mend it, then agent-worker list and agent-worker resume bob",
            "mend it, then agent-worker --host box --state-dir=/x list and \
             agent-worker --host box --state-dir=/x resume bob",
        ),
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
        let expected = expected.replace("ssh -t box ", &ssh_line("box", ""));
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
        ("schedule list", "schedule list @news"),
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
fn an_option_takes_the_place_of_one_that_excludes_it() {
    let words = ["mcp-config", "ide", "--new-token"].map(str::to_owned).to_vec();
    let words = with_instead(words, "--new-token", "mcp-config", "--stdio");
    assert_eq!(words, ["mcp-config", "--stdio", "ide"]);
}

#[test]
fn one_word_is_replaced_and_all_are_quoted() {
    let words = ["send", "news", "it's 5 o'clock"].map(str::to_owned).to_vec();
    let line = replaced(words, "news", "@news");
    assert_eq!(line, r"agent-worker send @news 'it'\''s 5 o'\''clock'");
}

#[test]
fn an_option_is_replaced_each_time_it_is_given_and_another_word_once() {
    for (typed, word, other, again) in [
        ("new --elector a --elector b", "--elector", "--voter", "new --voter a --voter b"),
        ("send news news", "news", "@news", "send @news news"),
    ] {
        let words = typed.split(' ').map(str::to_owned).collect();
        assert_eq!(replaced(words, word, other), format!("agent-worker {again}"));
    }
}

#[test]
fn an_option_whose_value_may_be_left_out_takes_no_other_word() {
    for typed in [
        "agent-worker --host me@box new alice --backend mock",
        "agent-worker new --backend mock alice --home work",
        "agent-worker new --home=work alice --backend mock",
    ] {
        let words = typed.split(' ').map(str::to_owned).collect();
        let words = with_value_in(words, "new", "--home", "true");
        let Some(Typed::New(new)) = Cli::try_parse_from(&words).unwrap().command else {
            panic!("{words:?}")
        };
        assert_eq!((new.agent.name.as_str(), &new.agent.home), ("alice", &Some(Home::Own)));
        assert_eq!(new.agent.backend.as_deref(), Some("mock"));
    }
}
