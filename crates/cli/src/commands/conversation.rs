//! What was said: `peek` and `inbox`

use std::{collections::BTreeMap, time::Duration};

use agent_worker_client::{Client, ClientError, Feed, FeedFilter, FeedItem, discovery};
use agent_worker_protocol::{
    agent::{AgentList, MemberKind},
    channel::{Message, MessagePage, Peek},
    conversation::{Conversation, CursorSet, GroupList},
    event::EventBody,
    id::MessageId,
    inbox::{Inbox, InboxMessage, InboxPage},
    name::Name,
    target::{Scope, Target},
    time::Interval,
};
use clap::Args;
use clap_complete::ArgValueCandidates;

use super::scope_of;
use crate::{
    complete,
    exit::{Exit, Refusal},
    meant,
    render::{Clock, View, inbox as inboxes, messages},
    session::Session,
};

/// The most messages that are shown as read at once.
const MOST_READ: u32 = 500;

/// `agent-worker peek`
#[derive(Debug, Args)]
pub struct Peeking {
    /// A workflow, a group, or an agent with whom you spoke; `@global` if not given
    #[arg(add = ArgValueCandidates::new(complete::targets), value_parser = meant::target)]
    pub target: Option<Target>,
    /// Another conversation of the workflow: a group, or two members as `alice+bob`
    #[arg(long, value_name = "NAME")]
    pub group: Option<Conversation>,
    /// How many messages
    #[arg(short = 'n', long)]
    pub limit: Option<u32>,
    /// Only messages that hold this text, in any case
    #[arg(long, value_name = "TEXT")]
    pub find: Option<String>,
    /// Only messages of this last time, such as `10m`
    #[arg(long, value_name = "SPAN")]
    pub since: Option<Interval>,
    /// Go on with what is said from now on
    #[arg(short, long)]
    pub follow: bool,
}

/// `agent-worker inbox`
#[derive(Debug, Args)]
pub struct Mailbox {
    /// An agent; a workflow for your own messages there; without one, all of yours
    #[arg(add = ArgValueCandidates::new(complete::targets), value_parser = meant::target)]
    pub target: Option<Target>,
    /// Also what is done
    #[arg(long)]
    pub all: bool,
    /// How many messages
    #[arg(short = 'n', long)]
    pub limit: Option<u32>,
}

/// Shows a conversation.
pub async fn peek(session: &Session, args: Peeking) -> anyhow::Result<Exit> {
    let client = session.client().await?;
    let target = match args.target.clone() {
        Some(target) => Some(session.meant(&client, target).await?),
        None => None,
    };
    let client = match target.clone() {
        Some(target) => client.at(target),
        None => client,
    };
    let group = args.group.clone();
    let peek = Peek { limit: args.limit, find: args.find.clone(), group, ..Peek::default() };
    let since = args.since.map(Interval::duration);
    if !args.follow {
        let page = page(&client, &peek, since).await?;
        session.output.show(&page, |page| messages::page(&View::of(session.output), page))?;
        return Ok(Exit::Done);
    }
    let target = target.unwrap_or_else(|| Target::scope(Scope::global()));
    let group = match args.group {
        Some(group) => group,
        None => followed(session, &client, &target).await?,
    };
    let mut listener = Listener { session, group, find: args.find, since, seen: 0, width: 0 };
    listener.follow(&client, scope_of(&target), &peek).await
}

/// A page of a conversation; with a time, all that was said in it, unless a number was given too.
async fn page(
    client: &Client,
    peek: &Peek,
    since: Option<Duration>,
) -> Result<MessagePage, ClientError> {
    let Some(since) = since else { return client.call(peek).await };
    let now = Clock::system().now();
    let is_recent = |message: &Message| now.since(message.created_at) <= since;
    let wanted = peek.limit.map_or(usize::MAX, |limit| limit as usize);
    let mut found: Vec<Message> = Vec::new();
    let mut before = peek.before;
    loop {
        let page = client.call(&Peek { before, limit: Some(MOST_READ), ..peek.clone() }).await?;
        let is_last = !page.more || page.messages.first().is_none_or(|first| !is_recent(first));
        before = page.messages.first().map(|first| first.id);
        found.splice(0..0, page.messages.into_iter().filter(is_recent));
        if is_last || found.len() > wanted {
            let more = found.len() > wanted;
            found.drain(..found.len().saturating_sub(wanted));
            return Ok(MessagePage { messages: found, more, more_before: more, more_after: false });
        }
    }
}

/// The conversation that a target means: a group of this name, else what is said with the member.
async fn followed(
    session: &Session,
    client: &Client,
    target: &Target,
) -> anyhow::Result<Conversation> {
    let Some(name) = target.name.clone() else { return Ok(Conversation::Channel) };
    let group = Conversation::Group(name.clone());
    let client = client.at(Target::scope(scope_of(target)));
    let known = client.call(&GroupList {}).await?.groups;
    if known.iter().any(|one| one.name == group) {
        return Ok(group);
    }
    let me = session.member().cloned().unwrap_or_else(Name::person);
    Ok(Conversation::direct(name, me))
}

