//! Deliveries: one message for one recipient, from the inbox to its end. Every change of one goes
//! through [`DeliveryRow::save`], and only along the edges of [`may_go`].

use agent_worker_protocol::{
    agent::MemberKind,
    inbox::{DeliveryState, Reason},
    time::Timestamp,
};
use rusqlite::{Connection, Row, params};

use crate::{
    error::OpError,
    rows::{run::RunRow, word::Word},
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

impl DeliveryRow {
    pub fn from_row(row: &Row<'_>) -> rusqlite::Result<Self> {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::edges::may_go;
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
