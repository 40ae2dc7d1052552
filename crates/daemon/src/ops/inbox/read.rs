//! The inbox: what a run is given, what it says it is done with, and looking without touching.

use agent_worker_protocol::{
    agent::{MemberKind, Wanted},
    id::{MessageId, ResourceId, RunId},
    inbox::{
        Acked, DeliveryState, EarlierCall, Elsewhere, Inbox, InboxMessage, InboxPage, MyInbox,
        MyInboxAck,
    },
    run::RunKind,
};

use crate::{
    changes::{
        message::conversation::{self, GroupRow},
        run::{
            batch::{Batch, Room, Waking},
            finish::{self, Ended},
            lease,
        },
    },
    context::{
        cx::{Cx, Who},
        limit,
    },
    error::OpError,
    ops::{list::Run, message::read, transcript},
    rows::{
        agent::AgentRow,
        delivery::{self, DeliveryRow},
        run::{EndClass, RunRow},
        workflow::ScopeRow,
    },
};

/// Who reads an inbox.
pub enum Reader {
    /// The person: reading leases nothing.
    Person(AgentRow),
    /// An agent in a run.
    Member(AgentRow, Box<RunRow>),
    /// A member outside that has no run open.
    Outside(AgentRow),
}

pub fn reader(cx: &Cx<'_>) -> Result<Reader, OpError> {
    let me = cx.member()?;
    match &cx.who {
        Who::Run(run) => Ok(Reader::Member(me, run.clone())),
        _ if me.kind == MemberKind::Person => Ok(Reader::Person(me)),
        _ => match RunRow::live_of(cx.conn, me.id)? {
            None => Ok(Reader::Outside(me)),
            Some(id) => {
                let run = RunRow::by_id(cx.conn, id)?;
                if run.kind == RunKind::External {
                    return Ok(Reader::Member(me, Box::new(run)));
                }
                Err(OpError::conflict(format!("`{}` is working ({id})", me.target()))
                    .hint(format!("agent-worker inbox {} shows it without taking it", me.target())))
            }
        },
    }
}

