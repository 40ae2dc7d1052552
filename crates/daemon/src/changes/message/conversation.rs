//! Conversations: the channel of a scope, groups, and two members with each other.

use agent_worker_protocol::{Conversation, MemberKind, Name, Wake};

use crate::{
    context::Cx,
    error::Result,
    rows::{
        self, AgentRow, ConversationRow, WorkflowRow,
        conversation::{insert, join},
    },
};

/// Makes the channel of a new scope.
pub fn make_channel(cx: &mut Cx<'_>, scope: i64) -> Result<()> {
    let id = insert(cx.db, scope, &Conversation::Channel, Wake::default(), cx.now)?;
    cx.touch_conversation(id);
    Ok(())
}

/// Gives a new member its place in the channel.
pub fn join_channel(cx: &Cx<'_>, scope: &WorkflowRow, agent: i64) -> Result<()> {
    let channel = ConversationRow::channel(cx.db, scope)?;
    join(cx.db, channel.id, agent, cx.now)
}

/// Takes a removed member out of its conversations.
pub fn leave_all(cx: &mut Cx<'_>, agent: i64) -> Result<()> {
    let left = rows::conversation::open_of_member(cx.db, agent)?;
    rows::conversation::leave_all(cx.db, agent, cx.now)?;
    for group in left {
        cx.touch_conversation(group);
    }
    Ok(())
}

/// Returns the conversation of two members, and creates it if it is missing. A member that was
/// removed and created again gets a new one: the old one is closed and keeps its messages.
pub fn direct(cx: &mut Cx<'_>, one: &AgentRow, other: &AgentRow) -> Result<ConversationRow> {
    let name = Conversation::direct(one.name.clone(), other.name.clone());
    between(cx, &name, &[one, other])
}

/// Returns the conversation of the daemon with an agent, for what concerns no one else.
pub fn with_daemon(cx: &mut Cx<'_>, agent: &AgentRow) -> Result<ConversationRow> {
    let name = Conversation::direct(agent.name.clone(), Name::system());
    between(cx, &name, &[agent])
}

fn between(cx: &mut Cx<'_>, name: &Conversation, members: &[&AgentRow]) -> Result<ConversationRow> {
    let scope = members[0].scope_id;
    if let Some(group) = ConversationRow::find(cx.db, scope, name)? {
        let mut are_here = true;
        for member in members {
            are_here &= group.is_open_to(cx.db, member)?;
        }
        if are_here {
            return Ok(group);
        }
        rows::conversation::close(cx.db, group.id, cx.now)?;
    }
    let id = insert(cx.db, scope, name, Wake::default(), cx.now)?;
    for member in members {
        join(cx.db, id, member.id, cx.now)?;
    }
    cx.touch_conversation(id);
    ConversationRow::by_id(cx.db, id)
}

/// A sender who had read all before its message has read that too; else the user's is counted as its
/// own.
pub fn has_said(
    cx: &mut Cx<'_>,
    group: &ConversationRow,
    seq: i64,
    sender: Option<&AgentRow>,
) -> Result<()> {
    let Some(sender) = sender else { return Ok(()) };
    let moved = group.read_own(cx.db, sender.id, seq)?;
    if sender.kind == MemberKind::Person {
        if !moved {
            group.count_own(cx.db, sender.id)?;
        }
        cx.touch_conversation(group.id);
    }
    Ok(())
}
