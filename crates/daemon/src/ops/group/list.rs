//! Lists conversations and their members.

use agent_worker_protocol::{
    conversation::{
        Conversation, GroupList, GroupMember, GroupMemberList, GroupMembers, Groups, OwnGroup,
    },
    name::Name,
    time::Timestamp,
};

use crate::{
    context::{cx::Cx, run::Run},
    error::OpError,
    ops::group::find,
    rows::{agent::AgentRow, conversation::GroupRow, word::Word, workflow::ScopeRow},
    rules::access::message,
};

pub fn seen_by(cx: &Cx<'_>, group: GroupRow, me: &AgentRow) -> Result<OwnGroup, OpError> {
    let cursor = find::cursor(cx, &group, me.id)?;
    let members = match group.name {
        Conversation::Channel => Vec::new(),
        _ => group.members(cx.db)?,
    };
    Ok(OwnGroup {
        members,
        wake: group.wake,
        joined: cursor.is_some(),
        messages: group.messages,
        last_seq: group.last_seq,
        read_seq: cursor.map_or(0, |(read, _)| read),
        unread: cursor.map_or(0, |(_, unread)| unread),
        scope: group.scope,
        name: group.name,
    })
}

impl Run for GroupList {
    fn run(&self, cx: &mut Cx<'_>) -> Result<Groups, OpError> {
        // The person sees all scopes where none is named.
        let scopes = match &cx.target {
            None if cx.is_person() => ScopeRow::all(cx.db)?,
            _ => vec![cx.scope()?],
        };
        let mut groups = Vec::new();
        for scope in scopes {
            let me = if cx.is_person() { cx.person_of(scope.id)? } else { cx.member()? };
            for group in find::readable(cx, &scope)? {
                groups.push(seen_by(cx, group, &me)?);
            }
        }
        Ok(Groups { groups })
    }
}

impl Run for GroupMembers {
    fn run(&self, cx: &mut Cx<'_>) -> Result<GroupMemberList, OpError> {
        let (scope, me) = (cx.scope()?, cx.member()?);
        let group = match &self.group {
            Conversation::Group(name) => find::own(cx, &scope, name)?,
            other => message::readable(cx, &scope, Some(other))?,
        };
        let sql = "SELECT a.id, a.name, a.kind, m.last_read_seq, m.read_messages, m.joined_at
                   FROM group_members AS m JOIN agents AS a ON a.id = m.agent
                   WHERE m.group_id = ?1 AND m.left_at IS NULL ORDER BY a.name";
        let mut statement = cx.conn.prepare_cached(sql)?;
        let rows = statement.query_map([group.id], |row| {
            Ok(GroupMember {
                you: row.get::<_, i64>(0)? == me.id,
                name: row.get::<_, Word<Name>>(1)?.0,
                kind: row.get::<_, Word<_>>(2)?.0,
                read_seq: row.get(3)?,
                unread: group.messages - row.get::<_, i64>(4)?,
                joined_at: Timestamp(row.get(5)?),
            })
        })?;
        let members = rows.collect::<Result<_, _>>()?;
        Ok(GroupMemberList { scope: scope.scope, group: group.name, members })
    }
}
