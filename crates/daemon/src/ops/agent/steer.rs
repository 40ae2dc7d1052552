//! Stops, resumes, wakes and removes members.

use agent_worker_protocol::{
    Agent, AgentNewSession, AgentRemove, AgentResume, AgentStop, AgentWake, MemberKind, MyStatus,
    MyStatusSet, Removed, Target, Wanted, WorkflowState,
};

use crate::{
    changes::{
        agent::{remove, state},
        message::delivery,
        proposal::close,
        run::{end, session},
    },
    context::{Cx, Run},
    error::{OpError, Result},
    rows::{self, AgentRow, RunRow, WorkflowRow},
    rules::{budget, hint},
};

impl Run for AgentStop {
    fn run(&self, cx: &mut Cx<'_>) -> Result<Agent> {
        let row = cx.locate_member(&meant(cx, &self.target))?.expect_agent()?;
        if cx.member_in(row.scope_id)?.is_none_or(|me| row.parent != Some(me.id)) {
            cx.operator_or("the user and the agent that hired it", "stopping an agent")?;
        }
        state::set_stopped(cx, &row)?;
        end::end_of_agent(cx, row.id, self.now)?;
        AgentRow::by_id(cx.db, row.id)?.entity(cx.db)
    }
}

/// The agent that is to stop. A run writes `@kid`, as in messages, for `kid` of its own scope.
fn meant(cx: &Cx<'_>, target: &Target) -> Target {
    if let (Some(run), None, Some(scope)) = (cx.run(), &target.name, &target.scope)
        && *scope != run.scope
        && let Ok(name) = scope.to_string().trim_start_matches('@').parse()
    {
        return Target { name: Some(name), scope: None };
    }
    target.clone()
}

impl Run for AgentResume {
    fn run(&self, cx: &mut Cx<'_>) -> Result<Agent> {
        cx.operator_only("resuming an agent")?;
        let row = cx.locate_member(&self.target)?.expect_agent()?;
        state::activate(cx, &row)?;
        if WorkflowRow::by_id(cx.db, row.scope_id)?.state != WorkflowState::Stopped {
            end::take_back_stop(cx, row.id)?;
        }
        cx.judge_now()?;
        AgentRow::by_id(cx.db, row.id)?.entity(cx.db)
    }
}

impl Run for AgentNewSession {
    fn run(&self, cx: &mut Cx<'_>) -> Result<Agent> {
        cx.operator_only("beginning a session")?;
        let row = cx.locate_member(&self.target)?.expect_agent()?;
        session::begin_anew(cx, &row)?;
        row.entity(cx.db)
    }
}

impl Run for AgentWake {
    fn run(&self, cx: &mut Cx<'_>) -> Result<Agent> {
        cx.operator_only("waking an agent")?;
        let row = cx.locate_member(&self.target)?.expect_agent()?;
        check_can_wake(cx, &row)?;
        delivery::make_due(cx, row.id)?;
        let is_due = rows::candidate::has_waking(cx.db, row.id)?;
        rows::agent::wake(cx.db, row.id, !is_due)?;
        cx.touch_agent(row.id);
        cx.judge(row.scope_id);
        cx.judge_now()?;
        AgentRow::by_id(cx.db, row.id)?.entity(cx.db)
    }
}

fn check_can_wake(cx: &Cx<'_>, row: &AgentRow) -> Result<()> {
    let target = row.target();
    let refused = |what: &str| OpError::conflict(format!("cannot wake `{target}`: it is {what}"));
    let scope = WorkflowRow::by_id(cx.db, row.scope_id)?;
    match row.wanted {
        Wanted::Active if row.kind == MemberKind::External => {
            Err(OpError::invalid(format!("`{target}` is external: the daemon cannot start it"))
                .hint(format!("agent-worker send {target} MESSAGE")))
        }
        Wanted::Active if !scope.takes_work() => Err(OpError::conflict(format!(
            "cannot wake `{target}`: {} is not running",
            scope.scope
        ))
        .hint(hint::of_state(&scope))),
        Wanted::Active => budget::check_open(cx, &scope, &format!("cannot start `{target}`")),
        Wanted::Paused => Err(refused("paused").hint(hint::of_rest(&scope, row))),
        Wanted::Stopped => Err(refused("stopped").hint(hint::of_rest(&scope, row))),
    }
}

impl Run for AgentRemove {
    fn run(&self, cx: &mut Cx<'_>) -> Result<Removed> {
        cx.operator_only("removing an agent")?;
        let row = cx.locate_member(&self.target)?.expect_agent()?;
        if let Some(run) = RunRow::live_of(cx.db, row.id)? {
            let target = row.target();
            return Err(OpError::conflict(format!("`{target}` is working ({run})"))
                .hint(format!("agent-worker stop {target}")));
        }
        remove::remove(cx, &row)?;
        close::go_on_without(cx, row.scope_id, &[row.id])?;
        Ok(Removed { target: row.target() })
    }
}

impl Run for MyStatusSet {
    fn run(&self, cx: &mut Cx<'_>) -> Result<MyStatus> {
        const LONGEST: usize = 200;
        let fits =
            |text: &Option<String>| text.as_ref().is_none_or(|t| t.chars().count() <= LONGEST);
        if !fits(&self.state) || !fits(&self.task) {
            return Err(OpError::invalid(format!("a label is longer than {LONGEST} characters")));
        }
        let me = cx.member()?;
        let said = me.changing(cx.db)?;
        let state = label(self.state.as_deref(), said.status);
        let task = label(self.task.as_deref(), said.task);
        state::set_label(cx, me.id, state.as_deref(), task.as_deref())?;
        Ok(MyStatus { state, task })
    }
}

/// A label of a member that may have been given another one; an empty one takes it away.
fn label(given: Option<&str>, before: Option<String>) -> Option<String> {
    let Some(given) = given else { return before };
    Some(given.trim().to_owned()).filter(|given| !given.is_empty())
}
