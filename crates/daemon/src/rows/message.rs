//! `messages`: what was sent.

use agent_worker_protocol::{
    Intent, MemberKind, Mentioned, Message, MessageId, MessageType, Name, ResourceId, RunId,
    Timestamp,
};

use crate::{
    error::{OpError, Result},
    rows::{Db, RunRow, row, sql, statements, table},
};

row! {
    /// Messages, to which conditions and an order are added.
    pub const SELECT: Message from "messages AS m JOIN workflows AS w ON w.id = m.scope
        JOIN groups AS g ON g.id = m.group_id"
    {
        id = "m.seq",
        seq = "m.seq",
        scope = "'@' || w.name || ':' || w.tag",
        group = "g.name",
        sender = "m.sender",
        sender_kind = "m.sender_kind",
        content = "m.content",
        kind = "m.kind",
        intent = "m.intent",
        mentions = "m.mentions",
        resource = "m.resource",
        reply_to = "m.reply_to",
        run = "m.run",
        hop = "m.hop",
        created_at = "m.created_at",
    }
}

/// Refusal of a message that does not exist, or that the caller may not read.
pub fn missing(id: MessageId) -> OpError {
    OpError::not_found(format!("message `{id}` not found")).hint("agent-worker peek")
}

const BY_SEQ: &str = sql!(SELECT, " WHERE m.seq = ?1");

row! {
    /// What only the tables need of a message.
    pub struct Inside from "messages" {
        group: i64 = "group_id",
        sender: Option<i64> = "sender_agent",
        root: i64,
        bytes: i64,
        /// Whether the user took it out of all prompts
        hidden: bool,
    }
}

table! {
    /// A message that is about to be stored.
    pub struct NewMessage<'a> into Messages {
        seq: i64,
        scope: i64,
        group: i64 = "group_id",
        generation: i64,
        sender: &'a Name,
        sender_kind: MemberKind,
        sender_agent: Option<i64>,
        run: Option<RunId>,
        /// Of a long text the first part
        content: &'a str,
        /// JSON `[[from, to], …]`: which bytes of the whole text are values
        data_spans: Option<String>,
        resource: Option<ResourceId>,
        kind: MessageType,
        intent: Intent,
        mentions: &'a Mentioned,
        /// Of the whole text
        bytes: i64,
        /// The first eight bytes of its SHA-256
        digest: &'a [u8],
        likeness: Option<[u8; 8]>,
        hop: i64,
        root: i64,
        reply_to: Option<i64>,
        created_at: Timestamp,
    }
}

impl NewMessage<'_> {
    /// Stores it, and counts it in its conversation.
    pub fn store(&self, db: Db<'_>) -> Result<()> {
        db.insert(self)?;
        let sql = "UPDATE groups SET messages = messages + 1, last_seq = ?2 WHERE id = ?1";
        db.count(sql, (self.group, self.seq))
    }
}

/// What a run has sent to a conversation after a message: its number, its likeness and its intent.
pub fn sent_by_run(
    db: Db<'_>,
    run: &RunRow,
    group: i64,
    after: i64,
) -> Result<Vec<(i64, [u8; 8], Intent)>> {
    // Messages once had all 32 bytes of the hash.
    let sql = "SELECT seq, substr(likeness, 1, 8), intent FROM messages INDEXED BY messages_of_run
               WHERE run = ?1 AND group_id = ?2 AND seq > ?3 AND sender_agent = ?4 ORDER BY seq";
    db.all(sql, (run.id, group, after, run.agent))
}

statements! {
    /// A message that is known to exist.
    pub fn by_seq(seq: i64) -> one Message = BY_SEQ;

    /// A message, if there is one.
    pub fn find(seq: i64) -> maybe Message = BY_SEQ;

    /// Whether a run has sent an `@all`.
    pub fn has_called_all(run: RunId) -> exists =
        "SELECT 1 FROM messages INDEXED BY messages_of_run
            WHERE run = ?1 AND json_extract(mentions, '$.all') LIMIT 1";

    /// How often a member has sent another the same under one root.
    pub fn count_alike(root: i64, likeness: &[u8; 8], sender: i64, recipient: i64) -> one i64 =
        "SELECT count(*) FROM messages AS m INDEXED BY messages_alike
            JOIN deliveries AS d ON d.agent = ?4 AND d.seq = m.seq
            WHERE m.root = ?1 AND m.likeness = ?2 AND m.sender_agent = ?3";

    /// The newest message of a person to a member among this many of the member's newest
    /// deliveries.
    pub fn newest_of_person(agent: i64, among: u32) -> one Option<i64> =
        "SELECT max(seq) FROM (SELECT seq, sender_kind FROM deliveries
                WHERE agent = ?1 ORDER BY seq DESC LIMIT ?2)
            WHERE sender_kind = 'person'";

    /// Makes a message one of another generation of its workflow.
    pub fn set_generation(seq: i64, generation: i64) -> change in Messages =
        "UPDATE messages SET generation = ?2 WHERE seq = ?1";

    /// The newest message's number; 0 without any.
    pub fn newest_seq() -> one i64 = "SELECT coalesce(max(seq), 0) FROM messages";

    /// What only the tables need of a message, if there is one.
    pub fn inside(seq: i64) -> maybe Inside = Inside::SELECT, " WHERE seq = ?1";

    /// Takes a message out of all prompts.
    pub fn hide(id: MessageId) -> change in Messages =
        "UPDATE messages SET hidden = 1 WHERE seq = ?1";
}

/// The first runs that were given a message, found by what it goes back to.
pub const RUNS: &str = "SELECT run FROM run_roots INDEXED BY run_roots_by_root
    WHERE root = ?1 AND seq = ?2 ORDER BY run LIMIT ?3";

macro_rules! side {
    ($sign:literal, $direction:literal) => {
        sql!(
            SELECT,
            " LEFT JOIN resources AS r ON r.id = m.resource WHERE m.group_id = ?1 AND m.seq ",
            $sign,
            " ?2 AND (?4 IS NULL OR instr(lowered(coalesce(r.content, m.content)), lowered(?4)) > 0)
               AND (?5 OR m.hidden = 0) ORDER BY m.seq ",
            $direction,
            " LIMIT ?3"
        )
    };
}

/// The messages of a conversation before a place, the nearest first. Text is looked for in any
/// case, also in the whole of long messages. What the user took out of all prompts is there only if
/// that is asked for.
pub const OLDER: &str = side!("<", "DESC");

/// Those after it.
pub const NEWER: &str = side!(">", "ASC");
