//! Resources: long texts that messages point to.

use agent_worker_protocol::{
    id::ResourceId,
    name::Name,
    resource::{
        Resource, ResourceCreate, ResourceList, ResourceRead, ResourceText, ResourceType, Resources,
    },
    time::Timestamp,
};
use rusqlite::{OptionalExtension, params};

use crate::{
    changes::message::resource,
    context::{cx::Cx, limit, run::Run},
    error::OpError,
    rows::{conversation::GroupRow, resource::NewResource, word::Word, workflow},
};

/// The most resources that are answered at once.
pub const MOST: u32 = 500;

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
        if self.content_type == Some(ResourceType::Json)
            && let Err(error) = serde_json::from_str::<serde::de::IgnoredAny>(&self.content)
        {
            return Err(OpError::invalid(format!("the resource is not JSON: {error}"))
                .hint("leave `type` out, or say `text`"));
        }
        let (scope, me) = (cx.scope()?, cx.member()?);
        let new = NewResource {
            group: None,
            content_type: self.content_type.unwrap_or_default(),
            content: &self.content,
            created_by: me.name.as_str(),
            run: cx.run().map(|run| run.id),
        };
        let id = resource::store(cx, &scope, &new)?;
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
        let missing = || OpError::not_found(format!("resource `{}` not found", self.id));
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

impl Run for ResourceList {
    fn run(&self, cx: &mut Cx<'_>) -> Result<Resources, OpError> {
        let limit = limit::at_most(self.limit, 50, MOST)?;
        let scope = cx.listed_scope()?.map(|scope| scope.id);
        // Those of conversations that the caller is not in do not exist for it.
        let me = if cx.is_person() { None } else { Some(cx.member()?.id) };
        let sql = "SELECT x.id, w.name AS workflow, w.tag, x.type, x.created_by, x.bytes,
                       x.created_at
                   FROM resources AS x JOIN workflows AS w ON w.id = x.scope
                   WHERE x.id < ?1 AND (?2 IS NULL OR x.scope = ?2) AND (?3 IS NULL OR x.type = ?3)
                     AND (?4 IS NULL OR x.group_id IS NULL OR EXISTS (
                         SELECT 1 FROM group_members AS m WHERE m.group_id = x.group_id
                             AND m.agent = ?4 AND m.left_at IS NULL))
                   ORDER BY x.id DESC LIMIT ?5";
        let before = self.before.map_or(i64::MAX, ResourceId::number);
        let mut statement = cx.conn.prepare_cached(sql)?;
        let rows = statement.query_map(
            params![before, scope, self.content_type.map(Word), me, limit + 1],
            |row| {
                Ok(Resource {
                    id: ResourceId::new(row.get("id")?),
                    scope: workflow::scope_from_row(row, "workflow", "tag")?,
                    content_type: row.get::<_, Word<ResourceType>>("type")?.0,
                    created_by: row.get::<_, Word<Name>>("created_by")?.0,
                    bytes: row.get("bytes")?,
                    created_at: Timestamp(row.get("created_at")?),
                })
            },
        )?;
        let mut resources = rows.collect::<Result<Vec<_>, _>>()?;
        let more = resources.len() > limit as usize;
        resources.truncate(limit as usize);
        Ok(Resources { resources, more })
    }
}

pub fn may_read(cx: &Cx<'_>, scope: i64, group: Option<i64>) -> Result<bool, OpError> {
    if cx.is_person() {
        return Ok(true);
    }
    let Some(me) = cx.member_in(scope)? else { return Ok(false) };
    match group {
        None => Ok(true),
        Some(group) => GroupRow::by_id(cx.db, group)?.is_open_to(cx.db, &me),
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
