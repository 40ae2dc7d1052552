//! Which questions a caller may see.

use agent_worker_protocol::QuestionId;

use crate::{
    context::Cx,
    error::{OpError, Result},
    rows::QuestionRow,
};

/// The question that a caller waits for: only its own, while it is open. A closed one may be of an
/// agent that was removed or archived meanwhile, whose name another has.
pub fn of_caller(cx: &Cx<'_>, id: QuestionId) -> Result<QuestionRow> {
    let row = QuestionRow::by_id(cx.db, id)?;
    if !row.is_open() || cx.member()?.id == row.agent {
        return Ok(row);
    }
    Err(OpError::denied(format!("{id} is a question of `{}`", row.target())))
}
