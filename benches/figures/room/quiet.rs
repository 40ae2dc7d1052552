//! A minute in which nothing happens.

use std::time::Duration;

use super::{
    HEADER, plain,
    stage::{open, team},
};
use crate::table::print;

const MESSAGES: usize = 200;
const MINUTE: Duration = Duration::from_mins(1);

pub fn run() {
    let home = team(40, MESSAGES, "- do: [ { think: hm } ]\n");
    let terminal = open(&home, &["@team"]);
    terminal.wait_for_text(&format!("message number {MESSAGES}."));
    terminal.wait_for_quiet(Duration::from_secs(2));
    let (cpu, wakes) = (terminal.cpu_time(), terminal.wake_ups());
    let bytes = terminal.written_within(MINUTE);
    let cpu = terminal.cpu_time().saturating_sub(cpu).as_secs_f64() * 1e3;
    let number = |count: usize| f64::from(u32::try_from(count).unwrap_or(u32::MAX));
    let rows = [
        plain("G-1 bytes to the terminal", number(bytes), "", 0.0),
        plain("G-2 processor", cpu, "ms", 20.0),
        plain("G-2 times it was woken", number(terminal.wake_ups() - wakes), "", 12.0),
        plain("memory", number(terminal.memory()) / 1024.0, "MB", 80.0),
    ];
    print("The control room: a minute in which nothing happens", &HEADER, &rows);
}
