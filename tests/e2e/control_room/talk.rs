//! Conversations, inboxes and queues of a real daemon: what is said, read, searched and waited for.

use agent_worker_protocol::workflow::Mode;

use super::{
    screen::{Setup, Terminal},
    stage::{Stage, say},
};
use crate::support::{Team, Watch, block_on, mock};

fn small() -> Setup {
    Setup { columns: 80, rows: 24, ..Setup::default() }
}

/// A daemon with a team of which one has said these and ended.
fn told(words: &[&str]) -> Stage {
    let stage = Stage::empty();
    let calls = words
        .iter()
        .map(|words| format!("- call: channel_send\n  with: {{ message: \"{words}\" }}"));
    let script = mock(&calls.collect::<Vec<_>>().join("\n"));
    block_on(async {
        let client = stage.client();
        let mut watch = Watch::now(&client).await;
        let team = Team::new("team", "@alice go").agent("alice", &script);
        team.start(&stage.home, &client, Mode::Start).await;
        watch.run_ended(|_| true).await;
    });
    stage
}

/// The line of the team's channel in the tree.
fn channel_line(terminal: &Terminal) -> String {
    let text = terminal.text();
    let line = text.lines().find(|line| line.contains("# channel")).unwrap_or_default();
    line.split('\u{2502}').next().unwrap_or_default().trim_end().to_owned()
}

#[test]
fn d_1_a_message_is_on_the_screen_once_it_is_stored() {
    let stage = Stage::idle();
    let mut terminal = stage.tui(&small(), &["@team"]);
    stage.home.ok(&["send", "@team", "hello from a shell"]);
    terminal.wait_for_text("hello from a shell");
    assert!(terminal.quit().success());
}

#[test]
fn d_5_what_is_read_here_is_read_in_other_terminals_too() {
    let stage = told(&["one", "two", "three"]);
    let mut reader = stage.tui(&small(), &["@team"]);
    let mut other = stage.tui(&small(), &[]);
    reader.wait_for_text(" new \u{2500}");
    other.wait_for("what is unread", |screen| screen.contents().contains("# channel         4"));
    assert!(channel_line(&reader).ends_with('4'), "{}", reader.text());
    reader.press("enter");
    other.wait_for("nothing is unread", |screen| {
        let text = screen.contents();
        let line = text.lines().find(|line| line.contains("# channel"));
        line.is_some_and(|line| !line.contains('4'))
    });
    reader.wait_for("nothing is unread", |screen| !screen.contents().contains("channel         4"));
    // The line that says what is new stays until the channel is left.
    assert!(reader.text().contains(" new \u{2500}"), "{}", reader.text());
    assert!(reader.quit().success());
    assert!(other.quit().success());
}

#[test]
fn d_6_looking_at_an_inbox_and_at_a_queue_changes_nothing() {
    let stage = Stage::busy("", &["alice"]);
    stage.home.ok(&["send", "@team", "@alice and this"]);
    let mut terminal = stage.tui(&small(), &["alice@team"]);
    let before = stage.events();
    terminal.press("2");
    terminal.wait_for_text("in this run");
    terminal.wait_for_text("unread");
    assert!(terminal.text().contains("looking here does not mark"), "{}", terminal.text());
    terminal.press("enter");
    terminal.press("j");
    terminal.wait_for_text("read by: ");
    terminal.press("enter");
    terminal.wait_for_text("alice       in run_1, attempt 1");
    terminal.press("esc");
    terminal.press("3");
    terminal.wait_for_text("live run");
    terminal.wait_for_text("is at work");
    assert_eq!(stage.events(), before);
    assert!(terminal.quit().success());
}

#[test]
fn the_story_of_a_channel_has_the_documents_that_were_written() {
    let stage = told(&["one"]);
    let write = |text: &str| {
        stage.home.ok(&["doc", "write", text, "--file", "plan.md", "--in", "@team"]);
    };
    write("first");
    write("second");
    let mut terminal = stage.tui(&small(), &["@team"]);
    terminal.wait_for_text("plan.md rev 1 by user");
    terminal.wait_for_text("plan.md rev 2 by user");
    write("third");
    terminal.wait_for_text("plan.md rev 3 by user");
    terminal.press("enter");
    terminal.press("c");
    terminal.wait_for_text("[3 Docs");
    assert!(terminal.quit().success());
}

#[test]
fn a_search_finds_what_is_not_loaded() {
    let stage = Stage::idle();
    block_on(async {
        let client = stage.client();
        say(&client, "the needle is here").await;
        for number in 0..450 {
            say(&client, &format!("hay {number}")).await;
        }
    });
    let mut terminal = stage.tui(&small(), &["@team"]);
    terminal.wait_for_text("hay 449");
    terminal.press("enter");
    terminal.press("/");
    terminal.wait_for_text("in this conversation");
    terminal.send(b"NEEDLE");
    terminal.wait_for_text("NEEDLE");
    terminal.press("enter");
    terminal.wait_for_text("the needle is here");
    terminal.press("G");
    terminal.wait_for_text("hay 449");
    assert!(terminal.quit().success());
}
