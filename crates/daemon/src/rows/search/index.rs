//! What comes into the index, and out of it.

use agent_worker_protocol::{id::ResourceId, name::Name, search::HitKind, time::Timestamp};
use rusqlite::{Connection, OptionalExtension, params};

use crate::{
    error::OpError,
    rows::{
        search::{facts, text},
        word::Word,
    },
};

/// What is about to be found.
#[derive(Debug)]
pub struct Entry<'a> {
    pub scope: i64,
    pub kind: HitKind,
    /// The number of the message or the resource
    pub number: Option<i64>,
    /// The document's path as it is compared
    pub path_key: Option<&'a str>,
    /// Who said, made or wrote it
    pub by: &'a Name,
    pub at: Timestamp,
    /// Its whole text
    pub text: &'a str,
}

/// Where a message is, and who gets it.
#[derive(Debug)]
pub struct Post<'a> {
    pub group: i64,
    /// Whether that is a channel
    pub is_channel: bool,
    pub recipients: Vec<&'a Name>,
}

pub fn insert(conn: &Connection, entry: &Entry<'_>, facts: &str) -> Result<(), OpError> {
    let sql = "INSERT INTO search_entries (scope, kind, number, path_key, at)
               VALUES (?1, ?2, ?3, ?4, ?5)";
    conn.prepare_cached(sql)?.execute(params![
        entry.scope,
        Word(entry.kind),
        entry.number,
        entry.path_key,
        entry.at.0
    ])?;
    let id = conn.last_insert_rowid();
    let text::Columns { words, pairs } = text::columns(entry.text);
    let sql = "INSERT INTO search (rowid, words, pairs, facts) VALUES (?1, ?2, ?3, ?4)";
    conn.prepare_cached(sql)?.execute(params![id, words, pairs, facts])?;
    Ok(())
}

pub fn facts_of(entry: &Entry<'_>) -> Vec<String> {
    vec![facts::scope(entry.scope), facts::kind(entry.kind), facts::from(entry.by)]
}

/// Has a message found.
pub fn add_message(conn: &Connection, entry: &Entry<'_>, post: &Post<'_>) -> Result<(), OpError> {
    let mut facts = facts_of(entry);
    facts.push(facts::group(post.group));
    if post.is_channel {
        facts.extend([facts::OPEN, facts::CHANNEL].map(str::to_owned));
    }
    facts.extend(post.recipients.iter().map(|name| facts::to(name)));
    insert(conn, entry, &facts.join(" "))
}

/// Has a document or a resource found, which everybody in the scope may read. A document is found
/// by its path too, and no longer by what it was before.
pub fn add_open(conn: &Connection, entry: &Entry<'_>) -> Result<(), OpError> {
    if let Some(path) = entry.path_key {
        remove_document(conn, entry.scope, path)?;
    }
    let mut facts = facts_of(entry);
    facts.push(facts::OPEN.to_owned());
    let facts = facts.join(" ");
    match entry.path_key {
        None => insert(conn, entry, &facts),
        Some(path) => {
            let text = format!("{path}\n{}", entry.text);
            insert(conn, &Entry { text: &text, ..*entry }, &facts)
        }
    }
}

pub fn remove_document(conn: &Connection, scope: i64, path: &str) -> Result<(), OpError> {
    let sql = "DELETE FROM search_entries WHERE scope = ?1 AND path_key = ?2 RETURNING id";
    let gone: Option<i64> =
        conn.prepare_cached(sql)?.query_row(params![scope, path], |row| row.get(0)).optional()?;
    if let Some(id) = gone {
        conn.prepare_cached("DELETE FROM search WHERE rowid = ?1")?.execute([id])?;
    }
    Ok(())
}

