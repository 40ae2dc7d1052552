//! Notes setup steps and their end.

use agent_worker_protocol::WorkflowState;

use crate::{
    changes::workflow::{kickoff, state},
    context::Cx,
    error::Result,
    rows::WorkflowRow,
    rules::start::Kickoff,
};

/// How a setup ended.
#[derive(Debug, Clone)]
pub enum SetupEnd {
    /// All steps are done
    Done(Option<Kickoff>),
    /// A required output is empty
    NothingToDo { output: String },
    Failed {
        /// Which, and what it said
        reason: String,
    },
}

/// Notes which step of a setup runs. False if the setup is no longer wanted.
pub fn note_step(cx: &mut Cx<'_>, id: i64, generation: i64, step: &str) -> Result<bool> {
    if !WorkflowRow::is_setting_up(cx.db, id, generation)? {
        return Ok(false);
    }
    WorkflowRow::note_step(cx.db, id, step)?;
    cx.touch_scope(id);
    Ok(true)
}

/// Ends a setup: kickoff and `running` in one transaction, or its end without a kickoff.
pub fn end_setup(cx: &mut Cx<'_>, id: i64, generation: i64, end: &SetupEnd) -> Result<()> {
    if !WorkflowRow::is_setting_up(cx.db, id, generation)? {
        return Ok(());
    }
    match end {
        SetupEnd::Done(kickoff) => kickoff::kick_off(cx, id, kickoff.as_ref()),
        SetupEnd::NothingToDo { output } => {
            let reason = format!("nothing to do: `{output}` is empty");
            state::enter(cx, id, WorkflowState::Completed, Some(&reason))
        }
        SetupEnd::Failed { reason } => state::enter(cx, id, WorkflowState::Failed, Some(reason)),
    }
}
