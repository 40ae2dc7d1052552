//! The mail of a run.

use std::fmt::{self, Write as _};

use agent_worker_protocol::{
    ChannelRead, Conversation, Delivery, InboxMessage, InboxPage, Intent, MessageType, MyInbox, Op,
    Reason, ResourceRead,
};

use super::{
    origin::write_origin,
    quote::{in_line, write_quoted},
};

/// How much of an earlier call's arguments is shown, in bytes.
const MAX_ARGUMENTS: usize = 300;

/// The section of the prompt.
pub fn section(text: &mut String, page: &InboxPage) -> fmt::Result {
    let count = page.messages.len();
    let plural = if count == 1 { "" } else { "s" };
    writeln!(text, "## Inbox ({count} message{plural} for you)")?;
    if page.messages.is_empty() {
        text.push_str(
            "\nYou have no new messages: you were started without a message. See what has \
             happened, and go on with what is yours to do.\n",
        );
    }
    for mail in &page.messages {
        write_item(text, mail)?;
    }
    for waiting in &page.elsewhere {
        let (group, count) = (&waiting.group, waiting.count);
        let starts = if count == 1 { "starts" } else { "start" };
        writeln!(text, "\n{count} more in the conversation {group} {starts} your next run.")?;
    }
    if page.more {
        writeln!(text, "\nThere are more messages for you: `{}` shows them.", MyInbox::NAME)?;
    }
    write_earlier(text, page)
}

/// Mail that comes while the agent works.
pub fn news(text: &mut String, messages: &[InboxMessage]) -> fmt::Result {
    let count = messages.len();
    let plural = if count == 1 { "" } else { "s" };
    writeln!(text, "## New in your inbox ({count} message{plural})")?;
    messages.iter().try_for_each(|mail| write_item(text, mail))
}

fn write_item(text: &mut String, mail: &InboxMessage) -> fmt::Result {
    let InboxMessage { message, delivery, .. } = mail;
    writeln!(text, "\n### {}", message.id)?;
    write_origin(text, message, None)?;
    write!(text, "why you get it: {} | said in: ", reason(delivery.reason))?;
    match &message.group {
        Conversation::Channel => text.push_str("the channel"),
        Conversation::Group(group) => {
            write!(text, "group {group} | private to the group {group}")?;
        }
        Conversation::Direct(..) => {
            write!(text, "direct message | private to {}", message.group)?;
        }
    }
    if message.kind == MessageType::System {
        text.push_str(" | written by the daemon");
    }
    if message.intent == Intent::Inform {
        text.push_str(" | for your information only");
    }
    text.push('\n');
    write_history(text, delivery)?;
    if let Some(id) = message.resource {
        let read = ResourceRead::NAME;
        writeln!(text, "if it is cut off: `{read}` with id {id} has all of it")?;
    }
    if message.group != Conversation::Channel {
        let read = ChannelRead::NAME;
        writeln!(text, "what was said before: `{read}` with group {}", message.group)?;
    }
    write_quoted(text, &message.content);
    Ok(())
}

fn write_history(text: &mut String, delivery: &Delivery) -> fmt::Result {
    if delivery.attempts > 1 {
        write!(text, "attempt: {}", delivery.attempts)?;
        if let Some(error) = &delivery.last_error {
            write!(text, " | the one before failed with {}", in_line(error))?;
        }
        text.push('\n');
    }
    if delivery.marked {
        text.push_str("an earlier attempt said that it was done with this message\n");
    }
    Ok(())
}

fn reason(reason: Reason) -> &'static str {
    match reason {
        Reason::Mention => "it names you",
        Reason::To => "it is addressed to you",
        Reason::All => "it names everyone",
        Reason::Group => "you are in the group",
        Reason::Reply => "it answers you",
        Reason::Schedule => "your schedule is due",
        Reason::Heartbeat => "your heartbeat is due",
        Reason::Proposal => "a proposal concerns you",
        Reason::Answer => "it answers your question to the user",
    }
}

/// Work that was done must not be done twice.
fn write_earlier(text: &mut String, page: &InboxPage) -> fmt::Result {
    let InboxPage { earlier: calls, earlier_omitted: omitted, .. } = page;
    if calls.is_empty() {
        return Ok(());
    }
    text.push_str(
        "\n### What earlier attempts did\n\nThese messages were worked on before, and it did not \
         end well. These calls were made then and may have had their effect. Go on from there, \
         and do nothing twice.\n",
    );
    if *omitted > 0 {
        let are = if *omitted == 1 { "call is" } else { "calls are" };
        writeln!(text, "\n({omitted} earlier {are} not shown)")?;
    }
    for call in calls {
        let fate = if call.denied { ": it was denied, and nothing was done" } else { "" };
        writeln!(text, "\n{} called {}{fate}", call.run, in_line(&call.tool))?;
        let shown = call.arguments.floor_char_boundary(MAX_ARGUMENTS);
        write_quoted(text, &call.arguments[..shown]);
        if shown < call.arguments.len() {
            text.push_str("(and more)\n");
        }
    }
    Ok(())
}
