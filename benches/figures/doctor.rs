//! `agent-worker doctor` on databases of many messages, without a daemon and beside a busy daemon.

use std::{
    process::{Child, Stdio},
    time::{Duration, Instant},
};

use agent_worker_client::Client;
use agent_worker_protocol::ChannelSend;

use super::{
    deep::{Deep, Shape},
    home::Home,
    table::{ms, percentile, print},
};

const SIZES: [usize; 3] = [10_000, 100_000, 1_000_000];

/// How often it is looked how much memory a process has.
const LOOK: Duration = Duration::from_millis(5);

/// Waits for the end of a command that must succeed. How long it took, and the most memory it had.
fn watch(mut child: Child) -> (Duration, u64) {
    let (begun, mut peak) = (Instant::now(), 0);
    loop {
        peak = Home::peak(child.id()).max(peak);
        if let Some(status) = child.try_wait().expect("it is a child") {
            assert!(status.success(), "{status:?}");
            return (begun.elapsed(), peak);
        }
        std::thread::park_timeout(LOOK);
    }
}

fn doctor(home: &Home) -> Child {
    home.command("doctor").stdout(Stdio::null()).spawn().expect("it starts")
}

/// Sends until something has ended; how long each took.
async fn send_until(client: &Client, has_ended: impl Fn() -> bool) -> Vec<Duration> {
    let mut spans = Vec::new();
    while !has_ended() {
        let message = format!("number {}", spans.len());
        let begun = Instant::now();
        let send = ChannelSend { message, to: Vec::new(), intent: None, reply_to: None };
        client.call(&send).await.expect("it is stored");
        spans.push(begun.elapsed());
    }
    spans.sort();
    spans
}

fn size(bytes: u64) -> String {
    format!("{} MiB", bytes >> 20)
}

fn row(messages: usize) -> Vec<String> {
    let mut home = Home::empty("");
    let database = home.path().join("agent-worker.db");
    Deep::make(&database, Shape { messages, handlers: 20, leased: 10 }).close();
    let bytes = std::fs::metadata(&database).expect("it is there").len();
    let (idle, idle_peak) = watch(doctor(&home));
    home.begin();
    let daemon = home.file().pid;
    let before = Home::peak(daemon);
    let watching = doctor(&home);
    let watching = std::thread::spawn(move || watch(watching));
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    let spans = runtime.block_on(send_until(&home.client(), || watching.is_finished()));
    let (beside, _) = watching.join().expect("it was watched");
    vec![
        messages.to_string(),
        size(bytes),
        ms(idle),
        size(idle_peak),
        ms(beside),
        size(Home::peak(daemon) - before),
        ms(percentile(&spans, 50)),
        ms(percentile(&spans, 99)),
    ]
}

pub fn run() {
    let header = [
        "messages",
        "database",
        "without a daemon",
        "memory",
        "beside a daemon",
        "its memory grows by",
        "sends meanwhile (p50)",
        "(p99)",
    ];
    print("Doctor: by the size of the database", &header, &SIZES.map(row));
}
