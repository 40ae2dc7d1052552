//! `events`: the feed.

use std::ops::ControlFlow;

use agent_worker_protocol::{
    event::{Event, EventBody},
    id::RunId,
    target::Scope,
    time::Timestamp,
};

use crate::{
    error::OpError,
    rows::{Db, Table, row, sql, table},
};

table! {
    struct NewEvent<'a> into Events {
        scope: &'a Scope,
        kind: &'a str,
        subject: &'a str,
        run: Option<RunId>,
        actor: &'a str,
        at: Timestamp,
        body: &'a str,
    }
}

/// Stores an event and gives it with its place.
pub fn insert(
    db: Db<'_>,
    at: Timestamp,
    scope: &Scope,
    run: Option<RunId>,
    actor: String,
    body: EventBody,
) -> Result<Event, OpError> {
    let (kind, subject) = (body.kind(), body.subject());
    let json = body_json(&body, kind)?;
    let new = NewEvent { scope, kind, subject: &subject, run, actor: &actor, at, body: &json };
    let seq = db.insert(&new)?;
    Ok(Event { seq, scope: scope.clone(), run, actor, at, body })
}

/// The body alone, cut out of the tagged form rather than serialized by way of a tree: this is
/// done for every event.
pub fn body_json(body: &EventBody, kind: &str) -> Result<String, OpError> {
    let tagged = serde_json::to_string(body)
        .map_err(|error| OpError::Broken(format!("an event: {error}")))?;
    tagged
        .strip_prefix(&format!(r#"{{"kind":"{kind}","body":"#))
        .and_then(|rest| rest.strip_suffix('}'))
        .map(ToOwned::to_owned)
        .ok_or_else(|| OpError::Broken(format!("an event of another form: {tagged}")))
}

/// The oldest event that is kept and the newest there was. Where none is kept, the oldest is the
/// one to come.
pub fn range(db: Db<'_>) -> Result<(i64, i64), OpError> {
    let sql = "SELECT coalesce(min(e.seq), n.seq + 1), n.seq
               FROM (SELECT coalesce(max(seq), 0) AS seq FROM sqlite_sequence
                     WHERE name = 'events') AS n
               LEFT JOIN events AS e ON e.seq = (SELECT min(seq) FROM events)";
    db.one(sql, ())
}

row! {
    /// An event as it is stored, its body as text.
    pub struct EventRow from "events" {
        seq: i64,
        scope: Scope,
        kind: String,
        subject: String,
        run: Option<RunId>,
        actor: String,
        at: Timestamp,
        body: String,
    }
}

/// The events after a place, or of one scope those, in order.
pub fn after(
    db: Db<'_>,
    scope: Option<&Scope>,
    seq: i64,
    limit: i64,
    mut take: impl FnMut(EventRow),
) -> Result<(), OpError> {
    const OF_SCOPE: &str =
        sql!(EventRow::SELECT, " WHERE scope = ?2 AND seq > ?1 ORDER BY seq LIMIT ?3");
    const OF_ALL: &str =
        sql!(EventRow::SELECT, " WHERE seq > ?1 AND ?2 IS NULL ORDER BY seq LIMIT ?3");
    let sql = if scope.is_some() { OF_SCOPE } else { OF_ALL };
    db.each(sql, (seq, scope, limit), |row| {
        take(row);
        ControlFlow::Continue(())
    })
}

macro_rules! side {
    ($scope:literal, $sign:literal, $direction:literal) => {
        sql!(
            EventRow::SELECT,
            " WHERE ",
            $scope,
            " AND seq ",
            $sign,
            " ?1 ORDER BY seq ",
            $direction
        )
    };
}

/// Events on one side of a place, the nearest first.
pub const fn side(is_scoped: bool, is_older: bool) -> &'static str {
    match (is_scoped, is_older) {
        (true, true) => side!("scope = ?2", "<", "DESC"),
        (true, false) => side!("scope = ?2", ">", "ASC"),
        (false, true) => side!("?2 IS NULL", "<", "DESC"),
        (false, false) => side!("?2 IS NULL", ">", "ASC"),
    }
}

/// When the newest event happened; `None` if none is kept.
pub fn newest_at(db: Db<'_>) -> Result<Option<Timestamp>, OpError> {
    db.maybe("SELECT at FROM events ORDER BY seq DESC LIMIT 1", ())
}

/// Removes events, but neither those since `before` nor the newest `keep`. Tells whether there is
/// more to remove than `at_once`. They go from the first one on: times are no order, and what is
/// kept has no gap.
pub fn forget(db: Db<'_>, before: Timestamp, keep: i64, at_once: i64) -> Result<bool, OpError> {
    let sql = "SELECT min(seq), max(seq) - ?2 + 1,
                   (SELECT seq FROM events WHERE at >= ?1 ORDER BY seq LIMIT 1)
               FROM events";
    let (first, of_number, of_time): (Option<i64>, Option<i64>, Option<i64>) =
        db.one(sql, (before, keep))?;
    let (Some(first), Some(of_number)) = (first, of_number) else { return Ok(false) };
    let until = of_number.min(of_time.unwrap_or(of_number));
    let part = until.min(first + at_once);
    db.change(Table::Events, "DELETE FROM events WHERE seq < ?1", (part,))?;
    Ok(part < until)
}

/// The newest event's number; 0 if none is kept.
pub fn newest_seq(db: Db<'_>) -> Result<i64, OpError> {
    db.one("SELECT coalesce(max(seq), 0) FROM events", ())
}
