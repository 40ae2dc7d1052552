//! What keeps an agent or its mail from being worked on: told by `why` and by the queue.

use agent_worker_protocol::{
    Because, DeliveryState, MemberKind, RunId, ScheduleState, Timestamp, WaitsFor, Wanted,
};

use crate::{
    context::Cx,
    error::Result,
    rows::{
        AgentRow, Db, DeliveryRow, QuestionRow, RunRow, ScheduleRow, WorkflowRow, question, run,
        workflow,
    },
    rules::{budget, edges::PUT_AWAY, hint},
};

/// One thing that keeps work from going on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Blocker {
    /// What is waited for
    pub what: WaitsFor,
    /// What the sentence is about
    pub subject: String,
    /// What is the case
    pub text: String,
    /// Since when, or until when
    pub at: Option<Timestamp>,
    /// A command that helps
    pub hint: Option<String>,
}

impl Blocker {
    fn new(what: WaitsFor, subject: &impl ToString, text: impl Into<String>) -> Self {
        Self { what, subject: subject.to_string(), text: text.into(), at: None, hint: None }
    }

    /// A link of an explanation that keeps nothing.
    pub fn told(subject: &impl ToString, text: impl Into<String>) -> Self {
        Self::new(WaitsFor::Run, subject, text)
    }

    #[must_use]
    pub fn at(self, at: Option<Timestamp>) -> Self {
        Self { at, ..self }
    }

    #[must_use]
    pub fn hint(self, hint: impl Into<String>) -> Self {
        Self { hint: Some(hint.into()), ..self }
    }

    /// As a link of an explanation.
    pub fn because(self) -> Because {
        Because { subject: self.subject, text: self.text, at: self.at }
    }
}

/// A number with its noun: `1 run`, `2 runs`.
pub fn counted(number: i64, one: &str) -> String {
    let plural = if number == 1 { "" } else { "s" };
    format!("{number} {one}{plural}")
}

/// The state of a delivery, in the words of `agent-worker inbox`.
pub fn word(row: &DeliveryRow) -> String {
    let word = match row.state {
        DeliveryState::Pending => "pending",
        DeliveryState::Leased => {
            return format!("leased to {}", RunId::new(row.run.unwrap_or_default()));
        }
        DeliveryState::Waiting => "waiting",
        DeliveryState::Held => "held",
        DeliveryState::Dead => "a dead letter",
        DeliveryState::Acked => "acknowledged",
        DeliveryState::Dropped => "discarded",
    };
    word.to_owned()
}

/// The agent is paused or stopped.
pub fn of_wanted(scope: &WorkflowRow, agent: &AgentRow) -> Option<Blocker> {
    let target = agent.target();
    let blocker = match agent.wanted {
        Wanted::Active => return None,
        Wanted::Paused => {
            let reason = agent.paused_reason.as_deref().unwrap_or_default();
            let text = format!("it is paused: {reason}");
            Blocker::new(WaitsFor::Paused, &target, text).at(agent.paused_at)
        }
        Wanted::Stopped => {
            let text = match agent.depth {
                _ if scope.is_archived => PUT_AWAY,
                0 => "the user stopped it",
                _ => "the user or the agent that hired it stopped it",
            };
            Blocker::new(WaitsFor::Stopped, &target, text)
        }
    };
    Some(blocker.hint(hint::of_rest(scope, agent)))
}

/// The agent's workflow takes no work.
pub fn of_scope(scope: &WorkflowRow) -> Option<Blocker> {
    let text = format!("its workflow is {}", workflow::word(scope.state));
    (!scope.takes_work()).then(|| {
        Blocker::new(WaitsFor::Workflow, &scope.scope, text)
            .hint(format!("agent-worker why {}", scope.scope))
    })
}

/// The agent waits for its model, or for what else its last run could not have, until a time that
/// has not come.
pub fn of_model(cx: &Cx<'_>, agent: &AgentRow) -> Result<Option<Blocker>> {
    let longest = cx.now.after(cx.settings.longest_backoff());
    let is_away = agent.not_before.is_some_and(|at| at > cx.now && at <= longest);
    if !is_away {
        return Ok(None);
    }
    let text = match agent.away(cx.db)? {
        Some(away) => away.explained(cx.now),
        None => "it restarts at this time".to_owned(),
    };
    Ok(Some(Blocker::new(WaitsFor::Model, &agent.target(), text).at(agent.not_before)))
}

/// The time that mail waits for, if it has not come.
pub fn future(cx: &Cx<'_>, row: &DeliveryRow) -> Option<Timestamp> {
    let longest = cx.now.after(cx.settings.longest_retry());
    row.not_before.filter(|at| *at > cx.now && *at <= longest)
}

