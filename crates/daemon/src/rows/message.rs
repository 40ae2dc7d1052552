//! `messages`: what was sent.

use agent_worker_protocol::{
    agent::MemberKind,
    channel::{Intent, Mentioned, Message, MessageType},
    conversation::Conversation,
    id::{MessageId, ResourceId, RunId},
    name::Name,
    time::Timestamp,
};
use rusqlite::{Connection, OptionalExtension, Row};

use crate::{
    error::OpError,
    rows::{
        word::{Json, Word},
        workflow,
    },
};

pub const COLUMNS: &str = "m.seq, w.name AS workflow, w.tag, g.name AS group_name, m.sender,
    m.sender_kind, m.run, m.content, m.resource, m.kind, m.intent, m.mentions, m.hop, m.reply_to,
    m.created_at";

pub const TABLES: &str = "messages AS m JOIN workflows AS w ON w.id = m.scope
    JOIN groups AS g ON g.id = m.group_id";

pub fn from_row(row: &Row<'_>) -> rusqlite::Result<Message> {
    let seq = row.get("seq")?;
    Ok(Message {
        id: MessageId::new(seq),
        seq,
        scope: workflow::scope_from_row(row, "workflow", "tag")?,
        group: row.get::<_, Word<Conversation>>("group_name")?.0,
        sender: row.get::<_, Word<Name>>("sender")?.0,
        sender_kind: row.get::<_, Word<MemberKind>>("sender_kind")?.0,
        content: row.get("content")?,
        kind: row.get::<_, Word<MessageType>>("kind")?.0,
        intent: row.get::<_, Word<Intent>>("intent")?.0,
        mentions: row.get::<_, Json<Mentioned>>("mentions")?.0,
        resource: row.get::<_, Option<i64>>("resource")?.map(ResourceId::new),
        reply_to: row.get::<_, Option<i64>>("reply_to")?.map(MessageId::new),
        run: row.get::<_, Option<i64>>("run")?.map(RunId::new),
        hop: row.get("hop")?,
        created_at: Timestamp(row.get("created_at")?),
    })
}

/// A message that is known to exist.
pub fn by_seq(conn: &Connection, seq: i64) -> Result<Message, OpError> {
    let sql = format!("SELECT {COLUMNS} FROM {TABLES} WHERE m.seq = ?1");
    Ok(conn.prepare_cached(&sql)?.query_row([seq], from_row)?)
}

/// A message, if there is one.
pub fn find(conn: &Connection, seq: i64) -> Result<Option<Message>, OpError> {
    let sql = format!("SELECT {COLUMNS} FROM {TABLES} WHERE m.seq = ?1");
    Ok(conn.prepare_cached(&sql)?.query_row([seq], from_row).optional()?)
}

/// The newest message's number; 0 without any.
pub fn newest_seq(conn: &Connection) -> Result<i64, OpError> {
    let sql = "SELECT coalesce(max(seq), 0) FROM messages";
    Ok(conn.prepare_cached(sql)?.query_row([], |row| row.get(0))?)
}
