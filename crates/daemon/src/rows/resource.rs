//! `resources`: long texts.

use agent_worker_protocol::{Name, Resource, ResourceId, ResourceType, RunId, Timestamp};

use crate::{
    error::Result,
    rows::{Db, row, sql, statements, table},
};

/// A text that is about to be stored.
#[derive(Debug)]
pub struct NewResource<'a> {
    /// The conversation whose members may read it; the whole scope if none
    pub group: Option<i64>,
    /// What the text is
    pub content_type: ResourceType,
    pub content: &'a str,
    pub created_by: &'a Name,
    /// The run that made it
    pub run: Option<RunId>,
}

row! {
    const SELECT: Resource from "resources AS x JOIN workflows AS w ON w.id = x.scope" {
        id = "x.id",
        scope = "'@' || w.name || ':' || w.tag",
        content_type = "x.type",
        created_by = "x.created_by",
        bytes = "x.bytes",
        created_at = "x.created_at",
    }
}

row! {
    /// A stored text, and who may read it.
    pub struct Stored from "resources" {
        scope: i64,
        /// The conversation whose members may read it; the whole scope if none
        group: Option<i64> = "group_id",
        content_type: ResourceType = "type",
        content: String,
        created_by: Name,
        created_at: Timestamp,
    }
}

table! {
    struct NewRow<'a> into Resources {
        scope: i64,
        group: Option<i64> = "group_id",
        content_type: ResourceType = "type",
        content: &'a str,
        bytes: i64,
        created_by: &'a Name,
        run: Option<RunId>,
        created_at: Timestamp,
    }
}

/// Which resources are listed.
#[derive(Debug)]
pub struct Filter {
    pub before: Option<ResourceId>,
    pub scope: Option<i64>,
    pub content_type: Option<ResourceType>,
    /// Who reads; the person if none
    pub reader: Option<i64>,
}

const BY_ID: &str = sql!(Stored::SELECT, " WHERE id = ?1");

statements! {
    /// A resource with its text, if there is one.
    pub fn find(id: ResourceId) -> maybe Stored = BY_ID;

    /// A resource that is known to exist, with its text.
    pub fn by_id(id: ResourceId) -> one Stored = BY_ID;

    /// Whether it is the whole of a message that the user took out of all prompts.
    pub fn is_hidden(id: ResourceId) -> exists =
        "SELECT 1 FROM messages INDEXED BY messages_hidden
            WHERE resource = ?1 AND hidden = 1 LIMIT 1";
}

/// The newest resources that a member may read, newest first.
pub fn page(db: Db<'_>, filter: &Filter, limit: u32) -> Result<Vec<Resource>> {
    const SQL: &str = sql!(
        SELECT,
        " WHERE x.id < ?1 AND (?2 IS NULL OR x.scope = ?2) AND (?3 IS NULL OR x.type = ?3)
           AND (?4 IS NULL OR x.group_id IS NULL OR EXISTS (
               SELECT 1 FROM group_members AS m WHERE m.group_id = x.group_id
                   AND m.agent = ?4 AND m.left_at IS NULL))
           AND (?4 IS NULL OR NOT EXISTS (
               SELECT 1 FROM messages AS h INDEXED BY messages_hidden
               WHERE h.resource = x.id AND h.hidden = 1))
         ORDER BY x.id DESC LIMIT ?5"
    );
    let before = filter.before.map_or(i64::MAX, ResourceId::number);
    db.all(SQL, (before, filter.scope, filter.content_type, filter.reader, limit))
}

/// Stores a text of a scope.
pub fn insert(
    db: Db<'_>,
    scope: i64,
    new: &NewResource<'_>,
    created_at: Timestamp,
) -> Result<ResourceId> {
    let &NewResource { group, content_type, content, created_by, run } = new;
    let bytes = i64::try_from(content.len()).unwrap_or(i64::MAX);
    let row = NewRow { scope, group, content_type, content, bytes, created_by, run, created_at };
    db.insert(&row).map(ResourceId::new)
}
