//! Deliveries: one message for one recipient, from the inbox to its end. Every change of one goes
//! through [`DeliveryRow::save`], and only along the edges of [`may_go`].

use agent_worker_protocol::{
    agent::MemberKind,
    event::EventBody,
    id::{MessageId, RunId},
    inbox::{Delivery, DeliveryState, Reason},
    time::Timestamp,
};
use rusqlite::{Connection, Row, params};

use crate::{
    context::cx::Cx,
    error::OpError,
    rows::{agent::AgentRow, run::RunRow, word::Word},
};

#[derive(Debug, Clone)]
pub struct DeliveryRow {
    pub agent: i64,
    pub seq: i64,
    pub group_id: i64,
    pub sender_agent: Option<i64>,
    pub sender_kind: MemberKind,
    pub reason: Reason,
    pub wakes: bool,
    pub solo: bool,
    pub state: DeliveryState,
    pub run: Option<i64>,
    pub attempts: i64,
    pub lost_count: i64,
    pub marked_at: Option<Timestamp>,
    pub marked_by: Option<i64>,
    pub not_before: Option<Timestamp>,
    pub held_reason: Option<String>,
    pub released: bool,
    pub last_error: Option<String>,
    pub bytes: i64,
    pub hop: i64,
    pub root: i64,
    pub sent_at: Timestamp,
}

pub const COLUMNS: &str = "d.agent, d.seq, d.group_id, d.sender_agent, d.sender_kind, d.reason,
    d.wakes, d.solo, d.state, d.run, d.attempts, d.lost_count, d.marked_at, d.marked_by,
    d.not_before, d.held_reason, d.released, d.last_error, d.bytes, d.hop, d.root, d.sent_at";

/// Whether a delivery may go from one state to another. A person's goes from `pending` to `acked`
/// when the read cursor passes it.
pub fn may_go(from: DeliveryState, to: DeliveryState) -> bool {
    use agent_worker_protocol::inbox::DeliveryState::Acked;
    use agent_worker_protocol::inbox::DeliveryState::Dead;
    use agent_worker_protocol::inbox::DeliveryState::Dropped;
    use agent_worker_protocol::inbox::DeliveryState::Held;
    use agent_worker_protocol::inbox::DeliveryState::Leased;
    use agent_worker_protocol::inbox::DeliveryState::Pending;
    use agent_worker_protocol::inbox::DeliveryState::Waiting;
    match from {
        Pending => matches!(to, Leased | Held | Dropped | Acked),
        Leased => matches!(to, Acked | Waiting | Pending | Held | Dead | Dropped),
        Waiting => matches!(to, Leased | Held | Dropped),
        Held | Dead => matches!(to, Pending | Dropped),
        Acked | Dropped => false,
    }
}

impl DeliveryRow {
    fn from_row(row: &Row<'_>) -> rusqlite::Result<Self> {
        Ok(Self {
            agent: row.get("agent")?,
            seq: row.get("seq")?,
            group_id: row.get("group_id")?,
            sender_agent: row.get("sender_agent")?,
            sender_kind: row.get::<_, Word<MemberKind>>("sender_kind")?.0,
            reason: row.get::<_, Word<Reason>>("reason")?.0,
            wakes: row.get("wakes")?,
            solo: row.get("solo")?,
            state: row.get::<_, Word<DeliveryState>>("state")?.0,
            run: row.get("run")?,
            attempts: row.get("attempts")?,
            lost_count: row.get("lost_count")?,
            marked_at: row.get::<_, Option<i64>>("marked_at")?.map(Timestamp),
            marked_by: row.get("marked_by")?,
            not_before: row.get::<_, Option<i64>>("not_before")?.map(Timestamp),
            held_reason: row.get("held_reason")?,
            released: row.get("released")?,
            last_error: row.get("last_error")?,
            bytes: row.get("bytes")?,
            hop: row.get("hop")?,
            root: row.get("root")?,
            sent_at: Timestamp(row.get("sent_at")?),
        })
    }

    /// Whether it was tried before: then it runs alone.
    pub fn was_tried(&self) -> bool {
        self.attempts > 0 || self.lost_count > 0
    }

