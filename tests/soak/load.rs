//! What comes in: messages of several clients, each sent until it is acknowledged, and backups.

use std::{collections::BTreeMap, process::Stdio, sync::Arc, time::Duration};

use agent_worker_client::fresh_key;
use agent_worker_protocol::{ChannelSend, MessageId};
use tokio::{task::JoinSet, time::MissedTickBehavior};
use tokio_util::sync::CancellationToken;

use crate::{daemon::Daemon, teams};

/// Messages that were acknowledged, with their texts.
pub type Sent = BTreeMap<MessageId, String>;

const CLIENTS: usize = 4;

/// Starts the clients; together they send `rate` messages a second.
pub fn send(daemon: &Arc<Daemon>, rate: f64, over: &CancellationToken) -> JoinSet<Sent> {
    let mut clients = JoinSet::new();
    for client in 0..CLIENTS {
        clients.spawn(send_as(daemon.clone(), client, rate, over.clone()));
    }
    clients
}

/// What all clients have sent.
pub async fn gather(clients: JoinSet<Sent>) -> Sent {
    clients.join_all().await.into_iter().flatten().collect()
}

/// Of twenty messages one makes its run crash and one makes it hang.
fn text(number: usize) -> String {
    let to = teams::agent(number);
    match number % 20 {
        3 => format!("@{to} crash {number}"),
        9 => format!("@{to} hang {number}"),
        5 | 11 | 17 => format!("@{to} pass {number} to {}", teams::agent(number + 1)),
        7 => format!("@{to} long {number}"),
        _ => format!("@{to} just {number}"),
    }
}

async fn send_as(daemon: Arc<Daemon>, client: usize, rate: f64, over: CancellationToken) -> Sent {
    #[expect(clippy::cast_precision_loss, reason = "there are few clients")]
    let pause = Duration::from_secs_f64(CLIENTS as f64 / rate);
    let mut pace = tokio::time::interval(pause);
    pace.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let mut sent = Sent::new();
    for round in 0.. {
        tokio::select! {
            () = over.cancelled() => break,
            _ = pace.tick() => {}
        }
        let message = text(round * CLIENTS + client);
        let team = (round + client) % teams::TEAMS;
        let scope = format!("@team-{team}").parse().expect("a target");
        let mention =
            ChannelSend { message: message.clone(), to: Vec::new(), intent: None, reply_to: None };
        // The key makes it one message however often it has to be sent.
        let key = fresh_key();
        let id = loop {
            let channel = daemon.client().await.at(Clone::clone(&scope));
            match channel.call_with_key(&mention, &key).await {
                Ok(answer) => break answer.id,
                Err(_) => tokio::time::sleep(Duration::from_millis(50)).await,
            }
        };
        sent.insert(id, message);
    }
    sent
}

/// Whether this version has a command.
pub fn has_command(daemon: &Daemon, name: &str) -> bool {
    let help =
        daemon.command(&[name, "--help"]).stdout(Stdio::null()).stderr(Stdio::null()).status();
    help.is_ok_and(|status| status.success())
}

/// Makes backups under load, where this version can. Says how many.
pub async fn back_up(daemon: Arc<Daemon>, over: CancellationToken) -> usize {
    if !has_command(&daemon, "backup") {
        return 0;
    }
    let mut made = 0;
    loop {
        tokio::select! {
            () = over.cancelled() => return made,
            () = tokio::time::sleep(Duration::from_secs(20)) => {}
        }
        let file = daemon.work().join("backup.db");
        drop(std::fs::remove_file(&file));
        let mut backup = daemon.command(&["backup", &file.display().to_string()]);
        let done = tokio::task::spawn_blocking(move || backup.output());
        // A backup may be refused or cut off when the daemon is killed.
        made +=
            usize::from(done.await.is_ok_and(|done| done.is_ok_and(|done| done.status.success())));
    }
}
