//! Search: messages, documents and resources by their words, and only what the caller may read.

use agent_worker_protocol::{
    channel::Message,
    conversation::Conversation,
    id::{MessageId, ResourceId},
    name::Name,
    search::{Hit, HitKind, Hits, Search},
    target::{Scope, Target},
    time::Timestamp,
};
use rusqlite::{Connection, OptionalExtension, params};

use crate::{
    context::{cx::Cx, limit, run::Run},
    error::OpError,
    ops::{
        message::read,
        search::{
            query::{Query, Term, add_fact},
            snippet::{self, Mark},
        },
    },
    rows::{
        self, Db,
        conversation::GroupRow,
        search::{facts, index},
        word::Word,
        workflow::{self, ScopeRow},
    },
    rules::access::message,
};

pub const MOST: u32 = 100;

/// What is looked for and where, on every surface.
pub const SQL: &str =
    "SELECT rowid FROM search WHERE search MATCH ?1 AND rowid >= ?2 AND rowid < ?3
    ORDER BY rowid DESC LIMIT ?4";

impl Run for Search {
    fn run(&self, cx: &mut Cx<'_>) -> Result<Hits, OpError> {
        let limit = limit::at_most(self.limit, 20, MOST)?;
        let query = Query::parse(&self.text, cx.now)?;
        let mut expression = query.expression();
        let scope = reach(cx, &mut expression)?;
        if let Some(place) = &query.place {
            narrow(cx, scope.as_ref(), place, &mut expression)?;
        }
        let (from, until) = bounds(cx.conn, &query)?;
        let until = self.next.map_or(until, |next| next.min(until));
        if expression.is_empty() {
            // Times alone: everything has a scope, and this one is of everything.
            expression.push_str("facts : s *");
        }
        let mut statement = cx.conn.prepare_cached(SQL)?;
        let ids = statement
            .query_map(params![expression, from, until, limit + 1], |row| row.get(0))?
            .collect::<Result<Vec<i64>, _>>()?;
        let more = ids.len() > limit as usize;
        let ids = &ids[..ids.len().min(limit as usize)];
        let marks: Vec<_> = query.terms.iter().flat_map(marks_of).collect();
        let mut hits = Vec::new();
        for id in ids {
            hits.extend(hit(cx.conn, *id, &marks)?);
        }
        Ok(Hits { hits, more, next: ids.last().copied().filter(|_| more) })
    }
}

pub fn marks_of(term: &Term) -> Vec<Mark> {
    let is_beginning = matches!(term, Term::Beginning(_));
    term.shown().iter().map(|word| Mark::new(word, is_beginning)).collect()
}

/// Where the caller may look: everywhere, or in one scope, there at what it may read.
pub fn reach(cx: &Cx<'_>, expression: &mut String) -> Result<Option<ScopeRow>, OpError> {
    let Some(scope) = cx.listed_scope()? else { return Ok(None) };
    add_fact(expression, &[facts::scope(scope.id)]);
    if !cx.is_person() {
        let me = cx.member()?;
        let sql = "SELECT group_id FROM group_members INDEXED BY group_members_of
                   WHERE agent = ?1 AND left_at IS NULL";
        let mut statement = cx.conn.prepare_cached(sql)?;
        let groups = statement.query_map([me.id], |row| row.get(0))?;
        let mut readable = vec![facts::OPEN.to_owned()];
        for group in groups {
            readable.push(facts::group(group?));
        }
        add_fact(expression, &readable);
    }
    if let Some(Target { name: Some(name), .. }) = &cx.target {
        let place = read::named(cx, &scope, name.clone())?.to_string();
        narrow(cx, Some(&scope), &place, expression)?;
    }
    Ok(Some(scope))
}

/// Takes `in:` for what it is: a scope, the channel, a conversation, or a member spoken with.
pub fn narrow(
    cx: &Cx<'_>,
    scope: Option<&ScopeRow>,
    place: &str,
    expression: &mut String,
) -> Result<(), OpError> {
    if place.starts_with('@') {
        let named: Scope =
            place.parse().map_err(|bad| OpError::invalid(format!("`in:{place}`: {bad}")))?;
        let (row, _) = cx.locate(&named.into())?;
        add_fact(expression, &[facts::scope(row.id)]);
        return Ok(());
    }
    let name: Conversation =
        place.parse().map_err(|bad| OpError::invalid(format!("`in:{place}`: {bad}")))?;
    if name == Conversation::Channel {
        add_fact(expression, &[facts::CHANNEL.to_owned()]);
        return Ok(());
    }
    let mut groups = conversations(cx, scope, &name)?;
    if let Conversation::Group(member) = &name
        && groups.is_empty()
    {
        let me = if cx.is_person() { Name::person() } else { cx.member()?.name };
        groups = conversations(cx, scope, &Conversation::direct(member.clone(), me))?;
    }
    if groups.is_empty() {
        return Err(OpError::not_found(format!("no conversation named `{name}` can be looked at"))
            .hint("agent-worker group list; in:@review is a workflow"));
    }
    add_fact(expression, &groups);
    Ok(())
}

