//! Search: messages, documents and resources by their words, and only what the caller may read.

use std::collections::HashSet;

use agent_worker_protocol::{
    Conversation, Hit, HitKind, Hits, Name, ResourceId, Scope, Search, Target, Timestamp,
};
use jiff::tz::TimeZone;

use crate::{
    context::{Cx, Run, limit},
    error::{OpError, Result},
    ops::{
        message::read,
        search::{
            query::{Query, Term, add_fact},
            snippet::{self, Mark},
        },
    },
    rows::{
        self, AgentRow, ConversationRow, Db, WorkflowRow, conversation, document, resource,
        search::{
            entry::{self, Found},
            facts, index,
        },
    },
    rules::access::message,
};

pub const MOST: u32 = 100;

/// How many words of a query are looked for in the texts that were found, to show them: a query of
/// hundreds would keep a reader at work for minutes where the texts are long.
const MOST_MARKS: usize = 16;

/// How many entries at the most have their words stored at once, before a search looks at them.
const AT_ONCE: u32 = 10_000;

impl Run for Search {
    const READS_INDEX: bool = true;

    fn run(&self, cx: &mut Cx<'_>) -> Result<Hits> {
        // A reader is asked only when nothing that was acknowledged is missing.
        while !cx.db.is_readonly()? && index::is_behind(cx.db)? {
            index::catch_up(cx.db, AT_ONCE)?;
        }
        let limit = limit::at_most(self.limit, 20, MOST)?;
        let within = cx.listed_scope()?.map(|scope| scope.scope);
        let query = Query::parse(&self.text, cx.now, &TimeZone::system(), within.as_ref())?;
        let mut expression = query.expression();
        let scope = reach(cx, &mut expression)?;
        if let Some(place) = &query.place {
            narrow(cx, scope.as_ref(), place, &mut expression)?;
        }
        if self.next.is_some_and(|next| next < 0) {
            return Err(OpError::invalid("invalid `next`: copy it from an earlier answer"));
        }
        if expression.is_empty() {
            // Times alone: everything has a scope, and this one is of everything.
            expression.push_str("facts : s *");
        }
        let (times, is_person) = ((query.after, query.before), cx.is_person());
        let ids = entry::matches(cx.db, &expression, times, self.next, limit + 1, is_person)?;
        let (ids, more) = limit::cut(ids, limit);
        let marks: Vec<_> = query.terms.iter().flat_map(marks_of).take(MOST_MARKS).collect();
        let mut hits = Vec::new();
        for id in &ids {
            hits.extend(hit(cx.db, *id, &marks)?);
        }
        Ok(Hits { hits, more, next: ids.last().copied().filter(|_| more) })
    }
}

fn marks_of(term: &Term) -> Vec<Mark> {
    let is_beginning = matches!(term, Term::Beginning(_));
    term.shown().iter().map(|word| Mark::new(word, is_beginning)).collect()
}

/// Where the caller may look: everywhere, or in one scope, there at what it may read.
pub fn reach(cx: &Cx<'_>, expression: &mut String) -> Result<Option<WorkflowRow>> {
    let Some(scope) = cx.listed_scope()? else { return Ok(None) };
    add_fact(expression, &[facts::scope(scope.id)]);
    if !cx.is_person() {
        let me = cx.member()?;
        let groups = conversation::of_member(cx.db, me.id)?.into_iter().map(facts::group);
        let readable: Vec<_> = [facts::OPEN.to_owned()].into_iter().chain(groups).collect();
        add_fact(expression, &readable);
    }
    if let Some(Target { name: Some(name), .. }) = &cx.target {
        let place = read::named(cx, &scope, name.clone())?.to_string();
        narrow(cx, Some(&scope), &place, expression)?;
    }
    Ok(Some(scope))
}

/// Takes `in:` for what it is: a scope, the channel, a conversation, or a member spoken with.
fn narrow(
    cx: &Cx<'_>,
    scope: Option<&WorkflowRow>,
    place: &str,
    expression: &mut String,
) -> Result<()> {
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
            .hint(cx.either("group_list lists the conversations", "agent-worker group list")));
    }
    add_fact(expression, &groups);
    Ok(())
}

/// The conversations of this name that the caller may read, also those that are closed. Two members
/// that have not spoken with each other yet have an empty one.
fn conversations(
    cx: &Cx<'_>,
    scope: Option<&WorkflowRow>,
    name: &Conversation,
) -> Result<Vec<String>> {
    let mut found = Vec::new();
    for group in ConversationRow::named(cx.db, name, scope.map(|scope| scope.id))? {
        if message::may_read(cx, &group)? {
            found.push(facts::group(group.id));
        }
    }
    if found.is_empty() && may_begin(cx, scope, name)? {
        found.push(facts::UNSPOKEN.to_owned());
    }
    Ok(found)
}

/// Whether this is the conversation of two members of a scope, of this one or any, that the caller
/// could read if they had spoken.
fn may_begin(cx: &Cx<'_>, scope: Option<&WorkflowRow>, name: &Conversation) -> Result<bool> {
    let Conversation::Direct(one, other) = name else { return Ok(false) };
    if one == other || !(cx.is_person() || [one, other].contains(&&cx.member()?.name)) {
        return Ok(false);
    }
    let members = match scope {
        Some(scope) => AgentRow::of_scope(cx.db, scope.id)?,
        None => AgentRow::all(cx.db)?,
    };
    let place = |name: &Name, member: &AgentRow| (member.name == *name).then_some(member.scope_id);
    let scopes: HashSet<_> = members.iter().filter_map(|member| place(one, member)).collect();
    let mut others = members.iter().filter_map(|member| place(other, member));
    Ok(others.any(|scope| scopes.contains(&scope)))
}

/// A hit in this text, which does not name yet what it is in.
fn in_text(found: Found, text: &str, by: Name, at: Timestamp, marks: &[Mark]) -> Hit {
    let (snippet, matches) = snippet::cut(text, marks);
    Hit {
        kind: found.kind,
        scope: found.scope,
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

fn hit(db: Db<'_>, id: i64, marks: &[Mark]) -> Result<Option<Hit>> {
    let Some(found) = entry::find(db, id)? else { return Ok(None) };
    Ok(Some(match (found.kind, found.number) {
        (HitKind::Message | HitKind::System, Some(seq)) => {
            let message = rows::message::by_seq(db, seq)?;
            let text = match message.resource {
                Some(resource) => resource::by_id(db, resource)?.content,
                None => message.content,
            };
            Hit {
                message: Some(message.id),
                group: Some(message.group),
                resource: message.resource,
                ..in_text(found, &text, message.sender, message.created_at, marks)
            }
        }
        (HitKind::Resource, Some(number)) => {
            let id = ResourceId::new(number);
            let known = resource::by_id(db, id)?;
            let hit = in_text(found, &known.content, known.created_by, known.created_at, marks);
            Hit { resource: Some(id), ..hit }
        }
        _ => {
            let document = document::with_text(db, found.scope_id, found.path_key.as_deref())?;
            let hit =
                in_text(found, &document.content, document.author, document.updated_at, marks);
            Hit { file: Some(document.path), ..hit }
        }
    }))
}
