//! Stores resources.

use agent_worker_protocol::{
    event::EventBody,
    id::{ResourceId, RunId},
    name::Name,
    resource::Resource,
    search::HitKind,
    time::Timestamp,
};
use rusqlite::params;

use crate::{
    context::cx::Cx,
    error::OpError,
    rows::{resource::NewResource, search::index, word::Word, workflow::ScopeRow},
};

/// Stores a text, has it found, and announces it.
pub fn store(
    cx: &mut Cx<'_>,
    scope: &ScopeRow,
    new: &NewResource<'_>,
) -> Result<ResourceId, OpError> {
    let id = insert(cx, scope, new)?;
    let entry = index::Entry {
        scope: scope.id,
        kind: HitKind::Resource,
        number: Some(id.number()),
        path_key: None,
        by: &maker(new)?,
        at: cx.now,
        text: new.content,
    };
    index::add_open(cx.conn, &entry)?;
    Ok(id)
}

pub fn maker(new: &NewResource<'_>) -> Result<Name, OpError> {
    new.created_by.parse().map_err(|bad| OpError::Broken(format!("a resource's maker: {bad}")))
}

/// Stores the whole of a long message, by which it is found, and announces it.
pub fn insert(
    cx: &mut Cx<'_>,
    scope: &ScopeRow,
    new: &NewResource<'_>,
) -> Result<ResourceId, OpError> {
    let sql =
        "INSERT INTO resources (scope, group_id, type, content, bytes, created_by, run, created_at)
               VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)";
    let bytes = i64::try_from(new.content.len()).unwrap_or(i64::MAX);
    cx.conn.prepare_cached(sql)?.execute(params![
        scope.id,
        new.group,
        Word(new.content_type),
        new.content,
        bytes,
        new.created_by,
        new.run.map(RunId::number),
        cx.now.0
    ])?;
    let id = ResourceId::new(cx.conn.last_insert_rowid());
    let resource = Resource {
        id,
        scope: scope.scope.clone(),
        content_type: new.content_type,
        created_by: maker(new)?,
        bytes,
        created_at: Timestamp(cx.now.0),
    };
    cx.emit(&scope.scope, EventBody::ResourceCreated(resource))?;
    Ok(id)
}
