//! `documents`: shared texts.

use agent_worker_protocol::{document::Document, name::Name, target::Scope, time::Timestamp};
use rusqlite::{Connection, OptionalExtension, Row, params};

use crate::{
    error::OpError,
    rows::{
        document_path::DocPath,
        word::Word,
        workflow::{self, ScopeRow},
    },
};

pub struct DocRow {
    pub scope: Scope,
    pub path: String,
    pub owner: Option<Name>,
    pub version: i64,
    pub author: Name,
    pub bytes: i64,
    pub updated_at: Timestamp,
}

pub const COLUMNS: &str =
    "w.name AS workflow, w.tag, d.path, coalesce(d.owner, w.document_owner) AS owner,
    d.version, d.author, length(CAST(d.content AS BLOB)) AS bytes, d.updated_at";

impl DocRow {
    pub fn from_row(row: &Row<'_>) -> rusqlite::Result<Self> {
        Ok(Self {
            scope: workflow::scope_from_row(row, "workflow", "tag")?,
            path: row.get("path")?,
            owner: row.get::<_, Option<Word<Name>>>("owner")?.map(|word| word.0),
            version: row.get("version")?,
            author: row.get::<_, Word<Name>>("author")?.0,
            bytes: row.get("bytes")?,
            updated_at: Timestamp(row.get("updated_at")?),
        })
    }

    pub fn find(conn: &Connection, scope: i64, path: &DocPath) -> Result<Option<Self>, OpError> {
        let sql = format!(
            "SELECT {COLUMNS} FROM documents AS d JOIN workflows AS w ON w.id = d.scope
             WHERE d.scope = ?1 AND d.path_key = ?2"
        );
        let mut statement = conn.prepare_cached(&sql)?;
        Ok(statement.query_row(params![scope, path.key], Self::from_row).optional()?)
    }
}

/// All documents of a scope, or of all scopes, by path.
pub fn list(conn: &Connection, scope: Option<i64>) -> Result<Vec<Document>, OpError> {
    let sql = format!(
        "SELECT {COLUMNS} FROM documents AS d JOIN workflows AS w ON w.id = d.scope
         WHERE ?1 IS NULL OR d.scope = ?1 ORDER BY w.name, w.tag, d.path_key"
    );
    let mut statement = conn.prepare_cached(&sql)?;
    let rows = statement.query_map([scope], |row| Ok(DocRow::from_row(row)?.entity()))?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// The owner of a document; for a missing one, its future owner.
pub fn owner_of<'o>(scope: &'o ScopeRow, row: Option<&'o DocRow>) -> Option<&'o Name> {
    row.map_or(&scope.document_owner, |row| &row.owner).as_ref()
}

/// Who alone may write a document.
pub fn owner(conn: &Connection, scope: &ScopeRow, path: &DocPath) -> Result<Option<Name>, OpError> {
    let row = DocRow::find(conn, scope.id, path)?;
    Ok(owner_of(scope, row.as_ref()).cloned())
}
