//! Which agents the table has, and in which order.

use agent_worker_protocol::agent::{Agent, AgentState, MemberKind};

use crate::model::{Model, Subject, tree_lines::work_rank};

/// Which agents are shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Filter {
    #[default]
    All,
    /// Those that need the person.
    Need,
    Running,
    /// Those that wait for their turn or their time.
    Queued,
    /// Those with nothing to do.
    Idle,
    /// Those that were stopped.
    Stopped,
}

impl Filter {
    /// All of them, in the order of the menu.
    pub const ALL: [Self; 6] =
        [Self::All, Self::Need, Self::Running, Self::Queued, Self::Idle, Self::Stopped];

    /// What it is, in words; none if it lets everything through.
    pub fn words(self) -> Option<&'static str> {
        Some(match self {
            Self::All => return None,
            Self::Need => "in need of you",
            Self::Running => "running",
            Self::Queued => "queued",
            Self::Idle => "idle",
            Self::Stopped => "stopped",
        })
    }

    fn takes(self, model: &Model, agent: &Agent) -> bool {
        match self {
            Self::All => true,
            Self::Need => work_rank(model, agent) <= 1,
            Self::Running => matches!(agent.state, AgentState::Running | AgentState::Waiting),
            Self::Queued => matches!(agent.state, AgentState::Queued | AgentState::Backoff),
            Self::Idle => agent.state == AgentState::Idle,
            Self::Stopped => matches!(agent.state, AgentState::Stopped | AgentState::Paused),
        }
    }
}

/// The agents of the subject that a filter lets through.
pub fn filtered(model: &Model, filter: Filter) -> Vec<&Agent> {
    let mut agents: Vec<&Agent> = match &model.place.subject {
        Subject::Workflow(scope) => model.mirror().agents_of(scope).collect(),
        _ => model.mirror().agents().collect(),
    };
    agents.retain(|agent| {
        matches!(agent.kind, MemberKind::Agent | MemberKind::External) && filter.takes(model, agent)
    });
    agents
}
