//! From a mention to its worker, and to the worker's answer, on an idle daemon.

use std::{
    process::{Command, Stdio},
    time::{Duration, Instant},
};

use agent_worker_client::{Client, Feed, FeedFilter, FeedItem};
use agent_worker_protocol::{ChannelSend, Event, EventBody, Mode, RunState, Source, WorkflowStart};

use super::{
    home::Home,
    table::{ms, percentile, print},
};

const TIMES: usize = 200;

async fn next(feed: &mut Feed) -> Event {
    loop {
        if let FeedItem::Event(event) = feed.next().await.expect("goes on").expect("is read") {
            return *event;
        }
    }
}

async fn start(client: &Client, name: &str, agents: &[(&str, &str)]) {
    let mut text = format!("name: {name}\nagents:\n");
    let mut files = std::collections::BTreeMap::new();
    for (agent, script) in agents {
        text.push_str("  ");
        text.push_str(agent);
        text.push_str(": { backend: mock, script: ");
        text.push_str(agent);
        text.push_str(".yaml }\n");
        files.insert(format!("{agent}.yaml"), (*script).to_owned());
    }
    let source = Source {
        file_name: "bench.yaml".to_owned(),
        text,
        folder: std::env::temp_dir().display().to_string(),
        files,
        ..Source::default()
    };
    let start = WorkflowStart { source, mode: Mode::Start, fresh: false };
    client.call(&start).await.expect("it starts");
}

fn mention(text: &str) -> ChannelSend {
    ChannelSend { message: text.to_owned(), to: Vec::new(), intent: None, reply_to: None }
}

fn is_started(event: &Event) -> bool {
    matches!(&event.body, EventBody::RunChanged(run) if run.state == RunState::Running && run.activity.is_none())
}

fn is_ended(event: &Event) -> bool {
    matches!(&event.body, EventBody::RunChanged(run) if !run.state.is_live())
}

fn is_answer(event: &Event) -> bool {
    matches!(&event.body, EventBody::MessageSent { message, .. } if message.sender.as_str() == "alice")
}

/// The person mentions: until the worker's first sign of life, and until its answer is stored, as
/// one who follows the feed sees it.
async fn by_the_person(client: &Client, feed: &mut Feed) -> (Vec<Duration>, Vec<Duration>) {
    let (mut starts, mut answers) = (Vec::new(), Vec::new());
    let channel = client.at("@bench".parse().expect("a target"));
    for n in 0..TIMES {
        let begun = Instant::now();
        channel.call(&mention(&format!("@alice number {n}"))).await.expect("sent");
        let (mut started, mut answered) = (None, None);
        loop {
            let event = next(feed).await;
            if is_started(&event) {
                started.get_or_insert(begun.elapsed());
            }
            if is_answer(&event) {
                answered.get_or_insert(begun.elapsed());
            }
            if is_ended(&event) {
                break;
            }
        }
        starts.push(started.expect("it started"));
        answers.push(answered.expect("it answered"));
    }
    (starts, answers)
}

/// An agent mentions: by the times that the events themselves carry.
async fn by_an_agent(client: &Client, feed: &mut Feed) -> Vec<Duration> {
    let channel = client.at("@pairs".parse().expect("a target"));
    let mut starts = Vec::new();
    for n in 0..TIMES {
        channel.call(&mention(&format!("@bob number {n}"))).await.expect("sent");
        let mut sent = None;
        let mut ended = 0;
        while ended < 2 {
            let event = next(feed).await;
            if let EventBody::MessageSent { message, .. } = &event.body
                && message.sender.as_str() == "bob"
            {
                sent = Some(event.at);
            }
            if let (Some(sent), true) = (sent, is_started(&event)) {
                starts.push(event.at.since(sent));
            }
            ended += usize::from(is_ended(&event));
        }
    }
    starts
}

/// How long an empty program takes from its start to its end.
fn empty_program() -> Vec<Duration> {
    (0..TIMES)
        .map(|_| {
            let begun = Instant::now();
            let status = Command::new("true").stdin(Stdio::null()).status();
            assert!(status.is_ok_and(|status| status.success()));
            begun.elapsed()
        })
        .collect()
}

pub fn run() {
    let home = Home::start("[guard]\nruns = 100000\npair_window = \"1ms\"\n");
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    let (person, answers, agent) = runtime.block_on(async {
        let client = home.client();
        start(&client, "bench", &[("alice", "- times: 0\n  do: [ { say: here } ]\n")]).await;
        let bob = "- times: 0\n  do:\n    - call: channel_send\n      with: { message: \"@carol you\" }\n";
        start(&client, "pairs", &[("bob", bob), ("carol", "- times: 0\n  do: [ { think: hm } ]\n")]).await;
        let mut feed = Feed::follow(&client, FeedFilter::default(), None);
        drop(feed.next().await);
        let (person, answers) = by_the_person(&client, &mut feed).await;
        let agent = by_an_agent(&client, &mut feed).await;
        (person, answers, agent)
    });
    let row = |name: &str, mut spans: Vec<Duration>, aim: &str| {
        spans.sort();
        let p = |percent| ms(percentile(&spans, percent));
        vec![name.to_owned(), p(50), p(90), p(99), aim.to_owned()]
    };
    let rows = [
        row("an empty program, start to end", empty_program(), ""),
        row("a person's mention to its worker", person, "p50 10 ms, p99 50 ms"),
        row("an agent's mention to its worker", agent, "p50 10 ms, p99 50 ms"),
        row("a person's mention to the answer", answers, "p50 40 ms"),
    ];
    print("From a mention to the work, idle daemon", &["what", "p50", "p90", "p99", "aim"], &rows);
}
