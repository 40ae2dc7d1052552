//! Texts without an end: one line of megabytes, and pastes of thousands of lines.

use std::time::{Duration, Instant};

use agent_worker_protocol::{BlockKind, Peek};
use agent_worker_tui::figures::Room;

use super::{
    HEADER, plain, row,
    stage::{channel, open, runtime, say, team, until},
};
use crate::table::print;

const MEGABYTES: usize = 5;
const KEYS: usize = 30;
const PASTED: usize = 5_000;

/// How long what `shows` does takes until it is drawn, and each key after it.
fn drawn(room: &mut Room, shows: impl FnOnce(&mut Room)) -> (Duration, Vec<Duration>) {
    room.frame();
    let begun = Instant::now();
    shows(room);
    room.frame();
    let first = begun.elapsed();
    let keys = (0..KEYS).map(|number| {
        let begun = Instant::now();
        room.press(if number % 2 == 0 { "k" } else { "j" });
        room.frame();
        begun.elapsed()
    });
    (first, keys.collect())
}

/// Without a terminal: a line of five megabytes in each place that shows texts.
fn long_line() -> Vec<Vec<String>> {
    let text = "x".repeat(MEGABYTES << 20);
    let mut rows = Vec::new();
    let mut measure = |place: &str, shows: &mut dyn FnMut(&mut Room)| {
        let mut room = Room::at_work(120, 40, 200);
        let (first, mut keys) = drawn(&mut room, |room| shows(room));
        rows.push(row("B-13", &format!("5 MB in {place}: shown"), &mut [first], 100, 100.0));
        rows.push(row("B-13", &format!("5 MB in {place}: a key"), &mut keys, 95, 33.0));
    };
    measure("the channel", &mut |room| room.say(&text));
    measure("a run", &mut |room| {
        room.look_at_run();
        room.begin_block(BlockKind::ToolResult);
        room.grow(0, &text);
    });
    measure("the pager", &mut |room| {
        room.say(&text);
        room.press("K");
        room.press("o");
    });
    rows
}

/// On a terminal: the longest message that the daemon takes, as one line.
fn longest_message() -> Vec<Vec<String>> {
    let home = team(1, 20, "- do: [ { think: hm } ]\n");
    let terminal = open(&home, &["@team"]);
    terminal.wait_for_text("message number 20.");
    terminal.press("\r");
    terminal.wait_for_text("r reply");
    let memory = terminal.memory();
    let text = format!("begin {}", "y".repeat((1 << 20) - 100));
    let begun = Instant::now();
    runtime().block_on(async { say(&channel(&home.client()), &text).await });
    terminal.wait_for_text("yyyyyyyy");
    let shown = begun.elapsed();
    terminal.press("K");
    terminal.wait_for_quiet(Duration::from_millis(100));
    terminal.press("o");
    let opened = until(&terminal, "the pager", |screen| screen.contents().contains("q close"));
    let mut keys = Vec::new();
    for number in 0..KEYS {
        let before = terminal.text();
        terminal.press(if number % 2 == 0 { "\x1b[6~" } else { "\x1b[5~" });
        keys.push(until(&terminal, "another page", |screen| crate::screen::text(screen) != before));
        terminal.wait_for_quiet(Duration::from_millis(20));
    }
    let more = terminal.memory().saturating_sub(memory);
    let more = f64::from(u32::try_from(more).unwrap_or(0)) / 1024.0;
    vec![
        row("B-13", "a message of 1 MiB: sent and shown", &mut [shown], 100, 100.0),
        row("B-13", "the same in the pager", &mut [opened], 100, 100.0),
        row("B-13", "a key there", &mut keys, 95, 33.0),
        plain("B-13 memory grows by", more, "MB", 15.0),
    ]
}

/// Thousands of lines are pasted and sent.
fn paste() -> Vec<Vec<String>> {
    let home = team(1, 20, "- do: [ { think: hm } ]\n");
    let terminal = open(&home, &["@team"]);
    terminal.wait_for_text("message number 20.");
    terminal.press("i");
    terminal.wait_for_text("F1 help");
    let lines: Vec<String> = (1..=PASTED).map(|number| format!("line {number} 行")).collect();
    let text = lines.join("\n");
    let last = format!("line {PASTED} ");
    let begun = Instant::now();
    terminal.paste(&text);
    terminal.wait_for("it is there", |screen| {
        let shown = screen.contents();
        shown.contains(&last) || shown.contains("pasted")
    });
    let pasted = begun.elapsed();
    terminal.wait_for_quiet(Duration::from_millis(300));
    terminal.press("\r");
    terminal.wait_for_text("line 1 ");
    let sent = runtime().block_on(async {
        let peek = Peek { limit: Some(1), ..Peek::default() };
        channel(&home.client()).call(&peek).await.expect("it is read")
    });
    assert!(sent.messages.iter().any(|message| message.content.starts_with("line 1 ")));
    vec![row("F-5", "5,000 lines are pasted", &mut [pasted], 100, 100.0)]
}

pub fn run() {
    let mut rows = long_line();
    rows.extend(longest_message());
    rows.extend(paste());
    print("The control room: lines and pastes of any length", &HEADER, &rows);
}
