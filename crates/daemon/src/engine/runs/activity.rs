//! What an agent is doing, as the blocks of its transcript tell.

use std::collections::{BTreeMap, BTreeSet};

use agent_worker_protocol::{BlockKind, BlockState};

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
#[path = "tests/activity.rs"]
mod tests;
