//! `agent-worker events`: the feed, for scripts

use agent_worker_client::{Client, Feed, FeedFilter, FeedItem, events::KINDS};
use agent_worker_protocol::{
    AgentShow, Cursor, Event, EventList, GroupList, Interval, Reset, Scope, Target,
};
use clap::{Args, builder::PossibleValuesParser};
use futures::future::OptionFuture;

use crate::{
    complete,
    exit::{Exit, Refusal},
    output::reader_gone,
    parse,
    place::scope_of,
    session::Session,
    text::Loss,
};

/// How often a command that does not follow the feed may lose it.
const LOSSES: usize = 5;

/// How many of the newest events are shown where no place was given.
const NEWEST: u32 = 50;

/// `agent-worker events`
#[derive(Debug, Args)]
pub struct Events {
    /// Only of this workflow
    #[arg(add = complete::scopes(), value_parser = parse::target, conflicts_with = "scope")]
    pub target: Option<Target>,
    /// Only of this workflow
    #[arg(long, add = complete::scopes())]
    pub scope: Option<Scope>,
    /// Also print new events as they happen
    #[arg(short, long)]
    pub follow: bool,
    /// Only events of this kind (repeatable)
    #[arg(long, value_name = "KIND", value_delimiter = ',', value_parser = PossibleValuesParser::new(KINDS))]
    pub kind: Vec<String>,
    /// Stop after the first event of this kind
    #[arg(long, value_name = "KIND", value_parser = PossibleValuesParser::new(KINDS))]
    pub until: Option<String>,
    /// Stop after SPAN, such as `10m`, with exit code 4
    #[arg(long, value_name = "SPAN")]
    pub timeout: Option<Interval>,
    /// Start after this event: its `seq`, or a cursor of the API [default: the newest 50; with
    /// `--until` only new ones]
    #[arg(long, value_name = "CURSOR")]
    pub after: Option<Cursor>,
}

/// Which events are printed, and when it is enough.
struct Wanted {
    scope: Option<Scope>,
    kinds: Vec<String>,
    until: Option<String>,
    /// The event with which one has caught up, for those who do not wait for more
    newest: Option<i64>,
}

pub async fn events(session: &Session, args: Events) -> anyhow::Result<Exit> {
    let timeout = args.timeout.map(Interval::duration);
    tokio::select! {
        done = printed(session, args) => done,
        Some(()) = OptionFuture::from(timeout.map(tokio::time::sleep)) => Ok(Exit::TimedOut),
        () = reader_gone() => Ok(Exit::Done),
    }
}

async fn printed(session: &Session, args: Events) -> anyhow::Result<Exit> {
    session.person_only("the feed")?;
    let client = session.client().await?;
    let scope = match args.target.or(args.scope.map(Target::scope)) {
        Some(target) => Some(workflow(session, &client, &target).await?),
        None => None,
    };
    let newest = EventList { limit: Some(1), ..EventList::default() };
    let newest = client.call(&newest).await?.newest;
    let after = match args.after {
        Some(cursor) => cursor,
        None if args.until.is_some() && !args.follow => Cursor { epoch: None, seq: newest },
        None => {
            let before = before_newest(&client, scope.clone(), &args.kind).await?;
            Cursor { epoch: None, seq: before.unwrap_or(newest) }
        }
    };
    let waits = args.follow || args.until.is_some();
    if !waits && after.seq >= newest && after.epoch.is_none() {
        if after.seq > newest {
            session.output.note("events were missed: the cursor is ahead of the feed");
        }
        return Ok(Exit::Done);
    }
    let wanted =
        Wanted { scope, kinds: args.kind, until: args.until, newest: (!waits).then_some(newest) };
    let follow = |client: &Client, after: Cursor| -> anyhow::Result<Feed> {
        // The filter is ours: the daemon's would not tell that the newest event was passed over.
        let feed = Feed::follow(client, FeedFilter::default(), Some(after));
        Ok(feed.relocate(session.relocation()?))
    };
    let mut feed = follow(&client, after.clone())?;
    let (mut seen, mut losses, mut loss) = (after, 0, Loss::default());
    let tell = |text: &str| session.output.note(text);
    while let Some(item) = feed.next().await {
        match item? {
            // Until the daemon has answered, the cursor may be of another epoch.
            FeedItem::Connected => continue,
            FeedItem::Disconnected { error } if waits => loss.begin(error, tell),
            FeedItem::Disconnected { error } if losses + 1 == LOSSES => return Err(error.into()),
            FeedItem::Disconnected { .. } => losses += 1,
            FeedItem::Hello(_) => _ = loss.end(tell),
            FeedItem::Reset(reset) if is_too_old(&seen, &reset) => {
                let kept = before_oldest(feed.client()).await?;
                let missed = format!("those from {} to {}", seen.seq + 1, kept.seq);
                session.output.note(&format!("events were missed: {missed} are no longer kept"));
                feed = follow(feed.client(), kept)?;
            }
            item if wanted.take(session, &item)? => return Ok(Exit::Done),
            _ => {}
        }
        seen = feed.cursor().cloned().unwrap_or(seen);
        if wanted.newest.is_some_and(|newest| seen.seq >= newest) {
            return Ok(Exit::Done);
        }
    }
    Err(Refusal::new("the feed has ended").into())
}

