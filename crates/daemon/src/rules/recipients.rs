//! Who gets a message.

use agent_worker_protocol::{
    Conversation, DeliveredState, DeliveryState, MemberKind, Mentioned, Name, Reason, Target,
    Wanted, mention, nearest::nearest,
};

use crate::{
    context::Cx,
    error::{OpError, Result},
    rows::{AgentRow, ConversationRow, DeliveryRow, WorkflowRow},
    rules::{access::message, budget, draft::Draft},
};

/// What members are called together: a member cannot have this name.
const ALL: &str = "all";

pub fn delivered_state(
    cx: &Cx<'_>,
    draft: &Draft<'_>,
    row: &DeliveryRow,
    recipient: &AgentRow,
) -> DeliveredState {
    match recipient.wanted {
        _ if recipient.kind == MemberKind::Person => DeliveredState::Stored,
        _ if row.state == DeliveryState::Held => DeliveredState::Held,
        _ if !row.wakes => DeliveredState::Inform,
        Wanted::Stopped => DeliveredState::Stopped,
        Wanted::Paused => DeliveredState::Paused,
        Wanted::Active if !draft.scope.takes_work() => DeliveredState::Stopped,
        Wanted::Active if budget::exhausted(cx, draft.scope).is_some() => DeliveredState::Held,
        Wanted::Active => DeliveredState::Woken,
    }
}

/// Whom a text names among the members, and who gets it therefore. `@all` is everyone that works.
pub fn mentioned(
    text: &str,
    members: &[AgentRow],
    sender: i64,
) -> (Mentioned, Vec<(AgentRow, Reason)>) {
    let mentioned = mention::parse(text, members.iter().map(|member| &member.name));
    let others = || members.iter().filter(|member| member.id != sender);
    let mut recipients: Vec<_> = mentioned
        .resolved
        .iter()
        .filter_map(|name| others().find(|member| member.name == *name))
        .map(|member| (member.clone(), Reason::Mention))
        .collect();
    if mentioned.all {
        for member in others().filter(|member| member.works()) {
            if !recipients.iter().any(|(known, _)| known.id == member.id) {
                recipients.push((member.clone(), Reason::All));
            }
        }
    }
    (mentioned, recipients)
}

/// Leaves as many of the members that a text names as one message may name. The others are reported
/// as ignored, unless `@all` reaches them.
pub fn fitting(
    cx: &Cx<'_>,
    mentions: &mut Mentioned,
    named: Vec<(AgentRow, Reason)>,
) -> Vec<(AgentRow, Reason)> {
    let mut left = cx.settings.messages.mentions;
    let mut fitting = Vec::new();
    for (member, reason) in named {
        if reason != Reason::Mention {
            fitting.push((member, reason));
        } else if left > 0 {
            left -= 1;
            fitting.push((member, reason));
        } else if mentions.all && member.works() {
            fitting.push((member, Reason::All));
        } else {
            mentions.resolved.retain(|name| *name != member.name);
            if !mentions.ignored.iter().any(|name| *name == member.name.as_str()) {
                mentions.ignored.push(member.name.to_string());
            }
        }
    }
    fitting
}

/// Refuses a message that names more members than one message may.
pub fn check_count(cx: &Cx<'_>, recipients: &[(AgentRow, Reason)]) -> Result<()> {
    let most = cx.settings.messages.mentions;
    let is_named = |reason: Reason| !matches!(reason, Reason::All | Reason::Group);
    let named = recipients.iter().filter(|(_, reason)| is_named(*reason)).count();
    if named <= most {
        return Ok(());
    }
    Err(OpError::invalid(format!("the message names {named} members: the limit is {most}"))
        .hint("@all reaches everyone"))
}

/// Adds the members of a group that are not mentioned; without a sender, the daemon is.
pub fn with_the_rest(
    mut recipients: Vec<(AgentRow, Reason)>,
    members: &[AgentRow],
    sender: Option<i64>,
) -> Vec<(AgentRow, Reason)> {
    for member in members.iter().filter(|member| Some(member.id) != sender) {
        if !recipients.iter().any(|(known, _)| known.id == member.id) {
            recipients.push((member.clone(), Reason::Group));
        }
    }
    recipients
}

/// The plain name that a word means, however it is spelled.
fn plain_name(scope: &WorkflowRow, word: &str) -> Result<String> {
    let plain = word.strip_prefix('@').unwrap_or(word).to_lowercase();
    match plain.parse::<Target>() {
        Ok(Target { name: Some(name), scope: None }) => Ok(name.to_string()),
        Ok(Target { name: Some(name), scope: Some(there) }) if there == scope.scope => {
            Ok(name.to_string())
        }
        Ok(Target { name: Some(_), scope: Some(there) }) => {
            let text = format!("`{word}` is in {there}, not in {}", scope.scope);
            Err(OpError::invalid(text).hint(format!("name a member of {}", scope.scope)))
        }
        _ => Ok(plain),
    }
}

/// The member that a word names, however it is spelled. `all` says how all of them are meant, where
/// they can be.
pub fn addressee<'m>(
    scope: &WorkflowRow,
    members: &'m [AgentRow],
    word: &str,
    all: Option<&str>,
) -> Result<&'m AgentRow> {
    let name = plain_name(scope, word)?;
    let name = name.as_str();
    if let Some(member) = members.iter().find(|member| member.name.as_str() == name) {
        return Ok(member);
    }
    let names: Vec<_> = members.iter().map(|member| member.name.as_str()).collect();
    let error = OpError::not_found(format!("no member named `{word}` in {}", scope.scope));
    Err(match (nearest(name, names.iter().copied()), all) {
        (_, Some(all)) if name == ALL => error.hint(all),
        (Some(near), _) if name != ALL => error.hint(format!("did you mean `{near}`?")),
        // To write to oneself is seldom meant.
        _ if names == [Name::PERSON] => error.hint("agent-worker list"),
        _ => error.hint(format!("members: {}", names.join(", "))),
    })
}

/// The group that a word in `to` names, if it is one.
pub fn addressed(cx: &Cx<'_>, scope: &WorkflowRow, word: &str) -> Result<Option<ConversationRow>> {
    let Ok(name) = plain_name(scope, word)?.parse::<Name>() else { return Ok(None) };
    let found = ConversationRow::find(cx.db, scope.id, &Conversation::Group(name))?;
    match found {
        // What one may not read does not exist for one.
        Some(group) if message::may_read(cx, &group)? => Ok(Some(group)),
        _ => Ok(None),
    }
}

/// Refuses members that are not in the group: only its members write there.
pub fn writable(cx: &Cx<'_>, group: ConversationRow, me: &AgentRow) -> Result<ConversationRow> {
    if group.is_open_to(cx.db, me)? {
        return Ok(group);
    }
    let (name, scope) = (&group.name, &group.scope);
    Err(OpError::denied(format!("`{}` is not in the group `{name}`", me.name))
        .hint(format!("agent-worker group add {name} {} --in {scope}", me.name)))
}
