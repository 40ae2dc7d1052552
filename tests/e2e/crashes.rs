//! Crashes of the daemon: no acknowledged message is lost, every mention is handled, and the work
//! goes on by itself.

use std::{
    collections::{BTreeMap, BTreeSet},
    time::Duration,
};

use agent_worker_protocol::{
    channel::{ChannelSend, Peek},
    event::EventBody,
    id::MessageId,
    inbox::{DeliveryState, Inbox},
    run::RunState,
    target::Target,
    workflow::{Mode, WorkflowState},
};

use crate::support::{Home, Running, Team, Watch, block_on, mock};

fn target(text: &str) -> Target {
    text.parse().unwrap()
}

const AGENTS: [&str; 6] = ["alice", "bob", "carol", "dave", "erin", "frank"];

/// Mail of a lost run is tried again alone, so a crash costs as many runs as it had messages.
const CONFIG: &str = "[inbox]\nmessages = 3\n[runs]\nlost_limit = 1000\nmax_runs = 8\n\
    starts_after_restart = 100\n[guard]\nruns = 1000000\n";

/// Sends to all agents in turn until the daemon is gone; gives what was acknowledged.
async fn send_until_it_ends(home: &Home, round: usize) -> Vec<(MessageId, &'static str)> {
    let channel = home.client().at(target("@team"));
    let mut acknowledged = Vec::new();
    let mut pace = tokio::time::interval(Duration::from_millis(60));
    for n in 0.. {
        pace.tick().await;
        let name = AGENTS[n % AGENTS.len()];
        let message = format!("@{name} round {round}, number {n}");
        let mention = ChannelSend { message, to: Vec::new(), intent: None };
        match channel.call(&mention).await {
            Ok(sent) => acknowledged.push((sent.id, name)),
            Err(_) => break,
        }
    }
    acknowledged
}

/// Lets the daemon work under load for a while, then kills it.
async fn crash(home: &Home, daemon: Running, round: usize) -> Vec<(MessageId, &'static str)> {
    let after = Duration::from_millis(1000 + (round as u64 * 377) % 2000);
    let sending = send_until_it_ends(home, round);
    let killing = async {
        tokio::time::sleep(after).await;
        daemon.kill();
    };
    tokio::join!(sending, killing).0
}

#[test]
fn twenty_crashes_under_load_lose_nothing() {
    let home = Home::with_config(CONFIG);
    let script = mock("- sleep: 900ms\n- say: \"\"");
    let mut acknowledged: BTreeMap<MessageId, &str> = BTreeMap::new();
    let daemon = block_on(async {
        let mut daemon = home.daemon();
        let mut team = Team::new("team", "");
        for name in AGENTS {
            team = team.agent(name, &script);
        }
        team.start(&home, &home.client(), Mode::Start).await;
        for round in 0..20 {
            acknowledged.extend(crash(&home, daemon, round).await);
            home.assert_nobody_is_left();
            daemon = home.daemon();
        }
        daemon
    });
    assert!(acknowledged.len() > 300, "{}", acknowledged.len());
    block_on(async {
        let client = home.client();
        let mut watch = Watch::now(&client).await;
        loop {
            let open = open_mail(&client).await;
            if open.is_empty() {
                break;
            }
            watch.run_ended(|_| true).await;
        }
        for name in AGENTS {
            let handled = handled(&client, name).await;
            let sent: BTreeSet<MessageId> =
                acknowledged.iter().filter(|(_, to)| **to == name).map(|(id, _)| *id).collect();
            assert!(sent.is_subset(&handled), "{name} has handled what was acknowledged");
        }
        assert_acked_once(&client, &acknowledged).await;
        let page = Peek { limit: Some(1), ..Peek::default() };
        let newest = client.at(target("@team")).call(&page).await.unwrap();
        let newest = newest.messages[0].id;
        assert!(acknowledged.keys().all(|id| *id <= newest));
    });
    daemon.stop();
    home.assert_nobody_is_left();
}

/// Reads the whole feed: every message that was acknowledged to its sender is acked once.
async fn assert_acked_once(
    client: &agent_worker_client::Client,
    acknowledged: &BTreeMap<MessageId, &str>,
) {
    let newest = client.snapshot().await.unwrap().seq;
    let mut watch = Watch::all(client).await;
    let mut acks: BTreeMap<MessageId, usize> = BTreeMap::new();
    loop {
        let event = watch.event().await;
        if let EventBody::DeliveryChanged(delivery) = &event.body
            && delivery.state == DeliveryState::Acked
        {
            *acks.entry(delivery.message).or_default() += 1;
        }
        if event.seq >= newest {
            break;
        }
    }
    for id in acknowledged.keys() {
        assert_eq!(acks.get(id), Some(&1), "{id}");
    }
}

/// Agents with mail that is not handled yet.
async fn open_mail(client: &agent_worker_client::Client) -> Vec<&'static str> {
    let mut open = Vec::new();
    for name in AGENTS {
        let inbox = Inbox { target: target(&format!("{name}@team")), limit: Some(1), all: false };
        if client.call(&inbox).await.unwrap().count > 0 {
            open.push(name);
        }
    }
    open
}

/// All messages that an agent has handled.
async fn handled(client: &agent_worker_client::Client, name: &str) -> BTreeSet<MessageId> {
    let show = agent_worker_protocol::agent::AgentShow { target: target(&format!("{name}@team")) };
    assert_eq!(client.call(&show).await.unwrap().dead, 0);
    let mut handled = BTreeSet::new();
    let channel = client.at(target("@team"));
    let mut after = MessageId::new(0);
    loop {
        let page = Peek { after: Some(after), limit: Some(500), ..Peek::default() };
        let page = channel.call(&page).await.unwrap();
        let named = |message: &&agent_worker_protocol::channel::Message| {
            message.mentions.resolved.iter().any(|member| member.as_str() == name)
        };
        handled.extend(page.messages.iter().filter(named).map(|message| message.id));
        match page.messages.last() {
            Some(last) if page.more => after = last.id,
            _ => return handled,
        }
    }
}

#[test]
fn a_workflow_goes_on_after_a_crash_and_ends() {
    let home = Home::new();
    let daemon = home.daemon();
    let run = block_on(async {
        let client = home.client();
        let script = "- do: [ { think: hm }, { sleep: 1s }, { say: done } ]\n";
        let team = Team::new("team", "@alice go").agent("alice", script);
        let mut watch = Watch::now(&client).await;
        team.start(&home, &client, Mode::Run).await;
        watch.run_thinks("alice").await
    });
    daemon.kill();
    let _daemon = home.daemon();
    block_on(async {
        let client = home.client();
        let mut watch = Watch::all(&client).await;
        let lost = watch.run_ended(|ended| ended.id == run.id).await;
        assert_eq!(lost.state, RunState::Lost);
        let again = watch.run_ended(|ended| ended.id != run.id).await;
        assert_eq!(again.state, RunState::Succeeded, "a turn of a lost run is played again");
        watch.workflow(WorkflowState::Completed).await;
        let inbox = Inbox { target: target("alice@team"), limit: None, all: true };
        let mail = client.call(&inbox).await.unwrap().messages;
        assert_eq!(mail[0].delivery.state, DeliveryState::Acked);
    });
}
