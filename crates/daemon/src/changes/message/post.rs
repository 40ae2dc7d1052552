//! Messages: the only way to send one, for every sender, and the ways to read them.

use std::ops::Range;

use agent_worker_protocol::{
    agent::{MemberKind, Wanted},
    channel::{
        ChannelSend, DeliveredState, DeliveredTo, Intent, Mentioned, Message, MessageType, Sent,
        Unresolved,
    },
    conversation::{Conversation, Wake},
    event::EventBody,
    id::ResourceId,
    inbox::{DeliveryState, Reason},
    mention,
    name::Name,
    nearest::nearest,
    resource::ResourceType,
    search::HitKind,
    target::Target,
};
use rusqlite::params;
use sha2::{Digest, Sha256};

use crate::{
    changes::message::conversation::{self, GroupRow},
    context::cx::{Cx, Who},
    error::OpError,
    ops::{group::change, list::Run, message::read::by_seq, resource},
    rows::{
        agent::AgentRow,
        delivery::DeliveryRow,
        run::RunRow,
        search::index,
        word::{Json, Word},
        workflow::ScopeRow,
    },
    rules::loop_guard,
};

/// A message that is about to be stored.
#[derive(Debug)]
pub struct Draft<'a> {
    pub scope: &'a ScopeRow,
    pub group: &'a GroupRow,
    /// The sender; the daemon if `None`
    pub sender: Option<&'a AgentRow>,
    /// The run in which it is said
    pub run: Option<&'a RunRow>,
    pub text: &'a str,
    /// Which bytes of the text are values and not words of the sender
    pub data: &'a [Range<usize>],
    /// Whether it asks for work
    pub intent: Intent,
    /// Whom it names
    pub mentions: Mentioned,
    /// Who gets it, each once
    pub recipients: Vec<(AgentRow, Reason)>,
    /// How many runs lie between it and a person
    pub hop: i64,
    /// The message it goes back to; itself if none
    pub root: Option<i64>,
    /// The message it answers
    pub reply_to: Option<i64>,
    /// Whether it must have a run for itself
    pub solo: bool,
    /// Whether it wakes the members of a group whom it does not name
    pub rouses: bool,
    /// Recipients whom it does not wake
    pub spares: &'a [i64],
}

impl<'a> Draft<'a> {
    /// A message of the daemon without mentions: it reaches and wakes no member.
    pub fn new(scope: &'a ScopeRow, group: &'a GroupRow, text: &'a str) -> Self {
        Self {
            scope,
            group,
            sender: None,
            run: None,
            text,
            data: &[],
            intent: Intent::Inform,
            mentions: Mentioned::default(),
            recipients: Vec::new(),
            hop: 0,
            root: None,
            reply_to: None,
            solo: false,
            rouses: false,
            spares: &[],
        }
    }

    /// What the loop guard knows its text by; none for what no run says.
    pub fn likeness(&self) -> Option<[u8; 32]> {
        self.run.map(|_| loop_guard::likeness(self.text))
    }
}

/// A message that was stored.
#[derive(Debug)]
pub struct Posted {
    pub message: Message,
    /// What became of it for each recipient
    pub delivered_to: Vec<DeliveredTo>,
}

/// Stores a message, a delivery for each recipient, and the event that says so.
pub fn post(cx: &mut Cx<'_>, draft: &Draft<'_>) -> Result<Posted, OpError> {
    check_text(cx, draft.text)?;
    let digest: [u8; 32] = Sha256::digest(draft.text).into();
    let seq = insert(cx, draft, &digest)?;
    conversation::count_message(cx, draft.group, seq, draft.sender)?;
    let mut delivered_to = Vec::new();
    let mut deliveries = Vec::new();
    for (recipient, reason) in &draft.recipients {
        let row = deliver(cx, draft, seq, recipient, *reason)?;
        delivered_to.push(DeliveredTo {
            name: recipient.name.clone(),
            state: delivered_state(draft, &row, recipient),
        });
        deliveries.push(row.entity(recipient));
    }
    cx.judge(draft.scope.id);
    let message = by_seq(cx.conn, seq)?;
    let entry = index::Entry {
        scope: draft.scope.id,
        kind: match message.kind {
            MessageType::Message => HitKind::Message,
            MessageType::System => HitKind::System,
        },
        number: Some(seq),
        path_key: None,
        by: &message.sender,
        at: cx.now,
        text: draft.text,
    };
    let recipients = draft.recipients.iter().map(|(recipient, _)| &recipient.name).collect();
    let is_channel = draft.group.name == Conversation::Channel;
    let place = index::Post { group: draft.group.id, is_channel, recipients };
    index::add_message(cx.conn, &entry, &place)?;
    let body = EventBody::MessageSent { message: Box::new(message.clone()), deliveries };
    match draft.run {
        Some(run) => cx.emit_of_run(&draft.scope.scope, run.id, body)?,
        None => cx.emit(&draft.scope.scope, body)?,
    }
    Ok(Posted { message, delivered_to })
}

