//! What comes into the index, and out of it.

use agent_worker_protocol::{name::Name, search::HitKind, time::Timestamp};
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
