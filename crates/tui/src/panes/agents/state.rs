//! What the table keeps, and which agents it has.

use std::collections::{BTreeMap, BTreeSet};

use agent_worker_client::text::natural;
use agent_worker_protocol::{Agent, AgentState, MemberKind, Target, Timestamp};

use crate::{
    model::{Branch, Model, Picked, Subject, Tab, family, needs, settings, tree_lines::work_rank},
    parts::table,
};

/// What the table keeps.
#[derive(Debug, Default)]
pub struct Agents {
    pub(super) picked: BTreeMap<Subject, Picked<Target>>,
    pub(super) filter: Filter,
    /// Since when agents are what they are, as far as the feed has told
    pub(super) since: BTreeMap<Target, (AgentState, Timestamp)>,
}

impl Agents {
    pub(super) fn targets(&self, model: &Model) -> Vec<Target> {
        self.agents(model).into_iter().map(|agent| agent.target.clone()).collect()
    }

    /// The agents of the subject, as the table has them.
    pub fn agents<'a>(&'a self, model: &'a Model) -> Vec<&'a Agent> {
        self.branches(model).into_iter().map(|branch| branch.agent).collect()
    }

    /// Whether lines move with what agents do. Else they move only with those of the tree, and to
    /// look for them after each event of thousands of agents takes seconds.
    pub fn is_by_state(&self, model: &Model) -> bool {
        let chosen = &model.selection;
        self.filter != Filter::All
            || chosen.queries.contains_key(&Tab::Agents)
            || chosen.sorts.contains_key(&Tab::Agents)
            || model.settings.chosen.order == settings::Order::Need
    }

    /// The same with those that are folded away.
    pub(super) fn all<'a>(&self, model: &'a Model) -> Vec<&'a Agent> {
        let mut agents = filtered(model, self.filter);
        agents.sort_by_cached_key(|agent| {
            (natural::key(agent.name.as_str()), natural::key(&agent.scope.key()))
        });
        if model.settings.chosen.order == settings::Order::Need {
            agents.sort_by_cached_key(|agent| work_rank(model, agent));
        }
        table::arranged(model, Tab::Agents, agents, |agent| self.facts(model, agent))
    }

    /// Each that was hired below its parent, unless the table is sorted. What a filter finds is not
    /// folded away.
    pub(super) fn branches<'a>(&self, model: &'a Model) -> Vec<Branch<'a>> {
        let agents = self.all(model);
        if model.selection.sorts.contains_key(&Tab::Agents) {
            let flat = agents.into_iter();
            return flat.map(|agent| Branch { agent, depth: 0, hidden: 0 }).collect();
        }
        let is_filtered =
            self.filter != Filter::All || model.selection.queries.contains_key(&Tab::Agents);
        let none = BTreeSet::new();
        family::arranged(&agents, if is_filtered { &none } else { &model.selection.tree.parents })
    }

    /// Since when an agent is in its state; `None` if unknown.
    pub fn since(&self, model: &Model, agent: &Agent) -> Option<Timestamp> {
        let run = || model.mirror().live_run(&agent.target).map(|run| run.started_at);
        let told = || self.since.get(&agent.target).map(|(_, at)| *at);
        match agent.state {
            AgentState::Waiting => {
                let asked = needs::of_agent(model, &agent.target);
                asked.map(|question| question.created_at).or_else(run)
            }
            _ if agent.run.is_some() => run(),
            AgentState::Queued | AgentState::Backoff => told(),
            _ => None,
        }
    }
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

impl Filter {
    /// All of them, in the order of the menu.
    pub const ALL: [(Self, &'static str); 6] = [
        (Self::All, "all agents"),
        (Self::Need, "in need of you"),
        (Self::Running, "running"),
        (Self::Queued, "queued"),
        (Self::Idle, "idle"),
        (Self::Stopped, "stopped"),
    ];

    /// What it is, in words; none if it lets everything through.
    pub fn words(self) -> Option<&'static str> {
        (self != Self::All).then(|| Self::ALL[self as usize].1)
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
