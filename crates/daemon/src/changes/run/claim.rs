//! Claims the next run that may start.

use agent_worker_protocol::{Backend, DeliveryState, SessionTurn};

use crate::{
    changes::run::{
        batch::{Batch, Room},
        lease,
    },
    context::Cx,
    error::Result,
    rows::{AgentConfig, AgentRow, Candidate, RunRow, WorkflowRow, candidate, run, session},
    rules::{budget, due_mail},
};

/// What the supervisor needs to start a worker.
#[derive(Debug, Clone)]
pub struct Claimed {
    pub run: RunRow,
    pub agent: AgentRow,
    pub scope: WorkflowRow,
    pub system: Option<String>,
    /// What else its worker is made from
    pub config: AgentConfig,
    /// Turns of its script that earlier runs of this generation have used up
    pub played: Vec<u32>,
    /// The turns of its session; none if its backend has none
    pub session: Option<Vec<SessionTurn>>,
    /// Whether only a summary of the session is kept
    pub begins_anew: bool,
}

/// How mail is treated that was there when the daemon started: it may not start a storm.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Backlog {
    /// The newest message of that time
    pub until: i64,
    /// Whether a run may start for such mail now
    pub is_open: bool,
}

/// Claims one run, if there is work and a place for it.
pub fn claim(cx: &mut Cx<'_>, token_hash: &[u8; 32], backlog: Backlog) -> Result<Option<Claimed>> {
    let live = candidate::live(cx.db)?;
    let places: i64 = live.iter().map(|run| i64::from(run.takes_place)).sum();
    if places >= cx.settings.max_runs() {
        return Ok(None);
    }
    for due in due_mail::candidates(cx, &live)? {
        let is_backlog = due.first.is_some_and(|first| first <= backlog.until);
        if is_backlog && !backlog.is_open {
            continue;
        }
        if let Some(claimed) = claim_for(cx, &due.agent, token_hash)? {
            return Ok(Some(claimed));
        }
    }
    Ok(None)
}

/// Claims a run of one agent. None if a budget or the loop guard holds all its due mail.
fn claim_for(
    cx: &mut Cx<'_>,
    candidate: &Candidate,
    token_hash: &[u8; 32],
) -> Result<Option<Claimed>> {
    let agent = AgentRow::by_id(cx.db, candidate.agent)?;
    let scope = WorkflowRow::by_id(cx.db, candidate.scope)?;
    if let Some(reason) = budget::exhausted(cx, &scope) {
        lease::hold_due(cx, &agent, &reason)?;
        return Ok(None);
    }
    let first = lease::first_allowed(cx, &agent, &scope)?;
    if first.is_none() && !candidate.woken {
        return Ok(None);
    }
    let batch = match first {
        // The agent has no other mail that the run could take with it.
        Some(only)
            if only.state == DeliveryState::Pending && agent.changing(cx.db)?.unread == 1 =>
        {
            Batch::alone(only)
        }
        first => {
            let room = Room::of_run(cx);
            lease::batch(cx, &agent, first, room)?
        }
    };
    take(cx, agent, scope, batch, token_hash).map(Some)
}

/// Claims the next run of an agent whatever keeps it from starting: without due mail that is
/// what a wake would start.
pub fn next_of(
    cx: &mut Cx<'_>,
    agent: AgentRow,
    scope: WorkflowRow,
    token_hash: &[u8; 32],
) -> Result<Claimed> {
    let first = lease::first_allowed(cx, &agent, &scope)?;
    let room = Room::of_run(cx);
    let batch = lease::batch(cx, &agent, first, room)?;
    take(cx, agent, scope, batch, token_hash)
}

fn take(
    cx: &mut Cx<'_>,
    agent: AgentRow,
    scope: WorkflowRow,
    batch: Batch,
    token_hash: &[u8; 32],
) -> Result<Claimed> {
    let (run, goes_on) = lease::begin(cx, &agent, &scope, batch, Some(token_hash))?;
    agent.begin_run(cx.db)?;
    let (session, begins_anew) = match goes_on {
        Some(id) => (Some(session::turns(cx.db, id)?), session::begins_anew(cx.db, id)?),
        None => (None, false),
    };
    Ok(Claimed {
        system: agent.system(cx.db)?,
        config: agent.config(cx.db)?,
        played: played(cx, &agent, scope.generation)?,
        session,
        begins_anew,
        run,
        agent,
        scope,
    })
}

/// The turns of its script that earlier runs of an agent have used up; only mock agents have one.
fn played(cx: &Cx<'_>, agent: &AgentRow, generation: i64) -> Result<Vec<u32>> {
    let backend = agent.backend.as_deref().and_then(|name| name.parse::<Backend>().ok());
    if backend == Some(Backend::Mock) {
        run::played_turns(cx.db, agent.id, generation)
    } else {
        Ok(Vec::new())
    }
}