pub fn check_text(cx: &Cx<'_>, text: &str) -> Result<(), OpError> {
    let most = cx.settings.messages.max_bytes;
    if text.trim().is_empty() {
        return Err(OpError::invalid("the message is empty"));
    }
    if text.len() > most {
        return Err(OpError::too_large(format!(
            "the message has {} bytes, and a message has at most {most}",
            text.len()
        ))
        .hint(match &cx.who {
            Who::Operator { member: None } => "send it in parts",
            _ => "store it in parts with resource_create, and send what to do with them",
        }));
    }
    Ok(())
}

pub fn insert(cx: &mut Cx<'_>, draft: &Draft<'_>, digest: &[u8; 32]) -> Result<i64, OpError> {
    let (shown, long) = shorten(cx, draft.text);
    let resource = if long { Some(store_whole(cx, draft)?) } else { None };
    let data: Vec<_> = draft.data.iter().map(|span| [span.start, span.end]).collect();
    let (name, kind) = draft
        .sender
        .map_or((Name::SYSTEM, MemberKind::System), |sender| (sender.name.as_str(), sender.kind));
    let sql =
        "INSERT INTO messages (scope, group_id, generation, sender, sender_kind, sender_agent,
                   run, content, data_spans, resource, kind, intent, mentions, bytes, digest, hop,
                   root, reply_to, created_at, likeness)
               VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17,
                   ?18, ?19, ?20)";
    cx.conn.prepare_cached(sql)?.execute(params![
        draft.scope.id,
        draft.group.id,
        draft.scope.generation,
        name,
        Word(kind),
        draft.sender.map(|sender| sender.id),
        draft.run.map(|run| run.id.number()),
        shown,
        (!data.is_empty()).then_some(Json(data)),
        resource.map(ResourceId::number),
        Word(if kind == MemberKind::System { MessageType::System } else { MessageType::Message }),
        Word(draft.intent),
        Json(&draft.mentions),
        i64::try_from(draft.text.len()).unwrap_or(i64::MAX),
        digest,
        draft.hop,
        draft.root.unwrap_or(0),
        draft.reply_to,
        cx.now.0,
        draft.likeness()
    ])?;
    let seq = cx.conn.last_insert_rowid();
    if draft.root.is_none() {
        cx.conn.prepare_cached("UPDATE messages SET root = seq WHERE seq = ?1")?.execute([seq])?;
    }
    Ok(seq)
}

/// Stores the whole of a long text, for those who may read the message.
pub fn store_whole(cx: &mut Cx<'_>, draft: &Draft<'_>) -> Result<ResourceId, OpError> {
    let whole = resource::NewResource {
        group: (draft.group.name != Conversation::Channel).then_some(draft.group.id),
        content_type: ResourceType::Text,
        content: draft.text,
        created_by: draft.sender.map_or(Name::SYSTEM, |sender| sender.name.as_str()),
        run: draft.run.map(|run| run.id),
    };
    resource::insert(cx, draft.scope, &whole)
}

/// The part of a text that is shown, and whether there is more.
pub fn shorten<'t>(cx: &Cx<'_>, text: &'t str) -> (&'t str, bool) {
    let sizes = &cx.settings.messages;
    if text.len() <= sizes.long_chars || text.chars().count() <= sizes.long_chars {
        return (text, false);
    }
    let end = text.char_indices().nth(sizes.shown_chars).map_or(text.len(), |(at, _)| at);
    (&text[..end], true)
}

pub fn deliver(
    cx: &mut Cx<'_>,
    draft: &Draft<'_>,
    seq: i64,
    recipient: &AgentRow,
    reason: Reason,
) -> Result<DeliveryRow, OpError> {
    let is_called =
        (reason != Reason::Group || draft.rouses) && !draft.spares.contains(&recipient.id);
    let wakes = recipient.works() && draft.intent == Intent::Request && is_called;
    let held_reason = loop_guard::hold_reason(cx, draft, recipient, reason, wakes)?;
    let state = if held_reason.is_some() { DeliveryState::Held } else { DeliveryState::Pending };
    let row = DeliveryRow {
        agent: recipient.id,
        seq,
        group_id: draft.group.id,
        sender_agent: draft.sender.map(|sender| sender.id),
        sender_kind: draft.sender.map_or(MemberKind::System, |sender| sender.kind),
        reason,
        wakes,
        solo: draft.solo,
        state,
        run: None,
        attempts: 0,
        lost_count: 0,
        marked_at: None,
        marked_by: None,
        not_before: None,
        held_reason,
        released: false,
        last_error: None,
        bytes: i64::try_from(draft.text.len()).unwrap_or(i64::MAX),
        hop: draft.hop,
        root: draft.root.unwrap_or(seq),
        sent_at: cx.now,
    };
    row.insert(cx)?;
    if state == DeliveryState::Held || recipient.kind == MemberKind::Person {
        cx.touch_attention(draft.scope.id);
    }
    Ok(row)
}

