//! `groups`: the channel of a scope, groups, and direct messages.

use std::sync::Arc;

use agent_worker_protocol::{Conversation, MemberKind, Name, Scope, Timestamp, Wake};

use crate::{
    error::{OpError, Result},
    rows::{AgentRow, Db, Table, WorkflowRow, row, sql, statements, table},
};

row! {
    /// A conversation, with the name of its scope.
    #[derive(Debug, Clone, PartialEq)]
    pub struct ConversationRow from "groups AS g JOIN workflows AS w ON w.id = g.scope" {
        id: i64 = "g.id",
        scope_id: i64 = "g.scope",
        scope: Scope = "'@' || w.name || ':' || w.tag",
        name: Conversation = "g.name",
        wake: Wake = "g.wake",
        /// Whether a new one of its name has begun
        closed: bool = "g.closed_at IS NOT NULL",
    }
}

row! {
    /// A member's place in a conversation.
    pub struct PlaceRow from "group_members AS m JOIN agents AS a ON a.id = m.agent" {
        agent: i64 = "m.agent",
        name: Name = "a.name",
        kind: MemberKind = "a.kind",
        last_read_seq: i64 = "m.last_read_seq",
        read_messages: i64 = "m.read_messages + m.own_later",
        joined_at: Timestamp = "m.joined_at",
    }
}

table! {
    struct NewGroup<'a> into Groups {
        scope: i64,
        kind: &'a str,
        name: &'a Conversation,
        wake: Wake,
        created_at: Timestamp,
    }
}

row! {
    /// What was said in a conversation, on columns that are no part of [`ConversationRow`].
    #[derive(Debug, Clone, Copy)]
    pub struct Said from "groups" {
        messages: i64,
        /// The newest one; 0 without any
        last_seq: i64,
    }
}

row! {
    /// What the entity of a conversation has beside its row and its members: what was said in it,
    /// and how far the user has read.
    pub struct Shown from "groups AS g
        LEFT JOIN agents AS a ON a.scope = g.scope AND a.name = ?2 AND a.removed_at IS NULL
        LEFT JOIN group_members AS m ON m.group_id = g.id AND m.agent = a.id"
    {
        messages: i64 = "g.messages",
        last_seq: i64 = "g.last_seq",
        read_seq: i64 = "coalesce(m.last_read_seq, 0)",
        read_messages: i64 = "coalesce(m.read_messages + m.own_later, 0)",
    }
}

impl ConversationRow {
    /// The row of a number that is known to exist.
    pub fn by_id(db: Db<'_>, id: i64) -> Result<Self> {
        Self::maybe(db, id)?.ok_or_else(|| rusqlite::Error::QueryReturnedNoRows.into())
    }

    /// The conversation of this name.
    pub fn by_name(db: Db<'_>, scope: &WorkflowRow, name: &Conversation) -> Result<Self> {
        Self::find(db, scope.id, name)?.ok_or_else(|| {
            OpError::not_found(format!("no conversation named `{name}` in {}", scope.scope))
        })
    }

    /// The conversations that are not closed, of a scope or of all, in the order in which they
    /// began.
    pub fn open(db: Db<'_>, scope: Option<i64>) -> Result<Vec<Self>> {
        const ALL: &str = sql!(ConversationRow::SELECT, " WHERE g.closed_at IS NULL ORDER BY g.id");
        const OF_SCOPE: &str = sql!(
            ConversationRow::SELECT,
            " WHERE g.scope = ?1 AND g.closed_at IS NULL ORDER BY g.id"
        );
        match scope {
            Some(scope) => db.all(OF_SCOPE, (scope,)),
            None => db.all(ALL, ()),
        }
    }

    pub fn channel(db: Db<'_>, scope: &WorkflowRow) -> Result<Self> {
        Self::by_name(db, scope, &Conversation::Channel)
    }

    /// What its entity has beside its row and its members.
    pub fn shown(&self, db: Db<'_>) -> Result<Shown> {
        const SQL: &str = sql!(Shown::SELECT, " WHERE g.id = ?1");
        db.one(SQL, (self.id, Name::PERSON))
    }

    /// Notes the last message that a member of it has read, and how many it has read then.
    pub fn set_cursor(&self, db: Db<'_>, member: i64, until: i64) -> Result<()> {
        let sql = "SELECT count(*), count(*) FILTER (WHERE sender_agent = ?3) FROM messages
                   WHERE group_id = ?1 AND seq > ?2";
        let (later, own): (i64, i64) = db.one(sql, (self.id, until, member))?;
        let sql = "UPDATE group_members SET last_read_seq = ?3, read_messages = ?4, own_later = ?5
                   WHERE group_id = ?1 AND agent = ?2";
        let values = (self.id, member, until, self.said(db)?.messages - later, own);
        db.change(Table::GroupMembers, sql, values).map(drop)
    }

