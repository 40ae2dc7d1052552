//! What was said, as it is read: page by page, with what lies on both sides.

use agent_worker_protocol::{
    ChannelRead, Conversation, ErrorCode, Message, MessagePage, Messages, Name, Peek,
};

use crate::{
    context::{Cx, Run, limit},
    error::{OpError, Result},
    rows::{AgentRow, ConversationRow, WorkflowRow, message},
    rules::access,
};

/// Which part of a conversation is read.
#[derive(Debug, Clone, Copy)]
pub enum Part {
    After(i64),
    Before(i64),
    Around(i64),
    Newest,
}

const MOST_MESSAGES: u32 = 500;

/// The longest text that messages are looked through for, in characters. It is compared anew at
/// each place of each message.
const LONGEST: usize = 1000;

/// A page of a conversation, with what lies on both sides of it.
pub fn page(
    cx: &Cx<'_>,
    group: &ConversationRow,
    part: Part,
    limit: Option<u32>,
    find: Option<&str>,
) -> Result<MessagePage> {
    let limit = limit::at_most(limit, 50, MOST_MESSAGES)?;
    let older = |seq, limit| side(cx, group, seq, true, limit, find);
    let newer = |seq, limit| side(cx, group, seq, false, limit, find);
    Ok(match part {
        Part::After(seq) => {
            let Messages { messages, more } = newer(seq, limit)?;
            let more_before = older(seq.saturating_add(1), 0)?.more;
            MessagePage { messages, more, more_before, more_after: more }
        }
        Part::Before(seq) => {
            let Messages { messages, more } = older(seq, limit)?;
            let more_after = newer(seq.saturating_sub(1), 0)?.more;
            MessagePage { messages, more, more_before: more, more_after }
        }
        Part::Newest => {
            let Messages { messages, more } = older(i64::MAX, limit)?;
            MessagePage { messages, more, more_before: more, more_after: false }
        }
        Part::Around(seq) => {
            around(older(seq, limit)?, newer(seq.saturating_sub(1), limit)?, limit as usize)
        }
    })
}

/// As many of both sides as there is room for; where one has few, the other has its room.
fn around(mut older: Messages, mut newer: Messages, limit: usize) -> MessagePage {
    let (before, after) = (older.messages.len(), newer.messages.len());
    let of_older = before.min((limit / 2).max(limit.saturating_sub(after)));
    let of_newer = after.min(limit - of_older);
    older.messages.drain(..before - of_older);
    newer.messages.truncate(of_newer);
    let more_before = older.more || of_older < before;
    let more_after = newer.more || of_newer < after;
    older.messages.append(&mut newer.messages);
    let messages = older.messages;
    MessagePage { messages, more: more_before || more_after, more_before, more_after }
}

/// Messages on one side of a place, oldest first. Only the person sees those that are hidden.
pub fn side(
    cx: &Cx<'_>,
    group: &ConversationRow,
    seq: i64,
    older: bool,
    limit: u32,
    find: Option<&str>,
) -> Result<Messages> {
    let sql = if older { message::OLDER } else { message::NEWER };
    let values = (group.id, seq, limit + 1, find, cx.is_person());
    let (mut messages, more) = limit::cut(cx.db.all::<Message>(sql, values)?, limit);
    if older {
        messages.reverse();
    }
    Ok(Messages { messages, more })
}

impl Run for ChannelRead {
    fn run(&self, cx: &mut Cx<'_>) -> Result<Messages> {
        let group = access::message::readable(cx, &cx.scope()?, self.group.as_ref())?;
        let part = self.after.map_or(Part::Newest, |after| Part::After(after.number()));
        let page = page(cx, &group, part, self.limit, None)?;
        Ok(Messages { messages: page.messages, more: page.more })
    }
}

/// The group of this name, or what was said with the member of this name.
pub fn named(cx: &Cx<'_>, scope: &WorkflowRow, name: Name) -> Result<Conversation> {
    let group = Conversation::Group(name.clone());
    if ConversationRow::find(cx.db, scope.id, &group)?.is_some() {
        return Ok(group);
    }
    AgentRow::by_name(cx.db, scope, &name)?;
    Ok(Conversation::direct(name, cx.member()?.name))
}

impl Run for Peek {
    fn run(&self, cx: &mut Cx<'_>) -> Result<MessagePage> {
        if self.find.as_ref().is_some_and(|text| text.chars().count() > LONGEST) {
            let text = format!("`find` is longer than {LONGEST} characters");
            return Err(OpError::invalid(text).hint("look for a part of the text"));
        }
        let scope = cx.scope()?;
        let with_member = cx.target.as_ref().and_then(|target| target.name.clone());
        let asked = match (&self.group, with_member) {
            (Some(group), _) => Some(group.clone()),
            (None, Some(name)) => Some(named(cx, &scope, name)?),
            (None, None) => None,
        };
        let part = match (self.after, self.before, self.around) {
            (None, None, None) => Part::Newest,
            (Some(seq), None, None) => Part::After(seq.number()),
            (None, Some(seq), None) => Part::Before(seq.number()),
            (None, None, Some(seq)) => Part::Around(seq.number()),
            _ => {
                return Err(OpError::invalid(
                    "only one of `after`, `before` and `around` is allowed",
                ));
            }
        };
        match access::message::readable(cx, &scope, asked.as_ref()) {
            Ok(group) => page(cx, &group, part, self.limit, self.find.as_deref()),
            // A member with whom nothing was said yet.
            Err(OpError::Refused(body))
                if body.code == ErrorCode::NotFound
                    && matches!(asked, Some(Conversation::Direct(..)))
                    && self.group.is_none() =>
            {
                Ok(MessagePage::default())
            }
            Err(error) => Err(error),
        }
    }
}