pub fn delivered_state(
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
        Wanted::Active => DeliveredState::Woken,
    }
}

/// Posts a message of the daemon in a scope's channel. It mentions and wakes no member.
pub fn say(cx: &mut Cx<'_>, scope: &ScopeRow, text: &str) -> Result<(), OpError> {
    let group = GroupRow::channel(cx.conn, scope)?;
    post(cx, &Draft::new(scope, &group, text)).map(drop)
}

/// Whom a text names among the members, and who gets it therefore. `@all` is everyone that works.
pub fn mentioned(
    text: &str,
    members: &[AgentRow],
    sender: i64,
) -> (Mentioned, Vec<(AgentRow, Reason)>) {
    let found = mention::parse(text, members.iter().map(|member| &member.name));
    let others = || members.iter().filter(|member| member.id != sender);
    let mut recipients: Vec<_> = found
        .names
        .iter()
        .filter_map(|name| others().find(|member| member.name == *name))
        .map(|member| (member.clone(), Reason::Mention))
        .collect();
    if found.all {
        for member in others().filter(|member| member.works()) {
            if !recipients.iter().any(|(known, _)| known.id == member.id) {
                recipients.push((member.clone(), Reason::All));
            }
        }
    }
    let mentioned = Mentioned {
        resolved: found.names,
        all: found.all,
        unresolved: found.unresolved,
        ignored: found.ignored,
    };
    (mentioned, recipients)
}

impl Run for ChannelSend {
    fn run(&self, cx: &mut Cx<'_>) -> Result<Sent, OpError> {
        let (scope, me) = (cx.scope()?, cx.member()?);
        check_text(cx, &self.message)?;
        let members = AgentRow::of_scope(cx.conn, scope.id)?;
        let address = address(cx, &self.to, &scope, &me, &members)?;
        let group = match &address {
            Address::Group(group) => group.clone(),
            Address::Members(to) if to.len() == 1 => conversation::direct(cx, &me, &to[0])?,
            Address::Members(_) | Address::Channel => GroupRow::channel(cx.conn, &scope)?,
        };
        let members = match &address {
            Address::Group(group) => change::present(cx.conn, group, members)?,
            _ => members,
        };
        let (mut mentions, by_mention) = mentioned(&self.message, &members, me.id);
        let recipients = match address {
            Address::Channel => by_mention,
            Address::Group(_) => with_the_rest(by_mention, &members, me.id),
            Address::Members(to) => {
                // With an address, mentions are only names.
                mentions.unresolved.clear();
                mentions.all = false;
                to.into_iter().map(|member| (member, Reason::To)).collect()
            }
        };
        check_count(cx, &recipients)?;
        let run = sending_run(cx, &me)?;
        if let Some(run) = run.as_ref().filter(|_| mentions.all) {
            loop_guard::check_all_once(cx, run)?;
        }
        let draft = Draft {
            scope: &scope,
            group: &group,
            sender: Some(&me),
            run: run.as_ref(),
            text: &self.message,
            data: &[],
            intent: self.intent.unwrap_or_default(),
            mentions,
            recipients,
            hop: run.as_ref().map_or(0, |run| run.hop + 1),
            root: run.as_ref().and_then(|run| run.root),
            reply_to: None,
            solo: false,
            rouses: group.wake == Wake::All,
            spares: &[],
        };
        let posted = post(cx, &draft)?;
        Ok(sent(posted, &members))
    }
}

/// What the sender is told.
pub fn sent(posted: Posted, members: &[AgentRow]) -> Sent {
    let names = || members.iter().map(|member| member.name.as_str());
    let near = |word: &str| nearest(word, names()).and_then(|name| name.parse().ok());
    let Mentioned { unresolved, ignored, .. } = posted.message.mentions;
    Sent {
        id: posted.message.id,
        seq: posted.message.seq,
        delivered_to: posted.delivered_to,
        unresolved: unresolved
            .into_iter()
            .map(|name| Unresolved { nearest: near(&name), name })
            .collect(),
        ignored,
    }
}

