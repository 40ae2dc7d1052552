//! A line that is as long as a message may be.

use super::{
    screen::{Setup, Terminal, text},
    stage::{Stage, say},
};
use crate::support::block_on;

/// How many characters the daemon takes in one message.
const LONG: usize = 1_000_000;
/// How much memory the control room may hold more for it, in KiB.
const MEMORY: usize = 15_000;

fn press(terminal: &Terminal, key: &str) {
    terminal.press(key);
    terminal.wait_for_quiet(std::time::Duration::from_millis(300));
}

#[test]
fn b_13_a_line_without_end_is_shown_in_a_channel_and_whole_and_takes_little() {
    let stage = Stage::idle();
    block_on(say(&stage.client(), "short"));
    let terminal = stage.tui(&Setup { columns: 80, rows: 24, ..Setup::default() }, &["@team"]);
    terminal.wait_for_text("short");
    terminal.wait_for_quiet(std::time::Duration::from_secs(1));
    let memory = terminal.memory();
    block_on(say(&stage.client(), &"0123456789".repeat(LONG / 10)));
    terminal.wait_for_text("whole text: ");
    for key in ["\r", "k", "j", "\x1b[5~", "G", "K", "o"] {
        press(&terminal, key);
    }
    let rows = |screen: &vt100::Screen| text(screen).matches("0123456789").count();
    terminal.wait_for("all of it", |screen| rows(screen) > 80);
    for key in ["\x1b[6~", "j", "G"] {
        press(&terminal, key);
    }
    let lines = LONG.div_ceil(78);
    terminal.wait_for_text(&format!("{lines} of {lines} lines"));
    press(&terminal, "\x1b");
    terminal.wait_for_text("short");
    let more = terminal.memory().saturating_sub(memory);
    assert!(more <= MEMORY, "{more} KiB more");
}
