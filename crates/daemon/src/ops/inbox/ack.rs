//! Acknowledges messages: `my_inbox_ack`.

use agent_worker_protocol::{Acked, DeliveryState, MessageId, MyInboxAck, RunId, RunKind};

use crate::{
    changes::{
        message::cursor,
        run::{finish, lease, outside},
    },
    context::{Cx, Run},
    error::{OpError, Result},
    ops::inbox::reader::{self, Reader},
    rows::{AgentRow, ConversationRow, DeliveryRow, RunRow, delivery},
};

/// Opens a run again for a member outside that is done with mail which it had before it was thought
/// gone. It leases nothing else, so what comes meanwhile is not acked unread.
fn reopen(cx: &mut Cx<'_>, me: &AgentRow, until: MessageId) -> Result<Option<RunRow>> {
    let Some(mail) = delivery::find(cx.db, me.id, until.number())? else { return Ok(None) };
    let (DeliveryState::Pending, Some(run)) = (mail.state, mail.run) else { return Ok(None) };
    let lost = RunId::new(run);
    if RunRow::by_id(cx.db, lost)?.kind != RunKind::External {
        return Ok(None);
    }
    let scope = reader::open_scope(cx, me)?;
    lease::reopen_outside(cx, me, &scope, lost, until.number())
}

impl Run for MyInboxAck {
    fn run(&self, cx: &mut Cx<'_>) -> Result<Acked> {
        let (me, run) = match reader::reader(cx)? {
            Reader::Person(me) => return ack_of_person(cx, &me, self.until),
            Reader::Member(me, run) => (me, Some(run)),
            Reader::Outside(me) => {
                let run = reopen(cx, &me, self.until)?;
                (me, run.map(Box::new))
            }
        };
        let leased = match &run {
            Some(run) => delivery::leased(cx.db, run.id.number())?,
            None => Vec::new(),
        };
        let seq = self.until.number();
        let Some(run) = run.filter(|_| leased.iter().any(|row| row.seq == seq)) else {
            check_is_old(cx, &me, self.until)?;
            return Ok(Acked { marked: Vec::new() });
        };
        let done = leased
            .into_iter()
            .filter(|row| row.seq <= seq && row.marked_by != Some(run.id.number()));
        let marked = mark(cx, &me, &run, done.collect())?;
        outside::close_outside(cx, &run)?;
        Ok(Acked { marked })
    }
}

/// Refuses an id that was not given to this member; an acknowledged one is accepted.
fn check_is_old(cx: &Cx<'_>, me: &AgentRow, id: MessageId) -> Result<()> {
    let found = delivery::find(cx.db, me.id, id.number())?;
    match found.map(|row| row.state) {
        None => Err(OpError::not_found(format!("message `{id}` not found in your inbox"))
            .hint("my_inbox lists your messages")),
        Some(DeliveryState::Acked | DeliveryState::Dropped) => Ok(()),
        Some(_) => Err(OpError::conflict(format!("`{id}` was not given to this run"))
            .hint("my_inbox gives it, or it waits for your next run")),
    }
}

/// Marks deliveries of a run as done; those of a member outside are acked at once.
fn mark(
    cx: &mut Cx<'_>,
    me: &AgentRow,
    run: &RunRow,
    rows: Vec<DeliveryRow>,
) -> Result<Vec<MessageId>> {
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

fn ack_of_person(cx: &mut Cx<'_>, me: &AgentRow, until: MessageId) -> Result<Acked> {
    let Some(row) = delivery::find(cx.db, me.id, until.number())? else {
        return Err(OpError::not_found(format!("message `{until}` not found in your inbox")));
    };
    let before = delivery::open(cx.db, me.id, u32::MAX)?;
    let group = ConversationRow::by_id(cx.db, row.group_id)?;
    cursor::move_cursor(cx, &group, me, row.seq)?;
    let mut marked: Vec<_> = before
        .into_iter()
        .filter(|known| known.group_id == row.group_id && known.seq <= row.seq)
        .map(|known| MessageId::new(known.seq))
        .collect();
    marked.reverse();
    Ok(Acked { marked })
}
