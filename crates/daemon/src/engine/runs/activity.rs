//! What an agent is doing, as the blocks of its transcript tell.

use std::collections::{BTreeMap, BTreeSet};

use agent_worker_protocol::run::{BlockKind, BlockState};

use crate::engine::runs::outcome::MODEL;

/// What an agent is doing.
#[derive(Debug)]
pub struct Activity {
    /// Whether an agent program tells of calls: it does when it makes them
    is_program: bool,
    /// Tools whose calls the model is writing, by the numbers of their blocks
    written: BTreeMap<i64, String>,
    /// Tool calls whose results are not whole
    calls: usize,
    /// Blocks of results that are not whole
    results: BTreeSet<i64>,
}

impl Activity {
    /// Nothing yet.
    pub fn new(is_program: bool) -> Self {
        Self { is_program, written: BTreeMap::new(), calls: 0, results: BTreeSet::new() }
    }

    /// A block begins. Returns what the agent is doing now, if the block tells.
    pub fn begin(&mut self, n: i64, kind: BlockKind, name: Option<&str>) -> Option<String> {
        match kind {
            BlockKind::Text => Some(self.begin_anew("writing")),
            BlockKind::Thinking => Some(self.begin_anew("thinking")),
            BlockKind::ToolCall => {
                let tool = name.unwrap_or("a tool");
                if self.is_program {
                    return Some(self.call(tool));
                }
                self.written.insert(n, tool.to_owned());
                Some(format!("writing a call of {tool}"))
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
        self.calls = 0;
        self.results.clear();
        activity.to_owned()
    }

    fn call(&mut self, tool: &str) -> String {
        self.calls += 1;
        format!("calling {tool}")
    }

    /// A block is whole, or broken off. A call is made once it is whole. A result begins with the
    /// first output of a command that still runs.
    pub fn end(&mut self, n: i64, state: BlockState) -> Option<String> {
        if let Some(tool) = self.written.remove(&n) {
            if state == BlockState::Done {
                return Some(self.call(&tool));
            }
        } else if self.results.remove(&n) {
            self.calls = self.calls.saturating_sub(1);
        } else {
            return None;
        }
        (self.calls == 0).then(|| MODEL.to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::{BlockState::Done, *};

    #[test]
    fn a_command_that_has_printed_something_still_runs() {
        let mut activity = Activity::new(false);
        activity.begin(0, BlockKind::ToolCall, Some("bash"));
        assert_eq!(activity.end(0, Done).as_deref(), Some("calling bash"));
        assert_eq!(activity.begin(1, BlockKind::ToolResult, Some("bash")), None);
        assert_eq!(activity.end(1, Done).as_deref(), Some(MODEL));
    }

    #[test]
    fn a_call_that_is_written_is_not_made_and_one_that_is_cut_never_is() {
        let mut activity = Activity::new(false);
        let writing = activity.begin(0, BlockKind::ToolCall, Some("bash"));
        assert_eq!(writing.as_deref(), Some("writing a call of bash"));
        assert_eq!(activity.end(0, BlockState::Cut).as_deref(), Some(MODEL));
        for n in 1..3 {
            activity.begin(n, BlockKind::ToolCall, Some("bash"));
        }
        assert_eq!(activity.end(1, Done).as_deref(), Some("calling bash"));
        assert_eq!(activity.end(2, BlockState::Cut), None, "the other one is made");
    }

    #[test]
    fn a_program_tells_of_a_call_when_it_makes_it() {
        let mut activity = Activity::new(true);
        let calling = activity.begin(0, BlockKind::ToolCall, Some("bash"));
        assert_eq!(calling.as_deref(), Some("calling bash"));
        assert_eq!(activity.end(0, Done), None);
    }

    #[test]
    fn the_model_is_waited_for_after_the_last_of_several_results() {
        let mut activity = Activity::new(false);
        for n in 0..2 {
            activity.begin(n, BlockKind::ToolCall, None);
        }
        for n in 0..2 {
            assert_eq!(activity.end(n, Done).as_deref(), Some("calling a tool"));
        }
        for n in 2..4 {
            activity.begin(n, BlockKind::ToolResult, None);
        }
        assert_eq!(activity.end(3, Done), None);
        assert_eq!(activity.end(2, Done).as_deref(), Some(MODEL));
    }

    #[test]
    fn a_result_that_ends_while_the_agent_writes_tells_nothing() {
        let mut activity = Activity::new(true);
        activity.begin(0, BlockKind::ToolCall, None);
        activity.begin(1, BlockKind::ToolResult, None);
        assert_eq!(activity.begin(2, BlockKind::Text, None).as_deref(), Some("writing"));
        assert_eq!(activity.end(1, Done), None);
    }
}