/// The mail waits for its time.
pub fn of_time(cx: &Cx<'_>, row: &DeliveryRow) -> Option<Blocker> {
    let at = future(cx, row)?;
    let error = row.last_error.as_deref().unwrap_or("it failed");
    let text = format!("attempt {} failed ({error}): it is retried at this time", row.attempts);
    let subject = format!("msg_{}", row.seq);
    Some(Blocker::new(WaitsFor::Backoff, &subject, text).at(Some(at)))
}

/// The mail waits for the person.
pub fn of_kept(scope: &WorkflowRow, row: &DeliveryRow) -> Option<Blocker> {
    let (what, text) = match row.state {
        DeliveryState::Held => {
            let reason = row.held_reason.as_deref().unwrap_or_default();
            (WaitsFor::Held, format!("it is held ({reason})"))
        }
        DeliveryState::Dead => {
            let error = row.last_error.as_deref().unwrap_or("it failed");
            let attempts = counted(row.attempts, "attempt");
            (WaitsFor::Dead, format!("it is a dead letter after {attempts}: {error}"))
        }
        _ => return None,
    };
    let subject = format!("msg_{}", row.seq);
    let hint = hint::of_kept(scope, &subject, row);
    Some(Blocker::new(what, &subject, text).at(Some(row.sent_at)).hint(hint))
}

/// The agent works outside.
pub fn of_outside(db: Db<'_>, agent: &AgentRow) -> Result<Option<Blocker>> {
    if agent.kind != MemberKind::External {
        return Ok(None);
    }
    let mail = counted(agent.changing(db)?.unread, "message");
    let text = format!("it is external and must fetch {mail}");
    Ok(Some(Blocker::new(WaitsFor::Outside, &agent.target(), text)))
}

/// Its workflow has used up a budget.
pub fn of_budget(cx: &Cx<'_>, scope: &WorkflowRow) -> Option<Blocker> {
    let reason = budget::exhausted(cx, scope)?;
    let hint = budget::remedy(scope, &reason);
    Some(Blocker::new(WaitsFor::Budget, &scope.scope, reason).hint(hint))
}

/// Blockers: its workflow or the daemon has no place for another run.
pub fn of_place(cx: &Cx<'_>, scope: &WorkflowRow) -> Result<Vec<Blocker>> {
    let mut found: Vec<_> = of_budget(cx, scope).into_iter().collect();
    let (live, most) = (run::live_count(cx.db)?, cx.settings.max_runs());
    if live >= most {
        let text = format!("{live} runs are live: the limit is {most}");
        found.push(Blocker::new(WaitsFor::MaxRuns, &"daemon", text));
    }
    let here = run::live_count_of(cx.db, scope.id)?;
    if let Some(most) = scope.limits.max_runs.filter(|most| here >= i64::from(*most)) {
        let text = format!("{here} of its runs are live: the limit is {most}");
        found.push(Blocker::new(WaitsFor::MaxRuns, &scope.scope, text));
    }
    Ok(found)
}

/// Nothing keeps it.
pub fn none(agent: &AgentRow) -> Blocker {
    let text = "its messages are due: it starts in its turn";
    Blocker::new(WaitsFor::Turn, &agent.target(), text)
}

/// The agent has a run, one at a time.
pub fn of_run(cx: &Cx<'_>, run: &RunRow) -> Result<Blocker> {
    if let Some(question) = question::of_run(cx.db, run.id)? {
        let text = format!("{} waits for the answer to {}", run.id, question.id);
        return Ok(Blocker::new(WaitsFor::Run, &run.id, text)
            .at(Some(question.created_at))
            .hint(hint::of_question(&question)));
    }
    if let Some(away) = &run.away {
        return Ok(Blocker::new(WaitsFor::Run, &run.id, away.explained(cx.now))
            .at(Some(away.since))
            .hint(format!("agent-worker logs {} --follow", run.id)));
    }
    let text = format!("{} is live: it or the next run reads the rest", run.id);
    Ok(Blocker::new(WaitsFor::Run, &run.id, text)
        .at(Some(run.started_at))
        .hint(format!("agent-worker logs {} --follow", run.id)))
}

/// A question waits for the person.
pub fn of_question(question: &QuestionRow) -> Blocker {
    let text = format!("{} waits for the answer to {}", question.target(), question.id);
    Blocker::new(WaitsFor::Run, &question.id, text)
        .at(Some(question.created_at))
        .hint(hint::of_question(question))
}

/// Schedules that are paused: they wake the agent at none of their times.
pub fn of_schedules(db: Db<'_>, agent: &AgentRow) -> Result<Vec<Blocker>> {
    let target = agent.target();
    let mut paused = ScheduleRow::of_agent(db, agent.id)?;
    paused.retain(|row| row.state == ScheduleState::Paused);
    let told = paused.iter().map(|row| {
        let text = format!("its schedule `{}` is paused", row.name);
        Blocker::told(&target, text)
            .hint(format!("agent-worker schedule {target} resume {}", row.name))
    });
    Ok(told.collect())
}
