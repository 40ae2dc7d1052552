//! A terminal that does not read for a while.

use std::time::Duration;

use super::{screen::Setup, stage::Stage};
use crate::support::block_on;

/// More than the kernel keeps of what nobody reads, in whole frames.
const MESSAGES: usize = 300;

#[test]
fn g_7_a_terminal_that_does_not_read_gets_the_last_frame_and_none_of_those_before() {
    let stage = Stage::idle();
    let terminal = stage.tui(&Setup::default(), &["@team"]);
    terminal.wait_for_quiet(Duration::from_secs(1));
    let memory = terminal.memory();
    terminal.stall(true);
    let before = terminal.written();
    block_on(async {
        let client = stage.client();
        for number in 0..MESSAGES {
            super::stage::say(&client, &format!("number {number} {}", "x".repeat(600))).await;
        }
        super::stage::say(&client, "the last of all").await;
    });
    assert!(terminal.memory() <= memory + 20_000, "{} KiB more", terminal.memory() - memory);
    terminal.stall(false);
    terminal.wait_for_text("the last of all");
    terminal.wait_for_quiet(Duration::from_secs(1));
    let written = terminal.written() - before;
    assert!(written < 300_000, "{written} bytes: frames of before are shown");
}