/// Returns the workflow of a target. Refuses an agent, and what is not found.
async fn workflow(session: &Session, client: &Client, target: &Target) -> anyhow::Result<Scope> {
    let meant = session.meant(client, target.clone()).await?;
    if meant.name.is_some() {
        client.call(&AgentShow { target: meant.clone() }).await?;
    } else {
        client.at(meant.clone()).call(&GroupList {}).await?;
    }
    session.workflow_only(target, &meant, "events")?;
    Ok(scope_of(&meant))
}

/// The event before the newest ones that are wanted; `None` if there are none.
async fn before_newest(
    client: &Client,
    scope: Option<Scope>,
    kinds: &[String],
) -> anyhow::Result<Option<i64>> {
    let kind = (!kinds.is_empty()).then(|| kinds.join(","));
    let mut list = EventList { limit: Some(NEWEST), scope, kind, ..EventList::default() };
    let (mut first, mut seen) = (None, 0);
    loop {
        let page = client.call(&list).await?;
        first = page.events.first().map(|event| event.seq - 1).or(first);
        seen += page.events.len();
        list.limit = NEWEST.checked_sub(u32::try_from(seen)?).filter(|left| *left > 0);
        match page.next {
            // A page does not look through everything.
            Some(next) if list.limit.is_some() => list.before = Some(next),
            _ => return Ok(first),
        }
    }
}

/// Whether a feed was reset because the events after this cursor are no longer kept.
fn is_too_old(cursor: &Cursor, reset: &Reset) -> bool {
    cursor.seq < reset.seq && cursor.epoch.as_ref().is_none_or(|epoch| *epoch == reset.epoch)
}

/// The place before the oldest event that is kept.
async fn before_oldest(client: &Client) -> anyhow::Result<Cursor> {
    let page = client.call(&EventList { limit: Some(1), ..EventList::default() }).await?;
    Ok(Cursor { epoch: Some(page.epoch), seq: page.oldest - 1 })
}

impl Wanted {
    /// Prints an item if it is wanted; true after the last one.
    fn take(&self, session: &Session, item: &FeedItem) -> anyhow::Result<bool> {
        match item {
            FeedItem::Event(event) => {
                let is_here = self.scope.as_ref().is_none_or(|scope| event.scope == *scope);
                let is_last = is_here && self.until.as_deref() == Some(event.body.kind());
                if is_here && (is_last || self.has_kind(event)) {
                    session.output.print_line(event)?;
                }
                Ok(is_last)
            }
            FeedItem::Reset(reset) => {
                session.output.note(&format!("events were missed: {}", reset.reason));
                Ok(false)
            }
            _ => Ok(false),
        }
    }

    fn has_kind(&self, event: &Event) -> bool {
        self.kinds.is_empty() || self.kinds.iter().any(|kind| kind == event.body.kind())
    }
}
