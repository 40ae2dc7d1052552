//! A run's text from its worker to the screen: each piece says when it was written.

use std::{
    io::Write as _,
    time::{Duration, Instant, SystemTime, UNIX_EPOCH},
};

use agent_worker_protocol::ChannelSend;
use serde_json::json;

use super::{
    HEADER, plain, row,
    stage::{channel, open, runtime, team},
};
use crate::table::print;

/// The argument with which this program writes as a worker does.
pub const EMIT: &str = "emit";

/// Pieces a second, and how many of them.
const SLOW: (u32, u32) = (20, 60);
const FAST: (u32, u32) = (2_000, 20_000);

const END: &str = "all is written";

/// The block that is next when a worker has told its prompt and that it runs a command; and how long
/// it takes to tell that at the most.
const BLOCK: i64 = 2;
const TOLD: Duration = Duration::from_millis(500);

/// How long nothing follows that text: the worker goes on with the same block, which is no more
/// than the end of the bench.
const AFTER: Duration = Duration::from_mins(1);

fn micros() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_micros()).unwrap_or(0)
}

/// Writes a worker's reports to standard output: a block that grows by `pace` pieces a second.
pub fn emit(args: &[String]) {
    let number = |at: usize| args.get(at).and_then(|text| text.parse::<u32>().ok()).unwrap_or(1);
    let (pace, count) = (number(0), number(1));
    let mut out = std::io::stdout().lock();
    let mut report = |report: serde_json::Value| {
        let line = format!("{report}\n");
        out.write_all(line.as_bytes()).expect("it is read");
    };
    std::thread::park_timeout(TOLD);
    report(json!({ "report": "block", "n": BLOCK, "kind": "text" }));
    let begun = Instant::now();
    for number in 1..=count {
        let due = Duration::from_secs(1) * number / pace;
        std::thread::park_timeout(due.saturating_sub(begun.elapsed()));
        let end = if number % 10 == 0 { "\n\n" } else { "\n" };
        report(json!({ "report": "delta", "n": BLOCK, "text": format!("{}{end}", micros()) }));
    }
    report(json!({ "report": "delta", "n": BLOCK, "text": END }));
    std::thread::park_timeout(AFTER);
}

/// The newest time on a screen.
fn newest(screen: &vt100::Screen) -> Option<u64> {
    let text = screen.contents();
    let words = text.split(|c: char| !c.is_ascii_digit());
    words.filter(|word| word.len() == 16).filter_map(|word| word.parse().ok()).max()
}

/// How old the newest piece was, whenever the screen had another.
fn lags((pace, count): (u32, u32)) -> Vec<Duration> {
    let program = std::env::current_exe().expect("it has a name");
    let command = format!("'{}' {EMIT} {pace} {count} >/proc/$PPID/fd/1", program.display());
    let script = format!("- do: [ {{ shell: {} }} ]\n", json!(command));
    let home = team(1, 1, &script);
    let terminal = open(&home, &["agent-0@team"]);
    terminal.wait_for_text("no run of it yet");
    runtime().block_on(async {
        let message = "@agent-0 go".to_owned();
        let send = ChannelSend { message, to: Vec::new(), intent: None, reply_to: None };
        channel(&home.client()).call(&send).await.expect("it is sent");
    });
    let (mut last, mut lags) = (0, Vec::new());
    terminal.wait_for("all of it", |screen| {
        if let Some(stamp) = newest(screen).filter(|stamp| *stamp > last) {
            last = stamp;
            lags.push(Duration::from_micros(micros().saturating_sub(stamp)));
        }
        screen.contents().contains(END)
    });
    lags
}

pub fn run() {
    let (mut slow, mut fast) = (lags(SLOW), lags(FAST));
    let seen = f64::from(u32::try_from(fast.len()).unwrap_or(0));
    let rows = [
        row("D-2", "from the worker to the screen", &mut slow, 95, 100.0),
        row("D-2", "the same at 2,000 pieces a second", &mut fast, 100, 200.0),
        plain("frames a second meanwhile", seen / 10.0, "", 31.0),
    ];
    print("The control room: a run's text as it is written", &HEADER, &rows);
}
