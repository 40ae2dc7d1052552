//! A terminal that does not read for a while.

use std::time::Duration;

use super::{
    screen::Setup,
    stage::{Stage, say},
};
use crate::support::{block_on, wait_until};

/// How often the whole screen is drawn again: far more than the kernel keeps of what nobody reads.
const FRAMES: usize = 120;
/// How many of them it may keep at the most.
const KEPT: usize = 20;
/// How much memory it may hold more then, in KiB: the messages themselves, and a frame.
const MEMORY: usize = 5_000;

fn long(number: usize) -> String {
    let words =
        (0..90).map(|word| format!("{:x}", (number * 7919 + word) * 2_654_435_761 % 0xfff_fff));
    format!("number {number}: {}", words.collect::<Vec<_>>().join(" "))
}

#[test]
fn g_7_a_terminal_that_does_not_read_gets_the_last_frame_and_none_of_those_before() {
    // Somebody is at work, so that times go on.
    let stage = Stage::busy("", &["alice"]);
    let talk = |from: usize, to: usize| {
        block_on(async {
            let client = stage.client();
            for number in from..to {
                say(&client, &long(number)).await;
            }
        });
    };
    talk(0, 20);
    let setup = Setup { columns: 200, rows: 60, ..Setup::default() };
    let terminal = stage.tui(&setup, &["@team"]);
    terminal.wait_for_text("number 19:");
    let memory = terminal.memory();
    terminal.stall(true);
    let before = terminal.bytes().len();
    for number in 0..FRAMES {
        terminal.press("\x0c");
        terminal.written_within(Duration::from_millis(40));
        if number % 4 == 0 {
            talk(20 + number, 21 + number);
        }
    }
    talk(1000, 1001);
    wait_until("it takes note of all and rests", || {
        let before = terminal.cpu_time();
        terminal.written_within(Duration::from_secs(2));
        terminal.cpu_time() - before <= Duration::from_millis(100)
    });
    let more = terminal.memory().saturating_sub(memory);
    assert!(more <= MEMORY, "{more} KiB more");
    terminal.stall(false);
    terminal.wait_for_text("number 1000:");
    terminal.written_within(Duration::from_secs(2));
    let bytes = terminal.bytes().split_off(before);
    let frames = bytes.windows(4).filter(|part| part == b"\x1b[2J").count();
    assert!(frames <= KEPT, "{frames} frames were kept for later");
}
