//! Stores resources.

use agent_worker_protocol::{
    event::EventBody,
    id::{ResourceId, RunId},
    resource::Resource,
    search::HitKind,
    time::Timestamp,
};
use rusqlite::params;

use crate::{
    context::cx::Cx,
    error::OpError,
    rows::{
        resource::NewResource,
        search::index::{self, NewEntry},
        word::Word,
        workflow::ScopeRow,
    },
};

/// Stores a text, has it found, and announces it.
pub fn store(
    cx: &mut Cx<'_>,
    scope: &ScopeRow,
    new: &NewResource<'_>,
) -> Result<ResourceId, OpError> {
    let id = insert(cx, scope, new)?;
    let (kind, number) = (HitKind::Resource, Some(id.number()));
    index::add(cx.db, &NewEntry { scope: scope.id, kind, number, path_key: None, at: cx.now })?;
    Ok(id)
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
    let created_by = new
        .created_by
        .parse()
        .map_err(|bad| OpError::Broken(format!("a resource's maker: {bad}")))?;
    let resource = Resource {
        id,
        scope: scope.scope.clone(),
        content_type: new.content_type,
        created_by,
        bytes,
        created_at: Timestamp(cx.now.0),
    };
    cx.emit(&scope.scope, EventBody::ResourceCreated(resource))?;
    Ok(id)
}
