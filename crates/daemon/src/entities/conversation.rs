//! Conversations as clients see them.

use agent_worker_protocol::{
    conversation::{Conversation, Group},
    event::EventBody,
};
use rusqlite::Connection;

use crate::{
    context::cx::Cx,
    error::OpError,
    rows::{Db, conversation::GroupRow},
};

impl GroupRow {
    /// The entity, with how far the person has read.
    pub fn entity(&self, conn: &Connection) -> Result<Group, OpError> {
        let members = match self.name {
            Conversation::Channel => Vec::new(),
            _ => self.members(Db::new(conn))?,
        };
        let (read_seq, read_messages) = self.cursor_of_person(Db::new(conn))?.unwrap_or_default();
        Ok(Group {
            scope: self.scope.clone(),
            name: self.name.clone(),
            members,
            wake: self.wake,
            messages: self.messages,
            last_seq: self.last_seq,
            read_seq,
            read_messages,
        })
    }
}

/// Announces a conversation as it now stands; nothing if it is gone.
pub fn announce(cx: &mut Cx<'_>, id: i64) -> Result<(), OpError> {
    let Some(group) = GroupRow::maybe(cx.db, id)? else { return Ok(()) };
    let entity = group.entity(cx.conn)?;
    cx.emit(&group.scope, EventBody::GroupChanged(entity))
}
