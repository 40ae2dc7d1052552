//! What the agents of a workflow are doing, in one line.

use std::collections::BTreeMap;

use agent_worker_client::text::{Words as _, numbers};
use agent_worker_protocol::{
    agent::{Agent, AgentState, MemberKind},
    event::{Event, EventBody},
    name::Name,
    run::{ModelAway, Run, RunState},
    time::Timestamp,
};
use tokio::time::Instant;

use crate::render::line;

/// What stands between two agents.
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

    /// All that goes on, for one line.
    pub fn line(&self, now: Instant) -> String {
        if let Some(step) = &self.setup {
            return format!("setup: {}", line(step));
        }
        let agents: Vec<_> =
            self.agents.iter().filter_map(|(name, doing)| doing.told(name, now)).collect();
        if agents.is_empty() { "nobody is at work".to_owned() } else { agents.join(GAP) }
    }
}

impl Doing {
    fn told(&self, name: &Name, now: Instant) -> Option<String> {
        match (&self.activity, self.state) {
            (_, AgentState::Waiting) => Some(format!("{name} waits for you")),
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
mod tests {
    use std::time::Duration;

    use agent_worker_protocol::{target::Scope, time::Timestamp, workflow::WorkflowState};

    use super::*;
    use crate::render::samples;

    fn event(body: EventBody) -> Event {
        let scope = Scope::global();
        Event { seq: 1, scope, run: None, actor: "daemon".to_owned(), at: Timestamp(0), body }
    }

    fn run(state: RunState, activity: Option<&str>) -> Event {
        let mut run = samples::run(state);
        run.activity = activity.map(ToOwned::to_owned);
        event(EventBody::RunChanged(Box::new(run)))
    }

    #[test]
    fn a_line_tells_who_is_doing_what_for_how_long() {
        let start = Instant::now();
        let later = |seconds| start + Duration::from_secs(seconds);
        let mut board = Board::default();
        assert_eq!(board.line(start), "nobody is at work");

        let mut workflow = samples::workflow(WorkflowState::SettingUp);
        workflow.setup = Some("git diff\nHEAD".to_owned());
        board.apply(&event(EventBody::WorkflowChanged(Box::new(workflow))), start);
        assert_eq!(board.line(start), "setup: git diff ⏎ HEAD");
        let workflow = samples::workflow(WorkflowState::Running);
        board.apply(&event(EventBody::WorkflowChanged(Box::new(workflow))), start);

        board.apply(&run(RunState::Starting, None), start);
        let coder = samples::agent("coder@review", AgentState::Queued);
        board.apply(&event(EventBody::AgentChanged(Box::new(coder))), start);
        assert_eq!(board.line(start), "coder queued · reviewer starting");

        board.apply(&run(RunState::Running, Some("thinking")), later(1));
        board.apply(&run(RunState::Running, Some("thinking")), later(3));
        assert_eq!(board.line(later(4)), "coder queued · reviewer thinking 3s");
        assert_eq!(board.line(later(126)), "coder queued · reviewer thinking 2m 5s");

        let mut silent = samples::run(RunState::Running);
        silent.activity = Some("thinking".to_owned());
        silent.spoke_at = Some(Timestamp(-92_000));
        board.apply(&event(EventBody::RunChanged(Box::new(silent))), later(126));
        assert_eq!(board.line(later(126)), "coder queued · reviewer thinking, silent 1m 32s");
        board.apply(&run(RunState::Running, Some("thinking")), later(127));
        assert_eq!(board.line(later(127)), "coder queued · reviewer thinking 2m 6s");

        let waiting = samples::agent("coder@review", AgentState::Waiting);
        board.apply(&event(EventBody::AgentChanged(Box::new(waiting))), later(5));
        assert_eq!(board.line(later(6)), "coder waits for you · reviewer thinking 5s");

        board.apply(&run(RunState::Succeeded, None), later(5));
        let target = samples::target("coder@review");
        board.apply(&event(EventBody::AgentRemoved { target }), later(5));
        assert_eq!(board.line(later(5)), "nobody is at work");
    }
}
