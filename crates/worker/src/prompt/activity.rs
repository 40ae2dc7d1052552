//! What was said in the channel.

use std::{
    collections::HashSet,
    fmt::{self, Write as _},
};

use agent_worker_protocol::{name::Name, op::Op, resource::ResourceRead};

use super::{quote::write_quoted, write_origin};
use crate::context::Context;

/// The section of the prompt.
pub fn section(text: &mut String, context: &Context, me: &Name) -> fmt::Result {
    text.push_str("## Recent Activity\n\n");
    let messages = &context.channel.messages;
    if messages.is_empty() {
        return writeln!(text, "Nobody has said anything in the channel yet.");
    }
    if context.channel.more {
        let count = messages.len();
        writeln!(text, "The newest {count} messages of the channel, oldest first.")?;
    } else {
        writeln!(text, "All messages of the channel, oldest first.")?;
    }
    let mail: HashSet<_> = context.inbox.messages.iter().map(|mail| mail.message.id).collect();
    for message in messages {
        writeln!(text, "\n### {}", message.id)?;
        write_origin(text, message, Some(me))?;
        if mail.contains(&message.id) {
            writeln!(text, "(in your inbox, above)")?;
            continue;
        }
        if let Some(id) = message.resource {
            let read = ResourceRead::NAME;
            writeln!(text, "only its beginning; the whole: `{read}` with id {id}")?;
        }
        write_quoted(text, &message.content);
    }
    Ok(())
}
