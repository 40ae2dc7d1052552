//! Stores resources.

use agent_worker_protocol::{
    event::EventBody, id::ResourceId, resource::Resource, search::HitKind,
};

use crate::{
    context::cx::Cx,
    error::OpError,
    rows::{
        resource::{self, NewResource},
        search::index,
        workflow::WorkflowRow,
    },
};

/// Stores a text, has it found, and announces it.
pub fn store(
    cx: &mut Cx<'_>,
    scope: &WorkflowRow,
    new: &NewResource<'_>,
) -> Result<ResourceId, OpError> {
    let id = insert(cx, scope, new)?;
    index::add(cx.db, scope.id, (HitKind::Resource, Some(id.number()), None), cx.now)?;
    Ok(id)
}

/// Stores the whole of a long message, by which it is found, and announces it.
pub fn insert(
    cx: &mut Cx<'_>,
    scope: &WorkflowRow,
    new: &NewResource<'_>,
) -> Result<ResourceId, OpError> {
    let id = resource::insert(cx.db, scope.id, new, cx.now)?;
    let created_by = new
        .created_by
        .parse()
        .map_err(|bad| OpError::Broken(format!("a resource's maker: {bad}")))?;
    let resource = Resource {
        id,
        scope: scope.scope.clone(),
        content_type: new.content_type,
        created_by,
        bytes: i64::try_from(new.content.len()).unwrap_or(i64::MAX),
        created_at: cx.now,
    };
    cx.emit(&scope.scope, EventBody::ResourceCreated(resource))?;
    Ok(id)
}
