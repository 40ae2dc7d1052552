//! Agents below those that hired them.

use std::collections::{BTreeMap, BTreeSet};

use agent_worker_protocol::{Agent, Target};

use crate::model::Model;

/// How deep an agent can stand: the daemon allows less, and a circle has an end.
const DEEPEST: usize = 8;

/// An agent where its family puts it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Branch<'a> {
    pub agent: &'a Agent,
    /// How many stand above it
    pub depth: usize,
    /// How many are folded away below it
    pub hidden: usize,
}

/// The agent that hired an agent.
pub fn parent(agent: &Agent) -> Option<Target> {
    agent.parent.clone().map(|name| Target::member(name, agent.scope.clone()))
}

/// Agents in their order, each that was hired below its parent if that is among them. Those below a
/// folded one are left out.
pub fn arranged<'a>(agents: &[&'a Agent], folded: &BTreeSet<Target>) -> Vec<Branch<'a>> {
    let targets: BTreeSet<&Target> = agents.iter().map(|agent| &agent.target).collect();
    let mut children: BTreeMap<Option<Target>, Vec<&'a Agent>> = BTreeMap::new();
    let hired_by: BTreeMap<&Target, Target> =
        agents.iter().filter_map(|agent| Some((&agent.target, parent(agent)?))).collect();
    // An agent of a circle of parents stands by itself.
    let has_end = |target: &Target| {
        let up = std::iter::successors(Some(target), |target| hired_by.get(target));
        up.take(DEEPEST + 1).count() <= DEEPEST
    };
    for agent in agents {
        let above = hired_by.get(&agent.target).filter(|parent| targets.contains(parent));
        let above = above.filter(|_| has_end(&agent.target)).cloned();
        children.entry(above).or_default().push(agent);
    }
    let mut branches = Vec::with_capacity(agents.len());
    let mut open: Vec<(&Agent, usize)> = Vec::new();
    let below = |of: Option<Target>, depth| {
        let found = children.get(&of).into_iter().flatten();
        found.rev().map(move |agent| (*agent, depth))
    };
    open.extend(below(None, 0));
    while let Some((agent, depth)) = open.pop() {
        let mut branch = Branch { agent, depth, hidden: 0 };
        if folded.contains(&agent.target) {
            branch.hidden = count(&children, &agent.target, depth);
        } else if depth < DEEPEST {
            open.extend(below(Some(agent.target.clone()), depth + 1));
        }
        branches.push(branch);
    }
    branches
}

/// How many agents are below one.
fn count(children: &BTreeMap<Option<Target>, Vec<&Agent>>, of: &Target, depth: usize) -> usize {
    if depth >= DEEPEST {
        return 0;
    }
    let below = children.get(&Some(of.clone())).into_iter().flatten();
    below.map(|child| 1 + count(children, &child.target, depth + 1)).sum()
}

/// Those that an agent hired, and those that they hired.
pub fn hired<'a>(model: &'a Model, of: &Agent) -> Vec<&'a Agent> {
    let agents: Vec<&Agent> = model.mirror().agents_of(&of.scope).collect();
    let mut found: Vec<&Agent> = Vec::new();
    let mut open = vec![&of.name];
    while let Some(name) = open.pop() {
        for agent in agents.iter().filter(|agent| agent.parent.as_ref() == Some(name)) {
            if found.iter().all(|known| known.target != agent.target) {
                found.push(agent);
                open.push(&agent.name);
            }
        }
    }
    found
}

/// The agents above one, the nearest first.
pub fn above(model: &Model, target: &Target) -> Vec<Target> {
    let parent = |target: &Target| parent(model.mirror().agent(target)?);
    let is_there = |target: &Target| model.mirror().agent(target).is_some();
    std::iter::successors(parent(target), parent).take_while(is_there).take(DEEPEST).collect()
}

impl Model {
    /// Hides what an agent hired, or shows it; false if it is so already.
    pub fn fold_hired(&mut self, target: &Target, open: bool) -> bool {
        if open {
            return self.selection.tree.parents.remove(target);
        }
        let is_parent =
            self.mirror().agent(target).is_some_and(|agent| !hired(self, agent).is_empty());
        is_parent && self.selection.tree.parents.insert(target.clone())
    }
}
