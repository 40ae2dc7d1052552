//! Whether a run has had an effect: whether it sent, wrote or changed something.

use std::sync::atomic::{AtomicBool, Ordering};

use agent_worker_protocol::{
    ChannelRead, DocList, DocRead, GroupList, GroupMembers, HomeRead, HomeWrite, MemoryAdd,
    MemoryRead, MemorySearch, MyInbox, MyInboxAck, MyStatusSet, Op, ProposalsShow, ResourceRead,
    Search, TaskList, TeamMembers,
};

/// Tools that only look, or say of the agent what ends with its run.
const LOOKING: [&str; 20] = [
    ChannelRead::NAME,
    MyInbox::NAME,
    MyInboxAck::NAME,
    MyStatusSet::NAME,
    TeamMembers::NAME,
    DocRead::NAME,
    DocList::NAME,
    ProposalsShow::NAME,
    ResourceRead::NAME,
    GroupList::NAME,
    GroupMembers::NAME,
    Search::NAME,
    HomeRead::NAME,
    MemoryRead::NAME,
    MemorySearch::NAME,
    TaskList::NAME,
    "read",
    "glob",
    "grep",
    "fetch",
];

/// Tools that only keep something for the agent itself.
const NOTING: [&str; 2] = [HomeWrite::NAME, MemoryAdd::NAME];

/// Whether a tool does nothing for those who asked.
pub fn is_aside(tool: &str) -> bool {
    LOOKING.contains(&tool) || NOTING.contains(&tool)
}

/// The effects of a run.
#[derive(Debug, Default)]
pub struct Acts {
    has_any: AtomicBool,
    has_begun: AtomicBool,
}

impl Acts {
    /// Notes that the model has answered.
    pub fn begin(&self) {
        self.has_begun.store(true, Ordering::Relaxed);
    }

    /// Notes a call that was answered. A refused one has done nothing; a command that ended badly
    /// may have.
    pub fn note(&self, tool: &str, is_undone: bool) {
        if !is_undone && !LOOKING.contains(&tool) {
            self.has_any.store(true, Ordering::Relaxed);
        }
    }

    /// Whether there was one.
    pub fn has_any(&self) -> bool {
        self.has_any.load(Ordering::Relaxed)
    }

    /// Whether the model has answered anything.
    pub fn has_begun(&self) -> bool {
        self.has_begun.load(Ordering::Relaxed)
    }
}

#[cfg(test)]
mod tests {
    use agent_worker_protocol::ToolSet;

    use super::*;

    #[test]
    fn looking_into_a_home_is_not_an_effect() {
        for tool in ToolSet::HOME {
            let acts = Acts::default();
            acts.note(tool, false);
            let looks = ["home_read", "memory_read", "memory_search", "list_tasks"].contains(&tool);
            assert_eq!(acts.has_any(), !looks, "{tool}");
        }
    }
}
