use agent_worker_protocol::document::Document;

use crate::rows::document::DocRow;

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
