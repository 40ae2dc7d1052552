//! Resources: long texts that messages point to.

use agent_worker_protocol::{
    event::EventBody,
    id::{ResourceId, RunId},
    name::Name,
    resource::{Resource, ResourceCreate, ResourceRead, ResourceText, ResourceType},
    time::Timestamp,
};
use rusqlite::{OptionalExtension, params};

use super::{Cx, OpError, Run, conversation::GroupRow, limit, word::Word, workflow::ScopeRow};

/// A text that is about to be stored.
#[derive(Debug)]
pub struct NewResource<'a> {
    /// The conversation whose members may read it; the whole scope if none
    pub group: Option<i64>,
    /// What the text is
    pub content_type: ResourceType,
    /// The text
    pub content: &'a str,
    /// Who made it
    pub created_by: &'a str,
    /// The run that made it
    pub run: Option<RunId>,
}

/// Stores a text and announces it.
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
    let created_by: Name = new
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

/// A part of a text, by characters, and whether there is more after it.
pub fn part(
    text: &str,
    offset: Option<u32>,
    limit: Option<u32>,
) -> Result<(String, bool), OpError> {
    let limit = limit::at_most(limit, u32::MAX, u32::MAX)? as usize;
    let skip = offset.unwrap_or(0) as usize;
    let start = text.char_indices().nth(skip).map_or(text.len(), |(at, _)| at);
    let rest = &text[start..];
    let end = rest.char_indices().nth(limit).map_or(rest.len(), |(at, _)| at);
    Ok((rest[..end].to_owned(), end < rest.len()))
}

impl Run for ResourceCreate {
    fn run(&self, cx: &mut Cx<'_>) -> Result<Resource, OpError> {
        let most = cx.settings.messages.max_bytes;
        if self.content.is_empty() {
            return Err(OpError::invalid("the resource is empty"));
        }
        if self.content.len() > most {
            return Err(OpError::too_large(format!(
                "the resource has {} bytes, and a resource has at most {most}",
                self.content.len()
            )));
        }
        let (scope, me) = (cx.scope()?, cx.member()?);
        let new = NewResource {
            group: None,
            content_type: self.content_type.unwrap_or_default(),
            content: &self.content,
            created_by: me.name.as_str(),
            run: cx.run().map(|run| run.id),
        };
        let id = insert(cx, &scope, &new)?;
        Ok(Resource {
            id,
            scope: scope.scope,
            content_type: new.content_type,
            created_by: me.name,
            bytes: i64::try_from(self.content.len()).unwrap_or(i64::MAX),
            created_at: cx.now,
        })
    }
}

impl Run for ResourceRead {
    fn run(&self, cx: &mut Cx<'_>) -> Result<ResourceText, OpError> {
        // What one may not read does not exist for one.
        let missing = || OpError::not_found(format!("there is no resource `{}` here", self.id));
        let sql = "SELECT scope, group_id, type, content FROM resources WHERE id = ?1";
        let found = cx
            .conn
            .prepare_cached(sql)?
            .query_row([self.id.number()], |row| {
                Ok((
                    row.get::<_, i64>(0)?,
                    row.get::<_, Option<i64>>(1)?,
                    row.get::<_, Word<ResourceType>>(2)?.0,
                    row.get::<_, String>(3)?,
                ))
            })
            .optional()?;
        let (scope, group, content_type, text) = found.ok_or_else(missing)?;
        if !may_read(cx, scope, group)? {
            return Err(missing());
        }
        let (content, more) = part(&text, self.offset, self.limit)?;
        let chars = i64::try_from(text.chars().count()).unwrap_or(i64::MAX);
        Ok(ResourceText { id: self.id, content_type, content, chars, more })
    }
}

fn may_read(cx: &Cx<'_>, scope: i64, group: Option<i64>) -> Result<bool, OpError> {
    if cx.is_person() {
        return Ok(true);
    }
    let me = cx.member()?;
    match group {
        _ if me.scope_id != scope => Ok(false),
        None => Ok(true),
        Some(group) => GroupRow::by_id(cx.conn, group)?.is_open_to(cx.conn, &me),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_counts_characters_and_says_whether_there_is_more() {
        assert_eq!(part("äöü", None, None).unwrap(), ("äöü".to_owned(), false));
        assert_eq!(part("äöü", Some(1), Some(1)).unwrap(), ("ö".to_owned(), true));
        assert_eq!(part("äöü", Some(2), Some(1)).unwrap(), ("ü".to_owned(), false));
        assert_eq!(part("äöü", Some(9), Some(1)).unwrap(), (String::new(), false));
    }
}
