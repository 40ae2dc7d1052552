//! Documents: their paths, their versions, and who may write them.

use agent_worker_protocol::{
    document::{
        DEFAULT_DOCUMENT, DocList, DocRead, DocVersions, DocWrite, Document, DocumentText,
        DocumentVersion, DocumentVersions, DocumentWritten, Documents,
    },
    event::EventBody,
    id::RunId,
    name::Name,
    target::Scope,
    time::Timestamp,
};
use rusqlite::{Connection, OptionalExtension, Row, params};
use unicode_normalization::UnicodeNormalization;

use super::{Cx, OpError, Run, Who, resource::part, word::Word, workflow::ScopeRow};

/// A document's path, and the key that makes all its spellings one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DocPath {
    /// As it is shown: NFC
    pub shown: String,
    /// As it is compared: case folded
    pub key: String,
}

impl DocPath {
    /// Takes a path by the rules of documents. It never touches a file system.
    pub fn parse(file: Option<&str>) -> Result<Self, OpError> {
        let shown: String = file.unwrap_or(DEFAULT_DOCUMENT).nfc().collect();
        let why = if shown.is_empty() || shown.len() > 255 {
            Some("it has 1 to 255 bytes")
        } else if shown.starts_with('/') || shown.starts_with('~') {
            Some("it does not begin with `/` or `~`")
        } else if shown.split('/').any(|part| matches!(part, "" | "." | "..")) {
            Some("it has no empty part, `.` or `..`")
        } else if shown.chars().any(is_invisible) {
            Some("it has no control, bidi or zero-width character")
        } else {
            None
        };
        if let Some(why) = why {
            return Err(OpError::invalid(format!(
                "`{}` is no document's path: {why}",
                visible(&shown)
            )));
        }
        // Lower case of the upper case folds what lower case alone keeps apart, such as ß and ss.
        let key = shown.to_uppercase().to_lowercase().nfc().collect();
        Ok(Self { shown, key })
    }
}

fn is_invisible(c: char) -> bool {
    c.is_control()
        || matches!(c,
            '\u{00AD}' | '\u{034F}' | '\u{061C}' | '\u{115F}' | '\u{1160}' | '\u{17B4}' | '\u{17B5}'
            | '\u{180B}'..='\u{180F}' | '\u{200B}'..='\u{200F}' | '\u{2028}'..='\u{202E}'
            | '\u{2060}'..='\u{206F}' | '\u{3164}' | '\u{FE00}'..='\u{FE0F}' | '\u{FEFF}'
            | '\u{FFA0}' | '\u{FFF0}'..='\u{FFFB}' | '\u{E0000}'..='\u{E0FFF}')
}

fn visible(text: &str) -> String {
    text.chars().flat_map(char::escape_debug).take(300).collect()
}

struct DocRow {
    scope: Scope,
    path: String,
    owner: Option<Name>,
    version: i64,
    author: Name,
    bytes: i64,
    updated_at: Timestamp,
}

const COLUMNS: &str =
    "w.name AS workflow, w.tag, d.path, coalesce(d.owner, w.document_owner) AS owner,
    d.version, d.author, length(CAST(d.content AS BLOB)) AS bytes, d.updated_at";

impl DocRow {
    fn from_row(row: &Row<'_>) -> rusqlite::Result<Self> {
        Ok(Self {
            scope: super::workflow::scope_from_row(row, "workflow", "tag")?,
            path: row.get("path")?,
            owner: row.get::<_, Option<Word<Name>>>("owner")?.map(|word| word.0),
            version: row.get("version")?,
            author: row.get::<_, Word<Name>>("author")?.0,
            bytes: row.get("bytes")?,
            updated_at: Timestamp(row.get("updated_at")?),
        })
    }

    fn find(conn: &Connection, scope: i64, path: &DocPath) -> Result<Option<Self>, OpError> {
        let sql = format!(
            "SELECT {COLUMNS} FROM documents AS d JOIN workflows AS w ON w.id = d.scope
             WHERE d.scope = ?1 AND d.path_key = ?2"
        );
        let mut statement = conn.prepare_cached(&sql)?;
        Ok(statement.query_row(params![scope, path.key], Self::from_row).optional()?)
    }

