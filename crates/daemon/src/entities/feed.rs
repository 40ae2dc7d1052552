//! The feed's rows.

use agent_worker_protocol::{Cursor, Scope, Timestamp, event::KINDS, nearest::nearest};

use crate::{
    error::{OpError, Result},
    rows::{Db, EventRow, daemon_state, event},
};

/// Which events a reader of the feed wants.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Filter {
    /// Of this scope alone
    pub scope: Option<Scope>,
    /// Only these kinds; all kinds if empty
    kinds: Vec<String>,
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
    /// A filter for a scope and for kinds as a query names them, separated by commas. An unknown
    /// kind is refused: nothing would ever come.
    pub fn new(scope: Option<Scope>, kinds: Option<&str>) -> Result<Self> {
        let kinds = kinds.iter().flat_map(|kinds| kinds.split(','));
        let kinds: Vec<_> = kinds.map(str::trim).filter(|kind| !kind.is_empty()).collect();
        if let Some(unknown) = kinds.iter().find(|kind| !KINDS.contains(kind)) {
            let hint = match nearest(unknown, KINDS) {
                Some(near) => format!("did you mean `{near}`?"),
                None => format!("kinds: {}", KINDS.join(", ")),
            };
            return Err(OpError::invalid(format!("unknown kind of event `{unknown}`")).hint(hint));
        }
        Ok(Self { scope, kinds: kinds.into_iter().map(str::to_owned).collect() })
    }

    /// Whether an event of this kind is wanted.
    pub fn wants(&self, kind: &str) -> bool {
        self.kinds.is_empty() || self.kinds.iter().any(|wanted| wanted == kind)
    }
}

/// A page of the feed after `after`. Also how far was looked, so that a reader whose filter lets
/// little through does not look at the same rows again.
pub fn page(db: Db<'_>, filter: &Filter, after: i64, limit: usize) -> Result<(Vec<FeedLine>, i64)> {
    let limit = i64::try_from(limit).unwrap_or(i64::MAX);
    let (mut rows, mut seen) = (Vec::new(), after);
    event::after(db, filter.scope.as_ref(), after, limit, |row| {
        seen = row.seq;
        if filter.wants(&row.kind) {
            rows.push(row);
        }
    })?;
    let lines = rows.into_iter().map(|row| {
        let row = row.whole(db)?;
        let json = line(&row);
        Ok(FeedLine { seq: row.seq, kind: row.kind, json })
    });
    Ok((lines.collect::<Result<_>>()?, seen))
}

/// Puts an event's JSON together without parsing its body again.
fn line(row: &EventRow) -> String {
    let quoted = |text: &str| serde_json::Value::from(text).to_string();
    format!(
        r#"{{"seq":{},"scope":{},"run":{},"actor":{},"at":{},"kind":{},"body":{}}}"#,
        row.seq,
        quoted(&row.scope.to_string()),
        row.run.map_or_else(|| "null".to_owned(), |run| quoted(&run.to_string())),
        quoted(&row.actor),
        row.at.0,
        quoted(&row.kind),
        row.body,
    )
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

const NO_LONGER_KEPT: &str = "the events after the cursor are no longer kept";

/// Finds the place of a reader that comes with this cursor, or from now on.
pub fn place(db: Db<'_>, cursor: Option<&Cursor>) -> Result<Place> {
    let (epoch, (oldest, newest)) = (daemon_state::epoch(db)?, event::range(db)?);
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
    Ok(Place { epoch, after, newest, lost, started_at: daemon_state::started_at(db)? })
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
pub fn read_on(db: Db<'_>, filter: &Filter, after: i64, limit: usize) -> Result<Part> {
    let (oldest, newest) = event::range(db)?;
    if after + 1 < oldest {
        return Ok(Part::Lost { newest, reason: NO_LONGER_KEPT });
    }
    let (lines, seen) = page(db, filter, after, limit)?;
    Ok(Part::Lines(lines, seen))
}
