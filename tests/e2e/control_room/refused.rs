//! A daemon that does not talk to the control room.

use std::time::Duration;

use agent_worker_protocol::{
    DaemonFile,
    error::ErrorCode::{self, Denied, Unauthorized, UpgradeRequired},
};

use super::{
    screen::{Setup, Terminal},
    stage::Stage,
    way::Way,
};

/// Longer than the longest time after which a connection is tried again.
const LONG: Duration = Duration::from_secs(10);

fn small() -> Setup {
    Setup { columns: 80, rows: 24, ..Setup::default() }
}

/// Whether these words are shown, however they are broken into lines.
fn says(screen: &vt100::Screen, words: &str) -> bool {
    let shown = screen.contents();
    let shown: Vec<_> = shown.split_whitespace().collect();
    shown.join(" ").contains(words)
}

fn wait_for_words(terminal: &Terminal, words: &str) {
    terminal.wait_for(words, |screen| says(screen, words));
}

/// What a refusal is called, what it says and what it says is to be done.
struct Told {
    brief: &'static str,
    message: &'static str,
    help: &'static str,
}

/// A control room that starts and a control room that was connected before are both told of a
/// refusal. Both ask again on request, and hardly before.
fn assert_told(told: &Told, refuse: impl FnOnce(&Way)) {
    let stage = Stage::idle();
    stage.home.ok(&["send", "@team", "good morning"]);
    let way = Way::of(&stage.home);
    let live = stage.tui(&small(), &["@team"]);
    live.wait_for_text("good morning");
    live.press("i");
    live.wait_for_text("F1 help");
    live.paste("half a thought");
    live.wait_for_text("half a thought");
    live.wait_for_text("draft saved");
    live.press("\x1b");
    refuse(&way);
    let new = Terminal::tui(&stage.home, &small(), &["@team"]);
    for room in [&live, &new] {
        for words in [told.brief, told.message, told.help, "R retry now"] {
            wait_for_words(room, words);
        }
        assert!(!room.text().contains("s start"), "{}", room.text());
    }
    assert!(live.text().contains("good morning"), "{}", live.text());
    let before = way.asked("").len();
    assert_eq!(new.written_within(LONG), 0, "{}", new.text());
    assert!(way.asked("").len() <= before + 1, "{:#?}", way.asked(""));
    way.open();
    for room in [live, new] {
        room.press("R");
        room.wait_for_text("\u{283f} live");
        room.wait_for_text("good morning");
        room.press("i");
        room.wait_for_text("half a thought");
    }
}

fn assert_refusal(code: ErrorCode, told: &Told, hint: Option<&str>) {
    assert_told(told, |way| way.refuse("/", code, told.message, hint));
}

#[test]
fn e_9_a_token_that_nobody_has_is_said_to_be_one() {
    let told = Told {
        brief: "not allowed (401)",
        message: "invalid token",
        help: "R reads the token in daemon.json anew.",
    };
    assert_refusal(Unauthorized, &told, None);
}

#[test]
fn e_9_what_the_daemon_does_not_let_do_is_said_with_what_helps() {
    let told = Told {
        brief: "not allowed (403)",
        message: "the host `here` is not this daemon's",
        help: "agent-worker daemon --allow-host NAME",
    };
    assert_refusal(Denied, &told, Some(told.help));
}

#[test]
fn e_9_a_daemon_of_another_major_version_is_said_to_be_one() {
    let told = Told {
        brief: "another version (426)",
        message: "the client speaks API version 1.0, and the daemon 2.0",
        help: "agent-worker daemon restart, with the newer of the two",
    };
    assert_refusal(UpgradeRequired, &told, Some(told.help));
}

#[test]
fn e_9_a_stranger_in_the_place_of_the_daemon_is_said_to_be_one() {
    let told = Told {
        brief: "not understood",
        message: "not a stream of events",
        help: "agent-worker daemon restart, if the versions differ",
    };
    assert_told(&told, Way::be_strange);
}

#[test]
fn e_9_a_token_that_is_right_again_lets_in() {
    let stage = Stage::idle();
    let right = stage.home.daemon_file().unwrap();
    stage.home.lead_to(&DaemonFile { token: "of an earlier daemon".to_owned(), ..right.clone() });
    let terminal = Terminal::tui(&stage.home, &small(), &["@team"]);
    wait_for_words(&terminal, "not allowed (401)");
    wait_for_words(&terminal, "invalid token");
    stage.home.lead_to(&right);
    terminal.press("R");
    terminal.wait_for_text("\u{283f} live");
}

#[test]
fn e_9_a_snapshot_that_is_refused_is_seldom_asked_for() {
    let stage = Stage::idle();
    let way = Way::of(&stage.home);
    way.refuse("/snapshot", Denied, "the snapshot is the operator's", None);
    let terminal = Terminal::tui(&stage.home, &small(), &["@team"]);
    wait_for_words(&terminal, "not loaded: the snapshot is the operator's");
    let before = way.asked("GET /snapshot").len();
    terminal.written_within(LONG);
    assert!(way.asked("GET /snapshot").len() <= before + 2, "{:#?}", way.asked(""));
    way.open();
    way.wait_for(before + 1, "GET /snapshot");
    terminal.wait_for_text("\u{283f} live");
}
