//! Sends messages: `channel_send`.

use agent_worker_protocol::{
    ChannelSend, Mentioned, MessageId, Reason, Sent, Unresolved, Wake, nearest::nearest,
};

use crate::{
    changes::message::{
        conversation,
        post::{self, Posted},
    },
    context::{Cx, Run},
    error::{OpError, Result},
    rows::{self, AgentRow, ConversationRow, WorkflowRow},
    rules::{
        access::{self, run},
        draft::Draft,
        loop_guard, recipients,
    },
};

impl Run for ChannelSend {
    fn run(&self, cx: &mut Cx<'_>) -> Result<Sent> {
        let (scope, me) = (cx.scope()?, cx.member()?);
        post::check_text(cx, &self.message)?;
        let team = AgentRow::team(cx.db, scope.id)?;
        let address = address(cx, &self.to, &scope, &me, &team)?;
        let group = match &address {
            Address::Group(group) => group.clone(),
            Address::Members(to) if to.len() == 1 => conversation::direct(cx, &me, &to[0])?,
            Address::Members(_) | Address::Channel => ConversationRow::channel(cx.db, &scope)?,
        };
        let members = match &address {
            Address::Group(group) => rows::conversation::present(cx.db, group, team)?,
            _ => team,
        };
        let (mut mentions, by_mention) = recipients::mentioned(&self.message, &members, me.id);
        let recipients = match address {
            Address::Channel => by_mention,
            Address::Group(_) => recipients::with_the_rest(by_mention, &members, Some(me.id)),
            Address::Members(to) => {
                // With an address, mentions are only names.
                mentions.unresolved.clear();
                mentions.all = false;
                to.into_iter().map(|member| (member, Reason::To)).collect()
            }
        };
        recipients::check_count(cx, &recipients)?;
        let reply_to = self.reply_to.map(|id| answered(cx, id, &group)).transpose()?;
        let run = run::sending_run(cx, &me)?;
        if let Some(run) = run.as_ref().filter(|_| mentions.all) {
            loop_guard::check_all_once(cx, run)?;
        }
        let draft = Draft {
            sender: Some(&me),
            run: run.as_ref(),
            intent: self.intent.unwrap_or_default(),
            mentions,
            recipients,
            hop: run.as_ref().map_or(0, |run| run.hop + 1),
            root: run.as_ref().and_then(|run| run.root),
            reply_to,
            rouses: group.wake == Wake::All,
            ..Draft::new(&scope, &group, &self.message)
        };
        let posted = post::post(cx, &draft)?;
        Ok(sent(posted, draft.mentions, &members))
    }
}

/// The number of the message that a reply answers: the sender may read it, and it is in the
/// conversation that the reply goes to. It says what belongs together and decides nothing else.
fn answered(cx: &Cx<'_>, id: MessageId, to: &ConversationRow) -> Result<i64> {
    let missing = || {
        let tools = "my_inbox and channel_read give the ids of messages";
        let command = format!("agent-worker peek {} --group {}", to.scope, to.name);
        rows::message::missing(id).hint(cx.either(tools, &command))
    };
    let (group, _) = access::message::find(cx, id.number())?.ok_or_else(missing)?;
    if group.id == to.id {
        return Ok(id.number());
    }
    if group.closed {
        return Err(OpError::invalid(format!("cannot answer {id}: its conversation is closed"))
            .hint("send the message without `reply_to`"));
    }
    let (from, into) = (&group.name, &to.name);
    let hint = if group.is_with_daemon() {
        "send the message without `reply_to`"
    } else {
        "send the reply to the conversation of the message that it answers"
    };
    Err(OpError::invalid(format!(
        "cannot answer {id}: it is in `{from}` of {}, and the message goes to `{into}` of {}",
        group.scope, to.scope
    ))
    .hint(hint))
}

/// What the sender is told.
pub fn sent(posted: Posted, mentions: Mentioned, members: &[AgentRow]) -> Sent {
    let names = || members.iter().map(|member| member.name.as_str());
    let near = |word: &str| nearest(word, names()).and_then(|name| name.parse().ok());
    let Mentioned { unresolved, ignored, .. } = mentions;
    let Posted { seq, delivered_to } = posted;
    Sent {
        id: MessageId::new(seq),
        seq,
        delivered_to,
        unresolved: unresolved
            .into_iter()
            .map(|name| Unresolved { nearest: near(&name), name })
            .collect(),
        ignored,
    }
}

/// To whom a message goes.
enum Address {
    /// Members that it mentions
    Channel,
    /// All members of a group
    Group(ConversationRow),
    /// These, each once
    Members(Vec<AgentRow>),
}

/// What stands in `to`, or what the request's target names.
fn address(
    cx: &Cx<'_>,
    to: &[String],
    scope: &WorkflowRow,
    me: &AgentRow,
    members: &[AgentRow],
) -> Result<Address> {
    let target = cx.target.as_ref().and_then(|target| target.name.as_ref());
    let target = target.map(ToString::to_string);
    if target.is_some() && !to.is_empty() {
        return Err(OpError::invalid("the message has two addresses: its target and `to`")
            .hint(format!("send to {} with `to`, or to the member alone", scope.scope)));
    }
    let mut addressed: Vec<AgentRow> = Vec::new();
    let words: Vec<&String> = to.iter().chain(&target).collect();
    for word in &words {
        if let Some(group) = recipients::addressed(cx, scope, word)? {
            if words.len() == 1 {
                return recipients::writable(cx, group, me).map(Address::Group);
            }
            let text = format!("`{word}` is a group: a message goes to one group, or to members");
            return Err(OpError::invalid(text).hint("send it twice"));
        }
        let hint = "leave `to` out and write @all in the message";
        let member = recipients::addressee(scope, members, word, Some(hint))?;
        if member.id == me.id {
            return Err(OpError::invalid(format!("`{word}` is you: a message goes to others")));
        }
        if !addressed.iter().any(|known| known.id == member.id) {
            addressed.push(member.clone());
        }
    }
    Ok(if words.is_empty() { Address::Channel } else { Address::Members(addressed) })
}