/// Shows what is said in a conversation.
struct Listener<'a> {
    session: &'a Session,
    group: Conversation,
    find: Option<String>,
    since: Option<Duration>,
    seen: i64,
    width: usize,
}

impl Listener<'_> {
    async fn follow(&mut self, client: &Client, scope: Scope, peek: &Peek) -> anyhow::Result<Exit> {
        let kinds = vec!["message.sent".to_owned()];
        let filter = FeedFilter { scope: Some(scope), kinds };
        let mut feed = Feed::follow(client, filter, None).relocate(self.session.relocation()?);
        let mut has_page = false;
        while let Some(item) = feed.next().await {
            match item? {
                // Once the feed is open, nothing falls between what is stored and what comes.
                FeedItem::Hello(_) if !has_page => {
                    has_page = true;
                    let page = page(client, peek, self.since).await?;
                    self.width = messages::width_of(&page.messages);
                    for message in &page.messages {
                        self.show(message)?;
                    }
                }
                FeedItem::Event(event) => {
                    if let EventBody::MessageSent { message, .. } = event.body
                        && self.is_wanted(&message)
                    {
                        self.show(&message)?;
                    }
                }
                _ => {}
            }
        }
        Ok(Exit::Done)
    }

    fn is_wanted(&self, message: &Message) -> bool {
        let text = message.content.to_lowercase();
        let is_found = self.find.as_ref().is_none_or(|find| text.contains(&find.to_lowercase()));
        message.group == self.group && message.seq > self.seen && is_found
    }

    fn show(&mut self, message: &Message) -> anyhow::Result<()> {
        self.seen = message.seq;
        let output = &self.session.output;
        if output.json {
            return output.print_line(message);
        }
        output.print(&messages::message(&View::of(*output), message, self.width))
    }
}

/// Shows an inbox; the person's own counts as read from then on.
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
        let message = "an agent names itself to see its inbox";
        return Err(Refusal::usage(message).hint("agent-worker inbox NAME").into());
    }
    if is_persons {
        return persons(session, &client, &args).await;
    }
    let scope = args.target.as_ref().and_then(|target| target.scope.clone());
    let target = Target { name: Some(name.unwrap_or(me)), scope };
    let page = client.call(&Inbox { target, limit: args.limit, all: args.all }).await?;
    session.output.show(&page, |page| {
        if page.messages.is_empty() {
            return "nothing lies there".to_owned();
        }
        inboxes::page(&View::of(session.output), page, MemberKind::Agent)
    })?;
    Ok(Exit::Done)
}

/// The agent in whose shell this is, where that is told.
pub fn own_agent() -> Option<Target> {
    std::env::var(discovery::AGENT_VARIABLE).ok()?.parse().ok()
}

/// Shows the person's messages, and moves the cursors past them.
async fn persons(session: &Session, client: &Client, args: &Mailbox) -> anyhow::Result<Exit> {
    let scopes = match &args.target {
        Some(target) => vec![scope_of(target)],
        None => scopes_with_mail(client, args.all).await?,
    };
    let mut whole = InboxPage {
        messages: Vec::new(),
        count: 0,
        more: false,
        elsewhere: Vec::new(),
        earlier: Vec::new(),
    };
    let mut texts = Vec::new();
    let view = View::of(session.output);
    for scope in scopes {
        let target = Target::member(Name::person(), scope.clone());
        let limit = args.limit.or(Some(MOST_READ));
        let page = client.call(&Inbox { target, limit, all: args.all }).await?;
        if !page.messages.is_empty() {
            texts.push(inboxes::read(&scope, &page.messages));
            texts.push(inboxes::page(&view, &page, MemberKind::Person));
        }
        whole.count += page.count;
        whole.more |= page.more;
        whole.messages.extend(page.messages);
    }
    if texts.is_empty() {
        texts.push("no unread messages".to_owned());
    }
    session.output.show(&whole, |_| texts.join("\n"))?;
    move_cursors(client, &whole.messages).await?;
    Ok(Exit::Done)
}

/// The scopes in which the person has something to read, or all of them.
async fn scopes_with_mail(client: &Client, all: bool) -> Result<Vec<Scope>, ClientError> {
    let members = client.call(&AgentList {}).await?.agents;
    let persons = members.into_iter().filter(|member| member.kind == MemberKind::Person);
    Ok(persons.filter(|person| all || person.unread > 0).map(|person| person.scope).collect())
}

/// Says how far the person has read each conversation.
async fn move_cursors(client: &Client, read: &[InboxMessage]) -> Result<(), ClientError> {
    let mut newest: BTreeMap<(Scope, Conversation), MessageId> = BTreeMap::new();
    for InboxMessage { message, .. } in read {
        let place = (message.scope.clone(), message.group.clone());
        let until = newest.entry(place).or_insert(message.id);
        *until = message.id.max(*until);
    }
    for ((scope, conversation), until) in newest {
        client.at(Target::scope(scope)).call(&CursorSet { conversation, until }).await?;
    }
    Ok(())
}
