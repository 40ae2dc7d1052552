//! Lists conversations and their members.

use agent_worker_protocol::{
    Conversation, GroupList, GroupMember, GroupMemberList, GroupMembers, Groups, OwnGroup,
};

use crate::{
    context::{Cx, Run},
    error::Result,
    ops::group::find,
    rows::{AgentRow, ConversationRow, PlaceRow, WorkflowRow, conversation::Said},
    rules::access::message,
};

fn seen_by(cx: &Cx<'_>, group: ConversationRow, me: &AgentRow) -> Result<OwnGroup> {
    let cursor = group.cursor(cx.db, me.id)?;
    let members = match group.name {
        Conversation::Channel => Vec::new(),
        _ => group.members(cx.db)?,
    };
    let Said { messages, last_seq } = group.said(cx.db)?;
    Ok(OwnGroup {
        members,
        wake: group.wake,
        joined: cursor.is_some(),
        messages,
        last_seq,
        read_seq: cursor.map_or(0, |(seq, _)| seq),
        unread: cursor.map_or(0, |(_, read)| messages - read),
        scope: group.scope,
        name: group.name,
    })
}

impl Run for GroupList {
    fn run(&self, cx: &mut Cx<'_>) -> Result<Groups> {
        // The person sees all scopes where none is named.
        let scopes = match &cx.target {
            None if cx.is_person() => WorkflowRow::all(cx.db)?,
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
    fn run(&self, cx: &mut Cx<'_>) -> Result<GroupMemberList> {
        let (scope, me) = (cx.scope()?, cx.member()?);
        let group = match &self.group {
            Conversation::Group(name) => find::own(cx, &scope, name)?,
            other => message::readable(cx, &scope, Some(other))?,
        };
        let messages = group.said(cx.db)?.messages;
        let member = |place: PlaceRow| GroupMember {
            you: place.agent == me.id,
            name: place.name,
            kind: place.kind,
            read_seq: place.last_read_seq,
            unread: messages - place.read_messages,
            joined_at: place.joined_at,
        };
        let members = group.places(cx.db)?.into_iter().map(member).collect();
        Ok(GroupMemberList { scope: scope.scope, group: group.name, members })
    }
}
