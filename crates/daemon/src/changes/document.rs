//! Writes documents and their owners.

use agent_worker_protocol::{document::Document, event::EventBody, name::Name, search::HitKind};
use rusqlite::params;

use crate::{
    context::cx::Cx,
    entities::document::existing,
    error::OpError,
    rows::{
        agent::AgentRow,
        document,
        document_path::DocPath,
        search::index::{self, NewEntry},
        workflow::ScopeRow,
    },
};

/// Notes which version a run has seen: only that may it write over.
pub fn note_read(
    cx: &Cx<'_>,
    scope: &ScopeRow,
    path: &DocPath,
    version: i64,
) -> Result<(), OpError> {
    let Some(run) = cx.run() else { return Ok(()) };
    let sql = "INSERT INTO doc_reads (run, scope, path_key, version) VALUES (?1, ?2, ?3, ?4)
               ON CONFLICT (run, scope, path_key) DO UPDATE SET version = excluded.version";
    cx.conn.prepare_cached(sql)?.execute(params![run.id.number(), scope.id, path.key, version])?;
    Ok(())
}

/// Tells the feed how a document stands.
pub fn announce(cx: &mut Cx<'_>, scope: &ScopeRow, path: &DocPath) -> Result<Document, OpError> {
    let document = existing(cx, scope, path)?;
    cx.emit(&scope.scope, EventBody::DocumentChanged(document.clone()))?;
    Ok(document)
}

/// Gives a document to a member. A missing document is created, empty.
pub fn hand_over(
    cx: &mut Cx<'_>,
    scope: &ScopeRow,
    path: &DocPath,
    owner: &Name,
) -> Result<(), OpError> {
    if document::find(cx.db, scope.id, path)?.is_none() {
        store(cx, scope, path, 1, owner, "")?;
    }
    set_owner(cx, scope, path, Some(owner))
}

/// Gives the documents of a removed member to the user, so that a later member of the same name
/// does not own them.
pub fn take_over(cx: &mut Cx<'_>, member: &AgentRow) -> Result<(), OpError> {
    let sql = "SELECT path FROM documents WHERE scope = ?1 AND owner = ?2 ORDER BY path_key";
    let mut statement = cx.conn.prepare_cached(sql)?;
    let paths = statement
        .query_map(params![member.scope_id, member.name.as_str()], |row| row.get(0))?
        .collect::<Result<Vec<String>, _>>()?;
    let scope = ScopeRow::by_id(cx.db, member.scope_id)?;
    for path in paths {
        set_owner(cx, &scope, &DocPath::parse(Some(&path))?, Some(&Name::person()))?;
    }
    Ok(())
}

pub fn set_owner(
    cx: &mut Cx<'_>,
    scope: &ScopeRow,
    path: &DocPath,
    owner: Option<&Name>,
) -> Result<(), OpError> {
    let sql = "UPDATE documents SET owner = ?3 WHERE scope = ?1 AND path_key = ?2
               AND owner IS NOT ?3";
    let owner = owner.map(Name::as_str);
    let changed = cx.conn.prepare_cached(sql)?.execute(params![scope.id, path.key, owner])?;
    if changed > 0 {
        announce(cx, scope, path)?;
    }
    Ok(())
}

pub fn store(
    cx: &Cx<'_>,
    scope: &ScopeRow,
    path: &DocPath,
    version: i64,
    author: &Name,
    content: &str,
) -> Result<(), OpError> {
    let sql = "INSERT INTO documents (scope, path_key, path, version, content, author, updated_at)
               VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)
               ON CONFLICT (scope, path_key) DO UPDATE SET version = excluded.version,
                   content = excluded.content, author = excluded.author,
                   updated_at = excluded.updated_at";
    let who = author.as_str();
    cx.conn
        .prepare_cached(sql)?
        .execute(params![scope.id, path.key, path.shown, version, content, who, cx.now.0])?;
    let sql =
        "INSERT INTO document_versions (scope, path_key, version, content, author, run, created_at)
               VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)";
    let run = cx.run().map(|run| run.id.number());
    cx.conn
        .prepare_cached(sql)?
        .execute(params![scope.id, path.key, version, content, who, run, cx.now.0])?;
    cx.conn
        .prepare_cached(
            "DELETE FROM document_versions WHERE scope = ?1 AND path_key = ?2 AND version <= ?3",
        )?
        .execute(params![scope.id, path.key, version - cx.settings.keep.document_versions])?;
    let (kind, path_key) = (HitKind::Document, Some(path.key.as_str()));
    index::add(cx.db, &NewEntry { scope: scope.id, kind, number: None, path_key, at: cx.now })
}
