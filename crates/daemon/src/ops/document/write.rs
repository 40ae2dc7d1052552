//! Writing documents: by whom, over what, and the history that comes of it.

use agent_worker_protocol::{
    DocAppend, DocCreate, DocOwner, DocWrite, Document, DocumentWritten, Name, Scope, shell,
};

use crate::{
    changes::{
        self,
        document::{Part, note_part, note_read},
    },
    context::{Cx, Run, Who},
    entities::document::existing,
    error::{OpError, Result},
    rows::{AgentRow, DocPath, WorkflowRow, document},
};

/// A document that its caller may write, whether it is there yet or not.
struct Writing {
    scope: WorkflowRow,
    path: DocPath,
    row: Option<Document>,
    author: Name,
}

impl Writing {
    /// The one way to a write of any kind, and so the one place where its owner is asked for.
    fn open(cx: &Cx<'_>, file: Option<&str>) -> Result<Self> {
        let (scope, path) = (cx.scope()?, DocPath::parse(file)?);
        let author = cx.member()?.name;
        let row = document::find(cx.db, scope.id, &path)?;
        let writing = Self { scope, path, row, author };
        check_owner(cx, &writing)?;
        Ok(writing)
    }

    /// The current version; 0 if the document does not exist.
    fn version(&self) -> i64 {
        self.row.as_ref().map_or(0, |row| row.version)
    }

    /// Stores this text as the next version. Its author counts as having read it.
    fn put(&self, cx: &mut Cx<'_>, content: &str) -> Result<DocumentWritten> {
        let Self { scope, path, author, .. } = self;
        let most = cx.settings.messages.max_bytes;
        if content.len() > most {
            return Err(OpError::too_large(format!(
                "the document would have {} bytes, and a document has at most {most}",
                content.len()
            ))
            .hint("write a part of it into another document"));
        }
        let version = self.version() + 1;
        changes::document::store(cx, scope, path, version, author, content)?;
        changes::document::announce(cx, scope, path)
            .map(|document| DocumentWritten { file: document.file, version: document.version })
    }
}

impl Run for DocWrite {
    fn run(&self, cx: &mut Cx<'_>) -> Result<DocumentWritten> {
        let writing = Writing::open(cx, self.file.as_deref())?;
        let current = writing.row.as_ref().map(|row| row.version);
        check_version(cx, &writing, self.if_version, current)?;
        if let Some(current) = current {
            check_was_read(cx, &writing, current)?;
        }
        let written = writing.put(cx, &self.content)?;
        note_read(cx, &writing.scope, &writing.path, written.version)?;
        Ok(written)
    }
}

impl Run for DocAppend {
    fn run(&self, cx: &mut Cx<'_>) -> Result<DocumentWritten> {
        if self.content.is_empty() {
            return Err(OpError::invalid("there is nothing to add: the text is empty"));
        }
        let writing = Writing::open(cx, self.file.as_deref())?;
        let (scope, path, before) = (&writing.scope, &writing.path, writing.version());
        let mut text = document::text(cx.db, scope.id, path)?.unwrap_or_default();
        if !text.is_empty() && !text.ends_with('\n') {
            text.push('\n');
        }
        text.push_str(&self.content);
        let read = was_read(cx, &writing)?;
        let written = writing.put(cx, &text)?;
        if before == 0 || read == Some((before, None)) {
            note_read(cx, scope, path, written.version)?;
        } else if read.is_none() {
            // The documents that a run has written are found by such notes.
            let none = Part { version: written.version, from: 0, until: 0, is_last: false };
            note_part(cx, scope, path, none)?;
        }
        Ok(written)
    }
}

impl Run for DocCreate {
    fn run(&self, cx: &mut Cx<'_>) -> Result<DocumentWritten> {
        let writing = Writing::open(cx, self.file.as_deref())?;
        if let Some(row) = &writing.row {
            let text =
                format!("document `{}` already exists, at version {}", row.file, row.version);
            return Err(OpError::conflict(text).hint(cx.either(
                "team_doc_read shows it; team_doc_write or team_doc_append change it",
                &reads(&row.file, &writing.scope.scope),
            )));
        }
        let written = writing.put(cx, &self.content)?;
        note_read(cx, &writing.scope, &writing.path, written.version)?;
        Ok(written)
    }
}

