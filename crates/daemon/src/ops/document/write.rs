//! Writing documents: by whom, over what, and the history that comes of it.

use agent_worker_protocol::{
    document::{DocAppend, DocCreate, DocOwner, DocWrite, Document, DocumentWritten},
    event::EventBody,
    name::Name,
    search::HitKind,
};
use rusqlite::{Connection, OptionalExtension, params};

use crate::{
    context::cx::{Cx, Who},
    error::OpError,
    ops::{
        document::read::{DocRow, missing, note_read},
        list::Run,
    },
    rows::{agent::AgentRow, search::index, workflow::ScopeRow},
    rules::document_path::DocPath,
};

/// A document that its caller may write, whether it is there yet or not.
pub struct Writing {
    scope: ScopeRow,
    path: DocPath,
    row: Option<DocRow>,
    author: Name,
}

impl Writing {
    /// The one way to a write of any kind, and so the one place where its owner is asked for.
    fn open(cx: &Cx<'_>, file: Option<&str>) -> Result<Self, OpError> {
        let (scope, path) = (cx.scope()?, DocPath::parse(file)?);
        let author = cx.member()?.name;
        let row = DocRow::find(cx.conn, scope.id, &path)?;
        let owner = owner_of(&scope, row.as_ref());
        check_owner(cx, &path, owner, &author)?;
        Ok(Self { scope, path, row, author })
    }

    /// The current version; 0 if the document does not exist.
    fn version(&self) -> i64 {
        self.row.as_ref().map_or(0, |row| row.version)
    }

    /// The text that stands.
    fn text(&self, cx: &Cx<'_>) -> Result<Option<String>, OpError> {
        let sql = "SELECT content FROM documents WHERE scope = ?1 AND path_key = ?2";
        let mut statement = cx.conn.prepare_cached(sql)?;
        let found = statement.query_row(params![self.scope.id, self.path.key], |row| row.get(0));
        Ok(found.optional()?)
    }

    /// Stores this text as the next version. Its author counts as having read it.
    fn put(self, cx: &mut Cx<'_>, content: &str) -> Result<DocumentWritten, OpError> {
        let Self { scope, path, author, .. } = &self;
        let most = cx.settings.messages.max_bytes;
        if content.len() > most {
            return Err(OpError::too_large(format!(
                "the document would have {} bytes, and a document has at most {most}",
                content.len()
            ))
            .hint("write a part of it into another document"));
        }
        let version = self.version() + 1;
        store(cx, scope, path, version, author, content)?;
        announce(cx, scope, path)
            .map(|document| DocumentWritten { file: document.file, version: document.version })
    }
}

/// Tells the feed how a document stands.
pub fn announce(cx: &mut Cx<'_>, scope: &ScopeRow, path: &DocPath) -> Result<Document, OpError> {
    let row = DocRow::find(cx.conn, scope.id, path)?.ok_or_else(|| missing(cx, scope, path))?;
    let document = row.entity();
    cx.emit(&scope.scope, EventBody::DocumentChanged(document.clone()))?;
    Ok(document)
}

impl Run for DocWrite {
    fn run(&self, cx: &mut Cx<'_>) -> Result<DocumentWritten, OpError> {
        let writing = Writing::open(cx, self.file.as_deref())?;
        let current = writing.row.as_ref().map(|row| row.version);
        check_version(&writing.path, self.if_version, current)?;
        if let Some(current) = current {
            check_was_read(cx, &writing, current)?;
        }
        let (scope, path) = (writing.scope.clone(), writing.path.clone());
        let written = writing.put(cx, &self.content)?;
        note_read(cx, &scope, &path, written.version)?;
        Ok(written)
    }
}

impl Run for DocAppend {
    fn run(&self, cx: &mut Cx<'_>) -> Result<DocumentWritten, OpError> {
        if self.content.is_empty() {
            return Err(OpError::invalid("there is nothing to add: the text is empty"));
        }
        let writing = Writing::open(cx, self.file.as_deref())?;
        let mut text = writing.text(cx)?.unwrap_or_default();
        if !text.is_empty() && !text.ends_with('\n') {
            text.push('\n');
        }
        text.push_str(&self.content);
        let (scope, path, before) =
            (writing.scope.clone(), writing.path.clone(), writing.version());
        let knows_all = before == 0 || was_read(cx, &writing)? == Some(before);
        let written = writing.put(cx, &text)?;
        if knows_all {
            note_read(cx, &scope, &path, written.version)?;
        }
        Ok(written)
    }
}

