//! `documents`: shared texts.

use agent_worker_protocol::{document::Document, name::Name};

use crate::{
    error::OpError,
    rows::{Db, document_path::DocPath, row, sql, workflow::ScopeRow},
};

row! {
    /// Documents, to which conditions and an order are added.
    pub const SELECT: Document from "documents AS d JOIN workflows AS w ON w.id = d.scope" {
        scope = "'@' || w.name || ':' || w.tag",
        file = "d.path",
        version = "d.version",
        owner = "coalesce(d.owner, w.document_owner)",
        author = "d.author",
        bytes = "length(CAST(d.content AS BLOB))",
        updated_at = "d.updated_at",
    }
}

/// A document, if there is one.
pub fn find(db: Db<'_>, scope: i64, path: &DocPath) -> Result<Option<Document>, OpError> {
    const SQL: &str = sql!(SELECT, " WHERE d.scope = ?1 AND d.path_key = ?2");
    db.maybe(SQL, (scope, &path.key))
}

/// All documents of a scope, or of all scopes, by path.
pub fn list(db: Db<'_>, scope: Option<i64>) -> Result<Vec<Document>, OpError> {
    const SQL: &str =
        sql!(SELECT, " WHERE ?1 IS NULL OR d.scope = ?1 ORDER BY w.name, w.tag, d.path_key");
    db.all(SQL, (scope,))
}

/// The owner of a document; for a missing one, its future owner.
pub fn owner_of<'o>(scope: &'o ScopeRow, document: Option<&'o Document>) -> Option<&'o Name> {
    document.map_or(&scope.document_owner, |document| &document.owner).as_ref()
}

/// Who alone may write a document.
pub fn owner(db: Db<'_>, scope: &ScopeRow, path: &DocPath) -> Result<Option<Name>, OpError> {
    let document = find(db, scope.id, path)?;
    Ok(owner_of(scope, document.as_ref()).cloned())
}
