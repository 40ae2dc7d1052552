//! `events`: the feed. A message stands once on the disk: its event has only who gets it, and is
//! put together with the message when it is read.

mod recipient;

use std::ops::{ControlFlow, RangeInclusive};

use agent_worker_protocol::{Delivery, Event, EventBody, MessageId, RunId, Scope, Timestamp};
use recipient::Recipient;

use crate::{
    error::{OpError, Result},
    rows::{Db, Table, checking, message, numbers, row, sql, statements, table},
};

table! {
    struct NewEvent<'a> into Events {
        seq: i64,
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
) -> Result<Event> {
    let (kind, subject) = (body.kind(), body.subject());
    let json = match &body {
        EventBody::MessageSent { deliveries, .. } => recipients_json(deliveries)?,
        body => body_json(body, kind)?,
    };
    let seq = numbers::next(db, Table::Events)?;
    let new = NewEvent { seq, scope, kind, subject: &subject, run, actor: &actor, at, body: &json };
    db.insert(&new)?;
    if cfg!(debug_assertions) {
        let stored = checking(|| find(db, seq)?.map(|row| row.whole(db)).transpose())?;
        let given = body_json(&body, kind)?;
        assert_eq!(stored.map(|row| row.body), Some(given), "an event is read as it was given");
    }
    Ok(Event { seq, scope: scope.clone(), run, actor, at, body })
}

/// What is stored as the body of a message's event.
fn recipients_json(deliveries: &[Delivery]) -> Result<String> {
    let recipients: Vec<_> = deliveries.iter().map(Recipient::of).collect();
    serde_json::to_string(&recipients)
        .map_err(|error| OpError::Broken(format!("an event: {error}")))
}

