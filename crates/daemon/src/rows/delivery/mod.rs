//! Deliveries: one message for one recipient, from the inbox to its end. Every change of one goes
//! through [`DeliveryRow::save`], and only along the edges of [`may_go`].

pub mod changing;

use std::{collections::HashMap, ops::ControlFlow};

use agent_worker_protocol::{DeliveryState, MemberKind, MessageId, Reason, RunId, Timestamp};

use crate::{
    error::Result,
    rows::{Db, RunRow, row, sql, statements, table},
};

row! {
    /// One message for one recipient.
    #[derive(Debug, Clone)]
    pub struct DeliveryRow from "deliveries AS d" {
        agent: i64 = "d.agent",
        seq: i64 = "d.seq",
        group_id: i64 = "d.group_id",
        sender_agent: Option<i64> = "d.sender_agent",
        sender_kind: MemberKind = "d.sender_kind",
        reason: Reason = "d.reason",
        wakes: bool = "d.wakes",
        solo: bool = "d.solo",
        state: DeliveryState = "d.state",
        run: Option<i64> = "d.run",
        attempts: i64 = "d.attempts",
        lost_count: i64 = "d.lost_count",
        marked_at: Option<Timestamp> = "d.marked_at",
        marked_by: Option<i64> = "d.marked_by",
        not_before: Option<Timestamp> = "d.not_before",
        held_reason: Option<String> = "d.held_reason",
        released: bool = "d.released",
        last_error: Option<String> = "d.last_error",
        bytes: i64 = "d.bytes",
        hop: i64 = "d.hop",
        root: i64 = "d.root",
        sent_at: Timestamp = "d.sent_at",
    }
}

table! {
    /// A message that a run is given, and its root message.
    pub struct NewRoot into RunRoots {
        run: RunId,
        seq: i64,
        root: i64,
        wakes: bool,
    }
}

impl DeliveryRow {
    /// Whether it was tried before: then it runs alone.
    fn was_tried(&self) -> bool {
        self.attempts > 0 || self.lost_count > 0
    }

    /// Whether a caller waits for its answer.
    pub fn is_question(&self) -> bool {
        self.solo && !self.is_schedule()
    }

    /// Whether a schedule sent it, a heartbeat among them.
    pub fn is_schedule(&self) -> bool {
        matches!(self.reason, Reason::Schedule | Reason::Heartbeat)
    }

    /// Whether it must have a run for itself.
    pub fn runs_alone(&self) -> bool {
        self.solo || (self.wakes && self.was_tried())
    }
}

/// The deliveries of a message of this conversation, whose members all its recipients are.
pub const OF_MESSAGE: &str = sql!(
    DeliveryRow::SELECT,
    " JOIN group_members AS m ON m.agent = d.agent
      WHERE m.group_id = ?1 AND d.seq = ?2 ORDER BY m.agent"
);

/// The newest mail before a message that is held or dead.
pub const NEWEST_KEPT: &str = sql!(
    DeliveryRow::SELECT,
    " INDEXED BY deliveries_kept
      WHERE d.agent = ?1 AND d.seq < ?2 AND d.state IN ('held', 'dead')
      ORDER BY d.seq DESC LIMIT ?3"
);

/// Whether anything is in an agent's inbox.
pub fn is_pending(db: Db<'_>, agent: i64) -> Result<bool> {
    let sql = "SELECT 1 FROM deliveries INDEXED BY deliveries_open
               WHERE agent = ?1 AND wakes = ?2 AND state IN ('pending', 'waiting')
                 AND state = 'pending' LIMIT 1";
    Ok(db.exists(sql, (agent, false))? || db.exists(sql, (agent, true))?)
}

/// Mail that starts an agent or will be tried again.
const WAKING: &str = sql!(
    DeliveryRow::SELECT,
    " INDEXED BY deliveries_open
     WHERE d.agent = ?1 AND d.wakes = 1 AND d.state IN ('pending', 'waiting')"
);

/// What a member has of a conversation up to a message and no run needs for itself.
const LEASABLE: &str = " INDEXED BY deliveries_leasable
    WHERE d.agent = ?1 AND d.group_id = ?2 AND d.seq <= ?3 AND d.state = 'pending' AND d.solo = 0
      AND (d.wakes = 0 OR (d.attempts = 0 AND d.lost_count = 0))
    ORDER BY d.seq";

/// How many deliveries of each conversation start an agent again after a run in one conversation.
/// Of that conversation, those count that need a run for themselves; 0 stands for none. Of a long
/// queue the first part is counted.
pub fn elsewhere(db: Db<'_>, agent: i64, group: i64) -> Result<Vec<(i64, i64)>> {
    const LOOKED_AT: i64 = 1000;
    let sql = "SELECT group_id, count(*) FROM (
                   SELECT group_id, solo, attempts, lost_count
                   FROM deliveries INDEXED BY deliveries_open
                   WHERE agent = ?1 AND wakes = 1 AND state IN ('pending', 'waiting') LIMIT ?3)
               WHERE group_id <> ?2 OR solo = 1 OR attempts > 0 OR lost_count > 0
               GROUP BY group_id ORDER BY group_id";
    db.all(sql, (agent, group, LOOKED_AT))
}

