//! The end of runs that are stopped at once.

use std::time::Duration;

use agent_worker_client::{Client, ClientError, Feed, FeedFilter, FeedItem};
use agent_worker_protocol::{event::EventBody, run::RunList, target::Target};

use crate::{place::scope_of, session::Session};

/// `runs.kill_grace` of a daemon that does not tell it.
const USUAL_GRACE: Duration = Duration::from_secs(10);

/// How long a run may take to end once it is killed.
const KILLED: Duration = Duration::from_secs(1);

/// The most runs that are looked at.
const MOST_RUNS: u32 = 100;

/// Waits until the runs of an agent or a workflow have ended. Returns how many are still live after
/// the time in which they are killed.
pub async fn live_runs(
    session: &Session,
    client: &Client,
    target: &Target,
) -> anyhow::Result<usize> {
    let of_target = client.at(target.clone());
    let mut live = count(&of_target).await?;
    if live == 0 {
        return Ok(0);
    }
    let grace = session.existing().await?.and_then(|(file, _)| file.grace);
    let grace = grace.map_or(USUAL_GRACE, |grace| grace.kill.duration());
    let scope = scope_of(target);
    let filter = FeedFilter { scope: Some(scope.clone()), kinds: vec!["run.changed".to_owned()] };
    let mut feed = Feed::follow(&client.at(Target::scope(scope)), filter, None);
    let ended = async {
        while live > 0
            && let Some(item) = feed.next().await
        {
            // Runs that ended before the feed began are in no event.
            if may_be_fewer(&item?) {
                live = count(&of_target).await?;
            }
        }
        Ok::<_, ClientError>(())
    };
    if let Ok(ended) = tokio::time::timeout(grace + KILLED, ended).await {
        ended?;
    }
    Ok(live)
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

async fn count(client: &Client) -> Result<usize, ClientError> {
    let runs = client.call(&RunList { limit: Some(MOST_RUNS), before: None }).await?.runs;
    Ok(runs.iter().filter(|run| run.state.is_live()).count())
}
