//! The lines of the table: runs summed up by agent, model, workflow or day; and which is selected.

use std::collections::BTreeMap;

use agent_worker_protocol::{Run, Target, Workflow};

use super::{
    limits::{Limit, nearest},
    sum::{By, Sum},
};
use crate::{
    model::{Model, Picked, Place, Subject, Tab, history},
    parts::table,
    text::query::{Fact, Value},
};

/// What was used.
#[derive(Debug, Default)]
pub struct Costs {
    pub(super) by: By,
    pub(super) picked: BTreeMap<&'static str, Picked<String>>,
}

impl Costs {
    /// The lines of the table, as it is filtered and sorted.
    pub(super) fn lines(&self, model: &Model) -> Vec<Line> {
        table::arranged(model, Tab::Cost, lines(model, self.by), Line::facts)
    }

    pub(super) fn names(&self, model: &Model) -> Vec<String> {
        self.lines(model).into_iter().map(|line| line.name).collect()
    }

    pub(super) fn own(&self, model: &Model) -> Option<Line> {
        let lines = self.lines(model);
        let names: Vec<String> = lines.iter().map(|line| line.name.clone()).collect();
        let picked = self.picked.get(self.by.words());
        let at = picked.map_or(Some(0), |picked| picked.at(&names))?;
        lines.into_iter().nth(at)
    }
}

/// A line of the table.
#[derive(Debug, Clone)]
pub struct Line {
    pub name: String,
    pub sum: Sum,
    /// Where it is shown
    pub place: Place,
    /// The limit that is nearest
    pub limit: Option<Limit>,
}

/// What lines can be filtered and sorted by.
pub const FIELDS: [&str; 7] = ["name", "runs", "failed", "tokens", "cost", "rate", "left"];

impl Line {
    /// The values of the line by these names.
    pub fn facts(&self) -> Vec<Fact> {
        let left = self.limit.as_ref().map(|limit| limit.left() * 100.0);
        vec![
            ("name", Value::from(&self.name)),
            ("runs", Value::count(self.sum.runs)),
            ("failed", Value::count(self.sum.failed)),
            ("tokens", Value::count(self.sum.tokens)),
            ("cost", Value::dollars(self.sum.cost)),
            ("rate", Value::dollars(self.sum.rate)),
            ("left", Value::dollars(left)),
        ]
    }
}

/// All known runs summed up.
pub fn all(model: &Model) -> Sum {
    sum(model, history::all(model, None))
}

/// The runs of today.
pub fn today(model: &Model) -> Sum {
    let zone = model.zone();
    let today = zone.day(model.shown_at());
    let runs = history::all(model, None).into_iter();
    sum(model, runs.filter(|run| zone.day(run.started_at) == today))
}

fn sum<'a>(model: &Model, runs: impl IntoIterator<Item = &'a Run>) -> Sum {
    let mut sum = Sum::default();
    runs.into_iter().for_each(|run| sum.add(run, model.shown_at()));
    sum
}

/// The lines of the table, what has cost most first; days the newest first.
pub fn lines(model: &Model, by: By) -> Vec<Line> {
    let mut lines = match by {
        By::Agent => agents(model),
        By::Model => models(model),
        By::Workflow => workflows(model),
        By::Day => return days(model),
    };
    lines.sort_by(|one, other| {
        let cost = |line: &Line| line.sum.cost.unwrap_or(-1.0);
        let order = cost(other).total_cmp(&cost(one));
        order.then(other.sum.tokens.cmp(&one.sum.tokens)).then(one.name.cmp(&other.name))
    });
    lines
}

/// Known runs by a key, in the order of the keys.
fn grouped<K: Ord>(model: &Model, key: impl Fn(&Run) -> Option<K>) -> BTreeMap<K, Sum> {
    let mut sums: BTreeMap<K, Sum> = BTreeMap::new();
    for run in history::all(model, None) {
        if let Some(key) = key(run) {
            sums.entry(key).or_default().add(run, model.shown_at());
        }
    }
    sums
}

/// Agents: tokens and dollars are those of all runs, as the daemon counts them.
fn agents(model: &Model) -> Vec<Line> {
    let mut sums = grouped(model, |run| Some(run.agent.clone()));
    let mut lines = Vec::new();
    for agent in model.mirror().agents().filter(|agent| agent.used.tokens > 0) {
        let mut sum = sums.remove(&agent.target).unwrap_or_default();
        (sum.tokens, sum.cost) = (agent.used.tokens, agent.used.cost);
        lines.push(agent_line(&agent.target, sum));
    }
    // Agents that are gone, and those without counted tokens.
    lines.extend(sums.into_iter().map(|(target, sum)| agent_line(&target, sum)));
    lines
}

fn agent_line(target: &Target, sum: Sum) -> Line {
    let place = Place::of(Subject::Agent(target.clone()));
    Line { name: target.to_string(), sum, place, limit: None }
}

/// A line that stands for some of all runs.
fn runs_line(name: String, sum: Sum) -> Line {
    Line { name, sum, place: Place::at(Subject::All, Tab::Runs), limit: None }
}

fn models(model: &Model) -> Vec<Line> {
    let sums = grouped(model, |run| {
        Some(run.model.clone().or_else(|| run.backend.clone()).unwrap_or_else(|| "-".to_owned()))
    });
    sums.into_iter().map(|(name, sum)| runs_line(name, sum)).collect()
}

/// Workflows: all numbers are the daemon's but those of the last hours.
fn workflows(model: &Model) -> Vec<Line> {
    let mut sums = grouped(model, |run| Some(run.scope.clone()));
    let used: Vec<_> = {
        let is_used = |workflow: &&Workflow| {
            workflow.used.runs > 0 || workflow.used.tokens > 0 || sums.contains_key(&workflow.scope)
        };
        model.mirror().workflows().filter(is_used).collect()
    };
    let line = |workflow: &Workflow| {
        let mut sum = sums.remove(&workflow.scope).unwrap_or_default();
        (sum.runs, sum.tokens) = (workflow.used.runs.max(sum.runs), workflow.used.tokens);
        sum.cost = Some(workflow.used.cost).filter(|cost| *cost > 0.0);
        Line {
            name: workflow.scope.key(),
            limit: nearest(model, workflow, &sum),
            sum,
            place: Place::at(Subject::Workflow(workflow.scope.clone()), Tab::Agents),
        }
    };
    used.into_iter().map(line).collect()
}

fn days(model: &Model) -> Vec<Line> {
    let zone = model.zone();
    let sums = grouped(model, |run| zone.day(run.started_at));
    sums.into_iter().rev().map(|(day, sum)| runs_line(day.to_string(), sum)).collect()
}