    fn entity(self) -> Document {
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

fn missing(scope: &ScopeRow, path: &DocPath) -> OpError {
    OpError::not_found(format!("there is no document `{}` in {}", path.shown, scope.scope))
        .hint("team_doc_list names those there are; team_doc_write makes one")
}

impl Run for DocRead {
    fn run(&self, cx: &mut Cx<'_>) -> Result<DocumentText, OpError> {
        let (scope, path) = (cx.scope()?, DocPath::parse(self.file.as_deref())?);
        let row = DocRow::find(cx.conn, scope.id, &path)?.ok_or_else(|| missing(&scope, &path))?;
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
fn note_read(cx: &Cx<'_>, scope: &ScopeRow, path: &DocPath, version: i64) -> Result<(), OpError> {
    let Some(run) = cx.run() else { return Ok(()) };
    let sql = "INSERT INTO doc_reads (run, scope, path_key, version) VALUES (?1, ?2, ?3, ?4)
               ON CONFLICT (run, scope, path_key) DO UPDATE SET version = excluded.version";
    cx.conn.prepare_cached(sql)?.execute(params![run.id.number(), scope.id, path.key, version])?;
    Ok(())
}

impl Run for DocWrite {
    fn run(&self, cx: &mut Cx<'_>) -> Result<DocumentWritten, OpError> {
        let (scope, path) = (cx.scope()?, DocPath::parse(self.file.as_deref())?);
        let most = cx.settings.messages.max_bytes;
        if self.content.len() > most {
            return Err(OpError::too_large(format!(
                "the document has {} bytes, and a document has at most {most}",
                self.content.len()
            )));
        }
        let author = cx.member()?.name;
        let row = DocRow::find(cx.conn, scope.id, &path)?;
        let owner = row.as_ref().map_or(&scope.document_owner, |row| &row.owner);
        check_owner(&path, owner.as_ref(), &author)?;
        check_version(&path, self.if_version, row.as_ref().map(|row| row.version))?;
        if let Some(row) = &row {
            check_was_read(cx, &scope, &path, row.version)?;
        }
        let version = row.as_ref().map_or(0, |row| row.version) + 1;
        store(cx, &scope, &path, version, &author, &self.content)?;
        note_read(cx, &scope, &path, version)?;
        let row = DocRow::find(cx.conn, scope.id, &path)?.ok_or_else(|| missing(&scope, &path))?;
        let file = row.path.clone();
        cx.emit(&scope.scope, EventBody::DocumentChanged(row.entity()))?;
        Ok(DocumentWritten { file, version })
    }
}

/// Only the owner writes; everyone reads. The one place that says so.
fn check_owner(path: &DocPath, owner: Option<&Name>, author: &Name) -> Result<(), OpError> {
    match owner {
        Some(owner) if owner != author => Err(OpError::denied(format!(
            "`{}` belongs to {owner}, and you are {author}",
            path.shown
        ))
        .hint(format!("ask @{owner} to write it"))),
        _ => Ok(()),
    }
}

/// A write over one version is none over another: what came in between is not lost.
fn check_version(path: &DocPath, over: Option<i64>, current: Option<i64>) -> Result<(), OpError> {
    let Some(over) = over.filter(|over| *over != current.unwrap_or(0)) else { return Ok(()) };
    let case = match current {
        Some(current) => format!("`{}` is at version {current}", path.shown),
        None => format!("there is no document `{}`", path.shown),
    };
    let write = match over {
        0 => "this write is of a new document".to_owned(),
        over => format!("this write is over version {over}"),
    };
    Err(OpError::stale(format!("{case}, and {write}"))
        .hint("read it again, and write with what it says in mind"))
}

/// A run writes over what it has read, so that no text is lost that it does not know of.
fn check_was_read(
    cx: &Cx<'_>,
    scope: &ScopeRow,
    path: &DocPath,
    current: i64,
) -> Result<(), OpError> {
    let Who::Run(run) = &cx.who else { return Ok(()) };
    let sql = "SELECT version FROM doc_reads WHERE run = ?1 AND scope = ?2 AND path_key = ?3";
    let read: Option<i64> = cx
        .conn
        .prepare_cached(sql)?
        .query_row(params![run.id.number(), scope.id, path.key], |row| row.get(0))
        .optional()?;
    if read == Some(current) {
        return Ok(());
    }
    let known = read.map_or("you have not read it in this run".to_owned(), |version| {
        format!("you have read version {version}")
    });
    Err(OpError::stale(format!("`{}` is at version {current}, and {known}", path.shown))
        .hint("team_doc_read shows it; write again with what it says in mind"))
}

fn store(
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
        let row = DocRow::find(cx.conn, scope.id, &path)?.ok_or_else(|| missing(&scope, &path))?;
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spellings_of_one_path_have_one_key() {
        let key = |file: &str| DocPath::parse(Some(file)).unwrap().key;
        assert_eq!(key("Notes.md"), key("notes.MD"));
        assert_eq!(key("caf\u{e9}.md"), key("cafe\u{301}.md"));
        assert_eq!(key("stra\u{df}e.md"), key("STRASSE.md"));
        assert_eq!(DocPath::parse(None).unwrap().shown, "notes.md");
    }

    #[test]
    fn what_is_no_path_is_refused() {
        for bad in
            ["", "/a", "~/a", "a//b", "a/../b", "./a", "a/", "a\nb", "a\u{202e}b", "a\u{200b}"]
        {
            assert!(DocPath::parse(Some(bad)).is_err(), "{bad:?}");
        }
        assert!(DocPath::parse(Some(&"a".repeat(256))).is_err());
    }
}
