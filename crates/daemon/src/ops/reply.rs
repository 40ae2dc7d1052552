//! The answer of a run: its final text, posted where it was asked for, unless the run has spoken
//! there itself.

use agent_worker_protocol::{channel::Intent, inbox::Reason, run::RunKind};
use rusqlite::params;

use super::{
    Cx, OpError,
    agent::AgentRow,
    channel::{self, Draft},
    conversation::GroupRow,
    delivery::{self, DeliveryRow},
    guard,
    run::RunRow,
    workflow::ScopeRow,
};

/// Where an answer belongs.
#[derive(Debug, Clone)]
struct Address {
    group: i64,
    /// Who asked
    agents: Vec<i64>,
    /// The message it answers
    reply_to: Option<i64>,
}

/// How far a chain of requests is followed back.
const LONGEST_CHAIN: usize = 64;

/// Posts the final text of a run as a reply to those who asked.
pub fn post_answer(
    cx: &mut Cx<'_>,
    run: &RunRow,
    agent: &AgentRow,
    mail: &[DeliveryRow],
    text: &str,
) -> Result<(), OpError> {
    if text.trim().is_empty() || run.kind == RunKind::External {
        return Ok(());
    }
    let scope = ScopeRow::by_id(cx.conn, run.scope_id)?;
    let channel = GroupRow::channel(cx.conn, &scope)?;
    let home = match run.group_id {
        Some(group) if run.kind != RunKind::Scheduled => group,
        _ => channel.id,
    };
    let waking: Vec<_> = mail.iter().filter(|delivery| delivery.wakes).cloned().collect();
    let address = address(cx, home, &waking, LONGEST_CHAIN)?;
    if has_spoken(cx, run, home)? || has_spoken(cx, run, address.group)? {
        return Ok(());
    }
    let group = GroupRow::by_id(cx.conn, address.group)?;
    let text = fitting(cx, text);
    let members = members(cx, &scope, &group)?;
    let (mut mentions, mut recipients) = channel::mentioned(text, &members, agent.id);
    if guard::has_called_all(cx, run)? {
        recipients.retain(|(_, reason)| *reason != Reason::All);
        mentions.all = false;
    }
    recipients.truncate(cx.settings.messages.mentions.max(members.len()));
    for member in members.iter().filter(|member| address.agents.contains(&member.id)) {
        if !recipients.iter().any(|(known, _)| known.id == member.id) && member.id != agent.id {
            recipients.push((member.clone(), Reason::Reply));
        }
    }
    let draft = Draft {
        scope: &scope,
        group: &group,
        sender: Some(agent),
        run: Some(run),
        text,
        data: &[],
        intent: Intent::Request,
        mentions,
        recipients,
        hop: run.hop + 1,
        root: run.root,
        reply_to: address.reply_to,
        solo: false,
    };
    channel::post(cx, &draft).map(drop)
}

/// Whether the run has posted something there since mail was last leased to it.
fn has_spoken(cx: &Cx<'_>, run: &RunRow, group: i64) -> Result<bool, OpError> {
    let sql = "SELECT 1 FROM messages INDEXED BY messages_of_run
               WHERE run = ?1 AND group_id = ?2 AND seq > ?3 LIMIT 1";
    let mut statement = cx.conn.prepare_cached(sql)?;
    Ok(statement.exists(params![run.id.number(), group, run.lease_seq])?)
}

/// A text that is too long for a message, cut where it fits.
fn fitting<'t>(cx: &Cx<'_>, text: &'t str) -> &'t str {
    let end = text.floor_char_boundary(cx.settings.messages.max_bytes);
    &text[..end]
}

fn members(cx: &Cx<'_>, scope: &ScopeRow, group: &GroupRow) -> Result<Vec<AgentRow>, OpError> {
    let mut members = AgentRow::of_scope(cx.conn, scope.id)?;
    let mut here = Vec::new();
    for member in members.drain(..) {
        if group.is_open_to(cx.conn, &member)? {
            here.push(member);
        }
    }
    Ok(here)
}

/// Who asked, and where. A run that answers only replies answers for the run whose message was
/// replied to, so that a chain of requests comes back step by step.
fn address(
    cx: &Cx<'_>,
    home: i64,
    waking: &[DeliveryRow],
    depth: usize,
) -> Result<Address, OpError> {
    let mut found = Address { group: home, agents: Vec::new(), reply_to: None };
    for delivery in waking.iter().filter(|delivery| delivery.reason != Reason::Reply) {
        found.agents.extend(delivery.sender_agent);
        found.reply_to = Some(delivery.seq);
    }
    let answers_only_replies = found.reply_to.is_none();
    for delivery in waking.iter().filter(|delivery| delivery.reason == Reason::Reply).rev() {
        let Some(earlier) = origin(cx, delivery, depth)? else { continue };
        if answers_only_replies && found.reply_to.is_none() {
            found = earlier;
        } else if earlier.group == found.group {
            found.agents.extend(earlier.agents);
        }
    }
    found.agents.sort_unstable();
    found.agents.dedup();
    Ok(found)
}

/// For whom the run asked whose message this delivery replies to.
fn origin(cx: &Cx<'_>, delivery: &DeliveryRow, depth: usize) -> Result<Option<Address>, OpError> {
    if depth == 0 {
        return Ok(None);
    }
    let reply = channel::by_seq(cx.conn, delivery.seq)?;
    let Some(question) = reply.reply_to else { return Ok(None) };
    let Some(asker) = channel::find(cx.conn, question.number())?.and_then(|message| message.run)
    else {
        return Ok(None);
    };
    let Some(run) = RunRow::find(cx.conn, asker)? else { return Ok(None) };
    let Some(group) = run.group_id else { return Ok(None) };
    let waking = waking_mail(cx, &run)?;
    address(cx, group, &waking, depth - 1).map(Some)
}

/// The waking mail that a run had: it lies between its cause and its last lease.
fn waking_mail(cx: &Cx<'_>, run: &RunRow) -> Result<Vec<DeliveryRow>, OpError> {
    let Some(cause) = run.cause else { return Ok(Vec::new()) };
    let mail = delivery::between(cx.conn, run.agent, cause, run.lease_seq)?;
    let is_its = |row: &DeliveryRow| row.wakes && row.run == Some(run.id.number());
    let own: Vec<_> = mail.iter().filter(|row| is_its(row)).cloned().collect();
    if !own.is_empty() {
        return Ok(own);
    }
    // A later attempt has its mail now.
    Ok(mail.into_iter().filter(|row| row.seq == cause).collect())
}
