//! `agent-worker inbox`

use std::collections::BTreeMap;

use agent_worker_client::{Client, ClientError};
use agent_worker_protocol::{
    AgentList, Conversation, CursorSet, ErrorCode, Inbox, InboxMessage, InboxPage, MemberKind,
    MessageId, Name, Scope, Target,
};
use clap::Args;

use super::text as inboxes;
use crate::{
    complete,
    exit::{Exit, Refusal},
    pages, parse,
    place::{own_agent, scope_of},
    session::Session,
    text::View,
};

/// How many messages of the user are shown by default, which reads them.
const USUAL: u32 = 500;

/// `agent-worker inbox`
#[derive(Debug, Args)]
pub struct Mailbox {
    /// Agent, or a workflow for your messages [default: all of yours]
    #[arg(add = complete::targets(), value_parser = parse::target)]
    pub target: Option<Target>,
    /// Include acknowledged and discarded deliveries
    #[arg(long)]
    pub all: bool,
    /// Number of messages [default: 50; 500 of yours]
    #[arg(short = 'n', long, value_parser = parse::up_to(u32::MAX))]
    pub limit: Option<u32>,
}

/// Shows an inbox, and marks the user's own messages as read.
pub async fn inbox(session: &Session, args: Mailbox) -> anyhow::Result<Exit> {
    let mut args = args;
    if session.home()?.is_in_run() && args.target.is_none() {
        args.target = own_agent();
    }
    let me = session.member().cloned().unwrap_or_else(Name::person);
    let client = session.client().await?;
    if let Some(target) = args.target {
        args.target = Some(session.meant(&client, target).await?);
    }
    let name = args.target.as_ref().and_then(|target| target.name.clone());
    let is_persons = name.as_ref().unwrap_or(&me) == Name::PERSON;
    if session.home()?.is_in_run() && name.is_none() {
        let message = "missing name: an agent must name itself";
        return Err(Refusal::usage(message).hint("agent-worker inbox NAME").into());
    }
    if is_persons {
        return persons(session, &client, &args).await;
    }
    let scope = args.target.as_ref().and_then(|target| target.scope.clone());
    let target = Target { name: Some(name.unwrap_or(me)), scope };
    let page = newest(&client, target, args.all, args.limit.unwrap_or(50)).await?;
    session.show_in_view(&page, |view, page| match page.messages.as_slice() {
        [] => "no deliveries".to_owned(),
        _ => inboxes::page(view, page, MemberKind::Agent),
    })
}

/// Shows the user's messages, and moves the read cursors past them where none before was left out.
async fn persons(session: &Session, client: &Client, args: &Mailbox) -> anyhow::Result<Exit> {
    let scopes = match &args.target {
        Some(target) => vec![scope_of(target)],
        None => scopes_with_mail(client, args.all).await?,
    };
    let mut whole = InboxPage::default();
    let (mut texts, mut read, mut cut) = (Vec::new(), Vec::new(), Vec::new());
    let limit = args.limit.unwrap_or(USUAL);
    let view = View::of(session.output);
    for scope in scopes {
        let target = Target::member(Name::person(), scope.clone());
        let page = newest(client, target, args.all, limit).await?;
        let is_cut = page.more && (!args.all || leaves_unread(client, &scope, &page).await?);
        if !page.messages.is_empty() {
            let unread = if page.more && !args.all { unread(client, &scope).await? } else { 0 };
            texts.push(inboxes::read(&scope, &page.messages, unread, args.all));
            texts.push(inboxes::page(&view, &page, MemberKind::Person));
        }
        whole.count += page.count;
        whole.more |= page.more;
        if is_cut {
            cut.push(scope);
        } else {
            read.extend_from_slice(&page.messages);
        }
        whole.messages.extend(page.messages);
    }
    if texts.is_empty() {
        texts.push("no unread messages".to_owned());
    }
    session.output.show(&whole, |_| texts.join("\n"))?;
    let more = limit.saturating_mul(2).max(USUAL);
    for scope in cut {
        session.output.note(&format!(
            "the messages in {scope} stay unread, because older ones are not shown\n\
             hint: agent-worker inbox {scope} -n {more}"
        ));
    }
    move_cursors(client, &read).await?;
    Ok(Exit::Done)
}

