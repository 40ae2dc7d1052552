//! Claims: which agent works next, and on what. The run, its leases and its token's hash are in
//! the tables before any process starts.

use agent_worker_protocol::{DeliveryState, MemberKind, Reason, RunId, RunKind, RunState};

use crate::{
    changes::run::{
        batch::{Batch, Room},
        session,
    },
    context::Cx,
    entities::run,
    error::Result,
    rows::{
        AgentRow, ConversationRow, DeliveryRow, NewRoot, NewRun, RunRow, Table, WorkflowRow,
        delivery, numbers,
    },
    rules::{budget, due_mail, loop_guard},
};

/// Holds all due mail of an agent whose scope has used up a budget.
pub fn hold_due(cx: &mut Cx<'_>, agent: &AgentRow, reason: &str) -> Result<()> {
    while let Some(mut due) = due_mail::first_due(cx, agent.id)? {
        due.refuse(reason)?;
        due.save(cx, agent)?;
    }
    if agent.woken {
        agent.clear_wake(cx.db)?;
        cx.touch_agent(agent.id);
        cx.judge(agent.scope_id);
    }
    Ok(())
}

/// The first due mail whose root has not led to too many runs; what has is held.
pub fn first_allowed(
    cx: &mut Cx<'_>,
    agent: &AgentRow,
    scope: &WorkflowRow,
) -> Result<Option<DeliveryRow>> {
    while let Some(mut due) = due_mail::first_due(cx, agent.id)? {
        let Some(reason) = loop_guard::too_many(cx, scope, &due)? else { return Ok(Some(due)) };
        due.hold(&reason)?;
        due.save(cx, agent)?;
    }
    Ok(None)
}

/// What a run takes that begins with this delivery, or without any because its agent was woken and
/// nothing is due. What must be alone is alone. A run answers in one conversation: what wakes its
/// agent elsewhere is for further runs, also where a schedule started it. Mail of its conversation
/// whose root has led to too many runs is held.
pub fn batch(
    cx: &mut Cx<'_>,
    agent: &AgentRow,
    first: Option<DeliveryRow>,
    room: Room,
) -> Result<Batch> {
    let waking = match first {
        Some(first) if first.runs_alone() => return Ok(Batch::alone(first)),
        Some(first) => allowed_waking(cx, agent, first.group_id, room, vec![first.root])?,
        None => Vec::new(),
    };
    Batch::take(cx, agent.id, waking, room)
}

/// The waking mail of a conversation that a run with this room may take, and one more. Mail whose
/// root has led to too many runs is held, unless it is a root of the run itself: that leads to no
/// further run.
pub fn allowed_waking(
    cx: &mut Cx<'_>,
    agent: &AgentRow,
    group: i64,
    room: Room,
    mut roots: Vec<i64>,
) -> Result<Vec<DeliveryRow>> {
    let scope = WorkflowRow::by_id(cx.db, agent.scope_id)?;
    let most = room.messages.saturating_add(1);
    loop {
        let mut has_held = false;
        let mut waking = delivery::untried_waking(cx.db, agent.id, group, most)?;
        for row in &mut waking {
            if roots.contains(&row.root) {
                continue;
            }
            if let Some(reason) = loop_guard::too_many(cx, &scope, row)? {
                row.hold(&reason)?;
                row.save(cx, agent)?;
                has_held = true;
            } else if !row.released {
                roots.push(row.root);
            }
        }
        if !has_held {
            return Ok(waking);
        }
    }
}

/// Opens a run for an external member with deliveries: due ones first, else the others in its
/// inbox. It leases what the page has room for that is asked for.
pub fn open_outside(
    cx: &mut Cx<'_>,
    agent: &AgentRow,
    scope: &WorkflowRow,
    room: Room,
) -> Result<Option<RunRow>> {
    if let Some(reason) = budget::exhausted(cx, scope) {
        hold_due(cx, agent, &reason)?;
        return Ok(None);
    }
    let first = first_allowed(cx, agent, scope)?;
    let batch = batch(cx, agent, first, room)?;
    open_with(cx, agent, scope, batch)
}

/// Opens a run again for an external member that was thought gone, with the mail of the lost run
/// up to a message.
pub fn reopen_outside(
    cx: &mut Cx<'_>,
    agent: &AgentRow,
    scope: &WorkflowRow,
    lost: RunId,
    until: i64,
) -> Result<Option<RunRow>> {
    if budget::exhausted(cx, scope).is_some() {
        return Ok(None);
    }
    let mut mail = delivery::of_run(cx.db, lost.number(), agent.id)?;
    mail.retain(|row| {
        let is_open = row.state == DeliveryState::Pending && row.run == Some(lost.number());
        is_open && row.seq <= until
    });
    open_with(cx, agent, scope, Batch { mail, is_full: false })
}

