//! What the agents of a workflow are doing, in one line.

use std::collections::BTreeMap;

use agent_worker_client::text::{Words as _, numbers};
use agent_worker_protocol::{
    Agent, AgentState, Event, EventBody, MemberKind, ModelAway, Name, Run, RunState, Timestamp,
};
use tokio::time::Instant;

use crate::text::line;

/// Separator between two agents.
const GAP: &str = " · ";

/// Who is doing what.
#[derive(Debug, Default)]
pub struct Board {
    setup: Option<String>,
    agents: BTreeMap<Name, Doing>,
}

#[derive(Debug)]
struct Doing {
    state: AgentState,
    /// What its run does, and since when
    activity: Option<(String, Instant)>,
    /// Its model, while that is away, with the daemon's time at an instant
    away: Option<(ModelAway, Timestamp, Instant)>,
    /// Since when its run is silent
    silence: Option<Instant>,
}

impl Default for Doing {
    fn default() -> Self {
        Self { state: AgentState::Idle, activity: None, away: None, silence: None }
    }
}

impl Board {
    /// Notes what an event changes.
    pub fn apply(&mut self, event: &Event, now: Instant) {
        match &event.body {
            EventBody::WorkflowChanged(workflow) => self.setup.clone_from(&workflow.setup),
            EventBody::AgentChanged(agent) => self.changed(agent, event.at, now),
            EventBody::AgentRemoved { target } => {
                if let Some(name) = &target.name {
                    self.agents.remove(name);
                }
            }
            EventBody::RunChanged(run) => self.ran(run, event.at, now),
            _ => {}
        }
    }

    fn changed(&mut self, agent: &Agent, at: Timestamp, now: Instant) {
        if matches!(agent.kind, MemberKind::Agent | MemberKind::External) {
            let doing = self.agents.entry(agent.name.clone()).or_default();
            doing.state = agent.state;
            doing.away = agent.away.clone().map(|away| (away, at, now));
        }
    }

    fn ran(&mut self, run: &Run, at: Timestamp, now: Instant) {
        let Some(name) = &run.agent.name else { return };
        let doing = self.agents.entry(name.clone()).or_default();
        doing.away = run.away.clone().map(|away| (away, at, now));
        if !run.state.is_live() {
            doing.activity = None;
            return;
        }
        let activity = match run.state {
            RunState::Running => run.activity.clone().unwrap_or_else(|| "working".to_owned()),
            state => state.word().text.to_owned(),
        };
        if doing.activity.as_ref().is_none_or(|(known, _)| *known != activity) {
            doing.activity = Some((activity, now));
        }
        doing.silence = run.silence(at).and_then(|silence| now.checked_sub(silence));
    }

    /// Current work of all agents, in one line.
    pub fn line(&self, now: Instant) -> String {
        if let Some(step) = &self.setup {
            return format!("setup: {}", line(step));
        }
        let agents: Vec<_> =
            self.agents.iter().filter_map(|(name, doing)| doing.told(name, now)).collect();
        if agents.is_empty() { "no agent is running".to_owned() } else { agents.join(GAP) }
    }
}

impl Doing {
    fn told(&self, name: &Name, now: Instant) -> Option<String> {
        match (&self.activity, self.state) {
            (_, AgentState::Waiting) => Some(format!("{name} asks you")),
            _ if self.away.is_some() => {
                let (away, at, then) = self.away.as_ref()?;
                let told = away.told(at.after(now.saturating_duration_since(*then)));
                Some(format!("{name}: {told}"))
            }
            (Some((activity, since)), _) => {
                let seconds =
                    now.saturating_duration_since(self.silence.unwrap_or(*since)).as_secs();
                let span = std::time::Duration::from_secs(seconds);
                let time = if seconds == 0 {
                    String::new()
                } else {
                    format!(" {}", numbers::elapsed(span))
                };
                let silent = if self.silence.is_some() { ", silent" } else { "" };
                Some(format!("{name} {}{silent}{time}", line(activity)))
            }
            (None, AgentState::Idle) => None,
            (None, state) => Some(format!("{name} {}", state.word().text)),
        }
    }
}

#[cfg(test)]
#[path = "tests/board.rs"]
mod tests;
