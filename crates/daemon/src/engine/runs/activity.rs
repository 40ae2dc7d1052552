//! What an agent is doing, as the blocks of its transcript tell.

use std::collections::BTreeSet;

use agent_worker_protocol::run::BlockKind;

use crate::engine::runs::outcome::MODEL;

/// What an agent is doing.
#[derive(Debug, Default)]
pub struct Activity {
    /// Tool calls whose results are not whole
    calls: usize,
    /// Blocks of results that are not whole
    results: BTreeSet<i64>,
}

impl Activity {
    /// A block begins. Returns what the agent is doing now, if the block tells.
    pub fn begin(&mut self, n: i64, kind: BlockKind, name: Option<&str>) -> Option<String> {
        match kind {
            BlockKind::Text => Some(self.begin_anew("writing")),
            BlockKind::Thinking => Some(self.begin_anew("thinking")),
            BlockKind::ToolCall => {
                self.calls += 1;
                Some(format!("calling {}", name.unwrap_or("a tool")))
            }
            BlockKind::ToolResult => {
                self.results.insert(n);
                None
            }
            BlockKind::Prompt => Some(MODEL.to_owned()),
            _ => None,
        }
    }

    /// The model goes on, so that it waits for no result.
    fn begin_anew(&mut self, activity: &str) -> String {
        *self = Self::default();
        activity.to_owned()
    }

    /// A block is whole. A result begins with the first output of a command that still runs.
    pub fn end(&mut self, n: i64) -> Option<String> {
        if !self.results.remove(&n) {
            return None;
        }
        self.calls = self.calls.saturating_sub(1);
        (self.calls == 0).then(|| MODEL.to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_that_has_printed_something_still_runs() {
        let mut activity = Activity::default();
        let calling = activity.begin(0, BlockKind::ToolCall, Some("bash"));
        assert_eq!(calling.as_deref(), Some("calling bash"));
        assert_eq!(activity.end(0), None);
        assert_eq!(activity.begin(1, BlockKind::ToolResult, Some("bash")), None);
        assert_eq!(activity.end(1).as_deref(), Some(MODEL));
    }

    #[test]
    fn the_model_is_waited_for_after_the_last_of_several_results() {
        let mut activity = Activity::default();
        for n in 0..2 {
            activity.begin(n, BlockKind::ToolCall, None);
        }
        for n in 2..4 {
            activity.begin(n, BlockKind::ToolResult, None);
        }
        assert_eq!(activity.end(3), None);
        assert_eq!(activity.end(2).as_deref(), Some(MODEL));
    }

    #[test]
    fn a_result_that_ends_while_the_agent_writes_tells_nothing() {
        let mut activity = Activity::default();
        activity.begin(0, BlockKind::ToolCall, None);
        activity.begin(1, BlockKind::ToolResult, None);
        assert_eq!(activity.begin(2, BlockKind::Text, None).as_deref(), Some("writing"));
        assert_eq!(activity.end(1), None);
    }
}