/// The body alone, cut out of the tagged form rather than serialized by way of a tree: this is
/// done for every event.
fn body_json(body: &EventBody, kind: &str) -> Result<String> {
    let mut json = serde_json::to_string(body)
        .map_err(|error| OpError::Broken(format!("an event: {error}")))?;
    let inner = json
        .strip_prefix(r#"{"kind":""#)
        .and_then(|rest| rest.strip_prefix(kind))
        .and_then(|rest| rest.strip_prefix(r#"","body":"#))
        .and_then(|rest| rest.strip_suffix('}'));
    let other_form = || OpError::Broken(format!("an event of another form: {json}"));
    let length = inner.map(str::len).ok_or_else(other_form)?;
    json.pop();
    json.drain(..json.len() - length);
    Ok(json)
}

statements! {
    /// The oldest event that is kept and the newest there was, with those of a transaction that is
    /// not over. Where none is kept, the oldest is the next one.
    pub fn range() -> one (i64, i64) =
        "SELECT coalesce(min(e.seq), n.seq + 1), n.seq
            FROM (SELECT max((SELECT coalesce(max(value ->> 'event'), 0) FROM daemon_state
                              WHERE key = 'numbers'),
                             (SELECT coalesce(max(seq), 0) FROM events)) AS seq) AS n
            LEFT JOIN events AS e ON e.seq = (SELECT min(seq) FROM events)";

    fn find(seq: i64) -> maybe EventRow = EventRow::SELECT, " WHERE seq = ?1";

    /// When the newest event happened; `None` if none is kept.
    pub fn newest_at() -> maybe Timestamp = "SELECT at FROM events ORDER BY seq DESC LIMIT 1";

    /// The newest event's number; 0 if none is kept.
    pub fn newest_seq() -> one i64 = "SELECT coalesce(max(seq), 0) FROM events";
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

impl EventRow {
    /// With its whole body. The event of a message was stored without the message; those of
    /// schema 10 and before are whole.
    pub fn whole(mut self, db: Db<'_>) -> Result<Self> {
        if self.body.starts_with('[') {
            self.body = self.message_body(db)?;
        }
        Ok(self)
    }

    fn message_body(&self, db: Db<'_>) -> Result<String> {
        let broken = |why: &dyn std::fmt::Display| {
            OpError::Broken(format!("event {} of {}: {why}", self.seq, self.subject))
        };
        let id: MessageId = self.subject.parse().map_err(|bad| broken(&bad))?;
        let found = message::find(db, id.number())?;
        let mut message = found.ok_or_else(|| broken(&"the message is not there"))?;
        // What is archived has another tag since.
        message.scope = self.scope.clone();
        let recipients: Vec<Recipient<'_>> =
            serde_json::from_str(&self.body).map_err(|error| broken(&error))?;
        let deliveries = recipients.into_iter().map(|recipient| recipient.delivery(id)).collect();
        let body = EventBody::MessageSent { message: Box::new(message), deliveries };
        body_json(&body, &self.kind)
    }
}

/// Has the events of a workflow's messages hold them whole, before the messages are removed.
pub fn keep_messages(db: Db<'_>, workflow: i64) -> Result<()> {
    const SQL: &str = sql!(
        EventRow::SELECT,
        " WHERE kind = 'message.sent' AND body LIKE '[%' AND CAST(substr(subject, 5) AS INTEGER) IN
              (SELECT m.seq FROM groups AS g JOIN messages AS m ON m.group_id = g.id
               WHERE g.scope = ?1)"
    );
    for row in db.all::<EventRow>(SQL, (workflow,))? {
        let whole = row.whole(db)?;
        let sql = "UPDATE events SET body = ?2 WHERE seq = ?1";
        db.change(Table::Events, sql, (whole.seq, &whole.body))?;
    }
    Ok(())
}

/// The events after a place, or of one scope those, in order, each as it is stored: a message's
/// is not [whole](EventRow::whole).
pub fn after(
    db: Db<'_>,
    scope: Option<&Scope>,
    seq: i64,
    limit: i64,
    mut take: impl FnMut(EventRow),
) -> Result<()> {
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

/// Events on one side of a place, the nearest first.
pub const fn side(is_scoped: bool, is_older: bool) -> &'static str {
    match (is_scoped, is_older) {
        (true, true) => sql!(EventRow::SELECT, " WHERE scope = ?2 AND seq < ?1 ORDER BY seq DESC"),
        (true, false) => sql!(EventRow::SELECT, " WHERE scope = ?2 AND seq > ?1 ORDER BY seq ASC"),
        (false, true) => sql!(EventRow::SELECT, " WHERE ?2 IS NULL AND seq < ?1 ORDER BY seq DESC"),
        (false, false) => sql!(EventRow::SELECT, " WHERE ?2 IS NULL AND seq > ?1 ORDER BY seq ASC"),
    }
}

/// The first event, and the one behind the last. Each end is asked for by itself: a query of both
/// reads the whole table.
pub const ENDS: &str = "SELECT (SELECT min(seq) FROM events), (SELECT max(seq) FROM events) + 1";

/// The first event before a place that is of a time. No index has the times.
pub const FIRST_OF_TIME: &str =
    "SELECT seq FROM events WHERE seq < ?1 AND at BETWEEN ?2 AND ?3 ORDER BY seq LIMIT 1";

/// Removes events, but neither those of a time nor the newest `keep`. Only the first `at_once` are
/// examined; tells whether there is more to remove. They go from the first one on: times are no
/// order, and what is kept has no gap. An event after that time, from a clock that was ahead, keeps
/// nothing.
pub fn forget(
    db: Db<'_>,
    time: RangeInclusive<Timestamp>,
    keep: i64,
    at_once: i64,
) -> Result<bool> {
    let (first, end): (Option<i64>, Option<i64>) = db.one(ENDS, ())?;
    let (Some(first), Some(end)) = (first, end) else { return Ok(false) };
    let until = end - keep;
    let part = until.min(first + at_once);
    let of_time: Option<i64> = db.maybe(FIRST_OF_TIME, (part, time.start(), time.end()))?;
    numbers::note(db)?;
    let sql = "DELETE FROM events WHERE seq < ?1";
    db.change(Table::Events, sql, (of_time.unwrap_or(part),))?;
    Ok(of_time.is_none() && part < until)
}
