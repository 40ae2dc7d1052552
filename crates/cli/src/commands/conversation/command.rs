//! `agent-worker peek`

use std::time::Duration;

use agent_worker_client::{Client, ClientError, Feed, FeedFilter, FeedItem};
use agent_worker_protocol::{
    Conversation, EventBody, GroupList, Interval, Message, MessagePage, Name, Peek, Scope, Target,
    lowered::lowered,
};
use clap::Args;

use super::text as messages;
use crate::{
    complete,
    exit::{Exit, until_unread},
    parse,
    place::scope_of,
    session::Session,
    text::{Clock, Loss, View},
};

/// The most messages that are shown as read at once.
const MOST_READ: u32 = 500;

/// `agent-worker peek`
#[derive(Debug, Args)]
pub struct Peeking {
    /// Whose messages to show. Rustdoc reads an `@` in square brackets as a link, so the help is apart.
    #[arg(
        help = "Workflow, group or agent [default: @global]",
        add = complete::targets(),
        value_parser = parse::target,
    )]
    pub target: Option<Target>,
    /// Group of the workflow, or two members as `alice+bob`
    #[arg(long, value_name = "NAME")]
    pub group: Option<Conversation>,
    /// Number of messages [default: 50; all with `--since`]
    #[arg(short = 'n', long, value_parser = parse::up_to(u32::MAX))]
    pub limit: Option<u32>,
    /// Only messages that contain this text, ignoring case
    #[arg(long, value_name = "TEXT")]
    pub find: Option<String>,
    /// Only messages from the last SPAN, such as `10m`
    #[arg(long, value_name = "SPAN")]
    pub since: Option<Interval>,
    /// Also print new messages as they arrive
    #[arg(short, long)]
    pub follow: bool,
}

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
        return session.show_in_view(&page, messages::page);
    }
    let target = target.unwrap_or_else(|| Target::scope(Scope::global()));
    let group = match args.group {
        Some(group) => group,
        None => followed(session, &client, &target).await?,
    };
    let mut listener = Listener { session, group, find: args.find, since, seen: 0, width: 0 };
    until_unread(Box::pin(listener.follow(&client, scope_of(&target), &peek))).await
}

/// The newest messages of a conversation, as many as are wanted; with a time, all that was said in
/// it, unless a number was given too.
async fn page(
    client: &Client,
    peek: &Peek,
    since: Option<Duration>,
) -> Result<MessagePage, ClientError> {
    if since.is_none() && peek.limit.is_none_or(|limit| limit <= MOST_READ) {
        return client.call(peek).await;
    }
    let now = Clock::system().now();
    let is_recent =
        |message: &Message| since.is_none_or(|since| now.since(message.created_at) <= since);
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

/// Shows the messages of a conversation.
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
        let (mut epoch, mut loss) = (None, Loss::default());
        let output = self.session.output;
        let tell = |text: &str| output.note(text);
        while let Some(item) = feed.next().await {
            match item? {
                FeedItem::Disconnected { error } => loss.begin(error, tell),
                FeedItem::Hello(hello) => {
                    loss.end(tell);
                    // With the feed open, no message is lost between the stored and the new ones.
                    if epoch.is_none() {
                        epoch = Some(hello.epoch);
                        self.load(feed.client(), peek).await?;
                    }
                }
                FeedItem::Reset(reset) => {
                    let missing = format!("messages may be missing: {}", reset.reason);
                    self.session.output.note(&missing);
                    // Another database counts its messages anew.
                    if epoch.as_ref() != Some(&reset.epoch) {
                        (epoch, self.seen) = (Some(reset.epoch), 0);
                    }
                    self.load(feed.client(), peek).await?;
                }
                FeedItem::Event(event) => {
                    if let EventBody::MessageSent { message, .. } = event.body
                        && self.is_wanted(feed.client(), &message).await?
                    {
                        self.show(&message)?;
                    }
                }
                _ => {}
            }
        }
        Ok(Exit::Done)
    }

    /// Shows the stored messages that were not shown yet.
    async fn load(&mut self, client: &Client, peek: &Peek) -> anyhow::Result<()> {
        let page = page(client, peek, self.since).await?;
        self.width = messages::width_of(&page.messages);
        let seen = self.seen;
        for message in page.messages.iter().filter(|message| message.seq > seen) {
            self.show(message)?;
        }
        Ok(())
    }

    async fn is_wanted(&self, client: &Client, message: &Message) -> anyhow::Result<bool> {
        if message.group != self.group || message.seq <= self.seen {
            return Ok(false);
        }
        let Some(find) = &self.find else { return Ok(true) };
        let is_in_head = lowered(&message.content).contains(&lowered(find));
        if is_in_head || message.resource.is_none() {
            return Ok(is_in_head);
        }
        Ok(is_in_whole(client, message, find).await?)
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

/// Whether the whole of a long message holds a text: only the daemon has it. True if the daemon
/// ends just now, so that the feed goes on at the next daemon and no match is lost.
async fn is_in_whole(client: &Client, message: &Message, find: &str) -> Result<bool, ClientError> {
    let peek = Peek {
        around: Some(message.id),
        limit: Some(1),
        find: Some(find.to_owned()),
        group: Some(message.group.clone()),
        ..Peek::default()
    };
    match client.call(&peek).await {
        Ok(page) => Ok(page.messages.iter().any(|found| found.id == message.id)),
        Err(ClientError::Unreachable { .. } | ClientError::Silent { .. }) => Ok(true),
        Err(error) => Err(error),
    }
}

#[cfg(test)]
mod tests {
    use agent_worker_client::Endpoint;

    use super::*;
    use crate::tests::samples;

    #[tokio::test]
    async fn a_long_message_is_shown_if_the_daemon_goes_before_it_is_searched() {
        let (base, token) = ("http://127.0.0.1:1".to_owned(), "token".to_owned());
        let message = samples::message("alice", "a long text");
        let shown = is_in_whole(&Client::new(Endpoint { base, token }), &message, "needle").await;
        assert!(shown.unwrap());
    }
}
