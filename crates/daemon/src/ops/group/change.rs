//! Groups: conversations of some members of a scope. Every message of one goes to every other
//! member.

use agent_worker_protocol::{Conversation, Group, GroupAdd, GroupCreate, GroupLeave, Name};

use crate::{
    changes::message::{cursor, delivery},
    context::{Cx, Run},
    error::{OpError, Result},
    ops::group::find,
    rows::{self, AgentRow, ConversationRow, WorkflowRow},
    rules::recipients,
};

/// The members that these words name, each once.
fn named(scope: &WorkflowRow, members: &[AgentRow], words: &[String]) -> Result<Vec<AgentRow>> {
    let mut found: Vec<AgentRow> = Vec::new();
    for word in words {
        let member = recipients::addressee(scope, members, word, None)?;
        if !found.iter().any(|known| known.id == member.id) {
            found.push(member.clone());
        }
    }
    Ok(found)
}

impl Run for GroupCreate {
    fn run(&self, cx: &mut Cx<'_>) -> Result<Group> {
        let name =
            self.name.clone().for_group().map_err(|bad| OpError::invalid(bad.to_string()))?;
        let (scope, me) = (cx.scope()?, cx.member()?);
        check_is_free(cx, &scope, &name)?;
        let members = AgentRow::of_scope(cx.db, scope.id)?;
        let mut joining = named(&scope, &members, &self.members)?;
        if !joining.iter().any(|member| member.id == me.id) {
            joining.push(me);
        }
        let (name, wake) = (Conversation::Group(name), self.wake.unwrap_or_default());
        let id = rows::conversation::insert(cx.db, scope.id, &name, wake, cx.now)?;
        for member in joining {
            rows::conversation::join(cx.db, id, member.id, cx.now)?;
        }
        cx.touch_conversation(id);
        ConversationRow::by_id(cx.db, id)?.entity(cx.db)
    }
}

/// Agents and groups share their names, also with groups that the caller does not see.
fn check_is_free(cx: &Cx<'_>, scope: &WorkflowRow, name: &Name) -> Result<()> {
    let taken = |what: &str| {
        OpError::conflict(format!("{what} `{name}` already exists in {}", scope.scope))
            .hint("choose another name: an agent and a group cannot have the same one")
    };
    if AgentRow::find(cx.db, scope.id, name.as_str())?.is_some() {
        return Err(taken("an agent"));
    }
    match ConversationRow::find(cx.db, scope.id, &Conversation::Group(name.clone()))? {
        Some(_) => Err(taken("a group")),
        None => Ok(()),
    }
}

impl Run for GroupAdd {
    fn run(&self, cx: &mut Cx<'_>) -> Result<Group> {
        let scope = cx.scope()?;
        let group = find::own(cx, &scope, &self.group)?;
        let members = AgentRow::of_scope(cx.db, scope.id)?;
        let mut is_changed = false;
        for member in named(&scope, &members, &self.members)? {
            if !group.is_open_to(cx.db, &member)? {
                rows::conversation::join(cx.db, group.id, member.id, cx.now)?;
                is_changed = true;
            }
        }
        if is_changed {
            cx.touch_conversation(group.id);
        }
        group.entity(cx.db)
    }
}

impl Run for GroupLeave {
    fn run(&self, cx: &mut Cx<'_>) -> Result<Group> {
        let (scope, me) = (cx.scope()?, cx.member()?);
        let group = find::own(cx, &scope, &self.group)?;
        if group.is_open_to(cx.db, &me)? {
            if me.works() {
                delivery::drop_of_group(cx, &me, group.id)?;
            } else {
                let newest = group.said(cx.db)?.last_seq;
                cursor::move_cursor(cx, &group, &me, newest)?;
            }
            rows::conversation::leave(cx.db, group.id, me.id, cx.now)?;
            cx.touch_attention(scope.id);
            cx.touch_conversation(group.id);
        }
        group.entity(cx.db)
    }
}
