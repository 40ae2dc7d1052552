//! Stores resources.

use agent_worker_protocol::{EventBody, HitKind, Resource};

use crate::{
    context::Cx,
    error::Result,
    rows::{NewResource, WorkflowRow, resource, search::index},
};

/// Stores a text, has it found, and announces it.
pub fn store(cx: &mut Cx<'_>, scope: &WorkflowRow, new: &NewResource<'_>) -> Result<Resource> {
    let made = insert(cx, scope, new)?;
    index::add(cx.db, scope.id, (HitKind::Resource, Some(made.id.number()), None), cx.now)?;
    Ok(made)
}

/// Stores the whole of a long message, by which it is found, and announces it.
pub fn insert(cx: &mut Cx<'_>, scope: &WorkflowRow, new: &NewResource<'_>) -> Result<Resource> {
    let made = Resource {
        id: resource::insert(cx.db, scope.id, new, cx.now)?,
        scope: scope.scope.clone(),
        content_type: new.content_type,
        created_by: new.created_by.clone(),
        bytes: i64::try_from(new.content.len()).unwrap_or(i64::MAX),
        created_at: cx.now,
    };
    cx.emit(&scope.scope, EventBody::ResourceCreated(made.clone()))?;
    Ok(made)
}