    /// Whether somebody waits for its answer.
    pub fn is_question(&self) -> bool {
        self.solo && !self.is_schedule()
    }

    /// Whether a schedule sent it.
    pub fn is_schedule(&self) -> bool {
        self.reason == Reason::Schedule
    }

    /// Whether it must have a run for itself.
    pub fn runs_alone(&self) -> bool {
        self.solo || (self.wakes && self.was_tried())
    }

    /// Goes to another state, if there is such an edge.
    pub fn go(&mut self, to: DeliveryState) -> Result<(), OpError> {
        if !may_go(self.state, to) {
            return Err(OpError::Broken(format!(
                "a delivery of msg_{} would go from {:?} to {to:?}",
                self.seq, self.state
            )));
        }
        self.state = to;
        self.not_before = None;
        self.held_reason = None;
        Ok(())
    }

    /// Keeps it from its recipient until the person decides.
    pub fn hold(&mut self, reason: &str) -> Result<(), OpError> {
        self.go(DeliveryState::Held)?;
        self.held_reason = Some(reason.to_owned());
        Ok(())
    }

    /// Holds it because a budget is used up. A question is dropped instead: its asker is told why,
    /// and stops waiting.
    pub fn refuse(&mut self, reason: &str) -> Result<(), OpError> {
        if !self.is_question() {
            return self.hold(reason);
        }
        self.last_error = Some(reason.to_owned());
        self.go(DeliveryState::Dropped)
    }

    /// Tries it again as if it had never been tried.
    pub fn retry(&mut self) -> Result<(), OpError> {
        self.go(DeliveryState::Pending)?;
        self.attempts = 0;
        Ok(())
    }

    /// Lets it through: the loop guard begins anew with it.
    pub fn release(&mut self) -> Result<(), OpError> {
        self.go(DeliveryState::Pending)?;
        self.hop = 0;
        self.lost_count = 0;
        self.released = true;
        Ok(())
    }

    /// The entity. `marked` is of the run that has it, or had it last.
    pub fn entity(&self, agent: &AgentRow) -> Delivery {
        Delivery {
            message: MessageId::new(self.seq),
            agent: agent.target(),
            state: self.state,
            reason: self.reason,
            wakes: self.wakes,
            attempts: self.attempts,
            held_reason: self.held_reason.clone(),
            not_before: self.not_before,
            last_error: self.last_error.clone(),
            run: self.run.map(RunId::new),
            marked: self.marked_by.is_some(),
        }
    }

    /// Stores a new delivery. The message's event announces it.
    pub fn insert(&self, cx: &mut Cx<'_>) -> Result<(), OpError> {
        let sql = "INSERT INTO deliveries (agent, seq, group_id, sender_agent, sender_kind, reason,
                       wakes, solo, state, held_reason, bytes, hop, root, sent_at)
                   VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14)";
        cx.conn.prepare_cached(sql)?.execute(params![
            self.agent,
            self.seq,
            self.group_id,
            self.sender_agent,
            Word(self.sender_kind),
            Word(self.reason),
            self.wakes,
            self.solo,
            Word(self.state),
            self.held_reason,
            self.bytes,
            self.hop,
            self.root,
            self.sent_at.0
        ])?;
        cx.touch_agent(self.agent);
        Ok(())
    }

    /// Stores what changed and announces it.
    pub fn save(&self, cx: &mut Cx<'_>, agent: &AgentRow) -> Result<(), OpError> {
        let sql = "UPDATE deliveries SET state = ?3, run = ?4, attempts = ?5, lost_count = ?6,
                       marked_at = ?7, marked_by = ?8, not_before = ?9, held_reason = ?10,
                       last_error = ?11, hop = ?12, released = ?13
                   WHERE agent = ?1 AND seq = ?2";
        cx.conn.prepare_cached(sql)?.execute(params![
            self.agent,
            self.seq,
            Word(self.state),
            self.run,
            self.attempts,
            self.lost_count,
            self.marked_at.map(|at| at.0),
            self.marked_by,
            self.not_before.map(|at| at.0),
            self.held_reason,
            self.last_error,
            self.hop,
            self.released
        ])?;
        cx.touch_agent(self.agent);
        let is_kept = matches!(self.state, DeliveryState::Held | DeliveryState::Dead);
        if is_kept || agent.held > 0 || agent.dead > 0 {
            cx.touch_attention(agent.scope_id);
        }
        cx.judge(agent.scope_id);
        cx.emit(&agent.scope, EventBody::DeliveryChanged(Box::new(self.entity(agent))))
    }
}

