//! Recent messages in the channel.

use std::fmt::{self, Write as _};

use agent_worker_protocol::{ChannelRead, Context, Message, Name, Op, ResourceRead};

use super::{origin::write_origin, quote::write_quoted};
use crate::history::Seen;

/// The section of the prompt.
pub fn section(text: &mut String, context: &Context, me: &Name) -> fmt::Result {
    text.push_str("## Recent Activity\n\n");
    let messages = &context.channel.messages;
    if messages.is_empty() {
        return writeln!(text, "No messages in the channel yet.");
    }
    if context.channel.more {
        let count = messages.len();
        writeln!(text, "The newest {count} messages of the channel, oldest first.")?;
    } else {
        writeln!(text, "All messages of the channel, oldest first.")?;
    }
    messages.iter().try_for_each(|message| write_message(text, message, context, me))
}

/// The section of a prompt that goes on: what others have said since.
pub fn news(text: &mut String, context: &Context, me: &Name, seen: Seen) -> fmt::Result {
    text.push_str("## New Activity\n\n");
    let messages = &context.channel.messages;
    let is_new = |message: &&Message| message.seq > seen.message && message.sender != *me;
    let new: Vec<_> = messages.iter().filter(is_new).collect();
    if new.is_empty() {
        return writeln!(text, "No new messages of others in the channel.");
    }
    let is_all = !context.channel.more || messages.first().is_some_and(|m| m.seq <= seen.message);
    let rest = if is_all {
        String::new()
    } else {
        format!(" There are more before them, which `{}` shows.", ChannelRead::NAME)
    };
    writeln!(text, "What others have said in the channel since, oldest first.{rest}")?;
    new.into_iter().try_for_each(|message| write_message(text, message, context, me))
}

fn write_message(
    text: &mut String,
    message: &Message,
    context: &Context,
    me: &Name,
) -> fmt::Result {
    writeln!(text, "\n### {}", message.id)?;
    write_origin(text, message, Some(me))?;
    if context.inbox.messages.iter().any(|mail| mail.message.id == message.id) {
        return writeln!(text, "(in your inbox, above)");
    }
    if let Some(id) = message.resource {
        let read = ResourceRead::NAME;
        writeln!(text, "only its beginning; the whole: `{read}` with id {id}")?;
    }
    write_quoted(text, &message.content);
    Ok(())
}
