//! A first command without a daemon, and memory.

use std::time::{Duration, Instant};

use agent_worker_client::{Feed, FeedFilter, FeedItem};
use agent_worker_protocol::{AgentCreate, ChannelSend, EventBody, RunState};
use serde_json::json;

use super::{
    home::Home,
    table::{ms, percentile, print},
};

const TIMES: usize = 20;

/// How long `list` takes where no daemon runs.
fn first_list() -> Vec<Duration> {
    (0..TIMES)
        .map(|_| {
            let home = Home::empty("");
            let begun = Instant::now();
            let output = home.command("list").output().expect("it starts");
            let took = begun.elapsed();
            assert!(output.status.success(), "{output:?}");
            drop(home.command("daemon").arg("stop").output());
            took
        })
        .collect()
}

async fn hundred_thousand(home: &Home) {
    let client = home.client();
    let sink: AgentCreate =
        serde_json::from_value(json!({ "name": "sink", "backend": "external" })).expect("it fits");
    client.call(&sink).await.expect("made");
    let senders = (0..64).map(|_| {
        let client = client.clone();
        async move {
            for n in 0..100_000 / 64 {
                let message = format!("@sink number {n}");
                let send = ChannelSend { message, to: Vec::new(), intent: None, reply_to: None };
                client.call(&send).await.expect("sent");
            }
        }
    });
    futures::future::join_all(senders).await;
}

/// The memory of a worker in the middle of its work.
async fn worker(home: &Home) -> u64 {
    let client = home.client();
    let script = "- do: [ { think: hm }, { sleep: 30s } ]\n";
    let napper: AgentCreate =
        serde_json::from_value(json!({ "name": "napper", "backend": "mock", "script": script }))
            .expect("it fits");
    client.call(&napper).await.expect("made");
    let mut feed = Feed::follow(&client, FeedFilter::default(), None);
    drop(feed.next().await);
    let send =
        ChannelSend { message: "@napper".to_owned(), to: Vec::new(), intent: None, reply_to: None };
    client.call(&send).await.expect("sent");
    loop {
        let item = feed.next().await.expect("goes on").expect("is read");
        if let FeedItem::Event(event) = item
            && let EventBody::RunChanged(run) = &event.body
            && run.state == RunState::Running
            && run.activity.as_deref() == Some("thinking")
        {
            let show = agent_worker_protocol::RunShow { id: run.id };
            let pid = client.call(&show).await.expect("shown").pid.unwrap_or(0);
            return Home::anonymous(u32::try_from(pid).unwrap_or(0));
        }
    }
}

pub fn run() {
    let mut lists = first_list();
    lists.sort();
    let home = Home::start("");
    let pid = home.file().pid;
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    runtime.block_on(async { home.client().health().await.expect("it answers") });
    let idle = Home::anonymous(pid);
    let worker = runtime.block_on(worker(&home));
    runtime.block_on(hundred_thousand(&home));
    let after = Home::anonymous(pid);
    #[expect(clippy::cast_precision_loss, reason = "memory is small")]
    let mb = |kib: u64| format!("{:.1} MB", kib as f64 * 1024.0 / 1e6);
    let rows = [
        vec![
            "`list` without a daemon, p50".to_owned(),
            ms(percentile(&lists, 50)),
            "50 ms".to_owned(),
        ],
        vec!["anonymous memory, idle daemon".to_owned(), mb(idle), "20 MB".to_owned()],
        vec![
            "more after 100,000 messages".to_owned(),
            mb(after.saturating_sub(idle)),
            "10 MB".to_owned(),
        ],
        vec!["anonymous memory, mock worker".to_owned(), mb(worker), "8 MB".to_owned()],
    ];
    print("Start and memory", &["what", "figure", "aim"], &rows);
}
