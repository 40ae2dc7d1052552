//! A user's first minutes in the control room.

use super::screen::{Setup, Terminal};
use crate::support::{Home, Team, mock};

/// The first key that the screen names in a line of its own, and what it says that does.
fn first_hint(screen: &vt100::Screen) -> Option<(String, String)> {
    let text = screen.contents();
    text.lines().map(|line| line.rsplit('\u{2502}').next().unwrap_or(line)).find_map(|line| {
        let (key, does) = line.trim().split_once("   ")?;
        (key.chars().count() == 1).then(|| (key.to_owned(), does.trim().to_owned()))
    })
}

/// Waits until the first key that the screen names does this, and presses it.
fn follow_first_hint(terminal: &Terminal, wanted: &str) {
    let mut key = String::new();
    terminal.wait_for(&format!("the first hint is to {wanted}"), |screen| {
        let hint = first_hint(screen).filter(|(_, does)| does == wanted);
        hint.map(|(named, _)| key = named).is_some()
    });
    terminal.press(&key);
}

#[test]
fn h_1_a_workflow_runs_after_three_keys_and_a_path() {
    let home = Home::new();
    let script = mock("- say: hello");
    let file = Team::new("hello", "@alice say hello").agent("alice", &script).write(&home);
    let terminal = Terminal::tui(&home, &Setup { columns: 80, rows: 24, ..Setup::default() }, &[]);
    terminal.wait_for_text("No daemon is running here.");
    follow_first_hint(&terminal, "start the daemon");
    terminal.wait_for_text("No workflow is running");
    follow_first_hint(&terminal, "start a workflow from a YAML file");
    terminal.wait_for_text("a workflow's YAML file, or its folder");
    terminal.paste(&file);
    terminal.wait_for_text(&file);
    terminal.press("\r");
    terminal.wait_for("its channel with what was said", |screen| {
        let text = screen.contents();
        let subject = text.lines().nth(1).unwrap_or_default();
        subject.contains("hello") && text.contains("@alice say hello") && text.contains("alice")
    });
    home.ok(&["daemon", "stop"]);
}

#[test]
fn h_1_where_a_daemon_runs_two_keys_and_a_path_are_enough() {
    let home = Home::new();
    let daemon = home.daemon();
    let file = Team::new("hello", "").agent("alice", &mock("- say: hello")).write(&home);
    let terminal = Terminal::tui(&home, &Setup::default(), &[]);
    terminal.wait_for_text("No workflow is running");
    follow_first_hint(&terminal, "start a workflow from a YAML file");
    terminal.wait_for_text("a workflow's YAML file, or its folder");
    terminal.paste(&file);
    terminal.wait_for_text(&file);
    terminal.press("\r");
    terminal.wait_for_text("started hello:main");
    drop(terminal);
    daemon.stop();
}
