//! The feed's rows.

use agent_worker_protocol::{event::Cursor, id::RunId, target::Scope, time::Timestamp};
use rusqlite::{Connection, params};

use crate::{
    error::OpError,
    rows::{Db, daemon_state, event},
};

/// Which events a reader of the feed wants.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Filter {
    /// Of this scope alone
    pub scope: Option<Scope>,
    /// Only these kinds; all kinds if empty
    pub kinds: Vec<String>,
}

/// An event as it goes out: its place, its kind, and the whole of it as JSON text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FeedLine {
    /// Its place in the feed
    pub seq: i64,
    pub kind: String,
    /// The event as JSON
    pub json: String,
}

impl Filter {
    /// A filter for a scope and for kinds as a query names them, separated by commas.
    pub fn new(scope: Option<Scope>, kinds: Option<&str>) -> Self {
        let kinds = kinds.iter().flat_map(|kinds| kinds.split(','));
        let kinds = kinds.map(|kind| kind.trim().to_owned()).filter(|kind| !kind.is_empty());
        Self { scope, kinds: kinds.collect() }
    }

    /// Whether an event of this kind is wanted.
    pub fn wants(&self, kind: &str) -> bool {
        self.kinds.is_empty() || self.kinds.iter().any(|wanted| wanted == kind)
    }
}

/// A page of the feed after `after`. Also how far was looked, so that a reader whose filter lets
/// little through does not look at the same rows again.
pub fn page(
    conn: &Connection,
    filter: &Filter,
    after: i64,
    limit: usize,
) -> Result<(Vec<FeedLine>, i64), OpError> {
    let scope = filter.scope.as_ref().map(ToString::to_string);
    let sql = if scope.is_some() {
        "SELECT seq, scope, kind, run, actor, at, body FROM events
         WHERE scope = ?2 AND seq > ?1 ORDER BY seq LIMIT ?3"
    } else {
        "SELECT seq, scope, kind, run, actor, at, body FROM events
         WHERE seq > ?1 AND ?2 IS NULL ORDER BY seq LIMIT ?3"
    };
    let mut statement = conn.prepare_cached(sql)?;
    let limit = i64::try_from(limit).unwrap_or(i64::MAX);
    let mut rows = statement.query(params![after, scope, limit])?;
    let (mut lines, mut seen) = (Vec::new(), after);
    while let Some(row) = rows.next()? {
        seen = row.get("seq")?;
        let kind: String = row.get("kind")?;
        if filter.wants(&kind) {
            let json = line(row, &kind)?;
            lines.push(FeedLine { seq: seen, kind, json });
        }
    }
    Ok((lines, seen))
}

/// Puts an event's JSON together without parsing its body again.
pub fn line(row: &rusqlite::Row<'_>, kind: &str) -> Result<String, rusqlite::Error> {
    let quoted = |text: &str| serde_json::Value::from(text).to_string();
    let run: Option<i64> = row.get("run")?;
    Ok(format!(
        r#"{{"seq":{},"scope":{},"run":{},"actor":{},"at":{},"kind":{},"body":{}}}"#,
        row.get::<_, i64>("seq")?,
        quoted(&row.get::<_, String>("scope")?),
        run.map_or_else(|| "null".to_owned(), |run| quoted(&RunId::new(run).to_string())),
        quoted(&row.get::<_, String>("actor")?),
        row.get::<_, i64>("at")?,
        quoted(kind),
        row.get::<_, String>("body")?,
    ))
}

/// Where a reader goes on, and what it is told of that.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    pub epoch: String,
    /// After which event
    pub after: i64,
    /// The newest event there is
    pub newest: i64,
    /// Why it cannot go on from its cursor, if it cannot
    pub lost: Option<&'static str>,
    /// When the daemon started
    pub started_at: Option<Timestamp>,
}

pub const NO_LONGER_KEPT: &str = "the events after the cursor are no longer kept";

/// Finds the place of a reader that comes with this cursor, or from now on.
pub fn place(conn: &Connection, cursor: Option<&Cursor>) -> Result<Place, OpError> {
    let (epoch, (oldest, newest)) = (daemon_state::epoch(Db::new(conn))?, event::range(conn)?);
    let lost = cursor.and_then(|cursor| {
        let is_foreign = cursor.epoch.as_ref().is_some_and(|known| *known != epoch);
        match cursor.seq {
            _ if is_foreign => Some("the cursor is of another database"),
            seq if seq > newest => Some("the cursor is ahead of the feed"),
            seq if seq + 1 < oldest => Some(NO_LONGER_KEPT),
            _ => None,
        }
    });
    let after = match cursor {
        Some(cursor) if lost.is_none() => cursor.seq,
        _ => newest,
    };
    Ok(Place { epoch, after, newest, lost, started_at: daemon_state::started_at(Db::new(conn))? })
}

/// What comes next for a reader.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Part {
    /// These events, and how far was looked
    Lines(Vec<FeedLine>, i64),
    /// It is too slow: unread events are gone, and it continues after the newest event
    Lost {
        /// That event
        newest: i64,
        /// What the reader is told
        reason: &'static str,
    },
}

/// Reads on after an event, if what follows it is still kept.
pub fn read_on(
    conn: &Connection,
    filter: &Filter,
    after: i64,
    limit: usize,
) -> Result<Part, OpError> {
    let (oldest, newest) = event::range(conn)?;
    if after + 1 < oldest {
        return Ok(Part::Lost { newest, reason: NO_LONGER_KEPT });
    }
    let (lines, seen) = page(conn, filter, after, limit)?;
    Ok(Part::Lines(lines, seen))
}
