//! What a frame takes: drawn, compared with what is shown, and made into bytes.

use std::time::{Duration, Instant};

use agent_worker_tui::figures::Room;

use crate::{
    limit::share,
    table::{ms, percentile, print},
};

/// As many as are kept of a conversation.
const MESSAGES: i64 = 1_000;
const FRAMES: usize = 500;

/// Columns, rows, and milliseconds that a frame may take there.
const SIZES: [(u16, u16, f64); 3] = [(80, 24, 1.0), (120, 40, 2.0), (200, 60, 4.0)];

/// How long frames take, each after this happened; and how many bytes they have.
fn frames(room: &mut Room, mut happens: impl FnMut(&mut Room, usize)) -> (Vec<Duration>, usize) {
    room.frame();
    let (mut spans, mut bytes) = (Vec::new(), Vec::new());
    for number in 0..FRAMES {
        happens(room, number);
        let begun = Instant::now();
        bytes.push(room.frame().len());
        spans.push(begun.elapsed());
    }
    spans.sort();
    bytes.sort_unstable();
    (spans, bytes[bytes.len() / 2])
}

fn row(
    what: &str,
    (columns, rows, aim): (u16, u16, f64),
    told: (Vec<Duration>, usize),
) -> Vec<String> {
    let (spans, bytes) = told;
    let worst = percentile(&spans, 99);
    let name = format!("G-11 {what}, {columns}x{rows}");
    let share = share(&name, worst.as_secs_f64() * 1e3, aim);
    vec![name, ms(percentile(&spans, 50)), ms(worst), format!("{aim} ms"), share, bytes.to_string()]
}

/// Agents, how many of them are at work, and milliseconds that a key may take then.
const CROWD: (usize, usize, f64) = (200, 50, 33.0);

/// How long keys take with a crowd at work, each with a frame after it.
fn keys(room: &mut Room, mut press: impl FnMut(&mut Room, usize)) -> (Vec<Duration>, usize) {
    let mut spans = Vec::new();
    for number in 0..FRAMES {
        room.say(&format!("one more, {number}"));
        let begun = Instant::now();
        press(room, number);
        room.frame();
        spans.push(begun.elapsed());
    }
    spans.sort();
    (spans, room.frame().len())
}

fn crowd(rows: &mut Vec<Vec<String>>) {
    let (agents, at_work, aim) = CROWD;
    let size = (200, 60, aim);
    let mut room = Room::crowd(200, 60, agents, at_work);
    let told = keys(&mut room, |room, number| room.press(if number % 80 < 40 { "j" } else { "k" }));
    rows.push(row(&format!("{agents} agents, {at_work} at work: a key scrolls"), size, told));
    room.press("&");
    let told = keys(&mut room, |room, number| {
        room.press(if number % 12 < 6 { "r" } else { "backspace" });
    });
    rows.push(row(&format!("{agents} agents, {at_work} at work: a key filters"), size, told));
}

pub fn run() {
    let mut rows = Vec::new();
    for size in SIZES {
        let (columns, lines, _) = size;
        let mut room = Room::at_work(columns, lines, MESSAGES);
        let told = frames(&mut room, |_, _| {});
        rows.push(row("nothing has changed", size, told));
        let told = frames(&mut room, |room, number| {
            room.press(if number % 2 == 0 { "K" } else { "J" });
        });
        rows.push(row("another line is selected", size, told));
        let told = frames(&mut room, |room, number| room.say(&format!("one more, {number}")));
        rows.push(row("a message comes", size, told));
        let told = frames(&mut room, |room, number| {
            room.press(if number % 2 == 0 { "pgup" } else { "pgdn" });
        });
        rows.push(row("a page up or down", size, told));
    }
    crowd(&mut rows);
    let header = ["what", "p50", "p99", "aim", "of the aim", "bytes (p50)"];
    print("The control room: frames, with 1,000 messages loaded", &header, &rows);
}
