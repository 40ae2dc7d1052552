//! Which agents the table has, and in which order.

use agent_worker_protocol::agent::{Agent, AgentState, MemberKind};

use crate::model::{Model, Subject, tree_lines::work_rank};

/// In which order agents stand.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Order {
    #[default]
    Name,
    /// Those that need the person, then those at work.
    Need,
    /// What has lasted longest.
    Longest,
    /// What has cost most.
    Cost,
}

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

impl Order {
    /// The order after this one.
    pub fn next(self) -> Self {
        match self {
            Self::Name => Self::Need,
            Self::Need => Self::Longest,
            Self::Longest => Self::Cost,
            Self::Cost => Self::Name,
        }
    }

    /// What it is, in words.
    pub fn words(self) -> &'static str {
        match self {
            Self::Need => "ordered by need for you",
            Self::Name => "ordered by name",
            Self::Longest => "ordered by time, longest first",
            Self::Cost => "ordered by cost, most first",
        }
    }
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

/// What an agent's runs have cost; less than nothing if no run has a price.
pub(super) fn cost(agent: &Agent) -> f64 {
    agent.used.cost.unwrap_or(-1.0)
}