/// An agent's mail that is held or dead, in order.
pub fn kept(db: Db<'_>, agent: i64) -> Result<Vec<DeliveryRow>> {
    first_kept(db, agent, u32::MAX)
}

/// The first held delivery and the first dead letter of a member.
#[derive(Debug, Default)]
pub struct FirstKept {
    pub held: Option<DeliveryRow>,
    pub dead: Option<DeliveryRow>,
}

/// Reads the first held delivery and the first dead letter of each member of a scope. A scope may
/// hold thousands, and each further one has the scope's items announced, so no other is read.
pub const FIRST_KEPT_OF_SCOPE: &str = sql!(
    DeliveryRow::SELECT,
    " WHERE (d.agent, d.seq) IN (
          SELECT a.id, (SELECT k.seq FROM deliveries AS k INDEXED BY deliveries_kept
                        WHERE k.agent = a.id AND k.state IN ('held', 'dead') AND k.state = s.column1
                        ORDER BY k.seq LIMIT 1)
          FROM agents AS a INDEXED BY agents_live
          JOIN agent_counts AS c ON c.agent = a.id
          JOIN (VALUES ('held'), ('dead')) AS s
          WHERE a.scope = ?1 AND a.removed_at IS NULL
            AND CASE s.column1 WHEN 'held' THEN c.held ELSE c.dead END > 0)"
);

/// The first kept deliveries of a scope's members, by the members that have some.
pub fn first_kept_of_scope(db: Db<'_>, scope: i64) -> Result<HashMap<i64, FirstKept>> {
    let mut kept: HashMap<i64, FirstKept> = HashMap::new();
    db.each(FIRST_KEPT_OF_SCOPE, (scope,), |row: DeliveryRow| {
        let first = kept.entry(row.agent).or_default();
        match row.state {
            DeliveryState::Held => first.held = Some(row),
            _ => first.dead = Some(row),
        }
        ControlFlow::Continue(())
    })?;
    Ok(kept)
}

/// An agent's mail that is in its inbox or will be tried again, newest first.
pub fn open(db: Db<'_>, agent: i64, limit: u32) -> Result<Vec<DeliveryRow>> {
    open_before(db, agent, i64::MAX, limit)
}

fn open_before(db: Db<'_>, agent: i64, before: i64, limit: u32) -> Result<Vec<DeliveryRow>> {
    const SQL: &str = sql!(
        DeliveryRow::SELECT,
        " INDEXED BY deliveries_open
         WHERE d.agent = ?1 AND d.wakes = ?2 AND d.seq < ?3 AND d.state IN ('pending', 'waiting')
         ORDER BY d.seq DESC LIMIT ?4"
    );
    let mut rows: Vec<DeliveryRow> = db.all(SQL, (agent, true, before, limit))?;
    rows.extend(db.all::<DeliveryRow>(SQL, (agent, false, before, limit))?);
    rows.sort_by_key(|row| -row.seq);
    Ok(rows)
}

/// Everything of an agent before a message that is not at its end, newest first.
pub fn unfinished(db: Db<'_>, agent: i64, before: i64, limit: u32) -> Result<Vec<DeliveryRow>> {
    let mut rows = newest_kept(db, agent, before, limit)?;
    if let Some(run) = RunRow::live_of(db, agent)? {
        rows.extend(leased(db, run.number())?);
        rows.retain(|row| row.seq < before);
    }
    rows.extend(open_before(db, agent, before, limit)?);
    rows.sort_by_key(|row| -row.seq);
    rows.truncate(usize::try_from(limit).unwrap_or(usize::MAX));
    Ok(rows)
}

row! {
    /// What the loop guard looks at.
    pub struct Seen from "deliveries" {
        seq: i64,
        sender_agent: Option<i64>,
        sender_kind: MemberKind,
        wakes: bool,
        state: DeliveryState,
        run: Option<i64>,
        sent_at: Timestamp,
    }
}

/// Gives the newest mail of a member away, whatever became of it, newest first, until it is enough.
pub fn each_newest(
    db: Db<'_>,
    agent: i64,
    limit: u32,
    take: impl FnMut(Seen) -> ControlFlow<()>,
) -> Result<()> {
    const SQL: &str = sql!(Seen::SELECT, " WHERE agent = ?1 ORDER BY seq DESC LIMIT ?2");
    db.each(SQL, (agent, limit), take)
}

/// The newest messages that were leased to a run, in order.
pub fn mail_of(db: Db<'_>, run: &RunRow) -> Result<Vec<MessageId>> {
    let sql = "SELECT seq FROM run_roots WHERE run = ?1 ORDER BY seq DESC LIMIT 100";
    let mut mail: Vec<MessageId> = db.all(sql, (run.id,))?;
    mail.reverse();
    Ok(mail)
}

