//! A terminal that does not read for a while.

use std::time::Duration;

use super::{screen::Setup, stage::Stage};
use crate::support::block_on;

/// More than the kernel keeps of what nobody reads, in whole frames.
const MESSAGES: usize = 300;
/// What it may hold more then, in KiB: the messages themselves, and a frame.
const MEMORY: usize = 5_000;

#[test]
fn g_7_a_terminal_that_does_not_read_gets_the_last_frame_and_none_of_those_before() {
    // Somebody is at work, so that times go on.
    let stage = Stage::busy("", &["alice"]);
    let terminal = stage.tui(&Setup::default(), &["@team"]);
    terminal.wait_for_text("alice");
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
    let cpu = terminal.cpu_time();
    terminal.written_within(Duration::from_secs(5));
    let cpu = terminal.cpu_time() - cpu;
    assert!(cpu <= Duration::from_millis(200), "{cpu:?} while nothing can be written");
    let more = terminal.memory().saturating_sub(memory);
    assert!(more <= MEMORY, "{more} KiB more");
    terminal.stall(false);
    terminal.wait_for_text("the last of all");
    terminal.written_within(Duration::from_secs(2));
    let written = terminal.written() - before;
    assert!(written < 300_000, "{written} bytes: frames of before are shown");
}