    /// Whether it is two members with each other.
    pub fn is_direct(&self) -> bool {
        matches!(self.name, Conversation::Direct(..))
    }

    /// Whether it is the daemon with an agent, where members say nothing.
    pub fn is_with_daemon(&self) -> bool {
        let Conversation::Direct(one, other) = &self.name else { return false };
        [one, other].iter().any(|name| name.as_str() == Name::SYSTEM)
    }

    /// Whether a member may read it.
    pub fn is_open_to(&self, db: Db<'_>, member: &AgentRow) -> Result<bool> {
        if self.name == Conversation::Channel {
            return Ok(member.scope_id == self.scope_id);
        }
        let sql =
            "SELECT 1 FROM group_members WHERE group_id = ?1 AND agent = ?2 AND left_at IS NULL";
        db.exists(sql, (self.id, member.id))
    }

    statements! {
        /// The row of a number, if it was not purged.
        pub fn maybe(id: i64) -> known Self = ConversationRow::SELECT, " WHERE g.id = ?1";

        /// The conversation of this name, if there is one.
        pub fn find(scope: i64, name: &Conversation) -> known Self =
            ConversationRow::SELECT, " WHERE g.scope = ?1 AND g.name = ?2 AND g.closed_at IS NULL";

        /// The closed conversations of this name, in the order in which they began.
        pub fn closed(scope: i64, name: &Conversation) -> all Self =
            ConversationRow::SELECT,
            " WHERE g.scope = ?1 AND g.name = ?2 AND g.closed_at IS NOT NULL ORDER BY g.id";

        /// The conversations of this name, of a scope or of all, also those that are closed.
        pub fn named(name: &Conversation, scope: Option<i64>) -> all Self =
            ConversationRow::SELECT, " WHERE g.name = ?1 AND (?2 IS NULL OR g.scope = ?2)";

        /// What was said in it.
        pub fn said(&self) -> one Said = Said::SELECT, " WHERE id = ?1";

        /// Counts a message of the user's that comes after some it has not read.
        pub fn count_own(&self, person: i64) -> change in GroupMembers =
            "UPDATE group_members SET own_later = own_later + 1
                WHERE group_id = ?1 AND agent = ?2";

        /// Moves the cursor of a member that has read all before its own message over that; tells
        /// whether it has.
        pub fn read_own(&self, member: i64, seq: i64) -> changed in GroupMembers =
            "UPDATE group_members SET last_read_seq = ?3, read_messages = read_messages + 1
                WHERE group_id = ?1 AND agent = ?2
                  AND read_messages + 1 = (SELECT messages FROM groups WHERE id = ?1)";

        /// Who is in it, by name; of the channel too.
        pub fn members(&self) -> all Name =
            "SELECT a.name FROM group_members AS m JOIN agents AS a ON a.id = m.agent
                WHERE m.group_id = ?1 AND m.left_at IS NULL ORDER BY a.name";

        /// The places of its members, by name.
        pub fn places(&self) -> all PlaceRow =
            PlaceRow::SELECT, " WHERE m.group_id = ?1 AND m.left_at IS NULL ORDER BY a.name";

        /// The last message that a member of it has read, and how many it has read or written.
        pub fn cursor(&self, member: i64) -> maybe (i64, i64) =
            "SELECT last_read_seq, read_messages + own_later FROM group_members
                WHERE group_id = ?1 AND agent = ?2 AND left_at IS NULL";
    }
}

/// Begins a conversation without members, and returns its number.
pub fn insert(
    db: Db<'_>,
    scope: i64,
    name: &Conversation,
    wake: Wake,
    created_at: Timestamp,
) -> Result<i64> {
    let kind = match name {
        Conversation::Channel => "channel",
        Conversation::Group(_) => "group",
        Conversation::Direct(..) => "direct",
    };
    db.insert(&NewGroup { scope, kind, name, wake, created_at })
}

