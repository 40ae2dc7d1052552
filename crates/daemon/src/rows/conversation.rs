//! `groups`: the channel of a scope, groups, and direct messages.

use agent_worker_protocol::{
    conversation::{Conversation, Wake},
    name::Name,
    target::Scope,
};

use crate::{
    error::OpError,
    rows::{Db, agent::AgentRow, row, sql, workflow::ScopeRow},
};

row! {
    /// A conversation, with the name of its scope.
    #[derive(Debug, Clone)]
    pub struct GroupRow from "groups AS g JOIN workflows AS w ON w.id = g.scope" {
        id: i64 = "g.id",
        scope_id: i64 = "g.scope",
        scope: Scope = "'@' || w.name || ':' || w.tag",
        name: Conversation = "g.name",
        wake: Wake = "g.wake",
        messages: i64 = "g.messages",
        last_seq: i64 = "g.last_seq",
        /// Whether a new one of its name has begun
        closed: bool = "g.closed_at IS NOT NULL",
    }
}

impl GroupRow {
    /// The row of a number that is known to exist.
    pub fn by_id(db: Db<'_>, id: i64) -> Result<Self, OpError> {
        const SQL: &str = sql!(GroupRow::SELECT, " WHERE g.id = ?1");
        db.one(SQL, (id,))
    }

    /// The conversation of this name, if there is one.
    pub fn find(db: Db<'_>, scope: i64, name: &Conversation) -> Result<Option<Self>, OpError> {
        const SQL: &str =
            sql!(GroupRow::SELECT, " WHERE g.scope = ?1 AND g.name = ?2 AND g.closed_at IS NULL");
        db.maybe(SQL, (scope, name))
    }

    /// The conversation of this name.
    pub fn by_name(db: Db<'_>, scope: &ScopeRow, name: &Conversation) -> Result<Self, OpError> {
        Self::find(db, scope.id, name)?.ok_or_else(|| {
            OpError::not_found(format!("no conversation named `{name}` in {}", scope.scope))
        })
    }

    pub fn channel(db: Db<'_>, scope: &ScopeRow) -> Result<Self, OpError> {
        Self::by_name(db, scope, &Conversation::Channel)
    }

    /// Whether it is two members with each other.
    pub fn is_direct(&self) -> bool {
        matches!(self.name, Conversation::Direct(..))
    }

    /// Whether a member may read it.
    pub fn is_open_to(&self, db: Db<'_>, member: &AgentRow) -> Result<bool, OpError> {
        if self.name == Conversation::Channel {
            return Ok(member.scope_id == self.scope_id);
        }
        let sql =
            "SELECT 1 FROM group_members WHERE group_id = ?1 AND agent = ?2 AND left_at IS NULL";
        db.exists(sql, (self.id, member.id))
    }

    /// Who is in it, by name; of the channel too.
    pub fn members(&self, db: Db<'_>) -> Result<Vec<Name>, OpError> {
        let sql = "SELECT a.name FROM group_members AS m JOIN agents AS a ON a.id = m.agent
                   WHERE m.group_id = ?1 AND m.left_at IS NULL ORDER BY a.name";
        db.all(sql, (self.id,))
    }

    pub fn cursor_of_person(&self, db: Db<'_>) -> Result<Option<(i64, i64)>, OpError> {
        let sql = "SELECT m.last_read_seq, m.read_messages
                   FROM agents AS a JOIN group_members AS m ON m.agent = a.id
                   WHERE a.scope = ?1 AND a.name = ?2 AND a.removed_at IS NULL AND m.group_id = ?3";
        db.maybe(sql, (self.scope_id, Name::PERSON, self.id))
    }
}

/// Those of a scope's members that are in a conversation.
pub fn present(
    db: Db<'_>,
    group: &GroupRow,
    members: Vec<AgentRow>,
) -> Result<Vec<AgentRow>, OpError> {
    let names = group.members(db)?;
    Ok(members.into_iter().filter(|member| names.contains(&member.name)).collect())
}

/// Refuses a member's name that a group has.
pub fn check_is_no_group(db: Db<'_>, scope: &ScopeRow, name: &Name) -> Result<(), OpError> {
    let found = GroupRow::find(db, scope.id, &Conversation::Group(name.clone()))?;
    match found {
        None => Ok(()),
        Some(_) => Err(OpError::conflict(format!(
            "group `{name}` already exists in {}: agents and groups share their names",
            scope.scope
        ))
        .hint("give the agent another name")),
    }
}
