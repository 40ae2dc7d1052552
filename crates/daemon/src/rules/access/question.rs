//! Which questions a caller may see.

use agent_worker_protocol::QuestionId;

use crate::{
    context::Cx,
    error::{OpError, Result},
    rows::QuestionRow,
};

/// The question of a run that waits: only its own agent's.
pub fn of_caller(cx: &Cx<'_>, id: QuestionId) -> Result<QuestionRow> {
    let row = QuestionRow::by_id(cx.db, id)?;
    if cx.member()?.id == row.agent {
        return Ok(row);
    }
    Err(OpError::denied(format!("{id} is a question of `{}`", row.target())))
}
