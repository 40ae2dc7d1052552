//! Durable sends: on the bare store, over HTTP and over MCP, beside a call that does nothing.

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
    table::{median, print},
};

/// How long each figure is measured, and how often.
const SPAN: Duration = Duration::from_secs(1);
const ROUNDS: usize = 3;

pub type Call = Arc<dyn Fn() -> BoxFuture<'static, ()> + Send + Sync>;

/// Calls a second with so many callers.
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

pub fn on_store(store: &Store) -> Call {
    let store = store.clone();
    Arc::new(move || {
        let store = store.clone();
        Box::pin(async move {
            store.write(operator(), |cx| message().run(cx)).await.expect("it is stored");
        })
    })
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
    let http = reqwest::Client::builder().no_proxy().build().expect("a client");
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

pub fn run() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let store = bare_store(&folder);
    let home = Home::start("");
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    runtime.block_on(async {
        let client = home.client();
        client.call(&sink()).await.expect("the agent is made");
        let send = json!({ "name": "channel_send", "arguments": { "message": message().message } });
        let calls = [
            on_store(&store),
            empty_http(&client),
            over_http(&client),
            over_mcp(&home, "ping", &json!({})),
            over_mcp(&home, "tools/call", &send),
        ];
        let mut rows = Vec::new();
        let mut per_commit = 0.0;
        for callers in [1, 16, 128] {
            let mut rates = vec![Vec::new(); calls.len()];
            for _ in 0..ROUNDS {
                for (index, call) in calls.iter().enumerate() {
                    let before = store.commits();
                    let rate = rate(callers, call.clone()).await;
                    rates[index].push(rate);
                    if index == 0 && callers == 128 {
                        #[expect(clippy::cast_precision_loss, reason = "counts are small")]
                        let commits = (store.commits() - before) as f64;
                        per_commit = rate * SPAN.as_secs_f64() / commits;
                    }
                }
            }
            let rates: Vec<f64> = rates.into_iter().map(median).collect();
            rows.push(row(callers, &rates));
        }
        print(
            "Sends a second (aim: at least 60 % of the slower of an empty call and the bare store)",
            &[
                "callers",
                "bare store",
                "empty HTTP",
                "send HTTP",
                "share",
                "empty MCP",
                "send MCP",
                "share",
            ],
            &rows,
        );
        let row = vec![format!("{per_commit:.1}"), format!("1/{per_commit:.0}"), "1/8".to_owned()];
        print(
            "Group commit at 128 callers",
            &["sends per commit", "commits per send", "aim"],
            &[row],
        );
    });
}

fn row(callers: usize, rates: &[f64]) -> Vec<String> {
    let [store, empty_http, http, empty_mcp, mcp] = rates else { return Vec::new() };
    let share = |rate: &f64, empty: &f64| format!("{:.0} %", rate / empty.min(*store) * 100.0);
    let number = |rate: &f64| format!("{rate:.0}");
    vec![
        callers.to_string(),
        number(store),
        number(empty_http),
        number(http),
        share(http, empty_http),
        number(empty_mcp),
        number(mcp),
        share(mcp, empty_mcp),
    ]
}