impl Run for MyInbox {
    fn run(&self, cx: &mut Cx<'_>) -> Result<InboxPage, OpError> {
        if self.wait.is_some_and(|wait| wait.duration() > Self::LONGEST_WAIT) {
            return Err(OpError::invalid("`wait` must be at most 60s"));
        }
        let inbox = &cx.settings.inbox;
        let size = PageSize {
            messages: limit::at_most(self.limit, inbox.messages, 200)?,
            chars: self.max_chars.unwrap_or(inbox.bytes).max(1),
        };
        match reader(cx)? {
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
pub struct PageSize {
    messages: u32,
    chars: u32,
}

pub fn page(messages: Vec<InboxMessage>, more: bool) -> InboxPage {
    let count = i64::try_from(messages.len()).unwrap_or(i64::MAX);
    InboxPage { messages, count, more, elsewhere: Vec::new(), earlier: Vec::new() }
}

pub fn page_of_person(cx: &Cx<'_>, me: &AgentRow, size: PageSize) -> Result<InboxPage, OpError> {
    let mut rows = delivery::open(cx.conn, me.id, u32::MAX)?;
    rows.reverse();
    let (messages, more) = fill(cx, me, &rows, size)?;
    Ok(page(messages, more))
}

pub fn page_of_run(
    cx: &mut Cx<'_>,
    me: &AgentRow,
    run: &RunRow,
    size: PageSize,
) -> Result<InboxPage, OpError> {
    lease_newer(cx, me, run, size)?;
    let mut rows = delivery::leased(cx.conn, run.id.number())?;
    rows.retain(|row| row.marked_by != Some(run.id.number()));
    let (messages, cut) = fill(cx, me, &rows, size)?;
    let waits = match run.group_id {
        Some(group) if !run.solo => has_more(cx, me, group)?,
        _ => false,
    };
    let mut page = page(messages, cut || waits);
    let here = run.group_id.unwrap_or(0);
    for (group, count) in delivery::elsewhere(cx.conn, me.id, here)? {
        page.elsewhere.push(Elsewhere { group: GroupRow::by_id(cx.conn, group)?.name, count });
    }
    page.earlier = earlier_calls(cx, run)?;
    Ok(page)
}

/// Whether something is pending that a run with mail of this conversation could take.
pub fn has_more(cx: &Cx<'_>, me: &AgentRow, group: i64) -> Result<bool, OpError> {
    let one = Room { messages: 1, bytes: 0, takes_one: true };
    Ok(!Batch::take(cx, me.id, Waking::Of(group), one)?.mail.is_empty())
}

/// Leases newer deliveries of its conversation, and those of any that do not wake, to a run that
/// may take several, so that the run acknowledges all that its worker has seen.
pub fn lease_newer(
    cx: &mut Cx<'_>,
    me: &AgentRow,
    run: &RunRow,
    size: PageSize,
) -> Result<(), OpError> {
    let Some(group) = run.group_id.filter(|_| !run.solo) else { return Ok(()) };
    let held = delivery::leased(cx.conn, run.id.number())?;
    let unmarked = held.iter().filter(|row| row.marked_by != Some(run.id.number()));
    let (count, bytes) = unmarked.fold((0_u32, 0_i64), |(n, sum), row| (n + 1, sum + row.bytes));
    let room = Room {
        messages: size.messages.saturating_sub(count),
        bytes: i64::from(size.chars) - bytes,
        takes_one: count == 0,
    };
    let newer = Batch::take(cx, me.id, Waking::Of(group), room)?.mail;
    if newer.is_empty() { Ok(()) } else { lease::lease(cx, me, run.id, newer) }
}

/// Messages with their whole text as far as there is room, at least one, and whether some are
/// left.
pub fn fill(
    cx: &Cx<'_>,
    me: &AgentRow,
    rows: &[DeliveryRow],
    size: PageSize,
) -> Result<(Vec<InboxMessage>, bool), OpError> {
    let mut messages = Vec::new();
    let mut left = size.chars as usize;
    for row in rows.iter().take(size.messages as usize) {
        let mut message = read::by_seq(cx.conn, row.seq)?;
        if let Some(resource) = message.resource {
            message.content = whole_text(cx, resource)?;
        }
        let chars = message.content.chars().count();
        if chars > left && !messages.is_empty() {
            break;
        }
        if chars > left {
            let end = message.content.char_indices().nth(left).map_or(0, |(at, _)| at);
            message.content.truncate(end);
        }
        left = left.saturating_sub(chars);
        messages.push(InboxMessage::new(message, row.entity(me)));
    }
    let is_cut = messages.len() < rows.len();
    Ok((messages, is_cut))
}

pub fn whole_text(cx: &Cx<'_>, resource: ResourceId) -> Result<String, OpError> {
    let mut statement = cx.conn.prepare_cached("SELECT content FROM resources WHERE id = ?1")?;
    Ok(statement.query_row([resource.number()], |row| row.get(0))?)
}

/// What the attempts before this run did, oldest first.
pub fn earlier_calls(cx: &Cx<'_>, run: &RunRow) -> Result<Vec<EarlierCall>, OpError> {
    const MOST_ATTEMPTS: usize = 5;
    let mut attempts = Vec::new();
    let mut earlier = run.retry_of;
    while let Some(id) = earlier.filter(|_| attempts.len() < MOST_ATTEMPTS) {
        let id = RunId::new(id);
        attempts.push(transcript::calls(cx.conn, id)?);
        earlier = RunRow::find(cx.conn, id)?.and_then(|run| run.retry_of);
    }
    Ok(attempts.into_iter().rev().flatten().collect())
}

/// Opens a run for a member outside that has mail and reads its inbox.
pub fn open_run(cx: &mut Cx<'_>, me: &AgentRow, size: PageSize) -> Result<Option<RunRow>, OpError> {
    let scope = ScopeRow::by_id(cx.conn, me.scope_id)?;
    if me.wanted != Wanted::Active || !scope.takes_work() {
        return Err(OpError::conflict(format!(
            "cannot open a run for `{}`: it or {} is stopped or paused",
            me.target(),
            scope.scope
        ))
        .hint(format!("agent-worker why {}", me.target())));
    }
    lease::open_outside(cx, me, &scope, size.messages)
}

/// Frees what a member outside holds whose client is gone: its mail waits again.
pub fn leave(cx: &mut Cx<'_>) -> Result<(), OpError> {
    if cx.run().is_some() {
        return Ok(());
    }
    let me = cx.member()?;
    match RunRow::open_outside(cx.conn, me.id)? {
        Some(run) => {
            let error = "its client closed its connections";
            finish::finish(cx, run.id, &Ended::failed(EndClass::Lost, error.to_owned()))
        }
        None => Ok(()),
    }
}

/// Opens a run again for a member outside that is done with mail which it had before it was thought
/// gone.
pub fn reopen(cx: &mut Cx<'_>, me: &AgentRow, until: MessageId) -> Result<Option<RunRow>, OpError> {
    let Some(mail) = delivery::find(cx.conn, me.id, until.number())? else { return Ok(None) };
    let (DeliveryState::Pending, Some(run)) = (mail.state, mail.run) else { return Ok(None) };
    if RunRow::by_id(cx.conn, RunId::new(run))?.kind != RunKind::External {
        return Ok(None);
    }
    let size = PageSize { messages: cx.settings.inbox.messages, chars: cx.settings.inbox.bytes };
    open_run(cx, me, size)
}

impl Run for MyInboxAck {
    fn run(&self, cx: &mut Cx<'_>) -> Result<Acked, OpError> {
        let (me, run) = match reader(cx)? {
            Reader::Person(me) => return ack_of_person(cx, &me, self.until),
            Reader::Member(me, run) => (me, Some(run)),
            Reader::Outside(me) => {
                let run = reopen(cx, &me, self.until)?;
                (me, run.map(Box::new))
            }
        };
        let leased = match &run {
            Some(run) => delivery::leased(cx.conn, run.id.number())?,
            None => Vec::new(),
        };
        let seq = self.until.number();
        if !leased.iter().any(|row| row.seq == seq) {
            check_is_old(cx, &me, self.until)?;
            return Ok(Acked { marked: Vec::new() });
        }
        let Some(run) = run else { return Ok(Acked { marked: Vec::new() }) };
        let done = leased
            .into_iter()
            .filter(|row| row.seq <= seq && row.marked_by != Some(run.id.number()));
        let marked = mark(cx, &me, &run, done.collect())?;
        close_outside(cx, &run)?;
        Ok(Acked { marked })
    }
}

/// Refuses an id that was not given to this member; an acknowledged one is accepted.
pub fn check_is_old(cx: &Cx<'_>, me: &AgentRow, id: MessageId) -> Result<(), OpError> {
    let found = delivery::find(cx.conn, me.id, id.number())?;
    match found.map(|row| row.state) {
        None => Err(OpError::not_found(format!("message `{id}` not found in your inbox"))
            .hint("my_inbox lists your messages")),
        Some(DeliveryState::Acked | DeliveryState::Dropped) => Ok(()),
        Some(_) => Err(OpError::conflict(format!("`{id}` was not given to this run"))
            .hint("my_inbox gives it, or it waits for your next run")),
    }
}

/// Marks deliveries of a run as done; those of a member outside are acked at once.
pub fn mark(
    cx: &mut Cx<'_>,
    me: &AgentRow,
    run: &RunRow,
    rows: Vec<DeliveryRow>,
) -> Result<Vec<MessageId>, OpError> {
    let mut marked = Vec::new();
    if run.kind == RunKind::External {
        finish::note_read(cx, me, &rows)?;
    }
    for mut row in rows {
        row.marked_at = Some(cx.now);
        row.marked_by = Some(run.id.number());
        if run.kind == RunKind::External {
            row.go(DeliveryState::Acked)?;
        }
        row.save(cx, me)?;
        marked.push(MessageId::new(row.seq));
    }
    Ok(marked)
}

/// Ends the run of a member outside that has nothing left to do.
pub fn close_outside(cx: &mut Cx<'_>, run: &RunRow) -> Result<(), OpError> {
    if run.kind != RunKind::External {
        return Ok(());
    }
    if delivery::leased(cx.conn, run.id.number())?.is_empty() {
        return finish::finish(cx, run.id, &Ended::succeeded(""));
    }
    Ok(())
}

pub fn ack_of_person(cx: &mut Cx<'_>, me: &AgentRow, until: MessageId) -> Result<Acked, OpError> {
    let Some(row) = delivery::find(cx.conn, me.id, until.number())? else {
        return Err(OpError::not_found(format!("message `{until}` not found in your inbox")));
    };
    let before = delivery::open(cx.conn, me.id, u32::MAX)?;
    let group = GroupRow::by_id(cx.conn, row.group_id)?;
    conversation::move_cursor(cx, &group, me, row.seq)?;
    let mut marked: Vec<_> = before
        .into_iter()
        .filter(|known| known.group_id == row.group_id && known.seq <= row.seq)
        .map(|known| MessageId::new(known.seq))
        .collect();
    marked.reverse();
    Ok(Acked { marked })
}

impl Run for Inbox {
    fn run(&self, cx: &mut Cx<'_>) -> Result<InboxPage, OpError> {
        let owner = cx.locate_member(&self.target)?;
        if !cx.is_person() && cx.member_in(owner.scope_id)?.is_none_or(|me| me.id != owner.id) {
            return Err(OpError::denied(format!("this is the inbox of `{}`", owner.target())));
        }
        let limit = limit::at_most(self.limit, 50, 500)?;
        let mut rows = if self.all {
            delivery::newest(cx.conn, owner.id, limit + 1)?
        } else {
            delivery::unfinished(cx.conn, owner.id, limit + 1)?
        };
        let more = rows.len() > limit as usize;
        rows.truncate(limit as usize);
        rows.reverse();
        let messages = rows
            .iter()
            .map(|row| {
                let message = read::by_seq(cx.conn, row.seq)?;
                Ok(InboxMessage::new(message, row.entity(&owner)))
            })
            .collect::<Result<_, OpError>>()?;
        Ok(page(messages, more))
    }
}
