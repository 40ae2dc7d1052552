//! Documents as clients see them.

use agent_worker_protocol::Document;

use crate::{
    context::Cx,
    error::{OpError, Result},
    rows::{DocPath, WorkflowRow, document},
};

/// A document that must be there.
pub fn existing(cx: &Cx<'_>, scope: &WorkflowRow, path: &DocPath) -> Result<Document> {
    document::find(cx.db, scope.id, path)?.ok_or_else(|| {
        let list = format!("agent-worker doc list {}", scope.scope);
        OpError::not_found(format!("document `{}` not found in {}", path.shown, scope.scope))
            .hint(cx.either("team_doc_list lists all; team_doc_write creates one", &list))
    })
}
