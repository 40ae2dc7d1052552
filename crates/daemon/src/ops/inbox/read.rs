//! The inbox: what a run is given, what it says it is done with, and looking without touching.

use agent_worker_protocol::{Elsewhere, InboxMessage, InboxPage, Message, MessageId, MyInbox};

use crate::{
    changes::run::{
        batch::{Batch, Room, Space},
        lease,
    },
    context::{Cx, Run, limit},
    error::{OpError, Result},
    ops::inbox::reader::{self, Reader},
    rows::{AgentRow, ConversationRow, DeliveryRow, RunRow, delivery, message, resource},
};

impl Run for MyInbox {
    fn run(&self, cx: &mut Cx<'_>) -> Result<InboxPage> {
        if self.wait.is_some_and(|wait| wait.duration() > Self::LONGEST_WAIT) {
            return Err(OpError::invalid("`wait` must be at most 60s"));
        }
        if self.max_chars == Some(0) {
            return Err(OpError::invalid("`max_chars` is at least 1"));
        }
        let inbox = &cx.settings.inbox;
        let size = PageSize {
            messages: limit::at_most(self.limit, inbox.messages, 200)?,
            chars: self.max_chars.unwrap_or(inbox.bytes).max(1),
        };
        match reader::reader(cx)? {
            Reader::Person(me) => page_of_person(cx, &me, size),
            Reader::Member(me, run) => page_of_run(cx, &me, &run, size),
            Reader::Outside(me) => match open_run(cx, &me, size)? {
                Some(run) => page_of_run(cx, &me, &run, size),
                None => Ok(page(Vec::new(), false)),
            },
        }
    }
}

/// How much a page may hold.
#[derive(Debug, Clone, Copy)]
struct PageSize {
    messages: u32,
    chars: u32,
}

pub fn page(messages: Vec<InboxMessage>, more: bool) -> InboxPage {
    let count = i64::try_from(messages.len()).unwrap_or(i64::MAX);
    InboxPage { messages, count, more, ..InboxPage::default() }
}

fn page_of_person(cx: &Cx<'_>, me: &AgentRow, size: PageSize) -> Result<InboxPage> {
    let mut rows = delivery::open(cx.db, me.id, u32::MAX)?;
    rows.reverse();
    let space = Space::of(i64::from(size.chars), &[]);
    let (messages, more) = fill(cx, me, &rows, size, space)?;
    Ok(page(messages, more))
}

fn page_of_run(cx: &mut Cx<'_>, me: &AgentRow, run: &RunRow, size: PageSize) -> Result<InboxPage> {
    let mut rows = unmarked(cx, run)?;
    let has_unread = me.has_unread(cx.db)?;
    let mut has_more = false;
    // A run that has one message alone takes no more of its conversation.
    let here = run.group_id.filter(|_| !run.solo);
    if let Some(group) = here.filter(|_| has_unread) {
        let newer = newer(cx, me, run, group, size, &rows)?;
        has_more = newer.is_full;
        if !newer.mail.is_empty() {
            lease::lease(cx, me, run.id, newer.mail)?;
            rows = unmarked(cx, run)?;
        }
    }
    let space = Space::of(i64::from(size.chars), &rows);
    let (messages, cut) = fill(cx, me, &rows, size, space)?;
    let mut page = page(messages, cut || has_more);
    if has_unread {
        for (group, count) in delivery::elsewhere(cx.db, me.id, here.unwrap_or(0))? {
            let known = ConversationRow::by_id(cx.db, group)?;
            page.elsewhere.push(Elsewhere { group: known.name, count });
        }
    }
    Ok(page)
}

/// What a run has and has not marked as done, in order.
fn unmarked(cx: &Cx<'_>, run: &RunRow) -> Result<Vec<DeliveryRow>> {
    let mut rows = delivery::leased(cx.db, run.id.number())?;
    rows.retain(|row| row.marked_by != Some(run.id.number()));
    Ok(rows)
}

