//! What needs the user: derived from the tables, gone when its cause is.

use agent_worker_protocol::{
    AttentionItem, AttentionKind, DeliveryState, EventBody, MemberKind, Mode, QuestionKind,
    ScopeAttention, Timestamp, Wanted, WorkflowState,
};

use crate::{
    context::Cx,
    error::Result,
    rows::{
        AgentRow, Db, DeliveryRow, ProposalRow, QuestionRow, RunRow, WorkflowRow,
        delivery::{self, FirstKept},
    },
    rules::{
        blocker::counted,
        hint,
        outcome::{STEP, STEP_FAILED, STOPPED_IN_SETUP},
    },
};

/// Announces what needs the person in a scope; nothing if the scope is gone.
pub fn announce(cx: &mut Cx<'_>, scope: i64) -> Result<()> {
    let Some(row) = WorkflowRow::maybe(cx.db, scope)? else { return Ok(()) };
    let items = of_scope(cx.db, &row)?;
    let body = ScopeAttention { scope: row.scope.clone(), items };
    cx.emit(&row.scope, EventBody::AttentionChanged(body))
}

/// What needs the user in all scopes, or in one, the most pressing first.
pub fn sorted(db: Db<'_>, scope: Option<&WorkflowRow>) -> Result<Vec<AttentionItem>> {
    let mut items = list(db, scope)?;
    items.sort_by_key(|item| (item.kind, item.since));
    Ok(items)
}

/// What needs the user in all scopes, or in one, scope by scope.
pub fn list(db: Db<'_>, scope: Option<&WorkflowRow>) -> Result<Vec<AttentionItem>> {
    let scopes = match scope {
        Some(scope) => vec![scope.clone()],
        None => WorkflowRow::all(db)?,
    };
    let mut items = Vec::new();
    for scope in &scopes {
        items.extend(of_scope(db, scope)?);
    }
    Ok(items)
}

/// What needs the user in one scope. Archives need nothing: each fresh start leaves one, so they are
/// not looked at.
pub fn of_scope(db: Db<'_>, scope: &WorkflowRow) -> Result<Vec<AttentionItem>> {
    let mut items = Vec::new();
    if scope.is_archived {
        return Ok(items);
    }
    let mut kept = delivery::first_kept_of_scope(db, scope.id)?;
    for member in AgentRow::team(db, scope.id)?.iter() {
        if member.kind == MemberKind::Person {
            if !scope.state.has_ended() {
                items.extend(unread(db, member)?);
            }
            votes(db, member, &mut items)?;
            continue;
        }
        items.extend(paused(scope, member));
        if let Some(FirstKept { held, dead }) = kept.remove(&member.id) {
            let counts = member.changing(db)?;
            items.extend(dead.map(|first| kept_item(scope, member, &first, counts.dead)));
            items.extend(held.map(|first| kept_item(scope, member, &first, counts.held)));
        }
    }
    items.extend(RunRow::silent_of_scope(db, scope.id)?.iter().map(silent));
    items.extend(QuestionRow::open_of_scope(db, scope.id)?.iter().map(asked));
    if let Some((kind, reason)) = ended(scope) {
        items.push(AttentionItem {
            kind,
            subject: scope.scope.to_string(),
            scope: scope.scope.clone(),
            reason,
            hint: hint::of_scope(db, scope)?,
            since: scope.ended_at.unwrap_or(Timestamp(0)),
        });
    }
    items.sort_by_key(|item| item.kind);
    Ok(items)
}

/// Tells that a scope cannot go on, or that the setup of its `start` failed, and why. The command
/// `run` tells the end of its workflow, and the user knows of a stop in the setup.
fn ended(scope: &WorkflowRow) -> Option<(AttentionKind, String)> {
    let reason = scope.outcome_reason.as_deref().unwrap_or_default();
    match scope.state {
        WorkflowState::Stalled => Some((AttentionKind::Stalled, reason.to_owned())),
        WorkflowState::Failed if scope.mode == Mode::Start && reason != STOPPED_IN_SETUP => {
            Some((AttentionKind::Failed, of_setup(reason)))
        }
        _ => None,
    }
}

