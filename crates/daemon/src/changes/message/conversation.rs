//! Conversations: the channel of a scope, groups, and two members with each other.

use agent_worker_protocol::{
    agent::MemberKind,
    conversation::{Conversation, CursorSet, Group, Wake},
    event::EventBody,
    name::Name,
    target::Scope,
};
use rusqlite::{Connection, OptionalExtension, Row, params};

use crate::{
    context::cx::Cx,
    error::OpError,
    ops::list::Run,
    rows::{
        agent::AgentRow,
        delivery,
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
    fn from_row(row: &Row<'_>) -> rusqlite::Result<Self> {
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

    /// The entity, with how far the person has read.
    pub fn entity(&self, conn: &Connection) -> Result<Group, OpError> {
        let members = match self.name {
            Conversation::Channel => Vec::new(),
            _ => self.members(conn)?,
        };
        let (read_seq, read_messages) = self.cursor_of_person(conn)?.unwrap_or_default();
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

    /// Who is in it, by name; of the channel too.
    pub fn members(&self, conn: &Connection) -> Result<Vec<Name>, OpError> {
        let sql = "SELECT a.name FROM group_members AS m JOIN agents AS a ON a.id = m.agent
                   WHERE m.group_id = ?1 AND m.left_at IS NULL ORDER BY a.name";
        let mut statement = conn.prepare_cached(sql)?;
        let names = statement.query_map([self.id], |row| Ok(row.get::<_, Word<Name>>(0)?.0))?;
        Ok(names.collect::<Result<_, _>>()?)
    }

    fn cursor_of_person(&self, conn: &Connection) -> Result<Option<(i64, i64)>, OpError> {
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

/// Makes the channel of a new scope.
pub fn make_channel(cx: &mut Cx<'_>, scope: i64) -> Result<(), OpError> {
    cx.conn
        .prepare_cached(
            "INSERT INTO groups (scope, kind, name, created_at) VALUES (?1, 'channel', ?2, ?3)",
        )?
        .execute(params![scope, Conversation::CHANNEL, cx.now.0])?;
    announce(cx, cx.conn.last_insert_rowid())
}

/// Gives a new member its place in the channel.
pub fn join_channel(cx: &Cx<'_>, scope: &ScopeRow, agent: i64) -> Result<(), OpError> {
    let channel = GroupRow::channel(cx.conn, scope)?;
    join(cx, channel.id, agent)
}

/// Puts a member into a conversation, or back into it. What was said before counts as read.
pub fn join(cx: &Cx<'_>, group: i64, agent: i64) -> Result<(), OpError> {
    let sql = "INSERT INTO group_members (group_id, agent, last_read_seq, read_messages, joined_at)
               SELECT id, ?2, last_seq, messages, ?3 FROM groups WHERE id = ?1
               ON CONFLICT (group_id, agent) DO UPDATE SET left_at = NULL,
                   last_read_seq = excluded.last_read_seq, read_messages = excluded.read_messages,
                   joined_at = excluded.joined_at";
    cx.conn.prepare_cached(sql)?.execute(params![group, agent, cx.now.0])?;
    Ok(())
}

/// Takes a removed member out of its conversations.
pub fn leave_all(cx: &mut Cx<'_>, agent: i64) -> Result<(), OpError> {
    let sql = "SELECT m.group_id FROM group_members AS m INDEXED BY group_members_of
               JOIN groups AS g ON g.id = m.group_id
               WHERE m.agent = ?1 AND m.left_at IS NULL AND g.closed_at IS NULL
                 AND g.kind <> 'channel' ORDER BY g.id";
    let left = cx
        .conn
        .prepare_cached(sql)?
        .query_map([agent], |row| row.get(0))?
        .collect::<Result<Vec<i64>, _>>()?;
    cx.conn
        .prepare_cached(
            "UPDATE group_members SET left_at = ?2 WHERE agent = ?1 AND left_at IS NULL",
        )?
        .execute(params![agent, cx.now.0])?;
    for group in left {
        announce(cx, group)?;
    }
    Ok(())
}

/// Announces a conversation as it now stands.
pub fn announce(cx: &mut Cx<'_>, id: i64) -> Result<(), OpError> {
    let group = GroupRow::by_id(cx.conn, id)?;
    let entity = group.entity(cx.conn)?;
    cx.emit(&group.scope, EventBody::GroupChanged(entity))
}

/// Returns the conversation of two members, and creates it if it is missing. A member that was
/// removed and created again gets a new one: the old one is closed and keeps its messages.
pub fn direct(cx: &mut Cx<'_>, one: &AgentRow, other: &AgentRow) -> Result<GroupRow, OpError> {
    let name = Conversation::direct(one.name.clone(), other.name.clone());
    if let Some(group) = GroupRow::find(cx.conn, one.scope_id, &name)? {
        if group.is_open_to(cx.conn, one)? && group.is_open_to(cx.conn, other)? {
            return Ok(group);
        }
        cx.conn
            .prepare_cached("UPDATE groups SET closed_at = ?2 WHERE id = ?1")?
            .execute([group.id, cx.now.0])?;
    }
    cx.conn
        .prepare_cached(
            "INSERT INTO groups (scope, kind, name, created_at) VALUES (?1, 'direct', ?2, ?3)",
        )?
        .execute(params![one.scope_id, name.to_string(), cx.now.0])?;
    let id = cx.conn.last_insert_rowid();
    join(cx, id, one.id)?;
    join(cx, id, other.id)?;
    announce(cx, id)?;
    GroupRow::by_id(cx.conn, id)
}

/// Counts a new message. A sender who had read all before it has read its own message too.
pub fn count_message(
    cx: &mut Cx<'_>,
    group: &GroupRow,
    seq: i64,
    sender: Option<&AgentRow>,
) -> Result<(), OpError> {
    cx.conn
        .prepare_cached("UPDATE groups SET messages = messages + 1, last_seq = ?2 WHERE id = ?1")?
        .execute(params![group.id, seq])?;
    let Some(sender) = sender else { return Ok(()) };
    let sql = "UPDATE group_members SET last_read_seq = ?3, read_messages = ?4 + 1
               WHERE group_id = ?1 AND agent = ?2 AND read_messages = ?4";
    let moved =
        cx.conn.prepare_cached(sql)?.execute(params![group.id, sender.id, seq, group.messages])?;
    let is_told = moved > 0 && sender.kind == MemberKind::Person;
    if is_told { announce(cx, group.id) } else { Ok(()) }
}

/// Moves an agent's read cursor to this message, and over its own messages that follow. A member
/// that left reads no further.
pub fn has_read(cx: &Cx<'_>, group: i64, agent: i64, until: i64) -> Result<(), OpError> {
    let sql = "SELECT coalesce(
                   (SELECT min(seq) FROM messages INDEXED BY messages_of_group
                    WHERE group_id = ?1 AND seq > ?3 AND sender_agent IS NOT ?2) - 1,
                   (SELECT last_seq FROM groups WHERE id = ?1))";
    let until: i64 =
        cx.conn.prepare_cached(sql)?.query_row([group, agent, until], |row| row.get(0))?;
    // Counted from where it was, so that all its reading together counts each message once.
    let sql = "UPDATE group_members SET last_read_seq = ?3,
                   read_messages = read_messages
                       + (SELECT count(*) FROM messages AS m INDEXED BY messages_of_group
                          WHERE m.group_id = ?1 AND m.seq <= ?3
                            AND m.seq > group_members.last_read_seq)
               WHERE group_id = ?1 AND agent = ?2 AND last_read_seq < ?3 AND left_at IS NULL";
    cx.conn.prepare_cached(sql)?.execute([group, agent, until])?;
    Ok(())
}

impl Run for CursorSet {
    fn run(&self, cx: &mut Cx<'_>) -> Result<Group, OpError> {
        cx.operator_only("the user's read cursor")?;
        let scope = cx.scope()?;
        let group = GroupRow::by_name(cx.conn, &scope, &self.conversation)?;
        let person = AgentRow::by_name(cx.conn, &scope, &Name::person())?;
        if !group.is_open_to(cx.conn, &person)? {
            return Err(OpError::denied(format!("the user is not in `{}`", group.name)));
        }
        move_cursor(cx, &group, &person, self.until.number().min(group.last_seq))
    }
}

/// Moves the user's read cursor on to `until` and acks what it passes; never back.
pub fn move_cursor(
    cx: &mut Cx<'_>,
    group: &GroupRow,
    person: &AgentRow,
    until: i64,
) -> Result<Group, OpError> {
    let (read, _) = group.cursor_of_person(cx.conn)?.unwrap_or_default();
    if until > read {
        let unread: i64 = cx
            .conn
            .prepare_cached("SELECT count(*) FROM messages WHERE group_id = ?1 AND seq > ?2")?
            .query_row(params![group.id, until], |row| row.get(0))?;
        let sql = "UPDATE group_members SET last_read_seq = ?3, read_messages = ?4
                   WHERE group_id = ?1 AND agent = ?2";
        cx.conn.prepare_cached(sql)?.execute(params![
            group.id,
            person.id,
            until,
            group.messages - unread
        ])?;
        delivery::ack_read(cx, person, group.id, until)?;
        cx.touch_attention(group.scope_id);
        announce(cx, group.id)?;
    }
    group.entity(cx.conn)
}
