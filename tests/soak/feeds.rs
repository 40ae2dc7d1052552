//! Clients of the feed that are cut again and again, and what they should have seen.

use std::{sync::Arc, time::Duration};

use agent_worker_client::FeedItem;
use agent_worker_protocol::{Cursor, Event};
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use crate::daemon::Daemon;

const CLIENTS: u64 = 8;

/// The last client takes so long for each event.
const SLOWLY: Duration = Duration::from_millis(20);

/// The events that one client saw, by their places.
pub struct Seen {
    client: u64,
    from: i64,
    seqs: Vec<i64>,
    /// What should never happen
    faults: Vec<String>,
}

/// Starts the clients.
pub fn follow(daemon: &Arc<Daemon>, enough: &CancellationToken) -> JoinSet<Seen> {
    let mut clients = JoinSet::new();
    for client in 0..CLIENTS {
        clients.spawn(follow_as(daemon.clone(), client, enough.clone()));
    }
    clients
}

/// Follows with one connection after the other, each for a few seconds at most, until it is enough
/// and nothing more comes.
async fn follow_as(daemon: Arc<Daemon>, client: u64, enough: CancellationToken) -> Seen {
    let mut cursor = None::<Cursor>;
    let mut seen = Seen { client, from: -1, seqs: Vec::new(), faults: Vec::new() };
    for round in 0_u64.. {
        let mut feed = daemon.feed(cursor.clone()).await;
        let patience = Duration::from_millis(200 + (client * 613 + round * 977) % 4000);
        let cut = tokio::time::sleep(patience);
        tokio::pin!(cut);
        let before = seen.seqs.len();
        loop {
            let item = tokio::select! {
                () = &mut cut => break,
                item = feed.next() => item,
            };
            match item {
                Some(Ok(FeedItem::Event(event))) => seen.seqs.push(event.seq),
                Some(Ok(FeedItem::Hello(hello))) if seen.from < 0 => seen.from = hello.seq,
                Some(Ok(FeedItem::Reset(reset))) => seen.faults.push(format!("{reset:?}")),
                Some(Ok(_)) => {}
                Some(Err(error)) => seen.faults.push(error.to_string()),
                None => break,
            }
            if client + 1 == CLIENTS && !enough.is_cancelled() {
                tokio::time::sleep(SLOWLY).await;
            }
        }
        cursor = feed.cursor().cloned().or(cursor);
        if enough.is_cancelled() && before == seen.seqs.len() && patience > Duration::from_secs(1) {
            break;
        }
    }
    seen
}

/// The whole feed, read at the end in one go.
pub async fn reference(daemon: &Daemon) -> Vec<Event> {
    let newest = daemon.client().await.snapshot().await.expect("it answers").seq;
    let mut feed = daemon.feed(Some(Cursor { epoch: None, seq: 0 })).await;
    let mut events = Vec::new();
    while events.last().is_none_or(|last: &Event| last.seq < newest) {
        match feed.next().await {
            Some(Ok(FeedItem::Event(event))) => events.push(*event),
            Some(Ok(FeedItem::Reset(reset))) => panic!("{reset:?}"),
            Some(Ok(_)) => {}
            end => panic!("{end:?}"),
        }
    }
    events
}

/// What is wrong with what the clients saw: each is to have seen each event since it came once and
/// in order.
pub async fn compare(clients: JoinSet<Seen>, reference: &[Event]) -> Vec<String> {
    let mut faults = Vec::new();
    for seen in clients.join_all().await {
        let newest = reference.last().map_or(0, |event| event.seq);
        let due = reference.iter().map(|event| event.seq).filter(|seq| *seq > seen.from);
        let due: Vec<i64> = due.collect();
        let got: Vec<i64> = seen.seqs.iter().copied().filter(|seq| *seq <= newest).collect();
        if got != due {
            let at = got.iter().zip(&due).take_while(|(got, due)| got == due).count();
            let (client, got_at, due_at) = (seen.client, got.get(at), due.get(at));
            faults.push(format!(
                "client {client} of the feed saw {} of {} events: {got_at:?} where {due_at:?} was due",
                got.len(),
                due.len()
            ));
        }
        faults.extend(seen.faults);
    }
    faults
}
