//! The order of one client's calls that write.

use agent_worker_protocol::{AskPerson, MyInbox, Op as _, PermissionPrompt};
use serde_json::Value;
use tokio::sync::{
    mpsc::{UnboundedSender, unbounded_channel},
    oneshot,
};

/// Whether a request waits for the calls before it. Tools not known to read only are taken to
/// write. A call that may wait long is not one of them: others would wait for it.
pub(super) fn is_ordered(request: &Value, reads: &[String]) -> bool {
    let params = &request["params"];
    let tool = params["name"].as_str().unwrap_or_default();
    let may_wait = [AskPerson::NAME, PermissionPrompt::TOOL].contains(&tool)
        || tool == MyInbox::NAME && !params["arguments"]["wait"].is_null();
    request["method"] == "tools/call" && !may_wait && !reads.iter().any(|read| read == tool)
}

/// How a turn is told that it begins, and tells that it has ended.
type Ends = (oneshot::Sender<()>, oneshot::Receiver<()>);

/// Gives turns, one after another.
#[derive(Debug)]
pub(super) struct Turns(UnboundedSender<Ends>);

impl Turns {
    pub fn begin() -> Self {
        let (turns, mut next) = unbounded_channel::<Ends>();
        tokio::spawn(async move {
            while let Some((begins, ended)) = next.recv().await {
                // The turn of a cancelled call has ended already.
                let _ = begins.send(());
                let _ = ended.await;
            }
        });
        Self(turns)
    }

    /// Returns the next turn.
    pub fn take(&self) -> Turn {
        let (begins, begun) = oneshot::channel();
        let (ends, ended) = oneshot::channel();
        // They are heard as long as this is kept.
        let _ = self.0.send((begins, ended));
        Turn { begun, _ends: ends }
    }
}

/// A place in the order, until it is dropped.
#[derive(Debug)]
pub(super) struct Turn {
    begun: oneshot::Receiver<()>,
    _ends: oneshot::Sender<()>,
}

impl Turn {
    /// Waits until all turns before it have ended.
    pub async fn begin(&mut self) {
        let _ = (&mut self.begun).await;
    }
}

#[cfg(test)]
mod tests {
    use futures::FutureExt as _;
    use serde_json::json;

    use super::*;

    #[test]
    fn calls_that_read_or_wait_have_no_turn() {
        let reads = ["team_members".to_owned()];
        let is_ordered = |tool: &str, arguments: Value| {
            let params = json!({ "name": tool, "arguments": arguments });
            is_ordered(&json!({ "method": "tools/call", "params": params }), &reads)
        };
        assert!(is_ordered("channel_send", json!({})));
        assert!(is_ordered("my_inbox", json!({})));
        assert!(!is_ordered("my_inbox", json!({ "wait": "60s" })));
        assert!(!is_ordered("ask_person", json!({})));
        assert!(!is_ordered("permission_prompt", json!({})));
        assert!(!is_ordered("team_members", json!({})));
        assert!(!super::is_ordered(&json!({ "method": "ping" }), &reads));
    }

    #[tokio::test]
    async fn a_cancelled_call_lets_none_pass_the_calls_before_it() {
        let turns = Turns::begin();
        let (mut first, cancelled, mut last) = (turns.take(), turns.take(), turns.take());
        first.begin().await;
        drop(cancelled);
        for _ in 0..10 {
            tokio::task::yield_now().await;
            assert!(last.begin().now_or_never().is_none());
        }
        drop(first);
        last.begin().await;
    }
}
