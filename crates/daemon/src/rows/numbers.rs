//! The numbers of messages, events and entries of the search index: each one more than the last, and
//! none twice, also after the newest row is gone. The writer counts them, and notes the last ones in
//! `daemon_state` once for each transaction. SQLite's own AUTOINCREMENT looks up and writes its mark
//! for each row.

use crate::{
    error::{OpError, Result},
    rows::{Db, Kept, Table, checking, daemon_state},
};

/// The number that the next row of one of [`Table::NUMBERED`] gets.
pub fn next(db: Db<'_>, table: Table) -> Result<i64> {
    Ok(newest(db, table)? + 1)
}

/// The last number that one of [`Table::NUMBERED`] gave, also if its row is gone; 0 without any.
pub fn newest(db: Db<'_>, table: Table) -> Result<i64> {
    let at = table.numbered().ok_or_else(|| OpError::Broken(format!("{table:?}: no numbers")))?;
    Ok(last(db)?[at])
}

/// Notes the numbers that this transaction has given. To be called before a number's row may go,
/// and before COMMIT.
pub fn note(db: Db<'_>) -> Result<()> {
    if !db.kept().is_some_and(Kept::has_given) {
        return Ok(());
    }
    let [message, event, entry] = last(db)?;
    let noted = format!(r#"{{"message":{message},"event":{event},"entry":{entry}}}"#);
    daemon_state::note(db, "numbers", &noted)
}

fn last(db: Db<'_>) -> Result<[i64; 3]> {
    let Some(kept) = db.kept() else { return read(db) };
    if let Some(last) = kept.last() {
        if cfg!(debug_assertions) {
            let read = checking(|| read(db))?;
            let is_behind = last.iter().zip(&read).any(|(kept, read)| kept < read);
            assert!(!is_behind, "numbers kept: {last:?}, in the tables: {read:?}");
        }
        return Ok(last);
    }
    let last = read(db)?;
    kept.set_last(last);
    Ok(last)
}

fn read(db: Db<'_>) -> Result<[i64; 3]> {
    let noted = "SELECT value ->> 'message', value ->> 'event', value ->> 'entry'
                 FROM daemon_state WHERE key = 'numbers'";
    let newest = "SELECT (SELECT coalesce(max(seq), 0) FROM messages),
                      (SELECT coalesce(max(seq), 0) FROM events),
                      (SELECT coalesce(max(id), 0) FROM search_entries)";
    let (message, event, entry): (i64, i64, i64) = db.maybe(noted, ())?.unwrap_or_default();
    let newest: (i64, i64, i64) = db.one(newest, ())?;
    Ok([message.max(newest.0), event.max(newest.1), entry.max(newest.2)])
}
