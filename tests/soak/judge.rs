//! Whether every promise was kept.

use std::{
    collections::{BTreeMap, BTreeSet},
    time::{Duration, Instant},
};

use agent_worker_protocol::{DeliveryState, Event, EventBody, MemberKind};

use crate::{
    daemon::Daemon,
    load::{self, Sent},
    processes,
};

/// How long what is left to do may take.
const SETTLED: Duration = Duration::from_mins(5);

/// Waits until all work is done and no agent runs, for at most `SETTLED`. It checks again at every
/// event.
pub async fn settle(daemon: &Daemon) -> Option<String> {
    let begun = Instant::now();
    let mut feed = daemon.feed(None).await;
    let mut left = None;
    let settled = async {
        loop {
            left = undone(daemon).await;
            if left.is_none() {
                return;
            }
            let event = feed.next().await.expect("the feed goes on");
            event.expect("the feed is whole");
        }
    };
    match tokio::time::timeout(SETTLED, settled).await {
        Ok(()) => eprintln!("all was done {:.0?} after the load", begun.elapsed()),
        Err(_) => eprintln!("not all was done {SETTLED:?} after the load"),
    }
    left
}

/// What is left to do, if anything is.
async fn undone(daemon: &Daemon) -> Option<String> {
    let snapshot = daemon.client().await.snapshot().await.expect("it answers");
    let agents = snapshot.agents.iter().filter(|agent| agent.kind == MemberKind::Agent);
    let unread: i64 = agents.map(|agent| agent.unread).sum();
    let live = snapshot.runs.iter().filter(|run| run.state.is_live()).count();
    (unread > 0 || live > 0).then(|| format!("{unread} messages and {live} runs are left"))
}

/// Looks at the whole feed: what was acknowledged is there once, and every delivery to an agent was
/// acked once.
pub fn judge(sent: &Sent, feed: &[Event]) -> Vec<String> {
    let mut faults = Vec::new();
    let mut stored: BTreeMap<_, usize> = BTreeMap::new();
    let mut owed = BTreeSet::new();
    let mut acks: BTreeMap<_, usize> = BTreeMap::new();
    let mut ends: BTreeMap<String, usize> = BTreeMap::new();
    let mut texts: BTreeMap<&str, usize> = BTreeMap::new();
    for event in feed {
        match &event.body {
            EventBody::MessageSent { message, deliveries } => {
                *stored.entry(message.id).or_default() += 1;
                if message.sender.as_str() == "user" {
                    *texts.entry(message.content.as_str()).or_default() += 1;
                }
                let to_agents = deliveries.iter().filter(|delivery| {
                    delivery.agent.name.as_ref().is_some_and(|name| name.as_str() != "user")
                });
                owed.extend(
                    to_agents.map(|delivery| (delivery.message, delivery.agent.to_string())),
                );
            }
            EventBody::DeliveryChanged(delivery) if delivery.state == DeliveryState::Acked => {
                *acks.entry((delivery.message, delivery.agent.to_string())).or_default() += 1;
            }
            EventBody::RunChanged(run) if !run.state.is_live() => {
                *ends.entry(format!("{:?}", run.state).to_lowercase()).or_default() += 1;
            }
            _ => {}
        }
    }
    eprintln!("runs: {ends:?}; deliveries to agents: {}", owed.len());
    for (id, text) in sent {
        if stored.get(id) != Some(&1) {
            faults
                .push(format!("{id}, which was acknowledged, is there {:?} times", stored.get(id)));
        }
        if texts.get(text.as_str()) != Some(&1) {
            faults.push(format!("`{text}` is there {:?} times", texts.get(text.as_str())));
        }
    }
    for delivery in &owed {
        if acks.get(delivery) != Some(&1) {
            faults.push(format!("{delivery:?} was acked {:?} times", acks.get(delivery)));
        }
    }
    faults
}

/// Lets the program check itself where it can, stops it, and looks what is left.
pub fn stop(daemon: &Daemon) -> Vec<String> {
    let mut faults = Vec::new();
    let left = daemon.pid().map(|pid| processes::count(&daemon.home(), pid));
    if left != Some((0, 0)) {
        faults.push(format!("processes that are left, below the daemon and elsewhere: {left:?}"));
    }
    if load::has_command(daemon, "doctor") {
        let checked = daemon.command(&["doctor"]).output().expect("it starts");
        if !checked.status.success() {
            faults.push(String::from_utf8_lossy(&checked.stdout).into_owned());
        }
        eprintln!("doctor: {}", checked.status);
    }
    if !daemon.stop() {
        faults.push("the daemon did not stop as it should".to_owned());
    }
    if processes::count(&daemon.home(), 0) != (0, 0) {
        faults.push("processes are left after the daemon".to_owned());
    }
    faults
}
