//! From a key to what it changes: while nothing else happens, and while very much does.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    thread::JoinHandle,
    time::{Duration, Instant},
};

use super::{
    HEADER, plain, row,
    stage::{channel, is_complete, on_terminal, open, runtime, say, team, until},
};
use crate::{home::Home, screen::Terminal, table::print};

const KEYS: usize = 200;

/// Keys a second.
const PACE: Duration = Duration::from_millis(100);

/// Events a second.
const EVENTS: usize = 500;

const MESSAGES: usize = 200;

/// In which row the selected line of the tree is.
fn selected(screen: &vt100::Screen) -> Option<usize> {
    screen.contents().lines().position(|line| line.starts_with('\u{276f}'))
}

/// How long steps in the tree take, there and back.
fn steps(terminal: &Terminal) -> Vec<Duration> {
    let mut spans = Vec::new();
    for number in 0..KEYS {
        let before = terminal.look(|emulator| selected(emulator.screen()));
        terminal.press(if number / 10 % 2 == 0 { "j" } else { "k" });
        spans.push(until(terminal, "the selection moves", |screen| selected(screen) != before));
        terminal.wait_for_quiet(Duration::from_millis(20));
    }
    spans
}

/// How long a terminal takes to show a key that is only repeated.
fn echoes(home: &Home) -> Vec<Duration> {
    let terminal = on_terminal(home, "cat", &[]);
    let mut spans = Vec::new();
    for number in 1..=KEYS {
        terminal.press("x");
        let count = |screen: &vt100::Screen| screen.contents().matches('x').count();
        spans.push(until(&terminal, "it is repeated", |screen| count(screen) >= number));
    }
    spans
}

/// Opens and closes the help, one key every `PACE`. Returns how long each key took.
fn looks(terminal: &Terminal) -> Vec<Duration> {
    let mut spans = Vec::new();
    let is_open = |screen: &vt100::Screen| screen.contents().contains("type to filter");
    let begun = Instant::now();
    for number in 0..KEYS {
        let opens = number % 2 == 0;
        terminal.press(if opens { "?" } else { "q" });
        spans.push(until(terminal, "the key does something", |screen| is_open(screen) == opens));
        let next = PACE * u32::try_from(number + 1).expect("few keys");
        terminal.written_within(next.saturating_sub(begun.elapsed()));
    }
    spans
}

/// Sends `EVENTS` messages a second to the channel until it is ended.
struct Chatter {
    is_over: Arc<AtomicBool>,
    said: Arc<AtomicUsize>,
    thread: Option<JoinHandle<()>>,
}

impl Chatter {
    fn begin(home: &Home) -> Self {
        let (is_over, said) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicUsize::new(0)));
        let (over, count, client) = (is_over.clone(), said.clone(), home.client());
        let thread = std::thread::spawn(move || {
            runtime().block_on(async {
                let channel = channel(&client);
                let span = Duration::from_secs(1) / u32::try_from(EVENTS).expect("it fits");
                let mut beat = tokio::time::interval(span);
                while !over.load(Ordering::Relaxed) {
                    beat.tick().await;
                    let number = count.fetch_add(1, Ordering::Relaxed);
                    let channel = channel.clone();
                    tokio::spawn(async move {
                        say(&channel, &format!("event number {number} of very many 消息")).await;
                    });
                }
            });
        });
        Self { is_over, said, thread: Some(thread) }
    }

    fn end(mut self) -> usize {
        self.is_over.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            thread.join().expect("it ends well");
        }
        self.said.load(Ordering::Relaxed)
    }
}

fn megabytes(kibibytes: usize) -> f64 {
    f64::from(u32::try_from(kibibytes).unwrap_or(u32::MAX)) / 1024.0
}

fn count(number: usize) -> f64 {
    f64::from(u32::try_from(number).unwrap_or(u32::MAX))
}

pub fn run() {
    let home = team(40, MESSAGES, "- do: [ { think: hm } ]\n");
    let mut echoes = echoes(&home);
    let terminal = open(&home, &[]);
    terminal.wait_for("a complete frame", is_complete);
    let mut quiet = steps(&terminal);
    drop(terminal);
    let terminal = open(&home, &["@team"]);
    terminal.wait_for_text(&format!("message number {MESSAGES}."));
    let mut alone = looks(&terminal);
    let chatter = Chatter::begin(&home);
    terminal.wait_for_text("event number");
    // What is there once does not count.
    terminal.written_within(Duration::from_secs(5));
    let (memory, cpu, frames) = (terminal.memory(), terminal.cpu_time(), terminal.writes());
    let begun = Instant::now();
    let mut busy = looks(&terminal);
    let (memory_then, lasted) = (terminal.memory(), begun.elapsed().as_secs_f64());
    let cpu = terminal.cpu_time().saturating_sub(cpu).as_secs_f64() / lasted * 100.0;
    let frames = count(terminal.writes() - frames - KEYS) / lasted;
    let said = chatter.end();
    let rows = [
        row("", "a key that `cat` repeats", &mut echoes, 95, 33.0),
        row("C-1", "a step in the tree", &mut quiet, 50, 16.0),
        row("C-1", "a step in the tree", &mut quiet, 95, 33.0),
        row("", "help opens or closes", &mut alone, 95, 33.0),
        row("C-2", "the same beside 500 events a second", &mut busy, 95, 50.0),
        plain(
            "D-3 memory grows by, meanwhile",
            megabytes(memory_then.saturating_sub(memory)),
            "MB",
            20.0,
        ),
        plain("D-3 processor, of one", cpu, "%", 35.0),
        plain("D-3 frames that no key asked for", frames, "a second", 31.0),
    ];
    print(&format!("The control room: keys ({said} events)"), &HEADER, &rows);
}