/// Moves a member's read cursor to this message, and over its own messages that follow. A member
/// that left reads no further.
pub fn has_read(db: Db<'_>, group: i64, member: i64, until: i64) -> Result<()> {
    let sql = "SELECT coalesce(
                   (SELECT min(seq) FROM messages INDEXED BY messages_of_group
                    WHERE group_id = ?1 AND seq > ?3 AND sender_agent IS NOT ?2) - 1,
                   (SELECT last_seq FROM groups WHERE id = ?1))";
    let until: i64 = db.one(sql, (group, member, until))?;
    // Counted from where it was, so that all its reading together counts each message once.
    let sql = "UPDATE group_members SET last_read_seq = ?3,
                   read_messages = read_messages
                       + (SELECT count(*) FROM messages AS m INDEXED BY messages_of_group
                          WHERE m.group_id = ?1 AND m.seq <= ?3
                            AND m.seq > group_members.last_read_seq)
               WHERE group_id = ?1 AND agent = ?2 AND last_read_seq < ?3 AND left_at IS NULL";
    db.change(Table::GroupMembers, sql, (group, member, until)).map(drop)
}

statements! {
    /// The conversations that a member is in.
    pub fn of_member(member: i64) -> all i64 =
        "SELECT group_id FROM group_members INDEXED BY group_members_of
            WHERE agent = ?1 AND left_at IS NULL";

    /// How many messages all conversations have.
    pub fn message_count() -> one i64 = "SELECT coalesce(sum(messages), 0) FROM groups";

    /// Puts a member into a conversation, or back into it. What was said before counts as read.
    pub fn join(group: i64, member: i64, at: Timestamp) -> change in GroupMembers =
        "INSERT INTO group_members (group_id, agent, last_read_seq, read_messages, joined_at)
            SELECT id, ?2, last_seq, messages, ?3 FROM groups WHERE id = ?1
            ON CONFLICT (group_id, agent) DO UPDATE SET left_at = NULL,
                last_read_seq = excluded.last_read_seq, read_messages = excluded.read_messages,
                own_later = 0, joined_at = excluded.joined_at";

    /// Closes a conversation: a new one of its name may begin.
    pub fn close(group: i64, at: Timestamp) -> change in Groups =
        "UPDATE groups SET closed_at = ?2 WHERE id = ?1";

    /// The groups and direct conversations of a member that are not closed.
    pub fn open_of_member(member: i64) -> all i64 =
        "SELECT m.group_id FROM group_members AS m INDEXED BY group_members_of
            JOIN groups AS g ON g.id = m.group_id
            WHERE m.agent = ?1 AND m.left_at IS NULL AND g.closed_at IS NULL
              AND g.kind <> 'channel' ORDER BY g.id";

    /// Takes a member out of all its conversations.
    pub fn leave_all(member: i64, at: Timestamp) -> change in GroupMembers =
        "UPDATE group_members SET left_at = ?2 WHERE agent = ?1 AND left_at IS NULL";

    /// Takes a member out of a conversation.
    pub fn leave(group: i64, member: i64, at: Timestamp) -> change in GroupMembers =
        "UPDATE group_members SET left_at = ?3 WHERE group_id = ?1 AND agent = ?2";

    /// Whether a member is in a group.
    pub fn is_in_group(member: i64) -> exists =
        "SELECT 1 FROM group_members AS m JOIN groups AS g ON g.id = m.group_id
            WHERE m.agent = ?1 AND m.left_at IS NULL AND g.kind = 'group'
              AND g.closed_at IS NULL";
}

/// Those of the members of its scope that are in a conversation.
pub fn present(
    db: Db<'_>,
    group: &ConversationRow,
    team: Arc<Vec<AgentRow>>,
) -> Result<Arc<Vec<AgentRow>>> {
    if group.name == Conversation::Channel {
        return Ok(team);
    }
    let sql = "SELECT agent FROM group_members WHERE group_id = ?1 AND left_at IS NULL";
    let ids: Vec<i64> = db.all(sql, (group.id,))?;
    Ok(Arc::new(team.iter().filter(|member| ids.contains(&member.id)).cloned().collect()))
}

/// Refuses a member's name that a group has.
pub fn check_is_no_group(db: Db<'_>, scope: &WorkflowRow, name: &Name) -> Result<()> {
    let found = ConversationRow::find(db, scope.id, &Conversation::Group(name.clone()))?;
    match found {
        None => Ok(()),
        Some(_) => Err(OpError::conflict(taken(&scope.scope, name)).hint(RENAMED)),
    }
}

/// What helps where an agent has the name of a group.
pub const RENAMED: &str = "give the agent another name";

/// That an agent cannot have this name.
pub fn taken(scope: &Scope, name: &Name) -> String {
    format!(
        "group `{name}` already exists in {scope}: an agent and a group cannot have the same name"
    )
}