pub fn query(
    conn: &Connection,
    sql: &str,
    values: impl rusqlite::Params,
) -> Result<Vec<DeliveryRow>, OpError> {
    let mut statement = conn.prepare_cached(sql)?;
    let rows = statement.query_map(values, DeliveryRow::from_row)?.collect::<Result<_, _>>()?;
    Ok(rows)
}

pub fn find(conn: &Connection, agent: i64, seq: i64) -> Result<Option<DeliveryRow>, OpError> {
    let sql = format!("SELECT {COLUMNS} FROM deliveries AS d WHERE d.agent = ?1 AND d.seq = ?2");
    Ok(query(conn, &sql, [agent, seq])?.pop())
}

/// The deliveries of a message of this conversation, whose members all its recipients are.
pub const OF_MESSAGE: &str = "SELECT d.* FROM group_members AS m
    JOIN deliveries AS d ON d.agent = m.agent AND d.seq = ?2
    WHERE m.group_id = ?1 ORDER BY m.agent";

/// The deliveries of a message.
pub fn of_message(conn: &Connection, group: i64, seq: i64) -> Result<Vec<DeliveryRow>, OpError> {
    query(conn, OF_MESSAGE, [group, seq])
}

/// What a run has leased, in order.
pub fn leased(conn: &Connection, run: i64) -> Result<Vec<DeliveryRow>, OpError> {
    let sql = format!(
        "SELECT {COLUMNS} FROM deliveries AS d INDEXED BY deliveries_leased
         WHERE d.run = ?1 AND d.state = 'leased' ORDER BY d.seq"
    );
    query(conn, &sql, [run])
}

/// What waits for an agent: mail in its inbox, or mail that will be tried again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Waking {
    /// Some of it can be leased, whatever the time.
    Pending,
    /// All of it waits for its time, which may have come.
    Waiting,
}

/// Whether waking mail waits for an agent.
pub fn waking(conn: &Connection, agent: i64) -> Result<Option<Waking>, OpError> {
    let exists = |which: &str| {
        let sql = format!(
            "SELECT 1 FROM deliveries INDEXED BY deliveries_open
             WHERE agent = ?1 AND wakes = 1 AND state IN ('pending', 'waiting')
               AND {which} LIMIT 1"
        );
        conn.prepare_cached(&sql)?.exists([agent])
    };
    // Neither pending mail has a time, nor mail whose agent was woken.
    if exists("not_before IS NULL")? {
        return Ok(Some(Waking::Pending));
    }
    Ok(exists("state = 'waiting'")?.then_some(Waking::Waiting))
}

/// The first waking mail of an agent that is due: its time has come, or lies so far ahead that
/// the clock must have been set back since.
pub fn first_due(cx: &Cx<'_>, agent: i64) -> Result<Option<DeliveryRow>, OpError> {
    let sql = format!(
        "SELECT {COLUMNS} FROM deliveries AS d INDEXED BY deliveries_open
         WHERE d.agent = ?1 AND d.wakes = 1 AND d.state IN ('pending', 'waiting')
           AND (d.not_before IS NULL OR d.not_before NOT BETWEEN ?2 + 1 AND ?3)
         ORDER BY d.seq LIMIT 1"
    );
    let longest = cx.now.after(cx.settings.longest_retry());
    Ok(query(cx.conn, &sql, [agent, cx.now.0, longest.0])?.pop())
}