/// The conversations of this name that the caller may read, also those that are closed.
pub fn conversations(
    cx: &Cx<'_>,
    scope: Option<&ScopeRow>,
    name: &Conversation,
) -> Result<Vec<String>, OpError> {
    let sql = "SELECT id FROM groups WHERE name = ?1 AND (?2 IS NULL OR scope = ?2)";
    let mut statement = cx.conn.prepare_cached(sql)?;
    let ids = statement
        .query_map(params![name.to_string(), scope.map(|scope| scope.id)], |row| row.get(0))?
        .collect::<Result<Vec<i64>, _>>()?;
    let mut found = Vec::new();
    for id in ids {
        if message::may_read(cx, &GroupRow::by_id(cx.db, id)?)? {
            found.push(facts::group(id));
        }
    }
    Ok(found)
}

/// Between which entries to look. What came later has a higher number, so a time has its place.
pub fn bounds(conn: &Connection, query: &Query) -> Result<(i64, i64), OpError> {
    let from = query.after.map_or(Ok(0), |after| first_since(conn, after))?;
    let until = query.before.map_or(Ok(i64::MAX), |before| first_since(conn, before))?;
    Ok((from, until))
}

/// The first entry of this time or later.
pub fn first_since(conn: &Connection, time: Timestamp) -> Result<i64, OpError> {
    let newest = "SELECT coalesce(max(id), 0) FROM search_entries";
    let mut high: i64 = conn.prepare_cached(newest)?.query_row([], |row| row.get(0))?;
    high += 1;
    let mut low = 0;
    let next = "SELECT id, at FROM search_entries WHERE id >= ?1 ORDER BY id LIMIT 1";
    let mut next = conn.prepare_cached(next)?;
    while low < high {
        let middle = low + (high - low) / 2;
        let found: Option<(i64, i64)> =
            next.query_row([middle], |row| Ok((row.get(0)?, row.get(1)?))).optional()?;
        match found {
            Some((id, at)) if at < time.0 => low = id + 1,
            _ => high = middle,
        }
    }
    Ok(low)
}

/// What lies behind an entry.
pub struct Found {
    scope: Scope,
    kind: HitKind,
    number: Option<i64>,
    scope_id: i64,
    path_key: Option<String>,
}

impl Found {
    /// A hit in this text, which does not name yet what it is in.
    fn hit(self, text: &str, by: Name, at: Timestamp, marks: &[Mark]) -> Hit {
        let (snippet, matches) = snippet::cut(text, marks);
        Hit {
            kind: self.kind,
            scope: self.scope,
            message: None,
            group: None,
            file: None,
            resource: None,
            by,
            at,
            snippet,
            matches,
        }
    }
}

pub fn hit(conn: &Connection, id: i64, marks: &[Mark]) -> Result<Option<Hit>, OpError> {
    let sql = "SELECT w.name AS workflow, w.tag, e.kind, e.number, e.scope, e.path_key
               FROM search_entries AS e JOIN workflows AS w ON w.id = e.scope WHERE e.id = ?1";
    let found = conn.prepare_cached(sql)?.query_row([id], |row| {
        Ok(Found {
            scope: workflow::scope_from_row(row, "workflow", "tag")?,
            kind: row.get::<_, Word<HitKind>>("kind")?.0,
            number: row.get("number")?,
            scope_id: row.get("scope")?,
            path_key: row.get("path_key")?,
        })
    });
    let Some(found) = found.optional()? else { return Ok(None) };
    Ok(Some(match (found.kind, found.number) {
        (HitKind::Message | HitKind::System, Some(seq)) => {
            message_hit(conn, found, rows::message::by_seq(Db::new(conn), seq)?, marks)?
        }
        (HitKind::Resource, Some(number)) => resource_hit(conn, found, number, marks)?,
        _ => document_hit(conn, found, marks)?,
    }))
}

pub fn message_hit(
    conn: &Connection,
    found: Found,
    message: Message,
    marks: &[Mark],
) -> Result<Hit, OpError> {
    let text = index::whole_text(conn, message.content, message.resource)?;
    Ok(Hit {
        message: Some(MessageId::new(message.seq)),
        group: Some(message.group),
        resource: message.resource,
        ..found.hit(&text, message.sender, message.created_at, marks)
    })
}

pub fn resource_hit(
    conn: &Connection,
    found: Found,
    number: i64,
    marks: &[Mark],
) -> Result<Hit, OpError> {
    let sql = "SELECT content, created_by, created_at FROM resources WHERE id = ?1";
    let (text, by, at) = conn.prepare_cached(sql)?.query_row([number], |row| {
        Ok((row.get::<_, String>(0)?, row.get::<_, Word<Name>>(1)?.0, row.get(2)?))
    })?;
    let resource = Some(ResourceId::new(number));
    Ok(Hit { resource, ..found.hit(&text, by, Timestamp(at), marks) })
}

pub fn document_hit(conn: &Connection, found: Found, marks: &[Mark]) -> Result<Hit, OpError> {
    let sql = "SELECT path, content, author, updated_at FROM documents
               WHERE scope = ?1 AND path_key = ?2";
    let key = params![found.scope_id, found.path_key];
    let (file, text, by, at) = conn.prepare_cached(sql)?.query_row(key, |row| {
        Ok((row.get(0)?, row.get::<_, String>(1)?, row.get::<_, Word<Name>>(2)?.0, row.get(3)?))
    })?;
    Ok(Hit { file: Some(file), ..found.hit(&text, by, Timestamp(at), marks) })
}
