//! Members as clients see them.

use std::collections::HashMap;

use agent_worker_protocol::{Agent, AgentState, AgentUsed, EventBody, Wanted, WorkflowState};

use crate::{
    context::Cx,
    error::Result,
    rows::{
        AgentRow, Db, WorkflowRow,
        agent::changing::Shown,
        candidate::{self, Waking},
        checking, cost, question,
    },
};

impl AgentRow {
    /// The entity. It follows from the tables alone, never from the clock, so that a reader of
    /// the feed and a snapshot agree.
    pub fn entity(&self, db: Db<'_>) -> Result<Agent> {
        let shown = self.shown(db)?;
        let waking = shown.waking();
        let Shown { unread, status, task, tokens_used, cost_used, run, away, waits, .. } = shown;
        let state = self.state(db, run.map(|_| waits), waking)?;
        let is_in_backoff = state == AgentState::Backoff;
        let not_before = match self.not_before.filter(|_| is_in_backoff) {
            None if is_in_backoff => candidate::next_attempt(db, self.id)?,
            not_before => not_before,
        };
        // A stopped agent, or one of a stopped workflow, is not started at that time.
        let away = match run {
            None if is_in_backoff => self.away(db)?,
            None => None,
            Some(_) => away,
        };
        Ok(Agent {
            name: self.name.clone(),
            scope: self.scope.clone(),
            target: self.target(),
            kind: self.kind,
            role: self.role.clone(),
            display_name: self.display_name.clone(),
            model: self.model.clone(),
            backend: self.backend.clone(),
            wanted: self.wanted,
            state,
            paused_reason: self.paused_reason.clone(),
            not_before,
            away,
            status,
            task,
            unread,
            run,
            parent: self.parent.map(|id| AgentRow::by_id(db, id)).transpose()?.map(|row| row.name),
            used: AgentUsed { tokens: tokens_used, cost: cost_used.map(cost::dollars) },
        })
    }

    /// Its state, with whether its live run waits for an answer, if it has one, and the mail that
    /// wakes it.
    fn state(&self, db: Db<'_>, waits: Option<bool>, waking: Option<Waking>) -> Result<AgentState> {
        match (self.wanted, waits) {
            _ if !self.works() => return Ok(AgentState::Idle),
            (Wanted::Paused, _) => return Ok(AgentState::Paused),
            (Wanted::Stopped, _) => return Ok(AgentState::Stopped),
            (Wanted::Active, Some(true)) => return Ok(AgentState::Waiting),
            (Wanted::Active, Some(false)) => return Ok(AgentState::Running),
            (Wanted::Active, None) => {}
        }
        let scope = WorkflowRow::by_id(db, self.scope_id)?;
        if scope.state != WorkflowState::Running {
            return Ok(AgentState::Idle);
        }
        Ok(match waking {
            _ if self.not_before.is_some() => AgentState::Backoff,
            Some(Waking::Pending) => AgentState::Queued,
            _ if self.woken => AgentState::Queued,
            Some(Waking::Waiting) => AgentState::Backoff,
            None => AgentState::Idle,
        })
    }
}

/// The state of each of these members of a scope. Two statements tell it of all of them.
pub fn states(db: Db<'_>, scope: i64, team: &[AgentRow]) -> Result<Vec<AgentState>> {
    let live: HashMap<i64, bool> = question::live_in(db, scope)?.into_iter().collect();
    let waking: HashMap<i64, Waking> = candidate::waking_in(db, scope)?.into_iter().collect();
    let state = |row: &AgentRow| {
        let (waits, waking) = (live.get(&row.id).copied(), waking.get(&row.id).copied());
        let state = row.state(db, waits, waking)?;
        if cfg!(debug_assertions) {
            let alone = checking(|| row.entity(db))?.state;
            assert_eq!(state, alone, "told of all, and of one: {}", row.name);
        }
        Ok(state)
    };
    team.iter().map(state).collect()
}

/// Announces a member as it now stands; nothing if it is removed.
pub fn announce(cx: &mut Cx<'_>, id: i64) -> Result<()> {
    let Some(row) = AgentRow::maybe(cx.db, id)?.filter(|row| !row.removed) else {
        return Ok(());
    };
    let agent = row.entity(cx.db)?;
    cx.emit(&row.scope, EventBody::AgentChanged(Box::new(agent)))
}
