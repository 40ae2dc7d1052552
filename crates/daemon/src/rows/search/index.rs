//! What comes into the index, and out of it. The number of an entry gives the order. A change of a
//! document or a resource stores its entry; a message gets one later, before anything newer does.
//! The words follow in batches. Two marks in `daemon_state` tell how far both have come; a search
//! has what is missing stored first.

use agent_worker_protocol::{HitKind, Name, Timestamp};

use crate::{
    error::Result,
    rows::{
        Db, Table,
        daemon_state::{self, ENTERED, INDEXED},
        numbers, row,
        search::{facts, text},
        sql, table,
    },
};

table! {
    struct NewEntry<'a> into SearchEntries {
        id: i64,
        scope: i64,
        kind: HitKind,
        /// The number of the message or the resource
        number: Option<i64>,
        /// The document's path as it is compared
        path_key: Option<&'a str>,
        at: Timestamp,
    }
}

row! {
    /// An entry whose words are not in the index yet.
    struct Entry from "search_entries" {
        id: i64,
        scope: i64,
        kind: HitKind,
        number: Option<i64>,
        path_key: Option<String>,
    }
}

row! {
    /// A message as it is found.
    struct MessageText from "messages AS m JOIN groups AS g ON g.id = m.group_id
                             LEFT JOIN resources AS r ON r.id = m.resource" {
        group: i64 = "m.group_id",
        is_channel: bool = "g.kind = 'channel'",
        by: Name = "m.sender",
        text: String = "coalesce(r.content, m.content)",
    }
}

/// What is found beside messages: its kind, the number of a resource, and a document's path as it is
/// compared.
type What<'a> = (HitKind, Option<i64>, Option<&'a str>);

/// Has something found, and a document no longer by what it was before. All messages that wait are
/// entered first, so that what is newer has a higher number.
pub fn add(
    db: Db<'_>,
    scope: i64,
    (kind, number, path_key): What<'_>,
    at: Timestamp,
) -> Result<()> {
    if let Some(path) = path_key {
        remove_document(db, scope, path)?;
    }
    enter(db, u32::MAX)?;
    let id = numbers::next(db, Table::SearchEntries)?;
    db.insert(&NewEntry { id, scope, kind, number, path_key, at }).map(drop)
}

/// A document is found no longer.
fn remove_document(db: Db<'_>, scope: i64, path: &str) -> Result<()> {
    let sql = "DELETE FROM search_entries WHERE scope = ?1 AND path_key = ?2 RETURNING id";
    numbers::note(db)?;
    let Some(id) = db.maybe::<i64>(sql, (scope, path))? else { return Ok(()) };
    db.change(Table::Search, "DELETE FROM search WHERE rowid = ?1", (id,)).map(drop)
}

/// Whether messages wait for their entries, or entries for their words.
pub fn is_behind(db: Db<'_>) -> Result<bool> {
    let sql = "SELECT 1 FROM messages WHERE seq > ?1
               UNION ALL SELECT 1 FROM search_entries WHERE id > ?2 LIMIT 1";
    db.exists(sql, (daemon_state::number(db, ENTERED)?, daemon_state::number(db, INDEXED)?))
}

/// Gives at most `most` messages their entries, the oldest first.
fn enter(db: Db<'_>, most: u32) -> Result<()> {
    let sql = "INSERT INTO search_entries (id, scope, kind, number, at)
               SELECT ?1 + row_number() OVER (ORDER BY seq), scope, kind, seq, created_at
               FROM (SELECT seq, scope, kind, created_at FROM messages
                     WHERE seq > ?2 ORDER BY seq LIMIT ?3)";
    let last = numbers::newest(db, Table::SearchEntries)?;
    let entered = daemon_state::number(db, ENTERED)?;
    if db.change(Table::SearchEntries, sql, (last, entered, most))? > 0 {
        let newest: i64 =
            db.one("SELECT number FROM search_entries ORDER BY id DESC LIMIT 1", ())?;
        daemon_state::note(db, ENTERED, &newest.to_string())?;
    }
    Ok(())
}

/// Stores the words of at most `most` entries that wait for it, the oldest first.
pub fn catch_up(db: Db<'_>, most: u32) -> Result<()> {
    const NEXT: &str = sql!(Entry::SELECT, " WHERE id > ?1 ORDER BY id LIMIT ?2");
    enter(db, most)?;
    let entries: Vec<Entry> = db.all(NEXT, (daemon_state::number(db, INDEXED)?, most))?;
    let Some(newest) = entries.last().map(|entry| entry.id) else { return Ok(()) };
    for entry in &entries {
        insert(db, entry)?;
    }
    daemon_state::note(db, INDEXED, &newest.to_string())
}

fn insert(db: Db<'_>, entry: &Entry) -> Result<()> {
    let mut facts = vec![facts::scope(entry.scope), facts::kind(entry.kind)];
    let text = match (entry.kind, entry.number, &entry.path_key) {
        (HitKind::Message | HitKind::System, Some(seq), _) => message(db, seq, &mut facts)?,
        (HitKind::Resource, Some(id), _) => resource(db, id, &mut facts)?,
        (_, _, Some(path)) => document(db, entry.scope, path, &mut facts)?,
        _ => None,
    };
    // What is removed takes its entry with it.
    let Some(text) = text else { return Ok(()) };
    let text::Columns { words, pairs } = text::columns(&text);
    let sql = "INSERT INTO search (rowid, words, pairs, facts) VALUES (?1, ?2, ?3, ?4)";
    db.change(Table::Search, sql, (entry.id, words.as_ref(), pairs, facts.join(" "))).map(drop)
}

fn message(db: Db<'_>, seq: i64, facts: &mut Vec<String>) -> Result<Option<String>> {
    const SQL: &str = sql!(MessageText::SELECT, " WHERE m.seq = ?1");
    // Each recipient is or was a member of its conversation.
    const RECIPIENTS: &str = "SELECT a.name FROM group_members AS m
        JOIN deliveries AS d ON d.agent = m.agent AND d.seq = ?2
        JOIN agents AS a ON a.id = m.agent WHERE m.group_id = ?1";
    let Some(message) = db.maybe::<MessageText>(SQL, (seq,))? else { return Ok(None) };
    facts.extend([facts::from(&message.by), facts::group(message.group)]);
    if message.is_channel {
        facts.extend([facts::OPEN, facts::CHANNEL].map(str::to_owned));
    }
    let recipients: Vec<Name> = db.all(RECIPIENTS, (message.group, seq))?;
    facts.extend(recipients.iter().map(facts::to));
    Ok(Some(message.text))
}

fn resource(db: Db<'_>, id: i64, facts: &mut Vec<String>) -> Result<Option<String>> {
    let sql = "SELECT created_by, content FROM resources WHERE id = ?1";
    Ok(db.maybe::<(Name, String)>(sql, (id,))?.map(|(by, text)| open(&by, text, facts)))
}

/// A document is found by its path too.
fn document(db: Db<'_>, scope: i64, path: &str, facts: &mut Vec<String>) -> Result<Option<String>> {
    let sql = "SELECT author, content FROM documents WHERE scope = ?1 AND path_key = ?2";
    let found = db.maybe::<(Name, String)>(sql, (scope, path))?;
    Ok(found.map(|(by, text)| open(&by, format!("{path}\n{text}"), facts)))
}

/// What every member of the scope may read.
fn open(by: &Name, text: String, facts: &mut Vec<String>) -> String {
    facts.extend([facts::from(by), facts::OPEN.to_owned()]);
    text
}
