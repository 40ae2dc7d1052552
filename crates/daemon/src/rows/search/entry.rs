//! `search_entries`: what the index has found.

use agent_worker_protocol::{HitKind, Scope, Timestamp};

use crate::{
    error::Result,
    rows::{Db, row, sql},
};

row! {
    /// What lies behind an entry.
    pub struct Found from "search_entries AS e JOIN workflows AS w ON w.id = e.scope" {
        scope: Scope = "'@' || w.name || ':' || w.tag",
        kind: HitKind = "e.kind",
        /// The number of the message or the resource
        number: Option<i64> = "e.number",
        scope_id: i64 = "e.scope",
        /// The document's path as it is compared
        path_key: Option<String> = "e.path_key",
    }
}

/// How far a clock may be set back, in ms, without a search by time that misses something.
const SET_BACK: i64 = 24 * 60 * 60 * 1000;

/// What is looked for and where, on every surface. Numbers narrow a time down, and each entry is
/// asked for its own: after the clock was set back, what is newer may have an earlier time.
const MATCHES: &str =
    "SELECT rowid FROM search WHERE search MATCH ?1 AND rowid >= ?2 AND rowid < ?3
        AND (?5 OR NOT EXISTS (
            SELECT 1 FROM search_entries AS e JOIN messages AS m ON m.seq = e.number
            WHERE e.id = search.rowid AND e.kind IN ('message', 'system') AND m.hidden = 1))
        AND (?6 IS NULL OR ?6 <= (SELECT at FROM search_entries WHERE id = search.rowid))
        AND (?7 IS NULL OR ?7 > (SELECT at FROM search_entries WHERE id = search.rowid))
    ORDER BY rowid DESC LIMIT ?4";

/// The entries that an expression finds between two times and with lower numbers than `next`,
/// newest first. What the user took out of all prompts is found only if that is asked for.
pub fn matches(
    db: Db<'_>,
    expression: &str,
    (after, before): (Option<Timestamp>, Option<Timestamp>),
    next: Option<i64>,
    limit: u32,
    with_hidden: bool,
) -> Result<Vec<i64>> {
    let place = |at| place(db, Timestamp(at));
    let from = after.map_or(Ok(0), |after| place(after.0.saturating_sub(SET_BACK)))?;
    let until = before.map_or(Ok(i64::MAX), |before| place(before.0.saturating_add(SET_BACK)))?;
    let until = next.map_or(until, |next| next.min(until));
    db.all(MATCHES, (expression, from, until, limit, with_hidden, after, before))
}

/// What lies behind an entry, if that is still there.
pub fn find(db: Db<'_>, id: i64) -> Result<Option<Found>> {
    const SQL: &str = sql!(Found::SELECT, " WHERE e.id = ?1");
    db.maybe(SQL, (id,))
}

/// A number behind an entry that is earlier than this time, or 0. The next entry is not earlier.
/// After a clock was set back there may be several such numbers, and this is any of them.
fn place(db: Db<'_>, time: Timestamp) -> Result<i64> {
    let newest: i64 = db.one("SELECT coalesce(max(id), 0) FROM search_entries", ())?;
    let (mut low, mut high) = (0, newest + 1);
    while low < high {
        let middle = low + (high - low) / 2;
        let next = "SELECT id, at FROM search_entries WHERE id >= ?1 ORDER BY id LIMIT 1";
        match db.maybe::<(i64, Timestamp)>(next, (middle,))? {
            Some((id, at)) if at < time => low = id + 1,
            _ => high = middle,
        }
    }
    Ok(low)
}
