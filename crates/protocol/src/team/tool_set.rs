//! Tools that an agent is offered only where they are of use, so that a model reads fewer of them.

use crate::{
    op::Op,
    team::{
        agent::AgentStop,
        conversation::{GroupAdd, GroupCreate, GroupLeave, GroupList, GroupMembers},
        document::DocCreate,
        hire::AgentHire,
        memory::{BootstrapDone, HomeRead, HomeWrite, MemoryAdd, MemoryRead, MemorySearch},
        proposal::{ProposalCancel, ProposalCreate, ProposalsShow, VoteCast},
        schedule::{ScheduleTask, TaskCancel, TaskList, TaskPause, TaskResume},
    },
};

/// Tools that belong together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ToolSet {
    /// Offered to every member.
    Common,
    /// Offered where a workflow has `proposals: true`, or a proposal is open.
    Proposals,
    /// Offered where a workflow has `groups: true`, or to a member of a group.
    Groups,
    /// Offered where a workflow has `hire: true`.
    Hire,
    /// Offered to an agent with a home.
    Home,
    /// Offered to those who ask for all tools: another tool does the same.
    Rare,
}

impl ToolSet {
    /// The tools of an agent with a home.
    pub const HOME: [&str; 11] = [
        HomeRead::NAME,
        HomeWrite::NAME,
        BootstrapDone::NAME,
        MemoryAdd::NAME,
        MemorySearch::NAME,
        MemoryRead::NAME,
        ScheduleTask::NAME,
        TaskList::NAME,
        TaskPause::NAME,
        TaskResume::NAME,
        TaskCancel::NAME,
    ];

    /// Returns the set that a tool of the daemon belongs to.
    pub fn of(tool: &str) -> Self {
        match tool {
            ProposalCreate::NAME | VoteCast::NAME | ProposalsShow::NAME | ProposalCancel::NAME => {
                Self::Proposals
            }
            GroupCreate::NAME
            | GroupList::NAME
            | GroupMembers::NAME
            | GroupAdd::NAME
            | GroupLeave::NAME => Self::Groups,
            AgentHire::NAME | AgentStop::NAME => Self::Hire,
            DocCreate::NAME => Self::Rare,
            tool if Self::HOME.contains(&tool) => Self::Home,
            _ => Self::Common,
        }
    }
}