impl Run for DocCreate {
    fn run(&self, cx: &mut Cx<'_>) -> Result<DocumentWritten, OpError> {
        let writing = Writing::open(cx, self.file.as_deref())?;
        if let Some(row) = &writing.row {
            return Err(OpError::conflict(format!(
                "document `{}` already exists, at version {}",
                row.path, row.version
            ))
            .hint(cx.either(
                "team_doc_read shows it; team_doc_write or team_doc_append change it",
                &format!("agent-worker doc read {} {}", row.path, writing.scope.scope),
            )));
        }
        let (scope, path) = (writing.scope.clone(), writing.path.clone());
        let written = writing.put(cx, &self.content)?;
        note_read(cx, &scope, &path, written.version)?;
        Ok(written)
    }
}

impl Run for DocOwner {
    fn run(&self, cx: &mut Cx<'_>) -> Result<Document, OpError> {
        cx.operator_only("handing a document over")?;
        let (scope, path) = (cx.scope()?, DocPath::parse(self.file.as_deref())?);
        DocRow::find(cx.conn, scope.id, &path)?.ok_or_else(|| missing(cx, &scope, &path))?;
        let owner = match &self.owner {
            Some(name) => Some(AgentRow::by_name(cx.conn, &scope, name)?.name),
            None => None,
        };
        set_owner(cx, &scope, &path, owner.as_ref())?;
        let row =
            DocRow::find(cx.conn, scope.id, &path)?.ok_or_else(|| missing(cx, &scope, &path))?;
        Ok(row.entity())
    }
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

/// Gives a document to a member. A missing document is created, empty.
pub fn hand_over(
    cx: &mut Cx<'_>,
    scope: &ScopeRow,
    path: &DocPath,
    owner: &Name,
) -> Result<(), OpError> {
    if DocRow::find(cx.conn, scope.id, path)?.is_none() {
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
    let scope = ScopeRow::by_id(cx.conn, member.scope_id)?;
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

/// Only the owner writes; everyone reads. The one place that says so.
pub fn check_owner(
    cx: &Cx<'_>,
    path: &DocPath,
    owner: Option<&Name>,
    author: &Name,
) -> Result<(), OpError> {
    let Some(owner) = owner.filter(|owner| *owner != author) else { return Ok(()) };
    let hint = match &cx.who {
        Who::Operator { member: None } => format!(
            "agent-worker doc owner {author} --file {} --in {}",
            path.shown,
            cx.scope_name()
        ),
        _ => format!("ask @{owner} to write it"),
    };
    let refusal = format!("`{}` belongs to {owner}, and you are {author}", path.shown);
    Err(OpError::denied(refusal).hint(hint))
}

/// A write over one version is none over another: what came in between is not lost.
pub fn check_version(
    path: &DocPath,
    over: Option<i64>,
    current: Option<i64>,
) -> Result<(), OpError> {
    let Some(over) = over.filter(|over| *over != current.unwrap_or(0)) else { return Ok(()) };
    let case = match current {
        Some(current) => format!("`{}` is at version {current}", path.shown),
        None => format!("document `{}` not found", path.shown),
    };
    let write = match over {
        0 => "this write is of a new document".to_owned(),
        over => format!("this write is over version {over}"),
    };
    Err(OpError::stale(format!("{case}: {write}"))
        .hint("read it again, and write with what it says in mind"))
}

/// Refuses a run that writes over a version it has not read, so that no unseen text is lost.
pub fn check_was_read(cx: &Cx<'_>, writing: &Writing, current: i64) -> Result<(), OpError> {
    let read = was_read(cx, writing)?;
    if cx.run().is_none() || read == Some(current) {
        return Ok(());
    }
    let path = &writing.path;
    let known = read.map_or("you have not read it in this run".to_owned(), |version| {
        format!("you have read version {version}")
    });
    Err(OpError::stale(format!("`{}` is at version {current}, and {known}", path.shown)).hint(
        cx.either(
            "team_doc_read shows it; write again with what it says in mind",
            &format!("agent-worker doc read {} {}", path.shown, writing.scope.scope),
        ),
    ))
}

/// The newest version that the calling run knows.
pub fn was_read(cx: &Cx<'_>, writing: &Writing) -> Result<Option<i64>, OpError> {
    let Some(run) = cx.run() else { return Ok(None) };
    let sql = "SELECT version FROM doc_reads WHERE run = ?1 AND scope = ?2 AND path_key = ?3";
    let key = params![run.id.number(), writing.scope.id, writing.path.key];
    Ok(cx.conn.prepare_cached(sql)?.query_row(key, |row| row.get(0)).optional()?)
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
    let entry = index::Entry {
        scope: scope.id,
        kind: HitKind::Document,
        number: None,
        path_key: Some(&path.key),
        by: author,
        at: cx.now,
        text: content,
    };
    index::add_open(cx.conn, &entry)
}
