//! Two hundred agents, twenty messages each, eight runs at once.

use std::{
    collections::{BTreeMap, HashSet},
    process::Stdio,
    time::{Duration, Instant},
};

use agent_worker_client::{Feed, FeedFilter, FeedItem};
use agent_worker_protocol::{ChannelSend, DeliveryState, EventBody, Mode, Source, WorkflowStart};

use super::{
    home::Home,
    table::{ms, print},
    thread::{Thread, children},
};

const AGENTS: usize = 200;
const MESSAGES: usize = 20;

fn source() -> Source {
    let mut text = "name: crowd\nagents:\n".to_owned();
    for n in 0..AGENTS {
        text.push_str("  agent-");
        text.push_str(&n.to_string());
        text.push_str(": { backend: mock, script: script.yaml }\n");
    }
    let script = "- times: 0\n  do: [ { think: hm } ]\n".to_owned();
    Source {
        file_name: "crowd.yaml".to_owned(),
        text,
        folder: std::env::temp_dir().display().to_string(),
        files: BTreeMap::from([("script.yaml".to_owned(), script)]),
        ..Source::default()
    }
}

/// Sends all, and counts what is acked and what is done twice.
async fn play(home: &Home) -> (usize, usize, usize) {
    let client = home.client();
    let start = WorkflowStart { source: source(), mode: Mode::Start, fresh: false };
    client.call(&start).await.expect("it starts");
    let filter = FeedFilter {
        scope: None,
        kinds: vec!["delivery.changed".to_owned(), "run.changed".to_owned()],
    };
    let mut feed = Feed::follow(&client, filter, None);
    drop(feed.next().await);
    let sender = client.at("@crowd".parse().expect("a target"));
    let sending = async move {
        for round in 0..MESSAGES {
            for n in 0..AGENTS {
                let message = format!("@agent-{n} round {round}");
                let send = ChannelSend { message, to: Vec::new(), intent: None, reply_to: None };
                sender.call(&send).await.expect("sent");
            }
        }
    };
    let counting = async {
        let (mut acked, mut twice, mut runs) = (HashSet::new(), 0, 0);
        while acked.len() < AGENTS * MESSAGES {
            let FeedItem::Event(event) = feed.next().await.expect("goes on").expect("is read")
            else {
                continue;
            };
            match &event.body {
                EventBody::DeliveryChanged(delivery) if delivery.state == DeliveryState::Acked => {
                    twice += usize::from(!acked.insert(delivery.message));
                }
                EventBody::RunChanged(run) if !run.state.is_live() => runs += 1,
                _ => {}
            }
        }
        (acked.len(), twice, runs)
    };
    tokio::join!(sending, counting).1
}

/// Processes that have this state directory in their environment, beside the daemon.
fn left_over(home: &Home) -> usize {
    let wanted = format!("AGENT_WORKER_HOME={}", home.path().display());
    let daemon = home.file().pid;
    let entries = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    let is_ours = |entry: &std::fs::DirEntry| {
        let environ = std::fs::read(entry.path().join("environ")).unwrap_or_default();
        environ.split(|byte| *byte == 0).any(|pair| pair == wanted.as_bytes())
    };
    let pids = entries.filter(is_ours).filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    pids.filter(|pid: &u32| *pid != daemon).count()
}

/// The CPU time of a worker's process that has nothing to do.
fn empty_worker(home: &Home) -> Duration {
    const TIMES: u32 = 100;
    let before = children(std::process::id());
    for _ in 0..TIMES {
        let mut worker = home.command("worker");
        let worker = worker.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        worker.status().expect("it starts");
    }
    children(std::process::id()).saturating_sub(before) / TIMES
}

pub fn run() {
    let config = "[runs]\nmax_runs = 8\n[guard]\nruns = 1000000\n[inbox]\nmessages = 1\n";
    let home = Home::start(config);
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    let daemon = home.file().pid;
    let begun = Instant::now();
    let (acked, twice, runs) = runtime.block_on(play(&home));
    let took = begun.elapsed();
    // The last run is over a moment after its mail is acked.
    while left_over(&home) > 0 && begun.elapsed() < took * 2 {
        std::thread::yield_now();
    }
    let per_run = |span: Duration| ms(span / u32::try_from(runs.max(1)).unwrap_or(u32::MAX));
    let (writer, all) = (Thread::of(daemon, "store").cpu(), Thread::all(daemon));
    let row = vec![
        format!("{acked} of {}", AGENTS * MESSAGES),
        twice.to_string(),
        runs.to_string(),
        left_over(&home).to_string(),
        format!("{:.1} s", took.as_secs_f64()),
    ];
    let header = ["handled", "acked twice", "runs", "processes left", "in all"];
    print("200 agents, 20 messages each, at most 8 runs at once", &header, &[row]);
    let row = vec![
        per_run(took),
        per_run(writer),
        per_run(all.saturating_sub(writer)),
        per_run(children(daemon)),
        ms(empty_worker(&home)),
    ];
    let header =
        ["time", "CPU of the writer", "of other threads", "of the worker", "of an empty worker"];
    print("What each of these runs takes", &header, &[row]);
}
