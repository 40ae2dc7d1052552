//! What is being written: it is never lost, sent by itself, or sent twice.

use agent_worker_protocol::Peek;
use rustix::process::Signal;

use super::{
    screen::{Setup, Terminal},
    stage::Stage,
    way::Way,
};
use crate::support::block_on;

fn small() -> Setup {
    Setup { columns: 80, rows: 24, ..Setup::default() }
}

/// Three hundred characters in two lines, some of them wide.
fn long() -> String {
    let first = "a thought that is not finished, \u{4e2d}\u{6587} and all. ".repeat(4);
    let second = "\u{1f44d} and another one, further down, ".repeat(5);
    let text = format!("{first}\n{second}");
    assert!((300..400).contains(&text.chars().count()), "{}", text.chars().count());
    text
}

/// The box as it is seen, and where the caret is in it.
fn written(terminal: &Terminal) -> (Vec<String>, (u16, u16)) {
    terminal.look(|emulator| {
        let screen = emulator.screen();
        let text = super::screen::text(screen);
        let lines: Vec<_> = text.lines().map(str::to_owned).collect();
        let rule = lines.iter().position(|line| line.starts_with("\u{2500} to ")).expect("a box");
        (lines[rule + 1..lines.len() - 1].to_vec(), screen.cursor_position())
    })
}

fn open(terminal: &Terminal) {
    terminal.press("i");
    terminal.wait_for_text("F1 help");
    terminal.wait_for_quiet(std::time::Duration::from_millis(300));
}

fn close(terminal: &Terminal) {
    terminal.press("\x1b");
    terminal.wait_for_text("q quit");
    terminal.wait_for_quiet(std::time::Duration::from_millis(300));
}

/// The draft is there as it was.
fn assert_kept(terminal: &Terminal, before: &(Vec<String>, (u16, u16)), after: &str) {
    open(terminal);
    assert_eq!(&written(terminal), before, "after {after}:\n{}", terminal.text());
}

#[test]
fn f_1_a_draft_and_its_caret_outlive_whatever_happens_to_the_room() {
    let stage = Stage::idle();
    let mut terminal = stage.tui(&small(), &["@team"]);
    open(&terminal);
    terminal.paste(&long());
    terminal.wait_for_text("further down");
    terminal.press("\x1b[A");
    for _ in 0..9 {
        terminal.press("\x1b[D");
    }
    terminal.wait_for_quiet(std::time::Duration::from_millis(300));
    let before = written(&terminal);
    assert_ne!(before.1.0, 22, "the caret is in the first line:\n{}", terminal.text());
    close(&terminal);
    assert_kept(&terminal, &before, "Esc");
    close(&terminal);
    terminal.press("j");
    terminal.wait_for_text("\u{276f} \u{25e6} alice");
    open(&terminal);
    assert_eq!(written(&terminal).0.concat().trim(), "", "{}", terminal.text());
    close(&terminal);
    terminal.press("k");
    terminal.wait_for_text("\u{276f} # channel");
    assert_kept(&terminal, &before, "another target");
    close(&terminal);
    terminal.press("q");
    assert_eq!(terminal.end_clean().code(), Some(0));
    let mut terminal = stage.tui(&small(), &["@team"]);
    assert_kept(&terminal, &before, "q");
    let Stage { home, daemon } = stage;
    daemon.kill();
    terminal.wait_for_text("RECONNECTING");
    assert_eq!(written(&terminal), before, "{}", terminal.text());
    let daemon = home.daemon();
    let stage = Stage { home, daemon };
    terminal.wait_for_text("\u{283f} live");
    assert_eq!(written(&terminal), before, "{}", terminal.text());
    // The first one closes the box.
    terminal.press("\x03");
    terminal.wait_for_text("q quit");
    terminal.press("\x03");
    terminal.wait_for_text("C-c again quits");
    terminal.press("\x03");
    assert_eq!(terminal.end_clean().code(), Some(130));
    let mut terminal = stage.tui(&small(), &["@team"]);
    assert_kept(&terminal, &before, "C-c");
    // One letter more, and the end as soon as that is on disk.
    terminal.press("Z");
    terminal.wait_for("it is saved", |screen| {
        let text = screen.contents();
        text.contains('Z') && text.contains("draft saved")
    });
    let before = written(&terminal);
    terminal.signal(Signal::KILL);
    terminal.end();
    let terminal = stage.tui(&small(), &["@team"]);
    assert_kept(&terminal, &before, "kill -9");
}

/// What the team's channel has by now.
fn said(stage: &Stage) -> Vec<String> {
    let client = stage.client().at("@team".parse().unwrap());
    let page = block_on(async { client.call(&Peek::default()).await.expect("it is read") });
    page.messages.into_iter().map(|message| message.content).collect()
}

#[test]
fn e_7_what_was_written_without_a_daemon_is_not_sent_later_by_itself() {
    let stage = Stage::idle();
    let terminal = stage.tui(&small(), &["@team"]);
    let Stage { home, daemon } = stage;
    daemon.kill();
    terminal.wait_for_text("RECONNECTING");
    open(&terminal);
    terminal.paste("hello there");
    terminal.wait_for_text("hello there");
    terminal.press("\r");
    terminal.wait_for_text("not connected: kept as draft");
    close(&terminal);
    terminal.press("j");
    terminal.wait_for_text("\u{276f} \u{25e6} alice");
    for key in ["x", "w"] {
        // A notice stays until a key, and a key that comes too soon is not meant for it.
        terminal.wait_for_quiet(std::time::Duration::from_millis(300));
        terminal.press(key);
        terminal.wait_for_text("not connected: nothing was done");
        terminal.wait_for_quiet(std::time::Duration::from_millis(300));
        terminal.press("\x1b");
        terminal.wait_for("no notice", |screen| !screen.contents().contains("nothing was done"));
    }
    let daemon = home.daemon();
    let stage = Stage { home, daemon };
    terminal.wait_for_text("\u{283f} live");
    terminal.wait_for_quiet(std::time::Duration::from_secs(2));
    assert_eq!(said(&stage), Vec::<String>::new());
    terminal.press("k");
    terminal.wait_for_text("\u{276f} # channel");
    open(&terminal);
    terminal.wait_for_text("hello there");
    terminal.press("\r");
    terminal.wait_for_text("q quit");
    terminal.wait_for_text("user     hello there");
    assert_eq!(said(&stage), ["hello there"]);
}

#[test]
fn f_3_a_message_whose_answer_was_lost_is_stored_once() {
    let stage = Stage::idle();
    let way = Way::of(&stage.home);
    let terminal = stage.tui(&small(), &["@team"]);
    way.lose_answers(Some("/send"));
    open(&terminal);
    terminal.paste("hello there");
    terminal.wait_for_text("hello there");
    terminal.press("\r");
    terminal.wait_for_text("it is stored once");
    assert_eq!(said(&stage), ["hello there"], "it is stored already");
    way.open();
    terminal.press("\r");
    terminal.wait_for_text("q quit");
    assert!(way.asked("POST /send").len() >= 2, "{:#?}", way.asked(""));
    assert_eq!(said(&stage), ["hello there"]);
    assert_eq!(terminal.text().matches("hello there").count(), 1, "{}", terminal.text());
}