statements! {
    pub fn find(agent: i64, seq: i64) -> maybe DeliveryRow =
        DeliveryRow::SELECT, " WHERE d.agent = ?1 AND d.seq = ?2";

    /// The deliveries of a message.
    pub fn of_message(group: i64, seq: i64) -> all DeliveryRow = OF_MESSAGE;

    /// What a run has leased, in order.
    pub fn leased(run: i64) -> all DeliveryRow =
        DeliveryRow::SELECT,
        " INDEXED BY deliveries_leased
            WHERE d.run = ?1 AND d.state = 'leased' ORDER BY d.seq";

    /// Deliveries of one conversation that wake an agent and may be leased together, in order: no
    /// `ask`, and nothing that was tried before.
    pub fn untried_waking(agent: i64, group: i64, limit: u32) -> all DeliveryRow =
        WAKING,
        " AND d.state = 'pending' AND d.solo = 0 AND d.attempts = 0 AND d.lost_count = 0
            AND d.group_id = ?2 ORDER BY d.seq LIMIT ?3";

    /// Deliveries of every conversation that do not wake their agent, in order. They never have a
    /// run of their own, so a run takes them however often they were tried.
    pub fn quiet(agent: i64, limit: u32) -> all DeliveryRow =
        DeliveryRow::SELECT,
        " INDEXED BY deliveries_open
            WHERE d.agent = ?1 AND d.wakes = 0 AND d.state IN ('pending', 'waiting')
              AND d.state = 'pending' AND d.solo = 0
            ORDER BY d.seq LIMIT ?2";

    /// The first of an agent's mail that is held or dead, in order.
    pub fn first_kept(agent: i64, limit: u32) -> all DeliveryRow =
        DeliveryRow::SELECT,
        " INDEXED BY deliveries_kept
            WHERE d.agent = ?1 AND d.state IN ('held', 'dead') ORDER BY d.seq LIMIT ?2";

    /// The newest of an agent's mail before a message that is held or dead, newest first.
    pub fn newest_kept(agent: i64, before: i64, limit: u32) -> all DeliveryRow = NEWEST_KEPT;

    /// The first of an agent's mail that starts it or will be tried again, in order.
    pub fn first_waking(agent: i64, limit: u32) -> all DeliveryRow =
        WAKING, " ORDER BY d.seq LIMIT ?2";

    /// The newest mail of a member before a message, whatever became of it, newest first. Hidden
    /// messages, and those of groups that it has left, are there only if that is asked for.
    pub fn newest(agent: i64, before: i64, limit: u32, with_unreadable: bool) -> all DeliveryRow =
        DeliveryRow::SELECT,
        " WHERE d.agent = ?1 AND d.seq < ?2 AND (?4
              OR NOT EXISTS (SELECT 1 FROM messages WHERE seq = d.seq AND hidden = 1)
              AND NOT EXISTS (SELECT 1 FROM group_members WHERE group_id = d.group_id
                  AND agent = d.agent AND left_at IS NOT NULL))
            ORDER BY d.seq DESC LIMIT ?3";

    /// Everything that was ever leased to a run, in order, wherever it is now.
    pub fn of_run(run: i64, agent: i64) -> all DeliveryRow =
        DeliveryRow::SELECT,
        " JOIN run_roots AS had ON had.seq = d.seq
            WHERE had.run = ?1 AND d.agent = ?2 ORDER BY had.seq";

    /// When something becomes due that waits for its time; none if nothing does.
    pub fn next_due(now: Timestamp) -> one Option<Timestamp> =
        "SELECT min(due) FROM (
            SELECT min(not_before) AS due FROM deliveries INDEXED BY deliveries_waiting
            WHERE state = 'waiting' AND not_before > ?1
            UNION ALL
            SELECT min(not_before) FROM agents
            WHERE removed_at IS NULL AND not_before > ?1)";

    /// The first waking delivery of an agent that is due: it has no time, its time has come, or its
    /// time is after `longest`, because the clock was set back.
    pub fn first_due(agent: i64, now: Timestamp, longest: Timestamp) -> maybe DeliveryRow =
        WAKING,
        " AND (d.not_before IS NULL OR d.not_before NOT BETWEEN ?2 + 1 AND ?3)
            ORDER BY d.seq LIMIT 1";

    /// What a member has of a conversation up to a message and no run needs for itself, in order.
    pub fn leasable_until(agent: i64, group: i64, until: i64) -> all DeliveryRow =
        DeliveryRow::SELECT, LEASABLE;

    /// The first message of these that has `before` of them before it.
    pub fn leasable_after(agent: i64, group: i64, until: i64, before: u32) -> maybe i64 =
        "SELECT d.seq FROM deliveries AS d", LEASABLE, " LIMIT 1 OFFSET ?4";
}
