//! Writes documents and their owners.

use agent_worker_protocol::{Document, EventBody, HitKind, Name};

use crate::{
    context::Cx,
    entities::document::existing,
    error::Result,
    rows::{
        AgentRow, DocPath, NewVersion, WorkflowRow,
        document::{self, Reader},
        search::index,
    },
};

/// The caller of a tool, who may write only over versions that it has read.
pub fn reader(cx: &Cx<'_>, scope: &WorkflowRow) -> Result<Option<Reader>> {
    match cx.run() {
        Some(run) => Ok(Some(Reader::Run(run.id))),
        None if cx.calls_tool => Ok(cx.member_in(scope.id)?.map(|agent| Reader::Member(agent.id))),
        None => Ok(None),
    }
}

/// Notes which version the caller of a tool has seen: only that may it write over.
pub fn note_read(cx: &Cx<'_>, scope: &WorkflowRow, path: &DocPath, version: i64) -> Result<()> {
    let Some(reader) = reader(cx, scope)? else { return Ok(()) };
    document::note_read(cx.db, reader, scope.id, path, (version, None))
}

/// A part of a version, by characters.
#[derive(Debug, Clone, Copy)]
pub struct Part {
    pub version: i64,
    pub from: i64,
    pub until: i64,
    /// Nothing of the version follows it
    pub is_last: bool,
}

/// Notes that the caller of a tool has seen a part of the newest version. It knows the version once
/// the parts that it has seen of it reach from the start to the end.
pub fn note_part(cx: &Cx<'_>, scope: &WorkflowRow, path: &DocPath, part: Part) -> Result<()> {
    let Some(reader) = reader(cx, scope)? else { return Ok(()) };
    let known = match document::read_by(cx.db, reader, scope.id, path)? {
        Some((version, None)) if version == part.version => return Ok(()),
        Some((version, Some(chars))) if version == part.version => chars,
        _ => 0,
    };
    if part.from > known {
        return Ok(());
    }
    let chars = (!part.is_last).then_some(known.max(part.until));
    document::note_read(cx.db, reader, scope.id, path, (part.version, chars))
}

/// Tells the feed how a document stands.
pub fn announce(cx: &mut Cx<'_>, scope: &WorkflowRow, path: &DocPath) -> Result<Document> {
    let document = existing(cx, scope, path)?;
    cx.emit(&scope.scope, EventBody::DocumentChanged(document.clone()))?;
    Ok(document)
}

/// Tells the feed how all documents of a scope stand.
pub fn announce_all(cx: &mut Cx<'_>, scope: &WorkflowRow) -> Result<()> {
    let all = document::list(cx.db, Some(scope.id))?;
    all.into_iter().try_for_each(|one| cx.emit(&scope.scope, EventBody::DocumentChanged(one)))
}

/// Gives a document to a member. A missing document is created, empty.
pub fn hand_over(cx: &mut Cx<'_>, scope: &WorkflowRow, path: &DocPath, owner: &Name) -> Result<()> {
    if document::find(cx.db, scope.id, path)?.is_none() {
        store(cx, scope, path, 1, owner, "")?;
    }
    set_owner(cx, scope, path, Some(owner))
}

/// Gives the documents of a removed member to the user, also those that it owned because the
/// workflow file says so, so that a later member of the same name does not own them.
pub fn take_over(cx: &mut Cx<'_>, member: &AgentRow) -> Result<()> {
    let scope = WorkflowRow::by_id(cx.db, member.scope_id)?;
    for path in document::paths_of_owner(cx.db, scope.id, &member.name)? {
        set_owner(cx, &scope, &DocPath::parse(Some(&path))?, Some(&Name::person()))?;
    }
    if scope.document_owner.as_ref() == Some(&member.name) {
        scope.set_document_owner(cx.db, &Name::person())?;
        announce_all(cx, &scope)?;
    }
    Ok(())
}

pub fn set_owner(
    cx: &mut Cx<'_>,
    scope: &WorkflowRow,
    path: &DocPath,
    owner: Option<&Name>,
) -> Result<()> {
    if document::set_owner(cx.db, scope.id, path, owner)? {
        announce(cx, scope, path)?;
    }
    Ok(())
}

pub fn store(
    cx: &Cx<'_>,
    scope: &WorkflowRow,
    path: &DocPath,
    version: i64,
    author: &Name,
    content: &str,
) -> Result<()> {
    let new = NewVersion {
        scope: scope.id,
        path_key: &path.key,
        version,
        content,
        author,
        run: cx.run().map(|run| run.id),
        created_at: cx.now,
    };
    document::write(cx.db, &path.shown, &new, cx.settings.keep.document_versions)?;
    index::add(cx.db, scope.id, (HitKind::Document, None, Some(&path.key)), cx.now)
}
