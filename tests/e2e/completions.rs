//! Names that a shell completes.

use std::process::{Command, Stdio};

use crate::support::{Home, Team, mock, wait_until};

/// A home with a running workflow `news`, of an agent `ivy`.
fn news() -> Home {
    let home = Home::new();
    let file = Team::new("news", "").agent("ivy", &mock("- say: la")).write(&home);
    home.ok(&["start", &file, "-d"]);
    home
}

/// What bash puts in the place of the last word that it sees of a line.
fn bash(home: &Home, line: &str, words: &[&str]) -> String {
    let script = home.write("completions.bash", &home.ok(&["completions", "bash"]));
    let script = format!(
        ". '{}'; COMP_LINE=$1; shift; COMP_WORDS=(\"$@\"); COMP_CWORD=$(($# - 1)); \
         _agent_worker agent-worker \"${{COMP_WORDS[COMP_CWORD]}}\" x; echo \"${{COMPREPLY[@]}}\"",
        script.display()
    );
    let plain = home.command(&[]);
    let mut command = Command::new("bash");
    command.args(["--norc", "-c", &script, "bash", line]).args(words);
    command.env_clear().current_dir(home.work()).stdin(Stdio::null());
    command.envs(plain.get_envs().filter_map(|(name, value)| Some((name, value?))));
    let output = command.output().expect("bash runs");
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
