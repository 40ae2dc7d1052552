//! Whether the name that a caller acts in is that of a member.

use crate::{
    context::{Cx, Who},
    error::Result,
    rows::{AgentRow, WorkflowRow},
};

/// Refuses a name that no member has, before a thing of this scope is told as missing: the name is
/// what is wrong. A member's token always has one, and is not told what another scope has.
pub fn check(cx: &Cx<'_>, scope: i64) -> Result<()> {
    if let Who::Operator { member: Some(name) } = &cx.who
        && cx.member_in(cx.scope()?.id)?.is_none()
    {
        AgentRow::by_name(cx.db, &WorkflowRow::by_id(cx.db, scope)?, name)?;
    }
    Ok(())
}
