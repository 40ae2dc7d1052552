//! `documents`: shared texts.

use agent_worker_protocol::{Document, DocumentVersion, Name, RunId, Timestamp};

use crate::{
    error::Result,
    rows::{Db, DocPath, Table, WorkflowRow, layer::row::New as _, row, sql, statements, table},
};

row! {
    /// Documents, to which conditions and an order are added.
    pub const SELECT: Document from "documents AS d JOIN workflows AS w ON w.id = d.scope" {
        scope = "'@' || w.name || ':' || w.tag",
        file = "d.path",
        version = "d.version",
        owner = "coalesce(d.owner, w.document_owner)",
        author = "d.author",
        bytes = "octet_length(d.content)",
        updated_at = "d.updated_at",
    }
}

row! {
    const VERSIONS: DocumentVersion from "document_versions" {
        version,
        author,
        run,
        bytes = "octet_length(content)",
        created_at,
    }
}

row! {
    /// A document with its text.
    pub struct WithText from "documents" {
        path: String,
        content: String,
        author: Name,
        updated_at: Timestamp,
    }
}

statements! {
    /// A document, if there is one.
    pub fn find(scope: i64, path: &DocPath) -> maybe Document =
        SELECT, " WHERE d.scope = ?1 AND d.path_key = ?2";

    /// All documents of a scope, or of all scopes, by path without regard to case.
    pub fn list(scope: Option<i64>) -> all Document =
        SELECT, " WHERE ?1 IS NULL OR d.scope = ?1 ORDER BY w.name, w.tag, d.path_key";

    /// A page of a scope's documents, after the key of a path.
    pub fn page(scope: i64, after: &str, limit: u32) -> all Document = PAGE;

    /// The text of a document.
    pub fn text(scope: i64, path: &DocPath) -> maybe String =
        "SELECT content FROM documents WHERE scope = ?1 AND path_key = ?2";

    /// A document that is known to exist, by the key of its path.
    pub fn with_text(scope: i64, key: Option<&str>) -> one WithText =
        WithText::SELECT, " WHERE scope = ?1 AND path_key = ?2";

    /// The text of one version of a document, while it is kept.
    pub fn version(scope: i64, path: &DocPath, version: i64) -> maybe String =
        "SELECT content FROM document_versions WHERE scope = ?1 AND path_key = ?2 AND version = ?3";

    /// The versions of a document that are kept, newest first.
    pub fn versions(scope: i64, path: &DocPath) -> all DocumentVersion =
        VERSIONS, " WHERE scope = ?1 AND path_key = ?2 ORDER BY version DESC";

    /// The paths of the documents that a run has written, as they are listed. They are found by its
    /// notes of what was read: a write leaves one too.
    pub fn written_by(run: RunId) -> all String =
        "SELECT d.path FROM doc_reads AS seen
            CROSS JOIN documents AS d ON d.scope = seen.scope AND d.path_key = seen.path_key
            WHERE seen.run = ?1 AND EXISTS (
                SELECT 1 FROM document_versions AS v
                WHERE v.scope = seen.scope AND v.path_key = seen.path_key AND v.run = ?1)
            ORDER BY d.path_key";

    /// Gives a document another owner. Tells whether it had another one.
    pub fn set_owner(scope: i64, path: &DocPath, owner: Option<&Name>) -> changed in Documents =
        "UPDATE documents SET owner = ?3
            WHERE scope = ?1 AND path_key = ?2 AND owner IS NOT ?3";

    /// The paths of the documents that a member owns.
    pub fn paths_of_owner(scope: i64, owner: &Name) -> all String =
        "SELECT path FROM documents WHERE scope = ?1 AND owner = ?2 ORDER BY path_key";
}

/// Documents of a scope after a key, by path without regard to case.
pub const PAGE: &str =
    sql!(SELECT, " WHERE d.scope = ?1 AND d.path_key > ?2 ORDER BY d.path_key LIMIT ?3");