/// Deliveries that wake an agent and may be leased together, of one conversation or of all, in
/// order: no `ask`, and nothing that was tried before.
pub fn untried_waking(
    conn: &Connection,
    agent: i64,
    group: Option<i64>,
    limit: u32,
) -> Result<Vec<DeliveryRow>, OpError> {
    let sql = format!(
        "SELECT {COLUMNS} FROM deliveries AS d INDEXED BY deliveries_open
         WHERE d.agent = ?1 AND d.wakes = 1 AND d.state IN ('pending', 'waiting')
           AND d.state = 'pending' AND d.solo = 0 AND d.attempts = 0 AND d.lost_count = 0
           AND (?2 IS NULL OR d.group_id = ?2)
         ORDER BY d.seq LIMIT ?3"
    );
    query(conn, &sql, params![agent, group, limit])
}

/// Deliveries of every conversation that do not wake their agent, in order. They never have a run
/// of their own, so a run takes them however often they were tried.
pub fn quiet(conn: &Connection, agent: i64, limit: u32) -> Result<Vec<DeliveryRow>, OpError> {
    let sql = format!(
        "SELECT {COLUMNS} FROM deliveries AS d INDEXED BY deliveries_open
         WHERE d.agent = ?1 AND d.wakes = 0 AND d.state IN ('pending', 'waiting')
           AND d.state = 'pending' AND d.solo = 0
         ORDER BY d.seq LIMIT ?2"
    );
    query(conn, &sql, params![agent, limit])
}

/// How many deliveries of each other conversation will wake an agent; of a long queue the first
/// part is counted.
pub fn elsewhere(conn: &Connection, agent: i64, group: i64) -> Result<Vec<(i64, i64)>, OpError> {
    const LOOKED_AT: i64 = 1000;
    let sql = "SELECT group_id, count(*) FROM (
                   SELECT group_id FROM deliveries INDEXED BY deliveries_open
                   WHERE agent = ?1 AND wakes = 1 AND state IN ('pending', 'waiting') LIMIT ?3)
               WHERE group_id <> ?2 GROUP BY group_id ORDER BY group_id";
    let mut statement = conn.prepare_cached(sql)?;
    let rows =
        statement.query_map([agent, group, LOOKED_AT], |row| Ok((row.get(0)?, row.get(1)?)))?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// An agent's mail that is held or dead, in order.
pub fn kept(conn: &Connection, agent: i64) -> Result<Vec<DeliveryRow>, OpError> {
    first_kept(conn, agent, u32::MAX)
}

/// The first of an agent's mail that is held or dead, in order.
pub fn first_kept(conn: &Connection, agent: i64, limit: u32) -> Result<Vec<DeliveryRow>, OpError> {
    let sql = format!(
        "SELECT {COLUMNS} FROM deliveries AS d INDEXED BY deliveries_kept
         WHERE d.agent = ?1 AND d.state IN ('held', 'dead') ORDER BY d.seq LIMIT ?2"
    );
    query(conn, &sql, params![agent, limit])
}

/// The first of an agent's mail that starts it or will be tried again, in order.
pub fn first_waking(
    conn: &Connection,
    agent: i64,
    limit: u32,
) -> Result<Vec<DeliveryRow>, OpError> {
    let sql = format!(
        "SELECT {COLUMNS} FROM deliveries AS d INDEXED BY deliveries_open
         WHERE d.agent = ?1 AND d.wakes = 1 AND d.state IN ('pending', 'waiting')
         ORDER BY d.seq LIMIT ?2"
    );
    query(conn, &sql, params![agent, limit])
}

/// An agent's mail that is in its inbox or will be tried again, newest first.
pub fn open(conn: &Connection, agent: i64, limit: u32) -> Result<Vec<DeliveryRow>, OpError> {
    let sql = format!(
        "SELECT {COLUMNS} FROM deliveries AS d INDEXED BY deliveries_open
         WHERE d.agent = ?1 AND d.wakes = ?2 AND d.state IN ('pending', 'waiting')
         ORDER BY d.seq DESC LIMIT ?3"
    );
    let mut rows = query(conn, &sql, params![agent, true, limit])?;
    rows.extend(query(conn, &sql, params![agent, false, limit])?);
    rows.sort_by_key(|row| -row.seq);
    Ok(rows)
}

