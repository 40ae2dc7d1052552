//! Operations on workflows.

use agent_worker_protocol::{
    LimitsSet, Scope, Workflow, WorkflowList, WorkflowResume, WorkflowShow, WorkflowState,
    WorkflowStop, Workflows,
};

use crate::{
    changes::{
        run::{self, end},
        workflow::{purge, state},
    },
    context::{Cx, Run},
    error::{OpError, Result},
    rows::{WorkflowRow, workflow},
    rules::{budget, hint, outcome::STOPPED_IN_SETUP},
};

impl Run for WorkflowList {
    fn run(&self, cx: &mut Cx<'_>) -> Result<Workflows> {
        let rows = match cx.listed_scope()? {
            Some(scope) if !cx.is_person() => vec![scope],
            _ => WorkflowRow::all(cx.db)?,
        };
        let workflows = rows.iter().map(|row| row.entity(cx.db)).collect::<Result<_, _>>()?;
        Ok(Workflows { workflows })
    }
}

/// A scope that a request names by its key.
pub fn locate(cx: &Cx<'_>, key: &Scope) -> Result<WorkflowRow> {
    Ok(cx.locate(&key.clone().into())?.0)
}

impl Run for WorkflowShow {
    fn run(&self, cx: &mut Cx<'_>) -> Result<Workflow> {
        locate(cx, &self.key)?.entity(cx.db)
    }
}

impl Run for WorkflowStop {
    fn run(&self, cx: &mut Cx<'_>) -> Result<Workflow> {
        let what = if self.purge { "removing a workflow" } else { "stopping a workflow" };
        cx.operator_only(what)?;
        let row = locate(cx, &self.key)?;
        if row.scope.is_global() {
            return Err(OpError::invalid("@global always exists and always runs")
                .hint("agent-worker stop AGENT"));
        }
        if self.purge {
            return purge::purge(cx, &row);
        }
        let timed_out = self.timeout.map(|timeout| format!("timed out after {timeout}"));
        match row.state {
            WorkflowState::SettingUp => {
                let reason = timed_out.as_deref().unwrap_or(STOPPED_IN_SETUP);
                state::enter(cx, row.id, WorkflowState::Failed, Some(reason))?;
            }
            WorkflowState::Running | WorkflowState::Stalled => {
                let reason = timed_out.as_deref().unwrap_or("stopped by the user");
                state::enter(cx, row.id, WorkflowState::Stopped, Some(reason))?;
                end::end_of_scope(cx, row.id, self.now)?;
            }
            WorkflowState::Stopped => end::end_of_scope(cx, row.id, self.now)?,
            WorkflowState::Created | WorkflowState::Completed | WorkflowState::Failed => {}
        }
        WorkflowRow::by_id(cx.db, row.id)?.entity(cx.db)
    }
}

impl Run for WorkflowResume {
    fn run(&self, cx: &mut Cx<'_>) -> Result<Workflow> {
        cx.operator_only("resuming a workflow")?;
        let row = locate(cx, &self.key)?;
        let scope = &row.scope;
        let state = workflow::word(row.state);
        let remedy = hint::of_scope(cx.db, &row)?.unwrap_or_else(|| hint::of_state(&row));
        let has_activated = match row.state {
            WorkflowState::Running | WorkflowState::Stopped | WorkflowState::Stalled => {
                state::go_on(cx, &row)?
            }
            _ => {
                return Err(
                    OpError::conflict(format!("cannot resume {scope}: it is {state}")).hint(remedy)
                );
            }
        };
        cx.judge_now()?;
        let resumed = WorkflowRow::by_id(cx.db, row.id)?;
        let is_stalled = |row: &WorkflowRow| row.state == WorkflowState::Stalled;
        if is_stalled(&row) && is_stalled(&resumed) && !has_activated {
            let why = resumed.outcome_reason.unwrap_or_default();
            return Err(OpError::conflict(format!("{scope} stays stalled: {why}")).hint(remedy));
        }
        resumed.entity(cx.db)
    }
}

impl Run for LimitsSet {
    fn run(&self, cx: &mut Cx<'_>) -> Result<Workflow> {
        cx.operator_only("changing limits")?;
        let row = locate(cx, &self.key)?;
        budget::check(&self.limits, &row.scope)?;
        let mut old = row.limits;
        self.unset.iter().for_each(|name| old.unset(*name));
        let limits = self.limits.or(old);
        workflow::set_limits(cx.db, row.id, &limits)?;
        run::budget::release_allowed(cx, row.id)?;
        cx.touch_scope(row.id);
        cx.touch_attention(row.id);
        cx.judge(row.id);
        cx.judge_now()?;
        WorkflowRow::by_id(cx.db, row.id)?.entity(cx.db)
    }
}
