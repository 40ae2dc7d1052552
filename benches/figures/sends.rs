//! Durable sends over HTTP and over MCP, beside what they cannot be faster than: the rows of a send
//! put into SQLite alone, in the same groups and as durable, and a call that does nothing.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    time::{Duration, Instant},
};

use agent_worker_daemon::testing::{
    Clock, Credential, Run, Settings, Store, Surroundings, recover,
};
use agent_worker_protocol::{AgentCreate, ChannelSend, Scope};
use serde_json::json;

use super::{
    caller::Call,
    home::Home,
    raw::Raw,
    table::{median, print},
    thread::Thread,
};

/// How long each figure is measured, and how often.
const SPAN: Duration = Duration::from_secs(1);
const ROUNDS: usize = 3;
/// Where messages are sent to.
const SENDS: &str = "/send";

/// Calls per second, and how many there were in all.
async fn rate(callers: usize, call: &Call) -> (f64, f64) {
    let done = Arc::new(AtomicU64::new(0));
    let is_over = Arc::new(AtomicBool::new(false));
    let mut tasks = Vec::new();
    for _ in 0..callers {
        let (mut caller, done, is_over) = (call.connect().await, done.clone(), is_over.clone());
        tasks.push(async move {
            while !is_over.load(Ordering::Relaxed) {
                caller.call().await;
                done.fetch_add(1, Ordering::Relaxed);
            }
        });
    }
    let begun = Instant::now();
    let tasks: Vec<_> = tasks.into_iter().map(tokio::spawn).collect();
    tokio::time::sleep(SPAN).await;
    is_over.store(true, Ordering::Relaxed);
    let count = done.load(Ordering::Relaxed);
    let span = begun.elapsed();
    for task in tasks {
        task.await.expect("a caller does not break");
    }
    #[expect(clippy::cast_precision_loss, reason = "counts are small")]
    let [count, all] = [count, done.load(Ordering::Relaxed)].map(|count| count as f64);
    (count / span.as_secs_f64(), all)
}

pub fn message() -> ChannelSend {
    ChannelSend {
        message:
            "@sink a message of about the length that agents send each other, one or two lines"
                .to_owned(),
        to: Vec::new(),
        intent: None,
        reply_to: None,
    }
}

fn sink() -> AgentCreate {
    serde_json::from_value(json!({ "name": "sink", "backend": "external" })).expect("it fits")
}

pub fn operator() -> Credential {
    Credential::Operator { target: Some(Scope::global().into()), member: None }
}

pub fn bare_store(folder: &tempfile::TempDir) -> Store {
    let around = Surroundings::new(Clock::System, Arc::new(Settings::default()));
    let (store, _) = Store::open(&folder.path().join("bare.db"), around).expect("it opens");
    store.blocking_write(Credential::Daemon, |cx| recover::begin(cx, "epoch")).expect("it begins");
    store.blocking_write(operator(), |cx| sink().run(cx)).expect("the agent is made");
    store
}

/// Measurements of one kind of call at one number of callers.
#[derive(Default)]
struct Measured {
    rates: Vec<f64>,
    calls: f64,
    commits: i64,
    bytes: u64,
    writer: Duration,
    daemon: Duration,
}

impl Measured {
    /// Measures once more.
    async fn add(&mut self, home: &Home, callers: usize, call: &Call) {
        let daemon = home.file().pid;
        let look = || {
            (home.commits(), home.written(), Thread::of(daemon, "store").cpu(), Thread::all(daemon))
        };
        let before = look();
        let (rate, calls) = rate(callers, call).await;
        self.calls += calls;
        let after = look();
        self.rates.push(rate);
        self.commits += after.0 - before.0;
        self.bytes += after.1 - before.1;
        self.writer += after.2.saturating_sub(before.2);
        self.daemon += after.3.saturating_sub(before.3);
    }

    fn rate(&self) -> f64 {
        median(self.rates.clone())
    }

    fn sends_a_commit(&self) -> f64 {
        #[expect(clippy::cast_precision_loss, reason = "counts are small")]
        let commits = self.commits as f64;
        self.calls / commits
    }

    /// What one call costs the daemon.
    fn costs(&self, callers: usize, key: &str) -> Vec<String> {
        #[expect(clippy::cast_precision_loss, reason = "counts are small")]
        let bytes = self.bytes as f64;
        let micros = |span: Duration| format!("{:.0}", span.as_secs_f64() * 1e6 / self.calls);
        vec![
            callers.to_string(),
            key.to_owned(),
            format!("{:.1}", self.sends_a_commit()),
            format!("{:.0}", bytes / self.calls),
            micros(self.writer),
            micros(self.daemon),
        ]
    }
}

pub fn run() {
    let home = Home::start("");
    // One thread: the callers are many, and the processors are the daemon's.
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    runtime.expect("a runtime").block_on(async {
        home.client().call(&sink()).await.expect("the agent is made");
        let daemon = home.file();
        let send = json!({ "message": message().message });
        let rpc = |method: &str, params| {
            json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params })
        };
        let tool = json!({ "name": "channel_send", "arguments": send });
        let calls = [
            Call::get(&daemon, "/health"),
            Call::post(&daemon, SENDS, &send),
            Call::post_once(&daemon, SENDS, &send),
            Call::post(&daemon, "/mcp", &rpc("ping", json!({}))),
            Call::post(&daemon, "/mcp", &rpc("tools/call", tool)),
        ];
        let (mut rows, mut costs) = (Vec::new(), Vec::new());
        for callers in [1, 8, 16, 128] {
            let mut measured: [Measured; 5] = Default::default();
            for _ in 0..ROUNDS {
                for (call, measured) in calls.iter().zip(&mut measured) {
                    measured.add(&home, callers, call).await;
                }
            }
            let raw = Raw::new().rate(measured[1].sends_a_commit());
            let [empty_http, send_http, once_http, empty_mcp, send_mcp] =
                [0, 1, 2, 3, 4].map(|at: usize| measured[at].rate());
            let share = |part: f64, whole: f64| format!("{:.0} %", part / whole * 100.0);
            rows.push(vec![
                callers.to_string(),
                format!("{raw:.0}"),
                format!("{empty_http:.0}"),
                format!("{send_http:.0}"),
                share(send_http, raw),
                share(send_http, empty_http),
                format!("{once_http:.0}"),
                format!("{empty_mcp:.0}"),
                format!("{send_mcp:.0}"),
                share(send_mcp, empty_mcp),
            ]);
            costs.extend([measured[1].costs(callers, "no"), measured[2].costs(callers, "yes")]);
        }
        print(
            "Durable sends a second (aim: 30 % of raw SQLite at 128 callers, 50 % of an empty call over MCP)",
            &[
                "callers", "raw SQLite", "empty HTTP", "send HTTP", "of raw", "of empty",
                "with a key", "empty MCP", "send MCP", "of empty",
            ],
            &rows,
        );
        print(
            "What a send over HTTP costs the daemon (aim: 35 µs on the writer's thread)",
            &[
                "callers", "key", "sends a commit", "bytes to the disk", "µs of the writer",
                "µs of all threads",
            ],
            &costs,
        );
    });
}
