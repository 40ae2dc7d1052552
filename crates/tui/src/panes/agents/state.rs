//! What the table keeps, and which agents it has.

use std::collections::{BTreeMap, BTreeSet};

use agent_worker_client::text::natural;
use agent_worker_protocol::{
    agent::{Agent, AgentState},
    target::Target,
    time::Timestamp,
};

use super::order::{Filter, filtered};
use crate::{
    model::{
        Model, Picked, Subject, Tab,
        family::{self, Branch},
        needs, settings,
        tree_lines::work_rank,
    },
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
