//! Groups: conversations of some members of a scope. Every message of one goes to every other
//! member.

use agent_worker_protocol::{
    conversation::{
        Conversation, Group, GroupAdd, GroupCreate, GroupLeave, GroupList, GroupMember,
        GroupMemberList, GroupMembers, Groups, OwnGroup,
    },
    name::Name,
    nearest::nearest,
    time::Timestamp,
};
use rusqlite::{Connection, OptionalExtension, params};

use crate::{
    changes::message::{
        conversation::{self, GroupRow},
        post,
    },
    context::cx::Cx,
    error::OpError,
    ops::{list::Run, message::read},
    rows::{agent::AgentRow, delivery, word::Word, workflow::ScopeRow},
};

/// Those of a scope's members that are in a conversation.
pub fn present(
    conn: &Connection,
    group: &GroupRow,
    members: Vec<AgentRow>,
) -> Result<Vec<AgentRow>, OpError> {
    let names = group.members(conn)?;
    Ok(members.into_iter().filter(|member| names.contains(&member.name)).collect())
}

/// The group that a word in `to` names, if it is one.
pub fn addressed(cx: &Cx<'_>, scope: &ScopeRow, word: &str) -> Result<Option<GroupRow>, OpError> {
    let Ok(name) = post::plain_name(scope, word)?.parse::<Name>() else { return Ok(None) };
    let found = GroupRow::find(cx.conn, scope.id, &Conversation::Group(name))?;
    match found {
        // What one may not read does not exist for one.
        Some(group) if read::may_read(cx, &group)? => Ok(Some(group)),
        _ => Ok(None),
    }
}