/// The newest messages of an inbox, the newest last.
async fn newest(
    client: &Client,
    target: Target,
    all: bool,
    limit: u32,
) -> Result<InboxPage, ClientError> {
    let page = async |left, oldest: Option<&InboxMessage>| {
        let before = oldest.map(|item| item.message.id);
        let inbox = Inbox { target: target.clone(), limit: Some(left), all, before };
        client.call(&inbox).await.map(|mut page| {
            page.messages.reverse();
            (page.messages, page.more)
        })
    };
    let (mut messages, more) = pages::newest(limit, page).await?;
    messages.reverse();
    let count = i64::try_from(messages.len()).unwrap_or(i64::MAX);
    Ok(InboxPage { messages, count, more, ..InboxPage::default() })
}

/// Whether the user has unread messages in a scope that are older than those of a page.
async fn leaves_unread(
    client: &Client,
    scope: &Scope,
    page: &InboxPage,
) -> Result<bool, ClientError> {
    let target = Target::member(Name::person(), scope.clone());
    let before = page.messages.first().map(|item| item.message.id);
    let older = Inbox { target, limit: Some(1), all: false, before };
    match client.call(&older).await {
        // A daemon of an earlier version cannot tell: then nothing counts as read.
        Err(error) if error.is(ErrorCode::Invalid) => Ok(true),
        answer => Ok(!answer?.messages.is_empty()),
    }
}

/// Scopes with unread messages of the user, or all scopes.
async fn scopes_with_mail(client: &Client, all: bool) -> Result<Vec<Scope>, ClientError> {
    let members = client.call(&AgentList {}).await?.agents;
    let persons = members.into_iter().filter(|member| member.kind == MemberKind::Person);
    Ok(persons.filter(|person| all || person.unread > 0).map(|person| person.scope).collect())
}

/// How many unread messages the user has in a scope.
async fn unread(client: &Client, scope: &Scope) -> Result<usize, ClientError> {
    let members = client.at(Target::scope(scope.clone())).call(&AgentList {}).await?.agents;
    let person = members.into_iter().find(|member| member.kind == MemberKind::Person);
    Ok(person.and_then(|person| usize::try_from(person.unread).ok()).unwrap_or(0))
}

/// Moves the read cursor of each conversation.
async fn move_cursors(client: &Client, read: &[InboxMessage]) -> Result<(), ClientError> {
    for ((scope, conversation), until) in newest_unread(read) {
        client.at(Target::scope(scope)).call(&CursorSet { conversation, until }).await?;
    }
    Ok(())
}

/// The newest message of each conversation that is unread. Those that were read before may be of a
/// group that the user has left since, which has no cursor of the user's.
fn newest_unread(read: &[InboxMessage]) -> BTreeMap<(Scope, Conversation), MessageId> {
    let mut places = BTreeMap::new();
    for InboxMessage { message, .. } in read.iter().filter(|item| inboxes::is_unread(item)) {
        let place = (message.scope.clone(), message.group.clone());
        let until: &mut MessageId = places.entry(place).or_insert(message.id);
        *until = message.id.max(*until);
    }
    places
}

#[cfg(test)]
mod tests {
    use agent_worker_protocol::{DeliveryState, Message};

    use super::*;
    use crate::tests::samples;

    #[test]
    fn only_conversations_with_unread_messages_are_marked_as_read() {
        let item = |group: &str, id: i64, state| {
            let message = samples::message("user", "please look");
            let (group, id) = (group.parse().unwrap(), MessageId::new(id));
            InboxMessage::new(Message { group, id, ..message }, samples::delivery(state))
        };
        let (read, open) = (DeliveryState::Acked, DeliveryState::Pending);
        let items =
            [("left", 1, read), ("channel", 3, open), ("channel", 2, open), ("channel", 4, read)];
        let places = newest_unread(&items.map(|(group, id, state)| item(group, id, state)));
        let places: Vec<_> =
            places.iter().map(|((_, group), until)| (group.to_string(), until.number())).collect();
        assert_eq!(places, [("channel".to_owned(), 3)]);
    }
}
