//! Sets the user's read cursor.

use agent_worker_protocol::{CursorSet, Group, Name};

use crate::{
    changes::message::cursor,
    context::{Cx, Run},
    error::{OpError, Result},
    rows::{AgentRow, ConversationRow, delivery},
};

/// How many deliveries one transaction acks.
const AT_ONCE: u32 = 1_000;

/// The conversation, the user in its scope, and how far the cursor goes.
fn place(cx: &Cx<'_>, set: &CursorSet) -> Result<(ConversationRow, AgentRow, i64)> {
    cx.operator_only("the user's read cursor")?;
    let scope = cx.scope()?;
    let group = ConversationRow::by_name(cx.db, &scope, &set.conversation)?;
    let person = AgentRow::by_name(cx.db, &scope, &Name::person())?;
    if !group.is_open_to(cx.db, &person)? {
        return Err(OpError::denied(format!("the user is not in `{}`", group.name)));
    }
    let newest = group.said(cx.db)?.last_seq;
    Ok((group, person, set.until.number().min(newest)))
}

impl Run for CursorSet {
    const HAS_STEPS: bool = true;

    fn step(&self, cx: &mut Cx<'_>) -> Result<bool> {
        let (group, person, until) = place(cx, self)?;
        let read = group.shown(cx.db)?.read_seq;
        let last = delivery::leasable_after(cx.db, person.id, group.id, until, AT_ONCE - 1)?;
        // What was released behind the cursor makes no step.
        let Some(last) = last.filter(|last| *last > read) else { return Ok(false) };
        cursor::move_cursor(cx, &group, &person, last)?;
        Ok(true)
    }

    fn run(&self, cx: &mut Cx<'_>) -> Result<Group> {
        let (group, person, until) = place(cx, self)?;
        // Messages of removed agents of this name are read with those of the present one.
        for closed in ConversationRow::closed(cx.db, cx.scope()?.id, &group.name)? {
            let newest = closed.said(cx.db)?.last_seq;
            cursor::move_cursor(cx, &closed, &person, self.until.number().min(newest))?;
        }
        cursor::move_cursor(cx, &group, &person, until)
    }
}
