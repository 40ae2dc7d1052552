//! Durable sends over HTTP and over MCP, beside what they cannot be faster than: the rows of a send
//! put into SQLite alone, in the same groups and as durable, and a call that does nothing.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    time::{Duration, Instant},
};

use agent_worker_client::Client;
use agent_worker_daemon::testing::{
    Clock, Credential, Run, Settings, Store, Surroundings, recover,
};
use agent_worker_protocol::{agent::AgentCreate, channel::ChannelSend, target::Scope};
use futures::future::BoxFuture;
use serde_json::{Value, json};

use super::{
    home::Home,
    raw::Raw,
    table::{median, print},
    thread::Thread,
};

/// How long each figure is measured, and how often.
const SPAN: Duration = Duration::from_secs(1);
const ROUNDS: usize = 3;

pub type Call = Arc<dyn Fn() -> BoxFuture<'static, ()> + Send + Sync>;

/// Calls per second.
pub async fn rate(callers: usize, call: Call) -> f64 {
    let done = Arc::new(AtomicU64::new(0));
    let is_over = Arc::new(AtomicBool::new(false));
    let begun = Instant::now();
    let tasks: Vec<_> = (0..callers)
        .map(|_| {
            let (call, done, is_over) = (call.clone(), done.clone(), is_over.clone());
            tokio::spawn(async move {
                while !is_over.load(Ordering::Relaxed) {
                    call().await;
                    done.fetch_add(1, Ordering::Relaxed);
                }
            })
        })
        .collect();
    tokio::time::sleep(SPAN).await;
    is_over.store(true, Ordering::Relaxed);
    let count = done.load(Ordering::Relaxed);
    let span = begun.elapsed();
    for task in tasks {
        task.await.expect("a caller does not break");
    }
    #[expect(clippy::cast_precision_loss, reason = "counts are small")]
    let count = count as f64;
    count / span.as_secs_f64()
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
    let around = Surroundings { clock: Clock::System, settings: Arc::new(Settings::default()) };
    let (store, _) = Store::open(&folder.path().join("bare.db"), around).expect("it opens");
    store.blocking_write(Credential::Daemon, |cx| recover::begin(cx, "epoch")).expect("it begins");
    store.blocking_write(operator(), |cx| sink().run(cx)).expect("the agent is made");
    store
}

fn over_http(client: &Client) -> Call {
    let client = client.clone();
    Arc::new(move || {
        let client = client.clone();
        Box::pin(async move { drop(client.call(&message()).await.expect("it is sent")) })
    })
}

fn empty_http(client: &Client) -> Call {
    let client = client.clone();
    Arc::new(move || {
        let client = client.clone();
        Box::pin(async move { drop(client.health().await.expect("it answers")) })
    })
}

/// A call of the MCP endpoint, as a client without a session makes it.
fn over_mcp(home: &Home, method: &'static str, params: &Value) -> Call {
    let file = home.file();
    let url = format!("http://{}:{}/mcp", file.host, file.port);
    let body = json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params });
    let http = agent_worker_http::client().no_proxy().build().expect("a client");
    Arc::new(move || {
        let request = http
            .post(&url)
            .bearer_auth(&file.token)
            .header("accept", "application/json, text/event-stream")
            .header("mcp-protocol-version", "2025-11-25")
            .json(&body);
        Box::pin(async move {
            let answer: Value = request.send().await.expect("sent").json().await.expect("read");
            assert!(answer["result"]["isError"] != true && answer["error"].is_null(), "{answer}");
        })
    })
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
        let begun = Instant::now();
        let rate = rate(callers, call.clone()).await;
        self.calls += rate * begun.elapsed().as_secs_f64();
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

    /// What one call costs the daemon.
    fn costs(&self, callers: usize, commits: f64) -> Vec<String> {
        #[expect(clippy::cast_precision_loss, reason = "counts are small")]
        let bytes = self.bytes as f64;
        let micros = |span: Duration| format!("{:.0}", span.as_secs_f64() * 1e6 / self.calls);
        vec![
            callers.to_string(),
            format!("{:.1}", self.calls / commits),
            format!("{:.0}", bytes / self.calls),
            micros(self.writer),
            micros(self.daemon),
        ]
    }
}

pub fn run() {
    let home = Home::start("");
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    runtime.block_on(async {
        let client = home.client();
        client.call(&sink()).await.expect("the agent is made");
        let send = json!({ "name": "channel_send", "arguments": { "message": message().message } });
        let calls = [
            empty_http(&client),
            over_http(&client),
            over_mcp(&home, "ping", &json!({})),
            over_mcp(&home, "tools/call", &send),
        ];
        let (mut rows, mut costs) = (Vec::new(), Vec::new());
        for callers in [1, 8, 16, 128] {
            let mut measured: [Measured; 4] = Default::default();
            for _ in 0..ROUNDS {
                for (call, measured) in calls.iter().zip(&mut measured) {
                    measured.add(&home, callers, call).await;
                }
            }
            let http = &measured[1];
            #[expect(clippy::cast_precision_loss, reason = "counts are small")]
            let commits = http.commits as f64;
            let raw = Raw::new().rate(http.calls / commits);
            let [empty_http, send_http, empty_mcp, send_mcp] =
                [0, 1, 2, 3].map(|at: usize| measured[at].rate());
            let share = |part: f64, whole: f64| format!("{:.0} %", part / whole * 100.0);
            rows.push(vec![
                callers.to_string(),
                format!("{raw:.0}"),
                format!("{empty_http:.0}"),
                format!("{send_http:.0}"),
                share(send_http, raw),
                share(send_http, empty_http),
                format!("{empty_mcp:.0}"),
                format!("{send_mcp:.0}"),
                share(send_mcp, empty_mcp),
            ]);
            costs.push(http.costs(callers, commits));
        }
        print(
            "Durable sends a second (aim: 30 % of raw SQLite at 128 callers, 50 % of an empty call over MCP)",
            &[
                "callers", "raw SQLite", "empty HTTP", "send HTTP", "of raw", "of empty", "empty MCP",
                "send MCP", "of empty",
            ],
            &rows,
        );
        print(
            "What a send over HTTP costs the daemon (aim: 35 µs on the writer's thread)",
            &["callers", "sends a commit", "bytes to the disk", "µs of the writer", "µs of all threads"],
            &costs,
        );
    });
}