/// That an agent is paused, if it is.
fn paused(scope: &WorkflowRow, member: &AgentRow) -> Option<AttentionItem> {
    (member.wanted == Wanted::Paused).then(|| AttentionItem {
        kind: AttentionKind::Paused,
        subject: member.target().to_string(),
        scope: member.scope.clone(),
        reason: member.paused_reason.clone().unwrap_or_default(),
        hint: Some(hint::of_rest(scope, member)),
        since: member.paused_at.unwrap_or(Timestamp(0)),
    })
}

/// How much of a question or of the reason of a failed setup is told, in characters.
const SHOWN: usize = 200;

/// How much of the command of a failed setup step is told, in characters: what it said is more.
const COMMAND: usize = 60;

/// The reason of a failed setup as one line. A long command hides nothing of what it said.
fn of_setup(reason: &str) -> String {
    let step = reason.strip_prefix(STEP).and_then(|rest| rest.split_once(STEP_FAILED));
    let Some((command, why)) = step else { return shortened(reason, SHOWN) };
    let command = shortened(command, COMMAND);
    shortened(&format!("{STEP}{command}{STEP_FAILED}{why}"), SHOWN)
}

/// A text as one line, cut to this many characters.
fn shortened(text: &str, most: usize) -> String {
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match text.char_indices().nth(most) {
        Some((at, _)) => format!("{}…", &text[..at]),
        None => text,
    }
}

/// A question that waits for the person.
pub fn asked(question: &QuestionRow) -> AttentionItem {
    let text = shortened(&question.text, SHOWN);
    let what = match question.kind {
        QuestionKind::Question => "asks",
        QuestionKind::Permission => "wants to use",
    };
    AttentionItem {
        kind: AttentionKind::Question,
        subject: question.id.to_string(),
        scope: question.scope.clone(),
        reason: format!("{} {what}: {text}", question.target()),
        hint: Some(hint::of_question(question)),
        since: question.created_at,
    }
}

/// One item for all mail of an agent that is dead, or held: its first message tells why.
fn kept_item(
    scope: &WorkflowRow,
    member: &AgentRow,
    first: &DeliveryRow,
    count: i64,
) -> AttentionItem {
    let (kind, why) = match first.state {
        DeliveryState::Dead => (AttentionKind::Dead, first.last_error.as_deref()),
        _ => (AttentionKind::Held, first.held_reason.as_deref()),
    };
    let messages = counted(count, "message");
    AttentionItem {
        kind,
        subject: member.target().to_string(),
        scope: member.scope.clone(),
        reason: format!("{messages}: {}", why.unwrap_or("no reason was given")),
        hint: Some(hint::of_kept(scope, &member.target(), first)),
        since: first.sent_at,
    }
}

/// A run that may hang.
fn silent(run: &RunRow) -> AttentionItem {
    let doing = run.activity.as_deref().unwrap_or("working");
    AttentionItem {
        kind: AttentionKind::Silent,
        subject: run.target().to_string(),
        scope: run.scope.clone(),
        reason: format!("{} is silent: {doing}", run.id),
        hint: Some(format!("agent-worker logs {}", run.id)),
        since: run.spoke_at.unwrap_or(run.started_at),
    }
}

pub fn unread(db: Db<'_>, person: &AgentRow) -> Result<Option<AttentionItem>> {
    let messages = match person.changing(db)?.unread {
        0 => return Ok(None),
        unread => counted(unread, "unread message"),
    };
    let newest = delivery::open(db, person.id, 1)?;
    Ok(newest.first().map(|row| AttentionItem {
        kind: AttentionKind::Mention,
        subject: person.target().to_string(),
        scope: person.scope.clone(),
        reason: messages,
        hint: Some(format!("agent-worker inbox {}", person.target())),
        since: row.sent_at,
    }))
}

/// The open proposals on which the person may vote and has not.
fn votes(db: Db<'_>, person: &AgentRow, items: &mut Vec<AttentionItem>) -> Result<()> {
    for row in ProposalRow::open(db, Some(person.scope_id))? {
        if row.waits_for(db, person.id)? {
            items.push(AttentionItem {
                kind: AttentionKind::Vote,
                subject: row.public_id().to_string(),
                scope: person.scope.clone(),
                hint: Some(hint::of_vote(&row)),
                since: row.created_at,
                reason: row.title,
            });
        }
    }
    Ok(())
}
