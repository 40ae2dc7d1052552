//! Names that a shell completes.

use std::process::{Command, Stdio};

use crate::{
    control_room::screen::{Setup, Terminal, text},
    support::{Home, Team, mock, wait_until},
};

/// A home with a running workflow `news`, of an agent `ivy`.
fn news() -> Home {
    let home = Home::new();
    let file = Team::new("news", "").agent("ivy", &mock("- say: la")).write(&home);
    home.ok(&["start", &file, "-d"]);
    home
}

/// Bash with the environment of a home.
fn bash_with(home: &Home, args: &[&str]) -> Command {
    let plain = home.command(&[]);
    let mut command = Command::new("bash");
    command.args(args).env_clear().current_dir(home.work());
    command.envs(plain.get_envs().filter_map(|(name, value)| Some((name, value?))));
    command
}

/// What bash puts in the place of the last word that it sees of a line.
fn bash(home: &Home, line: &str, words: &[&str]) -> String {
    let script = home.write("completions.bash", &home.ok(&["completions", "bash"]));
    let script = format!(
        ". '{}'; COMP_LINE=$1; shift; COMP_WORDS=(\"$@\"); COMP_CWORD=$(($# - 1)); \
         _agent_worker agent-worker \"${{COMP_WORDS[COMP_CWORD]}}\" x; echo \"${{COMPREPLY[@]}}\"",
        script.display()
    );
    let mut command = bash_with(home, &["--norc", "-c", &script, "bash", line]);
    let output = command.args(words).stdin(Stdio::null()).output().expect("bash runs");
    assert!(output.status.success(), "{output:?}");
    String::from_utf8(output.stdout).unwrap().trim_end().to_owned()
}

/// What bash puts there in the end: a daemon on a busy machine may answer later than a key waits.
fn completed(home: &Home, line: &str, words: &[&str]) -> String {
    let mut told = String::new();
    wait_until("names are completed", || {
        told = bash(home, line, words);
        !told.is_empty()
    });
    told
}

#[test]
fn bash_completes_names_with_the_signs_at_which_it_breaks_words() {
    let home = news();
    let of = |line: &str, words: &[&str]| completed(&home, line, words);
    assert_eq!(of("agent-worker peek @ne", &["agent-worker", "peek", "@", "ne"]), "news");
    let words = ["agent-worker", "peek", "ivy", "@", "ne"];
    assert_eq!(of("agent-worker peek ivy@ne", &words), "news");
    let words = ["agent-worker", "--as", "=", "user", "peek", "iv"];
    assert_eq!(of("agent-worker --as=user peek iv", &words), "ivy@news");
    assert_eq!(of("agent-worker pee", &["agent-worker", "pee"]), "peek");
    let words = ["agent-worker", "limits", "@", "news", "tok"];
    assert_eq!(of("agent-worker limits @news tok", &words), "tokens=");
    for action in ["get", "set"] {
        let words = ["agent-worker", "config", action, "runs.retry_de"];
        assert_eq!(of(&words.join(" "), &words), "runs.retry_delay");
    }
}

#[test]
fn names_are_those_of_the_state_directory_that_is_named() {
    let (mut plain, other) = (Home::new(), news());
    plain.set("AGENT_WORKER_HOST", "box");
    let folder = other.path().display().to_string();
    let words = ["agent-worker", "--host", "here", "--state-dir", &folder, "peek", "iv"];
    assert_eq!(completed(&plain, &words.join(" "), &words), "ivy@news");
    let words = ["agent-worker", "--state-dir", &folder, "peek", "iv"];
    assert_eq!(bash(&plain, &words.join(" "), &words), "", "that is a directory there");
}

/// A line of bash on a terminal becomes this one with the key Tab.
fn assert_tab(terminal: &Terminal, line: &str, completed: &str) {
    let prompts = |screen: &vt100::Screen| text(screen).matches("aw>").count();
    wait_until(completed, || {
        let before = terminal.look(|emulator| prompts(emulator.screen()));
        // The line becomes a comment, so that the next prompt says that it is complete.
        terminal.press(&format!("{line}\t\u{1}#\r"));
        terminal.wait_for("another prompt", |screen| prompts(screen) > before);
        let shown = terminal.text();
        terminal.press("\u{c}");
        terminal.wait_for("a clear screen", |screen| prompts(screen) == 1);
        shown.lines().any(|shown| shown.trim_end() == format!("aw>#{completed}"))
    });
}

#[test]
fn bash_completes_on_a_terminal() {
    let home = news();
    home.write("my files/team one.yaml", "");
    let script = home.write("rc", &format!("PS1='aw>'\n{}", home.ok(&["completions", "bash"])));
    let mut command = bash_with(&home, &["--rcfile", script.to_str().unwrap(), "-i"]);
    command.env("INPUTRC", "/dev/null");
    let terminal = Terminal::start(command, &Setup::default());
    terminal.wait_for_text("aw>");
    for (line, completed) in [
        ("peek @ne", "peek @news"),
        ("peek ivy@n", "peek ivy@news"),
        ("peek iv", "peek ivy@news"),
        ("--as=user peek iv", "--as=user peek ivy@news"),
        ("run my", r"run my\ files/"),
        (r"run my\ files/te", r"run my\ files/team\ one.yaml"),
        ("run 'my files/te", "run 'my files/team one.yaml'"),
        ("run ~/wo", "run ~/work/"),
    ] {
        let typed = format!("agent-worker {line}");
        assert_tab(&terminal, &typed, &format!("agent-worker {completed}"));
    }
}