/// Has all found that is there, in the order of its time: for a database that was made before
/// there was a search.
pub fn fill(conn: &Connection) -> Result<(), OpError> {
    let sql = "SELECT created_at AS at, 0 AS what, seq AS number, 0 AS scope, NULL AS path
               FROM messages
               UNION ALL
               SELECT created_at, 1, id, scope, NULL FROM resources
               WHERE id NOT IN (SELECT resource FROM messages WHERE resource IS NOT NULL)
               UNION ALL
               SELECT updated_at, 2, 0, scope, path_key FROM documents
               ORDER BY at, what, number";
    let mut statement = conn.prepare(sql)?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        let (at, number) = (Timestamp(row.get(0)?), row.get(2)?);
        match row.get::<_, i64>(1)? {
            0 => fill_message(conn, number, at)?,
            1 => fill_resource(conn, number, at)?,
            _ => fill_document(conn, row.get(3)?, &row.get::<_, String>(4)?, at)?,
        }
    }
    Ok(())
}

pub fn fill_message(conn: &Connection, seq: i64, at: Timestamp) -> Result<(), OpError> {
    let sql = "SELECT m.scope, m.group_id, g.kind = 'channel', m.kind, m.sender,
                   coalesce(r.content, m.content)
               FROM messages AS m JOIN groups AS g ON g.id = m.group_id
               LEFT JOIN resources AS r ON r.id = m.resource WHERE m.seq = ?1";
    let mut statement = conn.prepare_cached(sql)?;
    let mut rows = statement.query([seq])?;
    let Some(row) = rows.next()? else { return Ok(()) };
    let (by, text): (Word<Name>, String) = (row.get(4)?, row.get(5)?);
    let entry = Entry {
        scope: row.get(0)?,
        kind: row.get::<_, Word<HitKind>>(3)?.0,
        number: Some(seq),
        path_key: None,
        by: &by.0,
        at,
        text: &text,
    };
    let group = row.get(1)?;
    let recipients = recipients(conn, group, seq)?;
    let recipients = recipients.iter().collect();
    add_message(conn, &entry, &Post { group, is_channel: row.get(2)?, recipients })
}

pub fn fill_resource(conn: &Connection, id: i64, at: Timestamp) -> Result<(), OpError> {
    let sql = "SELECT scope, created_by, content FROM resources WHERE id = ?1";
    let mut statement = conn.prepare_cached(sql)?;
    let (scope, by, text): (i64, Word<Name>, String) =
        statement.query_row([id], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?;
    let (kind, number) = (HitKind::Resource, Some(id));
    add_open(conn, &Entry { scope, kind, number, path_key: None, by: &by.0, at, text: &text })
}

pub fn fill_document(
    conn: &Connection,
    scope: i64,
    path: &str,
    at: Timestamp,
) -> Result<(), OpError> {
    let sql = "SELECT author, content FROM documents WHERE scope = ?1 AND path_key = ?2";
    let mut statement = conn.prepare_cached(sql)?;
    let (by, text): (Word<Name>, String) =
        statement.query_row(params![scope, path], |row| Ok((row.get(0)?, row.get(1)?)))?;
    let (kind, path_key) = (HitKind::Document, Some(path));
    add_open(conn, &Entry { scope, kind, number: None, path_key, by: &by.0, at, text: &text })
}

pub fn recipients(conn: &Connection, group: i64, seq: i64) -> Result<Vec<Name>, OpError> {
    let sql = "SELECT a.name FROM group_members AS m
               JOIN deliveries AS d ON d.agent = m.agent AND d.seq = ?2
               JOIN agents AS a ON a.id = m.agent WHERE m.group_id = ?1";
    let mut statement = conn.prepare_cached(sql)?;
    let names = statement.query_map([group, seq], |row| Ok(row.get::<_, Word<Name>>(0)?.0))?;
    Ok(names.collect::<Result<_, _>>()?)
}

/// The whole text of a message.
pub fn whole_text(
    conn: &Connection,
    content: String,
    resource: Option<ResourceId>,
) -> Result<String, OpError> {
    let Some(resource) = resource else { return Ok(content) };
    let mut statement = conn.prepare_cached("SELECT content FROM resources WHERE id = ?1")?;
    Ok(statement.query_row([resource.number()], |row| row.get(0))?)
}