/// The run in which a member sends: its own, or the open run of an external member.
pub fn sending_run(cx: &Cx<'_>, me: &AgentRow) -> Result<Option<RunRow>, OpError> {
    match &cx.who {
        Who::Run(run) => Ok(Some((**run).clone())),
        _ if me.works() => RunRow::open_outside(cx.conn, me.id),
        _ => Ok(None),
    }
}

pub fn check_count(cx: &Cx<'_>, recipients: &[(AgentRow, Reason)]) -> Result<(), OpError> {
    let most = cx.settings.messages.mentions;
    let is_named = |reason: Reason| !matches!(reason, Reason::All | Reason::Group);
    let named = recipients.iter().filter(|(_, reason)| is_named(*reason)).count();
    if named <= most {
        return Ok(());
    }
    Err(OpError::invalid(format!("the message names {named} members: the limit is {most}"))
        .hint("@all reaches everyone"))
}

/// Adds the members of a group that are not mentioned.
pub fn with_the_rest(
    mut recipients: Vec<(AgentRow, Reason)>,
    members: &[AgentRow],
    sender: i64,
) -> Vec<(AgentRow, Reason)> {
    for member in members.iter().filter(|member| member.id != sender) {
        if !recipients.iter().any(|(known, _)| known.id == member.id) {
            recipients.push((member.clone(), Reason::Group));
        }
    }
    recipients
}

/// To whom a message goes.
pub enum Address {
    /// Members that it mentions
    Channel,
    /// Everybody in a group
    Group(GroupRow),
    /// These, each once
    Members(Vec<AgentRow>),
}

/// What stands in `to`, or what the request's target names.
pub fn address(
    cx: &Cx<'_>,
    to: &[String],
    scope: &ScopeRow,
    me: &AgentRow,
    members: &[AgentRow],
) -> Result<Address, OpError> {
    let target = cx.target.as_ref().and_then(|target| target.name.as_ref());
    let target = target.map(ToString::to_string);
    if target.is_some() && !to.is_empty() {
        return Err(OpError::invalid("the message has two addresses: its target and `to`")
            .hint(format!("send to {} with `to`, or to the member alone", scope.scope)));
    }
    let mut addressed: Vec<AgentRow> = Vec::new();
    let words: Vec<&String> = to.iter().chain(&target).collect();
    for word in &words {
        if let Some(group) = change::addressed(cx, scope, word)? {
            if words.len() == 1 {
                return change::writable(cx, group, me).map(Address::Group);
            }
            return Err(OpError::invalid(format!(
                "`{word}` is a group: a message goes to one group, or to members"
            ))
            .hint("send it twice"));
        }
        let member = addressee(scope, members, word)?;
        if member.id == me.id {
            return Err(OpError::invalid(format!("`{word}` is you: a message goes to others")));
        }
        if !addressed.iter().any(|known| known.id == member.id) {
            addressed.push(member.clone());
        }
    }
    Ok(if words.is_empty() { Address::Channel } else { Address::Members(addressed) })
}

/// The plain name that a word means, however it is spelled.
pub fn plain_name(scope: &ScopeRow, word: &str) -> Result<String, OpError> {
    let plain = word.strip_prefix('@').unwrap_or(word).to_lowercase();
    match plain.parse::<Target>() {
        Ok(Target { name: Some(name), scope: None }) => Ok(name.to_string()),
        Ok(Target { name: Some(name), scope: Some(there) }) if there == scope.scope => {
            Ok(name.to_string())
        }
        Ok(Target { name: Some(_), scope: Some(there) }) => Err(OpError::invalid(format!(
            "`{word}` is in {there}, and this message is in {}",
            scope.scope
        ))),
        _ => Ok(plain),
    }
}

/// The member that a word names, however it is spelled.
pub fn addressee<'m>(
    scope: &ScopeRow,
    members: &'m [AgentRow],
    word: &str,
) -> Result<&'m AgentRow, OpError> {
    let name = plain_name(scope, word)?;
    let name = name.as_str();
    if let Some(member) = members.iter().find(|member| member.name.as_str() == name) {
        return Ok(member);
    }
    let names: Vec<_> = members.iter().map(|member| member.name.as_str()).collect();
    let error = OpError::not_found(format!("no member named `{word}` in {}", scope.scope));
    Err(match nearest(name, names.iter().copied()) {
        _ if name == "all" => error.hint("leave `to` out and write @all in the message"),
        Some(near) => error.hint(format!("did you mean `{near}`?")),
        None => error.hint(format!("members: {}", names.join(", "))),
    })
}