/// Newer deliveries of its conversation, and those of any that do not wake, for which its page has
/// room beside what is there. A run takes them, so that it acknowledges all that its worker has
/// seen. What a full page has no room for stays pending.
fn newer(
    cx: &mut Cx<'_>,
    me: &AgentRow,
    run: &RunRow,
    group: i64,
    size: PageSize,
    there: &[DeliveryRow],
) -> Result<Batch> {
    let count = u32::try_from(there.len()).unwrap_or(u32::MAX);
    let space = Space::of(i64::from(size.chars), there);
    let used: i64 = there.iter().map(|row| space.bytes_of(row)).sum();
    let room = Room {
        messages: size.messages.saturating_sub(count),
        bytes: i64::from(size.chars) - used,
        takes_one: count == 0,
        space,
    };
    let given = delivery::of_run(cx.db, run.id.number(), me.id)?;
    let roots = given.iter().filter(|row| row.wakes).map(|row| row.root).collect();
    let waking = lease::allowed_waking(cx, me, group, room, roots)?;
    Batch::take(cx, me.id, waking, room)
}

/// Messages with their whole text as far as there is room, at least one, and whether some are
/// left. Of a message that the page cannot hold beside others, a head is shown. Mail is leased by
/// bytes; a head in bytes is shown whole if the page has that many characters left.
fn fill(
    cx: &Cx<'_>,
    me: &AgentRow,
    rows: &[DeliveryRow],
    size: PageSize,
    space: Space,
) -> Result<(Vec<InboxMessage>, bool)> {
    let mut messages = Vec::new();
    let mut left = size.chars as usize;
    let most = rows.len().min(size.messages as usize);
    let mut unused = unused(cx, &rows[..most], size, space)?;
    for row in &rows[..most] {
        let mut message = whole(cx, row)?;
        let chars = message.content.chars().count();
        let head = head(row, space).filter(|_| most > 1);
        let mut needed = head.map_or(chars, |head| head.min(chars));
        if chars - needed <= unused {
            unused -= chars - needed;
            needed = chars;
        }
        if needed > left && !messages.is_empty() {
            break;
        }
        let shown = needed.min(left);
        if shown < chars {
            cut(&mut message, row, shown, chars);
        }
        left -= shown;
        messages.push(InboxMessage::new(message, row.entity(me)));
    }
    let is_cut = messages.len() < rows.len();
    Ok((messages, is_cut))
}

/// A message with its whole text.
fn whole(cx: &Cx<'_>, row: &DeliveryRow) -> Result<Message> {
    let mut message = message::by_seq(cx.db, row.seq)?;
    if let Some(resource) = message.resource {
        message.content = resource::by_id(cx.db, resource)?.content;
    }
    Ok(message)
}

/// Characters of the head that is shown of a delivery, or `None` if it is shown whole.
fn head(row: &DeliveryRow, space: Space) -> Option<usize> {
    space.head(row).and_then(|head| usize::try_from(head).ok())
}

/// Characters that are left on a page with heads; 0 on a page without any.
fn unused(cx: &Cx<'_>, rows: &[DeliveryRow], size: PageSize, space: Space) -> Result<usize> {
    if rows.iter().all(|row| head(row, space).is_none()) {
        return Ok(0);
    }
    let mut left = size.chars as usize;
    for row in rows {
        let chars = whole(cx, row)?.content.chars().count();
        let shown = head(row, space).map_or(chars, |head| head.min(chars));
        match left.checked_sub(shown) {
            Some(rest) => left = rest,
            None => return Ok(0),
        }
    }
    Ok(left)
}

/// Leaves the first characters of a message's text, and says where the rest is. A larger page may
/// take more mail, and then still show a head of mail that wakes no agent.
fn cut(message: &mut Message, row: &DeliveryRow, shown: usize, chars: usize) {
    let end = message.content.char_indices().nth(shown).map_or(0, |(at, _)| at);
    let whole = match message.resource {
        Some(id) => format!("{id} has the whole"),
        None if row.wakes => format!("`max_chars` of {chars} shows them"),
        None => format!(
            "channel_read (group: {}, after: {}, limit: 1) shows them",
            message.group,
            MessageId::new(row.seq - 1)
        ),
    };
    let head = &message.content[..end];
    message.content = format!("{head}\n[… {chars} characters in all: {whole}]");
}

/// Opens a run for a member outside that has mail and reads its inbox.
fn open_run(cx: &mut Cx<'_>, me: &AgentRow, size: PageSize) -> Result<Option<RunRow>> {
    let scope = reader::open_scope(cx, me)?;
    lease::open_outside(cx, me, &scope, Room::of_page(size.messages, size.chars))
}