/// The owner of a document; for a missing one, its future owner.
pub fn owner_of<'o>(scope: &'o WorkflowRow, document: Option<&'o Document>) -> Option<&'o Name> {
    document.map_or(&scope.document_owner, |document| &document.owner).as_ref()
}

/// Who alone may write a document.
pub fn owner(db: Db<'_>, scope: &WorkflowRow, path: &DocPath) -> Result<Option<Name>> {
    let document = find(db, scope.id, path)?;
    Ok(owner_of(scope, document.as_ref()).cloned())
}

/// Who has read a document.
#[derive(Debug, Clone, Copy)]
pub enum Reader {
    Run(RunId),
    /// A member that works without runs
    Member(i64),
}

impl Reader {
    fn number(self) -> i64 {
        match self {
            Self::Run(run) => run.number(),
            Self::Member(agent) => agent,
        }
    }
}

/// How far a reader has read a document: a version, and how many characters from its start; `None`
/// for all.
pub fn read_by(
    db: Db<'_>,
    reader: Reader,
    scope: i64,
    path: &DocPath,
) -> Result<Option<(i64, Option<i64>)>> {
    let sql = match reader {
        Reader::Run(_) => {
            "SELECT version, chars FROM doc_reads
             WHERE run = ?1 AND scope = ?2 AND path_key = ?3"
        }
        Reader::Member(_) => {
            "SELECT version, chars FROM member_doc_reads
             WHERE agent = ?1 AND scope = ?2 AND path_key = ?3"
        }
    };
    db.maybe(sql, (reader.number(), scope, path))
}

table! {
    struct NewDocument<'a> into Documents {
        scope: i64,
        path_key: &'a str,
        path: &'a str,
        version: i64,
        content: &'a str,
        author: &'a Name,
        updated_at: Timestamp,
    }
}

table! {
    /// A version that is written.
    pub struct NewVersion<'a> into DocumentVersions {
        scope: i64,
        path_key: &'a str,
        version: i64,
        content: &'a str,
        author: &'a Name,
        run: Option<RunId>,
        created_at: Timestamp,
    }
}

/// Writes a version of a document, which is its newest, and keeps `keep` of them. `path` is as it
/// is shown.
pub fn write(db: Db<'_>, path: &str, new: &NewVersion<'_>, keep: i64) -> Result<()> {
    const STORE: &str = sql!(
        <NewDocument<'_>>::INSERT,
        " ON CONFLICT (scope, path_key) DO UPDATE SET version = excluded.version,
              content = excluded.content, author = excluded.author,
              updated_at = excluded.updated_at"
    );
    let &NewVersion { scope, path_key, version, content, author, created_at: updated_at, .. } = new;
    let document = NewDocument { scope, path_key, path, version, content, author, updated_at };
    db.change(Table::Documents, STORE, &document)?;
    db.insert(new)?;
    let sql = "DELETE FROM document_versions WHERE scope = ?1 AND path_key = ?2 AND version <= ?3";
    db.change(Table::DocumentVersions, sql, (scope, path_key, version - keep)).map(drop)
}

/// Notes how far a reader has read a document: a version, and how many characters from its start;
/// `None` for all.
pub fn note_read(
    db: Db<'_>,
    reader: Reader,
    scope: i64,
    path: &DocPath,
    (version, chars): (i64, Option<i64>),
) -> Result<()> {
    let (table, sql) = match reader {
        Reader::Run(_) => (
            Table::DocReads,
            "INSERT INTO doc_reads (run, scope, path_key, version, chars)
             VALUES (?1, ?2, ?3, ?4, ?5)
             ON CONFLICT (run, scope, path_key)
             DO UPDATE SET version = excluded.version, chars = excluded.chars",
        ),
        Reader::Member(_) => (
            Table::MemberDocReads,
            "INSERT INTO member_doc_reads (agent, scope, path_key, version, chars)
             VALUES (?1, ?2, ?3, ?4, ?5)
             ON CONFLICT (agent, scope, path_key)
             DO UPDATE SET version = excluded.version, chars = excluded.chars",
        ),
    };
    db.change(table, sql, (reader.number(), scope, path, version, chars)).map(drop)
}