impl Run for DocOwner {
    fn run(&self, cx: &mut Cx<'_>) -> Result<Document> {
        cx.operator_only("handing a document over")?;
        let (scope, path) = (cx.scope()?, DocPath::parse(self.file.as_deref())?);
        existing(cx, &scope, &path)?;
        let named = |name: &Name| AgentRow::by_name(cx.db, &scope, name);
        let owner = self.owner.as_ref().map(named).transpose()?.map(|member| member.name);
        changes::document::set_owner(cx, &scope, &path, owner.as_ref())?;
        existing(cx, &scope, &path)
    }
}

/// Only the owner writes; everyone reads. The one place that says so.
fn check_owner(cx: &Cx<'_>, writing: &Writing) -> Result<()> {
    let Writing { scope, path, row, author } = writing;
    let owner = document::owner_of(scope, row.as_ref()).filter(|owner| *owner != author);
    let Some(owner) = owner else { return Ok(()) };
    let hint = match &cx.who {
        // What does not exist yet cannot be handed over.
        Who::Operator { member: None } if row.is_none() => {
            format!("ask @{owner} to write it, or add --as {owner}")
        }
        Who::Operator { member: None } => format!(
            "agent-worker doc owner {author} {} --in {}",
            shell::option("--file", &path.shown),
            cx.default_scope
        ),
        _ => format!("ask @{owner} to write it"),
    };
    let refusal = format!("only {owner} can write `{}`, not {author}", path.shown);
    Err(OpError::denied(refusal).hint(hint))
}

/// The command that shows a document: agents choose names, and people paste it into a shell.
fn reads(file: &str, scope: &Scope) -> String {
    format!("agent-worker doc read {} {scope}", shell::document(file))
}

/// A write over one version is none over another: what came in between is not lost.
fn check_version(
    cx: &Cx<'_>,
    writing: &Writing,
    over: Option<i64>,
    current: Option<i64>,
) -> Result<()> {
    let Some(over) = over.filter(|over| *over != current.unwrap_or(0)) else { return Ok(()) };
    let (path, scope) = (&writing.path.shown, &writing.scope.scope);
    let (message, command) = match (over, current) {
        (over, None) => (
            format!("document `{path}` not found: you expected version {over}"),
            format!("agent-worker doc list {scope}"),
        ),
        (0, Some(current)) => {
            (format!("document `{path}` already exists, at version {current}"), reads(path, scope))
        }
        (over, Some(current)) => (
            format!("`{path}` has changed: you expected version {over}, it is {current} now"),
            reads(path, scope),
        ),
    };
    let tool = "team_doc_read shows it; write again with what it says in mind";
    Err(OpError::stale(message).hint(cx.either(tool, &command)))
}

/// Refuses a tool that writes over a version its caller has not read, so that no unseen text is
/// lost.
fn check_was_read(cx: &Cx<'_>, writing: &Writing, current: i64) -> Result<()> {
    let (Writing { scope, path, .. }, read) = (writing, was_read(cx, writing)?);
    if read == Some((current, None)) || changes::document::reader(cx, scope)?.is_none() {
        return Ok(());
    }
    let known = match (read, cx.run()) {
        (Some((version, None)), _) => format!("you have read version {version}"),
        (Some((version, Some(1..))), _) if version != current => {
            format!("you have read only a part of version {version}")
        }
        (_, Some(_)) => "you have not read it to its end in this run".to_owned(),
        (_, None) => "you have not read it to its end".to_owned(),
    };
    let text = format!("`{}` is at version {current}, and {known}", path.shown);
    Err(OpError::stale(text).hint(cx.either(
        "read it from the start with team_doc_read, a long one in parts; write again with what \
         it says in mind",
        &reads(&path.shown, &scope.scope),
    )))
}

/// What the caller of a tool has read: a version, and how many characters of it; `None` for all.
fn was_read(cx: &Cx<'_>, writing: &Writing) -> Result<Option<(i64, Option<i64>)>> {
    let Some(reader) = changes::document::reader(cx, &writing.scope)? else { return Ok(None) };
    document::read_by(cx.db, reader, writing.scope.id, &writing.path)
}
