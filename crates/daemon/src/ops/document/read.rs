//! Documents: their versions, who reads them, and who may write them.

use agent_worker_protocol::{
    document::{
        DocList, DocRead, DocVersions, Document, DocumentText, DocumentVersion, DocumentVersions,
        Documents,
    },
    id::RunId,
    name::Name,
    target::Scope,
    time::Timestamp,
};
use rusqlite::{Connection, OptionalExtension, Row, params};

use crate::{
    context::cx::Cx,
    error::OpError,
    ops::{list::Run, resource::part},
    rows::{
        word::Word,
        workflow::{self, ScopeRow},
    },
    rules::document_path::DocPath,
};

pub struct DocRow {
    scope: Scope,
    pub path: String,
    pub owner: Option<Name>,
    pub version: i64,
    author: Name,
    bytes: i64,
    updated_at: Timestamp,
}

pub const COLUMNS: &str =
    "w.name AS workflow, w.tag, d.path, coalesce(d.owner, w.document_owner) AS owner,
    d.version, d.author, length(CAST(d.content AS BLOB)) AS bytes, d.updated_at";

impl DocRow {
    fn from_row(row: &Row<'_>) -> rusqlite::Result<Self> {
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

    pub fn entity(self) -> Document {
        Document {
            scope: self.scope,
            file: self.path,
            version: self.version,
            owner: self.owner,
            author: self.author,
            bytes: self.bytes,
            updated_at: self.updated_at,
        }
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

pub fn missing(cx: &Cx<'_>, scope: &ScopeRow, path: &DocPath) -> OpError {
    let list = format!("agent-worker doc list {}", scope.scope);
    OpError::not_found(format!("document `{}` not found in {}", path.shown, scope.scope))
        .hint(cx.either("team_doc_list names those there are; team_doc_write makes one", &list))
}

impl Run for DocRead {
    fn run(&self, cx: &mut Cx<'_>) -> Result<DocumentText, OpError> {
        let (scope, path) = (cx.scope()?, DocPath::parse(self.file.as_deref())?);
        let row =
            DocRow::find(cx.conn, scope.id, &path)?.ok_or_else(|| missing(cx, &scope, &path))?;
        let version = self.version.unwrap_or(row.version);
        let sql = "SELECT content FROM document_versions
                   WHERE scope = ?1 AND path_key = ?2 AND version = ?3";
        let text: Option<String> = cx
            .conn
            .prepare_cached(sql)?
            .query_row(params![scope.id, path.key, version], |found| found.get(0))
            .optional()?;
        let Some(text) = text else {
            return Err(OpError::not_found(format!(
                "version {version} of `{}` is not kept; the newest is {}",
                path.shown, row.version
            )));
        };
        if version == row.version {
            note_read(cx, &scope, &path, version)?;
        }
        let (content, more) = part(&text, self.offset, self.limit)?;
        let chars = i64::try_from(text.chars().count()).unwrap_or(i64::MAX);
        Ok(DocumentText { file: row.path, content, version, owner: row.owner, chars, more })
    }
}

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

impl Run for DocList {
    fn run(&self, cx: &mut Cx<'_>) -> Result<Documents, OpError> {
        let scope = cx.scope()?;
        Ok(Documents { documents: list(cx.conn, Some(scope.id))? })
    }
}

impl Run for DocVersions {
    fn run(&self, cx: &mut Cx<'_>) -> Result<DocumentVersions, OpError> {
        let (scope, path) = (cx.scope()?, DocPath::parse(self.file.as_deref())?);
        let row =
            DocRow::find(cx.conn, scope.id, &path)?.ok_or_else(|| missing(cx, &scope, &path))?;
        let sql = "SELECT version, author, run, length(CAST(content AS BLOB)), created_at
                   FROM document_versions WHERE scope = ?1 AND path_key = ?2 ORDER BY version DESC";
        let mut statement = cx.conn.prepare_cached(sql)?;
        let versions = statement
            .query_map(params![scope.id, path.key], |row| {
                Ok(DocumentVersion {
                    version: row.get(0)?,
                    author: row.get::<_, Word<Name>>(1)?.0,
                    run: row.get::<_, Option<i64>>(2)?.map(RunId::new),
                    bytes: row.get(3)?,
                    created_at: Timestamp(row.get(4)?),
                })
            })?
            .collect::<Result<_, _>>()?;
        Ok(DocumentVersions { file: row.path, versions })
    }
}
