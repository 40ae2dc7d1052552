//! Documents as clients see them.

use agent_worker_protocol::document::Document;

use crate::{
    context::cx::Cx,
    error::OpError,
    rows::{document::DocRow, document_path::DocPath, workflow::ScopeRow},
};

impl DocRow {
    pub fn entity(self) -> Document {
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

pub fn missing(cx: &Cx<'_>, scope: &ScopeRow, path: &DocPath) -> OpError {
    let list = format!("agent-worker doc list {}", scope.scope);
    OpError::not_found(format!("document `{}` not found in {}", path.shown, scope.scope))
        .hint(cx.either("team_doc_list names those there are; team_doc_write makes one", &list))
}
