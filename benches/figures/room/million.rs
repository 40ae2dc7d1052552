//! A channel of a million messages against one of a thousand.

use std::time::{Duration, Instant};

use agent_worker_protocol::Peek;

use super::stage::{open, runtime, until};
use crate::{
    deep::{Deep, Shape},
    home::Home,
    limit::share,
    screen::Terminal,
    table::{ms, percentile, print},
};

const TIMES: usize = 5;
/// Fewer than the small channel has.
const PAGES: usize = 20;

/// Milliseconds that each may take, beside what the daemon takes.
const AIM: f64 = 150.0;

/// What is measured, in its order.
const WHAT: [&str; 5] = ["open", "to the first", "to the last", "a page up", "find in the middle"];

/// A channel, what its first and its last message say, and one in its middle.
struct Channel {
    home: Home,
    first: String,
    middle: String,
    last: String,
}

impl Channel {
    fn of(messages: usize) -> Self {
        let mut home = Home::empty("");
        let shape = Shape { messages, handlers: 1, leased: 200 };
        Deep::make(&home.path().join("agent-worker.db"), shape).close();
        home.begin();
        let batches = messages / 1000;
        let text = |number: usize, batch: usize| format!("number {number} of batch {batch}.");
        Self {
            home,
            first: text(0, 0),
            middle: text(500, batches / 2),
            last: text(999, batches - 1),
        }
    }

    /// How long the daemon alone takes to find what is in the middle.
    fn found_by_daemon(&self) -> Duration {
        let runtime = runtime();
        runtime.block_on(async {
            let client = self.home.client().at("@global".parse().expect("a target"));
            let find = Peek { find: Some(self.middle.clone()), limit: Some(1), ..Peek::default() };
            let begun = Instant::now();
            let found = client.call(&find).await.expect("it is found");
            assert_eq!(found.messages.len(), 1);
            begun.elapsed()
        })
    }

    /// One round: how long each thing took, and the memory at its end.
    fn round(&self, spans: &mut [Vec<Duration>; 5]) -> usize {
        let begun = Instant::now();
        let terminal = open(&self.home, &["@global"]);
        terminal.wait_for_text(&self.last);
        spans[0].push(begun.elapsed());
        terminal.press("\r");
        terminal.wait_for_text("r reply");
        spans[1].push(pressed(&terminal, "g", &self.first));
        spans[2].push(pressed(&terminal, "G", &self.last));
        for _ in 0..PAGES {
            let before = terminal.text();
            terminal.press("\x1b[5~");
            spans[3].push(until(&terminal, "another page", |screen| {
                crate::screen::text(screen) != before
            }));
            terminal.wait_for("it is whole", |screen| !screen.contents().contains("loading"));
        }
        terminal.press("G");
        terminal.wait_for_text(&self.last);
        terminal.press("/");
        terminal.wait_for_text("Enter search");
        terminal.press(&self.middle);
        terminal.wait_for_quiet(Duration::from_millis(100));
        terminal.press("\r");
        spans[4].push(until(&terminal, "it is found", |screen| {
            let text = screen.contents();
            text.lines().any(|line| line.contains(&self.middle) && line.contains('\u{276f}'))
        }));
        terminal.memory()
    }
}

/// How long a key takes until this is shown.
fn pressed(terminal: &Terminal, key: &str, text: &str) -> Duration {
    terminal.press(key);
    until(terminal, text, |screen| screen.contents().contains(text))
}

pub fn run() {
    let channels = [1_000, 1_000_000].map(Channel::of);
    let mut spans: [[Vec<Duration>; 5]; 2] = Default::default();
    let (mut memory, mut by_daemon) = ([0; 2], [Duration::ZERO; 2]);
    for _ in 0..TIMES {
        for (index, channel) in channels.iter().enumerate() {
            by_daemon[index] = by_daemon[index].max(channel.found_by_daemon());
            memory[index] = memory[index].max(channel.round(&mut spans[index]));
        }
    }
    let [mut small, mut large] = spans;
    let mut rows = Vec::new();
    for (index, what) in WHAT.iter().enumerate() {
        small[index].sort();
        large[index].sort();
        let (one, other) = (percentile(&small[index], 50), percentile(&large[index], 50));
        let daemon = if index == 4 { by_daemon[1] } else { Duration::ZERO };
        let own = other.saturating_sub(daemon).as_secs_f64() * 1e3;
        rows.push(vec![
            format!("D-11 {what}"),
            ms(one),
            ms(other),
            format!("{:.2} ×", other.as_secs_f64() / one.as_secs_f64()),
            ms(daemon),
            share(&format!("D-11 {what}"), own, AIM),
        ]);
    }
    let megabytes = |kibibytes: usize| f64::from(u32::try_from(kibibytes).unwrap_or(0)) / 1024.0;
    rows.push(vec![
        "D-11 memory".to_owned(),
        format!("{:.1} MB", megabytes(memory[0])),
        format!("{:.1} MB", megabytes(memory[1])),
        format!("{:.2} ×", megabytes(memory[1]) / megabytes(memory[0])),
        String::new(),
        share("D-11 memory", megabytes(memory[1]), 80.0),
    ]);
    let header = ["what (p50)", "1,000", "1,000,000", "ratio", "the daemon's part", "of 150 ms"];
    print("The control room: a channel of a million messages", &header, &rows);
}