/// Refuses members that are not in the group: only its members write there.
pub fn writable(cx: &Cx<'_>, group: GroupRow, me: &AgentRow) -> Result<GroupRow, OpError> {
    if group.is_open_to(cx.conn, me)? {
        return Ok(group);
    }
    let (name, scope) = (&group.name, &group.scope);
    Err(OpError::denied(format!("`{}` is not in the group `{name}`", me.name))
        .hint(format!("agent-worker group add {name} {} --in {scope}", me.name)))
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

/// The group of this name that the caller is in; the person may name any.
pub fn own(cx: &Cx<'_>, scope: &ScopeRow, name: &Name) -> Result<GroupRow, OpError> {
    let wanted = Conversation::Group(name.clone());
    if let Some(group) = GroupRow::find(cx.conn, scope.id, &wanted)?
        && read::may_read(cx, &group)?
    {
        return Ok(group);
    }
    let known = readable(cx, scope)?;
    let names: Vec<_> =
        known.iter().filter(|g| g.name.is_group()).map(|g| g.name.to_string()).collect();
    let error = OpError::not_found(format!("no group named `{name}` in {}", scope.scope));
    Err(match nearest(name.as_str(), names.iter().map(String::as_str)) {
        Some(near) => error.hint(format!("did you mean `{near}`?")),
        None if names.is_empty() => error.hint(
            cx.either("you are in no group; group_create makes one", "agent-worker group list"),
        ),
        None => error.hint(format!("groups: {}", names.join(", "))),
    })
}

/// The conversations of a scope that the caller may read: the channel, groups, those of two.
pub fn readable(cx: &Cx<'_>, scope: &ScopeRow) -> Result<Vec<GroupRow>, OpError> {
    let sql = "SELECT id FROM groups WHERE scope = ?1 AND closed_at IS NULL";
    let mut statement = cx.conn.prepare_cached(sql)?;
    let ids =
        statement.query_map([scope.id], |row| row.get(0))?.collect::<Result<Vec<i64>, _>>()?;
    let mut found = Vec::new();
    for id in ids {
        let group = GroupRow::by_id(cx.conn, id)?;
        if read::may_read(cx, &group)? {
            found.push(group);
        }
    }
    found.sort_by(|one, other| one.name.cmp(&other.name));
    Ok(found)
}

/// How far a member has read a conversation: a message's number, and how many came since.
pub fn cursor(cx: &Cx<'_>, group: &GroupRow, member: i64) -> Result<Option<(i64, i64)>, OpError> {
    let sql = "SELECT last_read_seq, read_messages FROM group_members
               WHERE group_id = ?1 AND agent = ?2 AND left_at IS NULL";
    let found = cx
        .conn
        .prepare_cached(sql)?
        .query_row(params![group.id, member], |row| {
            Ok((row.get(0)?, group.messages - row.get::<_, i64>(1)?))
        })
        .optional()?;
    Ok(found)
}

pub fn seen_by(cx: &Cx<'_>, group: GroupRow, me: &AgentRow) -> Result<OwnGroup, OpError> {
    let cursor = cursor(cx, &group, me.id)?;
    let members = match group.name {
        Conversation::Channel => Vec::new(),
        _ => group.members(cx.conn)?,
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

/// The members that these words name, each once.
pub fn named(
    scope: &ScopeRow,
    members: &[AgentRow],
    words: &[String],
) -> Result<Vec<AgentRow>, OpError> {
    let mut found: Vec<AgentRow> = Vec::new();
    for word in words {
        let member = post::addressee(scope, members, word)?;
        if !found.iter().any(|known| known.id == member.id) {
            found.push(member.clone());
        }
    }
    Ok(found)
}

impl Run for GroupCreate {
    fn run(&self, cx: &mut Cx<'_>) -> Result<Group, OpError> {
        let name =
            self.name.clone().for_group().map_err(|bad| OpError::invalid(bad.to_string()))?;
        let (scope, me) = (cx.scope()?, cx.member()?);
        check_is_free(cx, &scope, &name)?;
        let members = AgentRow::of_scope(cx.conn, scope.id)?;
        let mut joining = named(&scope, &members, &self.members)?;
        if !joining.iter().any(|member| member.id == me.id) {
            joining.push(me);
        }
        let sql = "INSERT INTO groups (scope, kind, name, wake, created_at)
                   VALUES (?1, 'group', ?2, ?3, ?4)";
        cx.conn.prepare_cached(sql)?.execute(params![
            scope.id,
            name.as_str(),
            Word(self.wake.unwrap_or_default()),
            cx.now.0
        ])?;
        let id = cx.conn.last_insert_rowid();
        for member in joining {
            conversation::join(cx, id, member.id)?;
        }
        conversation::announce(cx, id)?;
        GroupRow::by_id(cx.conn, id)?.entity(cx.conn)
    }
}

/// Agents and groups share their names, also with groups that the caller does not see.
pub fn check_is_free(cx: &Cx<'_>, scope: &ScopeRow, name: &Name) -> Result<(), OpError> {
    let taken = |what: &str| {
        OpError::conflict(format!("{what} `{name}` already exists in {}", scope.scope))
            .hint("agents and groups share their names: take another")
    };
    if AgentRow::find(cx.conn, scope.id, name.as_str())?.is_some() {
        return Err(taken("an agent"));
    }
    match GroupRow::find(cx.conn, scope.id, &Conversation::Group(name.clone()))? {
        Some(_) => Err(taken("a group")),
        None => Ok(()),
    }
}

impl Run for GroupList {
    fn run(&self, cx: &mut Cx<'_>) -> Result<Groups, OpError> {
        // The person sees all scopes where none is named.
        let scopes = match &cx.target {
            None if cx.is_person() => ScopeRow::all(cx.conn)?,
            _ => vec![cx.scope()?],
        };
        let mut groups = Vec::new();
        for scope in scopes {
            let me = if cx.is_person() { cx.person_of(scope.id)? } else { cx.member()? };
            for group in readable(cx, &scope)? {
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
            Conversation::Group(name) => own(cx, &scope, name)?,
            other => read::readable(cx, &scope, Some(other))?,
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

impl Run for GroupAdd {
    fn run(&self, cx: &mut Cx<'_>) -> Result<Group, OpError> {
        let scope = cx.scope()?;
        let group = own(cx, &scope, &self.group)?;
        let members = AgentRow::of_scope(cx.conn, scope.id)?;
        let mut is_changed = false;
        for member in named(&scope, &members, &self.members)? {
            if !group.is_open_to(cx.conn, &member)? {
                conversation::join(cx, group.id, member.id)?;
                is_changed = true;
            }
        }
        if is_changed {
            conversation::announce(cx, group.id)?;
        }
        group.entity(cx.conn)
    }
}

impl Run for GroupLeave {
    fn run(&self, cx: &mut Cx<'_>) -> Result<Group, OpError> {
        let (scope, me) = (cx.scope()?, cx.member()?);
        let group = own(cx, &scope, &self.group)?;
        if group.is_open_to(cx.conn, &me)? {
            if me.works() {
                delivery::drop_of_group(cx, &me, group.id)?;
            } else {
                conversation::move_cursor(cx, &group, &me, group.last_seq)?;
            }
            cx.conn
                .prepare_cached(
                    "UPDATE group_members SET left_at = ?3 WHERE group_id = ?1 AND agent = ?2",
                )?
                .execute(params![group.id, me.id, cx.now.0])?;
            cx.touch_attention(scope.id);
            conversation::announce(cx, group.id)?;
        }
        group.entity(cx.conn)
    }
}