fn open_with(
    cx: &mut Cx<'_>,
    agent: &AgentRow,
    scope: &WorkflowRow,
    batch: Batch,
) -> Result<Option<RunRow>> {
    if batch.mail.is_empty() {
        return Ok(None);
    }
    begin(cx, agent, scope, batch, None).map(|(run, _)| Some(run))
}

/// Stores a run, leases its mail to it, and announces it. Returns the run, and the session that it
/// goes on with if its backend has sessions.
pub fn begin(
    cx: &mut Cx<'_>,
    agent: &AgentRow,
    scope: &WorkflowRow,
    batch: Batch,
    token_hash: Option<&[u8; 32]>,
) -> Result<(RunRow, Option<i64>)> {
    let cause = batch.mail.iter().find(|row| row.wakes);
    let group = match cause.map(|row| row.group_id).or(batch.conversation()) {
        Some(group) => ConversationRow::by_id(cx.db, group)?,
        None => ConversationRow::channel(cx.db, scope)?,
    };
    let kind = match cause {
        _ if agent.kind == MemberKind::External || token_hash.is_none() => RunKind::External,
        None => RunKind::Wake,
        Some(row) if row.is_question() => RunKind::Ask,
        Some(row) if row.reason == Reason::Heartbeat => RunKind::Heartbeat,
        Some(row) if row.is_schedule() => RunKind::Scheduled,
        Some(_) if group.is_direct() => RunKind::Direct,
        Some(_) => RunKind::Mention,
    };
    let is_external = kind == RunKind::External;
    let lease_seq = if cause.is_some() { numbers::newest(cx.db, Table::Messages)? } else { 0 };
    let (hop, root) = distance(&batch.mail);
    let session = session::of_run(cx, agent, scope, kind, cause)?;
    let id = cx.db.insert(&NewRun {
        scope: scope.id,
        agent: agent.id,
        generation: scope.generation,
        kind,
        group_id: group.id,
        cause: cause.map(|row| row.seq),
        attempt: cause.map_or(0, |row| row.attempts) + 1,
        retry_of: cause.and_then(|row| row.run),
        solo: cause.is_some_and(DeliveryRow::runs_alone),
        state: if is_external { RunState::Running } else { RunState::Starting },
        token_hash,
        model: agent.model.as_deref(),
        backend: agent.backend.as_deref(),
        started_at: cx.now,
        session,
        was_full: batch.is_full,
        lease_seq,
        hop,
        root,
    })?;
    let run = RunId::new(id);
    store(cx, agent, run, batch.mail)?;
    scope.count_run(cx.db)?;
    cx.touch_agent(agent.id);
    cx.touch_scope(scope.id);
    cx.judge(scope.id);
    Ok((run::announce(cx, run)?, session))
}

/// Leases further mail to a run.
pub fn lease(cx: &mut Cx<'_>, agent: &AgentRow, run: RunId, mail: Vec<DeliveryRow>) -> Result<()> {
    if mail.iter().any(|delivery| delivery.wakes) {
        // What the run said before this answers none of it.
        RunRow::note_lease(cx.db, run, numbers::newest(cx.db, Table::Messages)?)?;
    }
    store(cx, agent, run, mail)?;
    let mail = delivery::of_run(cx.db, run.number(), agent.id)?;
    RunRow::note_distance(cx.db, run, distance(&mail))
}

fn store(cx: &mut Cx<'_>, agent: &AgentRow, run: RunId, mail: Vec<DeliveryRow>) -> Result<()> {
    for mut delivery in mail {
        let DeliveryRow { seq, root, wakes, .. } = delivery;
        cx.db.insert(&NewRoot { run, seq, root, wakes })?;
        delivery.go(DeliveryState::Leased)?;
        delivery.run = Some(run.number());
        delivery.attempts += 1;
        delivery.save(cx, agent)?;
    }
    Ok(())
}

/// How far a run is from a person, and the message that it goes back to: those of the mail that
/// wakes it, or of all its mail if none does. A newer message of the person sets the distance
/// back.
fn distance(mail: &[DeliveryRow]) -> (i64, Option<i64>) {
    let has_waking = mail.iter().any(|row| row.wakes);
    let (mut hop, mut root) = (0, None);
    for row in mail.iter().filter(|row| row.wakes || !has_waking) {
        if row.sender_kind == MemberKind::Person {
            (hop, root) = (0, Some(row.root));
        } else if row.hop >= hop || root.is_none() {
            (hop, root) = (row.hop, Some(row.root));
        }
    }
    (hop, root)
}
