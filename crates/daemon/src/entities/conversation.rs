//! Conversations as clients see them.

use agent_worker_protocol::{Conversation, EventBody, Group};

use crate::{
    context::Cx,
    error::Result,
    rows::{ConversationRow, Db, conversation::Shown},
};

impl ConversationRow {
    /// The entity, with how far the person has read.
    pub fn entity(&self, db: Db<'_>) -> Result<Group> {
        let members = match self.name {
            Conversation::Channel => Vec::new(),
            _ => self.members(db)?,
        };
        let Shown { messages, last_seq, read_seq, read_messages } = self.shown(db)?;
        Ok(Group {
            scope: self.scope.clone(),
            name: self.name.clone(),
            members,
            wake: self.wake,
            messages,
            last_seq,
            read_seq,
            read_messages,
        })
    }
}

/// Announces a conversation as it now stands; nothing if it is gone, or closed: another has its name.
pub fn announce(cx: &mut Cx<'_>, id: i64) -> Result<()> {
    let found = ConversationRow::maybe(cx.db, id)?;
    let Some(group) = found.filter(|group| !group.closed) else { return Ok(()) };
    let entity = group.entity(cx.db)?;
    cx.emit(&group.scope, EventBody::GroupChanged(entity))
}
