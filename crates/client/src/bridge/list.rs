//! Telling a client that other tools are offered.

use serde_json::{Value, json};
use tokio::sync::mpsc::UnboundedSender;
use tokio_util::task::AbortOnDropHandle;

use super::asker::Bridge;
use crate::{Feed, FeedFilter, FeedItem, discovery};

/// What can be sent to the client.
pub(super) type Out = UnboundedSender<Value>;

/// Follows what the tools depend on, for as long as the handle is kept.
pub(super) fn watch(bridge: Bridge, out: Out) -> AbortOnDropHandle<()> {
    AbortOnDropHandle::new(tokio::spawn(follow(bridge, out)))
}

/// The names of the tools in an answer to `tools/list`; `None` if it is a refusal.
pub(super) fn names(answer: &Value) -> Option<Vec<String>> {
    let tools = answer["result"]["tools"].as_array()?;
    let names = tools.iter().filter_map(|tool| tool["name"].as_str());
    Some(names.map(ToOwned::to_owned).collect())
}

/// The names of the tools in an answer to `tools/list` that only read.
pub(super) fn reads(answer: &Value) -> Vec<String> {
    let tools = answer["result"]["tools"].as_array().into_iter().flatten();
    let reads = tools.filter(|tool| tool["annotations"]["readOnlyHint"] == true);
    reads.filter_map(|tool| tool["name"].as_str()).map(ToOwned::to_owned).collect()
}

async fn follow(bridge: Bridge, out: Out) {
    let kinds = ["proposal.changed", "group.changed"];
    let scope = bridge.shared.agent.as_ref().and_then(|agent| agent.scope.clone());
    let filter = FeedFilter { scope, kinds: kinds.map(ToOwned::to_owned).to_vec() };
    let (home, program) = (bridge.shared.home.clone(), bridge.shared.program.clone());
    let file = home.watched();
    let mut feed = Feed::follow(&bridge.client(), filter, None)
        .relocate(discovery::relocation(home, program))
        .watch(file);
    while let Some(item) = feed.next().await {
        match item {
            // What happened before this connection is seen by looking.
            Ok(FeedItem::Connected | FeedItem::Event(_) | FeedItem::Reset(_)) => {}
            Ok(_) => continue,
            Err(_) => return,
        }
        let known = bridge.state().listed.clone();
        let request = json!({ "jsonrpc": "2.0", "id": 0, "method": "tools/list", "params": {} });
        let now = names(&bridge.asked(&request).await);
        if known.is_none() || now.is_none() || now == known {
            continue;
        }
        bridge.state().listed = now;
        let changed = json!({ "jsonrpc": "2.0", "method": "notifications/tools/list_changed" });
        if out.send(changed).is_err() {
            return;
        }
    }
}
