//! From the command to the first frame, and to what it is about.

use std::time::{Duration, Instant};

use super::{
    HEADER, row,
    stage::{is_complete, on_terminal, open, team},
};
use crate::{home::Home, table::print};

const TIMES: usize = 30;
const MESSAGES: usize = 200;

/// How long an empty program takes until the terminal is its own again.
fn empty_program(home: &Home) -> Duration {
    let begun = Instant::now();
    on_terminal(home, "true", &[]).end();
    begun.elapsed()
}

pub fn run() {
    let home = team(40, MESSAGES, "- do: [ { think: hm } ]\n");
    let last = format!("message number {MESSAGES}.");
    let (mut empty, mut frames, mut texts) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..TIMES {
        empty.push(empty_program(&home));
        let begun = Instant::now();
        let terminal = open(&home, &["@team"]);
        terminal.wait_for("a complete frame", is_complete);
        frames.push(begun.elapsed());
        terminal.wait_for_text(&last);
        texts.push(begun.elapsed());
    }
    empty.sort();
    let rows = [
        row("", "an empty program on a terminal", &mut empty, 95, 100.0),
        row("A-1", "a complete first frame", &mut frames, 95, 100.0),
        row("A-1", "the channel's text", &mut texts, 95, 250.0),
    ];
    print("The control room: its start, beside 40 agents", &HEADER, &rows);
}
