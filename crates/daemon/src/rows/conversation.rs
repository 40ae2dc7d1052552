//! `groups`: the channel of a scope, groups, and direct messages.

use agent_worker_protocol::{
    conversation::{Conversation, Wake},
    name::Name,
    target::Scope,
};
use rusqlite::{Connection, OptionalExtension, Row, params};

use crate::{
    error::OpError,
    rows::{
        agent::AgentRow,
        word::Word,
        workflow::{self, ScopeRow},
    },
};

#[derive(Debug, Clone)]
pub struct GroupRow {
    pub id: i64,
    pub scope_id: i64,
    pub scope: Scope,
    pub name: Conversation,
    pub wake: Wake,
    pub messages: i64,
    pub last_seq: i64,
    /// Whether a new one of its name has begun
    pub closed: bool,
}

pub const COLUMNS: &str = "g.id, g.scope, w.name AS workflow, w.tag, g.name, g.wake, g.messages,
    g.last_seq, g.closed_at IS NOT NULL AS closed";

impl GroupRow {
    pub fn from_row(row: &Row<'_>) -> rusqlite::Result<Self> {
        Ok(Self {
            id: row.get("id")?,
            scope_id: row.get("scope")?,
            scope: workflow::scope_from_row(row, "workflow", "tag")?,
            name: row.get::<_, Word<Conversation>>("name")?.0,
            wake: row.get::<_, Word<Wake>>("wake")?.0,
            messages: row.get("messages")?,
            last_seq: row.get("last_seq")?,
            closed: row.get("closed")?,
        })
    }

    /// The row of a number that is known to exist.
    pub fn by_id(conn: &Connection, id: i64) -> Result<Self, OpError> {
        let sql = format!(
            "SELECT {COLUMNS} FROM groups AS g JOIN workflows AS w ON w.id = g.scope WHERE g.id = ?1"
        );
        Ok(conn.prepare_cached(&sql)?.query_row([id], Self::from_row)?)
    }

    /// The conversation of this name, if there is one.
    pub fn find(
        conn: &Connection,
        scope: i64,
        name: &Conversation,
    ) -> Result<Option<Self>, OpError> {
        let sql = format!(
            "SELECT {COLUMNS} FROM groups AS g JOIN workflows AS w ON w.id = g.scope
             WHERE g.scope = ?1 AND g.name = ?2 AND g.closed_at IS NULL"
        );
        let found = conn
            .prepare_cached(&sql)?
            .query_row(params![scope, name.to_string()], Self::from_row)
            .optional()?;
        Ok(found)
    }

    /// The conversation of this name.
    pub fn by_name(
        conn: &Connection,
        scope: &ScopeRow,
        name: &Conversation,
    ) -> Result<Self, OpError> {
        Self::find(conn, scope.id, name)?.ok_or_else(|| {
            OpError::not_found(format!("no conversation named `{name}` in {}", scope.scope))
        })
    }

    pub fn channel(conn: &Connection, scope: &ScopeRow) -> Result<Self, OpError> {
        Self::by_name(conn, scope, &Conversation::Channel)
    }

    /// Whether it is two members with each other.
    pub fn is_direct(&self) -> bool {
        matches!(self.name, Conversation::Direct(..))
    }

    /// Whether a member may read it.
    pub fn is_open_to(&self, conn: &Connection, member: &AgentRow) -> Result<bool, OpError> {
        if self.name == Conversation::Channel {
            return Ok(member.scope_id == self.scope_id);
        }
        let sql =
            "SELECT 1 FROM group_members WHERE group_id = ?1 AND agent = ?2 AND left_at IS NULL";
        Ok(conn.prepare_cached(sql)?.exists(params![self.id, member.id])?)
    }

    /// Who is in it, by name; of the channel too.
    pub fn members(&self, conn: &Connection) -> Result<Vec<Name>, OpError> {
        let sql = "SELECT a.name FROM group_members AS m JOIN agents AS a ON a.id = m.agent
                   WHERE m.group_id = ?1 AND m.left_at IS NULL ORDER BY a.name";
        let mut statement = conn.prepare_cached(sql)?;
        let names = statement.query_map([self.id], |row| Ok(row.get::<_, Word<Name>>(0)?.0))?;
        Ok(names.collect::<Result<_, _>>()?)
    }

    pub fn cursor_of_person(&self, conn: &Connection) -> Result<Option<(i64, i64)>, OpError> {
        let sql = "SELECT m.last_read_seq, m.read_messages
                   FROM agents AS a JOIN group_members AS m ON m.agent = a.id
                   WHERE a.scope = ?1 AND a.name = ?2 AND a.removed_at IS NULL AND m.group_id = ?3";
        let found = conn
            .prepare_cached(sql)?
            .query_row(params![self.scope_id, Name::PERSON, self.id], |row| {
                Ok((row.get(0)?, row.get(1)?))
            })
            .optional()?;
        Ok(found)
    }
}

/// Those of a scope's members that are in a conversation.
pub fn present(
    conn: &Connection,
    group: &GroupRow,
    members: Vec<AgentRow>,
) -> Result<Vec<AgentRow>, OpError> {
    let names = group.members(conn)?;
    Ok(members.into_iter().filter(|member| names.contains(&member.name)).collect())
}

/// Refuses a member's name that a group has.
pub fn check_is_no_group(conn: &Connection, scope: &ScopeRow, name: &Name) -> Result<(), OpError> {
    let found = GroupRow::find(conn, scope.id, &Conversation::Group(name.clone()))?;
    match found {
        None => Ok(()),
        Some(_) => Err(OpError::conflict(format!(
            "group `{name}` already exists in {}: agents and groups share their names",
            scope.scope
        ))
        .hint("give the agent another name")),
    }
}