/// Everything of an agent that is not at its end, newest first.
pub fn unfinished(conn: &Connection, agent: i64, limit: u32) -> Result<Vec<DeliveryRow>, OpError> {
    let mut rows = open(conn, agent, limit)?;
    rows.extend(kept(conn, agent)?);
    if let Some(run) = RunRow::live_of(conn, agent)? {
        rows.extend(leased(conn, run.number())?);
    }
    rows.sort_by_key(|row| -row.seq);
    rows.truncate(usize::try_from(limit).unwrap_or(usize::MAX));
    Ok(rows)
}

/// The newest mail of a member whatever became of it, newest first.
pub fn newest(conn: &Connection, agent: i64, limit: u32) -> Result<Vec<DeliveryRow>, OpError> {
    let sql = format!(
        "SELECT {COLUMNS} FROM deliveries AS d WHERE d.agent = ?1 ORDER BY d.seq DESC LIMIT ?2"
    );
    query(conn, &sql, params![agent, limit])
}

/// Everything that was ever leased to a run, in order, wherever it is now.
pub fn of_run(conn: &Connection, run: i64, agent: i64) -> Result<Vec<DeliveryRow>, OpError> {
    let sql = format!(
        "SELECT {COLUMNS} FROM run_roots AS had
         JOIN deliveries AS d ON d.agent = ?2 AND d.seq = had.seq
         WHERE had.run = ?1 ORDER BY had.seq"
    );
    query(conn, &sql, [run, agent])
}

/// Makes mail that waits for its time due at once.
pub fn make_due(cx: &mut Cx<'_>, agent: i64) -> Result<(), OpError> {
    let row = AgentRow::by_id(cx.conn, agent)?;
    for mut delivery in open(cx.conn, agent, u32::MAX)? {
        if delivery.not_before.is_some() {
            delivery.not_before = None;
            delivery.save(cx, &row)?;
        }
    }
    Ok(())
}

/// Drops everything of an agent that no run has and that is not at its end.
pub fn drop_open(cx: &mut Cx<'_>, agent: i64) -> Result<(), OpError> {
    let row = AgentRow::by_id(cx.conn, agent)?;
    let all = open(cx.conn, agent, u32::MAX)?.into_iter().chain(kept(cx.conn, agent)?);
    for mut delivery in all.collect::<Vec<_>>() {
        delivery.go(DeliveryState::Dropped)?;
        delivery.save(cx, &row)?;
    }
    Ok(())
}

/// Drops what an agent has of a conversation that no run has and that is not at its end.
pub fn drop_of_group(cx: &mut Cx<'_>, agent: &AgentRow, group: i64) -> Result<(), OpError> {
    let all = open(cx.conn, agent.id, u32::MAX)?.into_iter().chain(kept(cx.conn, agent.id)?);
    for mut delivery in all.filter(|row| row.group_id == group).collect::<Vec<_>>() {
        delivery.go(DeliveryState::Dropped)?;
        delivery.save(cx, agent)?;
    }
    Ok(())
}

/// Acks what the user's read cursor has passed.
pub fn ack_read(cx: &mut Cx<'_>, person: &AgentRow, group: i64, until: i64) -> Result<(), OpError> {
    let sql = format!(
        "SELECT {COLUMNS} FROM deliveries AS d INDEXED BY deliveries_leasable
         WHERE d.agent = ?1 AND d.group_id = ?2 AND d.seq <= ?3
           AND d.state = 'pending' AND d.solo = 0
           AND (d.wakes = 0 OR (d.attempts = 0 AND d.lost_count = 0))
         ORDER BY d.seq"
    );
    for mut delivery in query(cx.conn, &sql, [person.id, group, until])? {
        delivery.go(DeliveryState::Acked)?;
        delivery.save(cx, person)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use DeliveryState::Acked;
    use DeliveryState::Dead;
    use DeliveryState::Dropped;
    use DeliveryState::Held;
    use DeliveryState::Leased;
    use DeliveryState::Pending;
    use DeliveryState::Waiting;

    #[test]
    fn what_is_final_goes_nowhere() {
        for to in [Pending, Leased, Waiting, Held, Dead, Acked, Dropped] {
            assert!(!may_go(Acked, to) && !may_go(Dropped, to));
        }
    }
}
