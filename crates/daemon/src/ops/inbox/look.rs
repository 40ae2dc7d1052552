//! Shows an inbox without leasing.

use agent_worker_protocol::{Inbox, InboxMessage, InboxPage, MessageId};

use crate::{
    context::{Cx, Run, limit},
    error::{OpError, Result},
    ops::inbox::read,
    rows::{delivery, message},
};

impl Run for Inbox {
    fn run(&self, cx: &mut Cx<'_>) -> Result<InboxPage> {
        let owner = cx.locate_member(&self.target)?;
        if !cx.is_person() && cx.member_in(owner.scope_id)?.is_none_or(|me| me.id != owner.id) {
            return Err(OpError::denied(format!("this is the inbox of `{}`", owner.target())));
        }
        let limit = limit::at_most(self.limit, 50, 500)?;
        let before = self.before.map_or(i64::MAX, MessageId::number);
        // A hidden message, or one of a group that its member has left, has no unfinished delivery.
        let rows = if self.all {
            delivery::newest(cx.db, owner.id, before, limit + 1, cx.is_person())?
        } else {
            delivery::unfinished(cx.db, owner.id, before, limit + 1)?
        };
        let (mut rows, more) = limit::cut(rows, limit);
        rows.reverse();
        let messages = rows
            .iter()
            .map(|row| {
                let message = message::by_seq(cx.db, row.seq)?;
                Ok(InboxMessage::new(message, row.entity(&owner)))
            })
            .collect::<Result<_>>()?;
        Ok(read::page(messages, more))
    }
}
