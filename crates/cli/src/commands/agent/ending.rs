//! The end of runs that are stopped at once.

use std::time::Duration;

use agent_worker_client::{Client, ClientError, Feed, FeedFilter, FeedItem};
use agent_worker_protocol::{AgentList, AgentShow, EventBody, Target};
use tokio::time::{Instant, timeout_at};

use crate::{place::scope_of, session::Session};

/// `runs.kill_grace` of a daemon that does not tell it.
const USUAL_GRACE: Duration = Duration::from_secs(10);

/// How long a run may take to end once it is killed.
const KILLED: Duration = Duration::from_secs(1);

/// When the runs that are stopped now have been killed.
pub async fn latest_end(session: &Session) -> Instant {
    let file = session.existing().await.ok().flatten().map(|(file, _)| file);
    let grace = file.and_then(|file| file.grace);
    Instant::now() + grace.map_or(USUAL_GRACE, |grace| grace.kill.duration()) + KILLED
}

/// Waits until the runs of an agent or a workflow have ended, and returns how many are still live
/// then. An agent in its shell may not follow the feed: it waits for none.
pub async fn live_runs(client: &Client, target: &Target, until: Instant) -> usize {
    let mut live = count(client, target).await.unwrap_or(0);
    if live == 0 {
        return 0;
    }
    let scope = scope_of(target);
    let filter = FeedFilter { scope: Some(scope.clone()), kinds: vec!["run.changed".to_owned()] };
    let mut feed = Feed::follow(&client.at(Target::scope(scope)), filter, None);
    let ended = async {
        while live > 0
            && let Some(Ok(item)) = feed.next().await
        {
            // Runs that ended before the feed began are in no event.
            if may_be_fewer(&item) {
                live = count(client, target).await.unwrap_or(live);
            }
        }
    };
    drop(timeout_at(until, ended).await);
    live
}

fn may_be_fewer(item: &FeedItem) -> bool {
    match item {
        FeedItem::Hello(_) => true,
        FeedItem::Event(event) => {
            matches!(&event.body, EventBody::RunChanged(run) if !run.state.is_live())
        }
        _ => false,
    }
}

async fn count(client: &Client, target: &Target) -> Result<usize, ClientError> {
    let agents = match target.name {
        Some(_) => vec![client.call(&AgentShow { target: target.clone() }).await?.agent],
        None => client.at(target.clone()).call(&AgentList {}).await?.agents,
    };
    Ok(agents.iter().filter(|agent| agent.run.is_some()).count())
}
