//! Sets the user's read cursor.

use agent_worker_protocol::{CursorSet, Group, Name};

use crate::{
    changes::message::cursor,
    context::{Cx, Run},
    error::{OpError, Result},
    rows::{AgentRow, ConversationRow},
};

impl Run for CursorSet {
    fn run(&self, cx: &mut Cx<'_>) -> Result<Group> {
        cx.operator_only("the user's read cursor")?;
        let scope = cx.scope()?;
        let group = ConversationRow::by_name(cx.db, &scope, &self.conversation)?;
        let person = AgentRow::by_name(cx.db, &scope, &Name::person())?;
        if !group.is_open_to(cx.db, &person)? {
            return Err(OpError::denied(format!("the user is not in `{}`", group.name)));
        }
        let newest = group.said(cx.db)?.last_seq;
        cursor::move_cursor(cx, &group, &person, self.until.number().min(newest))
    }
}
