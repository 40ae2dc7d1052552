//! Operations on runs.

use agent_worker_protocol::{
    Deliveries, DeliveryState, Run as RunEntity, RunCancel, RunDetail, RunId, RunList, RunRetry,
    RunShow, RunState, Runs,
};

use crate::{
    changes::run::end,
    context::{Cx, Run, limit},
    error::{OpError, Result},
    rows::{
        AgentRow, EndCause, RunRow, WorkflowRow, delivery,
        run::{self, Left},
        session,
    },
    rules::{access, budget},
};

const MOST_RUNS: u32 = 500;

impl Run for RunList {
    fn run(&self, cx: &mut Cx<'_>) -> Result<Runs> {
        let limit = limit::at_most(self.limit, 50, MOST_RUNS)?;
        let before = self.before.map_or(i64::MAX, RunId::number);
        let named = cx.target.as_ref().and_then(|target| target.name.clone());
        let (scope, agent) = match named {
            Some(name) => {
                let scope = cx.scope()?;
                let agent = AgentRow::by_name(cx.db, &scope, &name)?.id;
                (Some(scope.id), Some(agent))
            }
            None => (cx.listed_scope()?.map(|scope| scope.id), None),
        };
        let rows = match agent {
            _ if self.live => live(cx, scope, agent, before)?,
            Some(agent) => run::of_agent(cx.db, agent, before, limit + 1)?,
            None => run::page(cx.db, scope, before, limit + 1)?,
        };
        let (rows, more) = limit::cut(rows, limit);
        Ok(Runs { runs: rows.iter().map(RunRow::entity).collect(), more })
    }
}

/// The live runs before a number, newest first, also those of removed agents. There are few.
fn live(cx: &Cx<'_>, scope: Option<i64>, agent: Option<i64>, before: i64) -> Result<Vec<RunRow>> {
    let mut rows = match scope {
        Some(scope) => RunRow::live_of_scope(cx.db, scope)?,
        None => RunRow::live(cx.db)?,
    };
    rows.retain(|row| row.id.number() < before && agent.is_none_or(|agent| agent == row.agent));
    rows.reverse();
    Ok(rows)
}

impl Run for RunShow {
    fn run(&self, cx: &mut Cx<'_>) -> Result<RunDetail> {
        let row = access::run::visible(cx, self.id)?;
        // Others know of it, not what was said in it.
        let is_readable = access::run::may_read(cx, &row)?;
        let left = if is_readable { run::left(cx.db, self.id)? } else { Left::default() };
        let Left { result, stderr, cwd } = left;
        Ok(RunDetail {
            mail: delivery::mail_of(cx.db, &row)?,
            run: row.entity(),
            result,
            stderr,
            cwd,
            pid: row.pid.filter(|_| is_readable),
            by_hand: match session::session_of(cx.db, self.id.number())? {
                Some(session) if is_readable => session::by_hand(cx.db, session)?,
                _ => None,
            },
        })
    }
}

impl Run for RunCancel {
    fn run(&self, cx: &mut Cx<'_>) -> Result<RunEntity> {
        cx.operator_only("cancelling a run")?;
        let row = RunRow::by_id(cx.db, self.id)?;
        match row.state {
            RunState::Starting | RunState::Running => {
                let now = cx.now;
                end::request_end(cx, &row, EndCause::Cancelled, "cancelled by the user", now)?;
                Ok(RunRow::by_id(cx.db, self.id)?.entity())
            }
            RunState::Ending | RunState::Cancelled => Ok(row.entity()),
            _ => Err(OpError::conflict(format!("{} has already ended", self.id))
                .hint(format!("agent-worker logs {}", self.id))),
        }
    }
}

impl Run for RunRetry {
    fn run(&self, cx: &mut Cx<'_>) -> Result<Deliveries> {
        cx.operator_only("retrying dead letters")?;
        let run = RunRow::by_id(cx.db, self.id)?;
        let agent = AgentRow::by_id(cx.db, run.agent)?;
        let mut deliveries = Vec::new();
        for mut row in delivery::kept(cx.db, run.agent)? {
            if row.run == Some(run.id.number()) {
                if row.held_reason.as_deref().is_some_and(budget::has_held) {
                    let scope = WorkflowRow::by_id(cx.db, run.scope_id)?;
                    let message = format!("msg_{} would be held again at once", row.seq);
                    budget::check_open(cx, &scope, &message)?;
                }
                if row.state == DeliveryState::Held {
                    row.release()?;
                    row.attempts = 0;
                } else {
                    row.retry()?;
                }
                row.save(cx, &agent)?;
                deliveries.push(row.entity(&agent));
            }
        }
        if deliveries.is_empty() {
            let text = format!("{} has no dead letter and no held delivery", self.id);
            return Err(OpError::conflict(text).hint(format!("agent-worker why {}", self.id)));
        }
        Ok(Deliveries { deliveries })
    }
}
