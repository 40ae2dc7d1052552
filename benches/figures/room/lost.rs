//! How long the control room takes to show that the daemon was killed, and that it runs again.

use std::time::{Duration, Instant};

use super::{
    HEADER, row,
    stage::{open, team, until},
};
use crate::table::print;

const TIMES: usize = 10;
const MESSAGES: usize = 50;

pub fn run() {
    let mut home = team(10, MESSAGES, "- do: [ { think: hm } ]\n");
    let terminal = open(&home, &["@team"]);
    terminal.wait_for_text(&format!("message number {MESSAGES}."));
    let (mut lost, mut found) = (Vec::new(), Vec::new());
    for _ in 0..TIMES {
        home.kill();
        lost.push(until(&terminal, "it is noticed", |screen| {
            screen.contents().contains("RECONNECTING")
        }));
        // Long enough that it waits between two attempts.
        terminal.written_within(Duration::from_secs(3));
        home.begin();
        let begun = Instant::now();
        terminal.wait_for("it is live again", |screen| screen.contents().contains("\u{283f} live"));
        found.push(begun.elapsed());
    }
    let rows = [
        row("E-1", "a killed daemon is noticed", &mut lost, 95, 1_000.0),
        row("E-2", "live again after it listens", &mut found, 95, 1_500.0),
    ];
    print("The control room: a daemon that goes and comes", &HEADER, &rows);
}
