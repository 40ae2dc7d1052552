//! Resources: long texts that messages point to.

use agent_worker_protocol::{
    Resource, ResourceCreate, ResourceList, ResourceRead, ResourceText, ResourceType, Resources,
};

use crate::{
    changes,
    context::{Cx, Run, limit},
    error::{OpError, Result},
    rows::{
        ConversationRow, NewResource,
        resource::{self, Filter},
    },
    rules::access::name,
};

/// The most resources that are answered at once.
pub const MOST: u32 = 500;

/// A part of a text, by characters, and whether there is more after it.
pub fn part(text: &str, offset: Option<u32>, limit: Option<u32>) -> Result<(String, bool)> {
    let limit = limit::at_most(limit, u32::MAX, u32::MAX)? as usize;
    let skip = offset.unwrap_or(0) as usize;
    let start = text.char_indices().nth(skip).map_or(text.len(), |(at, _)| at);
    let rest = &text[start..];
    let end = rest.char_indices().nth(limit).map_or(rest.len(), |(at, _)| at);
    Ok((rest[..end].to_owned(), end < rest.len()))
}

impl Run for ResourceCreate {
    fn run(&self, cx: &mut Cx<'_>) -> Result<Resource> {
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
            created_by: &me.name,
            run: cx.run().map(|run| run.id),
        };
        changes::message::resource::store(cx, &scope, &new)
    }
}

impl Run for ResourceRead {
    fn run(&self, cx: &mut Cx<'_>) -> Result<ResourceText> {
        // What one may not read does not exist for one.
        let missing =
            || {
                OpError::not_found(format!("resource `{}` not found", self.id)).hint(cx.either(
                    "its id is in the message that links to it",
                    "agent-worker resource list",
                ))
            };
        let found = resource::find(cx.db, self.id)?.ok_or_else(missing)?;
        if !may_read(cx, found.scope, found.group)? {
            name::check(cx, found.scope)?;
            return Err(missing());
        }
        if !cx.is_person() && resource::is_hidden(cx.db, self.id)? {
            return Err(missing());
        }
        let (content, more) = part(&found.content, self.offset, self.limit)?;
        let chars = i64::try_from(found.content.chars().count()).unwrap_or(i64::MAX);
        let content_type = found.content_type;
        Ok(ResourceText { id: self.id, content_type, content, chars, more })
    }
}

impl Run for ResourceList {
    fn run(&self, cx: &mut Cx<'_>) -> Result<Resources> {
        let limit = limit::at_most(self.limit, 50, MOST)?;
        let scope = cx.listed_scope()?.map(|scope| scope.id);
        // Those of conversations that the caller is not in do not exist for it.
        let reader = if cx.is_person() { None } else { Some(cx.member()?.id) };
        let filter = Filter { before: self.before, scope, content_type: self.content_type, reader };
        let (resources, more) = limit::cut(resource::page(cx.db, &filter, limit + 1)?, limit);
        Ok(Resources { resources, more })
    }
}

pub fn may_read(cx: &Cx<'_>, scope: i64, group: Option<i64>) -> Result<bool> {
    if cx.is_person() {
        return Ok(true);
    }
    let Some(me) = cx.member_in(scope)? else { return Ok(false) };
    match group {
        None => Ok(true),
        Some(group) => ConversationRow::by_id(cx.db, group)?.is_open_to(cx.db, &me),
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
