//! Conversations: the channel of a scope, groups, and two members with each other.

use agent_worker_protocol::{agent::MemberKind, conversation::Conversation};
use rusqlite::params;

use crate::{
    context::cx::Cx,
    error::OpError,
    rows::{agent::AgentRow, conversation::GroupRow, workflow::ScopeRow},
};

/// Makes the channel of a new scope.
pub fn make_channel(cx: &mut Cx<'_>, scope: i64) -> Result<(), OpError> {
    cx.conn
        .prepare_cached(
            "INSERT INTO groups (scope, kind, name, created_at) VALUES (?1, 'channel', ?2, ?3)",
        )?
        .execute(params![scope, Conversation::CHANNEL, cx.now.0])?;
    cx.touch_conversation(cx.conn.last_insert_rowid());
    Ok(())
}

/// Gives a new member its place in the channel.
pub fn join_channel(cx: &Cx<'_>, scope: &ScopeRow, agent: i64) -> Result<(), OpError> {
    let channel = GroupRow::channel(cx.db, scope)?;
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
        cx.touch_conversation(group);
    }
    Ok(())
}

/// Returns the conversation of two members, and creates it if it is missing. A member that was
/// removed and created again gets a new one: the old one is closed and keeps its messages.
pub fn direct(cx: &mut Cx<'_>, one: &AgentRow, other: &AgentRow) -> Result<GroupRow, OpError> {
    let name = Conversation::direct(one.name.clone(), other.name.clone());
    if let Some(group) = GroupRow::find(cx.db, one.scope_id, &name)? {
        if group.is_open_to(cx.db, one)? && group.is_open_to(cx.db, other)? {
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
    cx.touch_conversation(id);
    GroupRow::by_id(cx.db, id)
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
    if is_told {
        cx.touch_conversation(group.id);
    }
    Ok(())
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
