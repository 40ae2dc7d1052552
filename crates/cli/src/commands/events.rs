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

/// Which events are printed, and which one ends the command.
struct Wanted {
    scope: Option<Scope>,
    kinds: Vec<String>,
    until: Option<String>,
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
    let past = FeedFilter { scope: scope.clone(), kinds: args.kind.clone() };
    let is_whole = past == FeedFilter::default();
    let shown = match &args.after {
        Some(_) if is_whole => Some((newest, newest)),
        Some(_) => newest_of(&client, &past, 1).await?,
        None if args.until.is_some() && !args.follow => None,
        None => newest_of(&client, &past, NEWEST).await?,
    };
    let (before, last) = shown.map_or((newest, 0), |(first, last)| (first - 1, last));
    let seen = args.after.unwrap_or(Cursor { epoch: None, seq: before });
    let waits = args.follow || args.until.is_some();
    if !waits && seen.seq >= newest && seen.epoch.is_none() {
        if seen.seq > newest {
            session.output.note("events were missed: the cursor is ahead of the feed");
        }
        return Ok(Exit::Done);
    }
    // The event that ends the command may be of another kind than those that are printed.
    let is_read_first = !waits || !is_whole && args.until.is_none();
    let wanted = Wanted { scope, kinds: args.kind, until: args.until };
    let mut reader = Reader { session, wanted, waits, newest, seen };
    let is_over = is_read_first && reader.read(&client, past, Some(last)).await?;
    if waits && !is_over {
        reader.read(&client, FeedFilter::default(), None).await?;
    }
    Ok(Exit::Done)
}

/// Prints what is wanted of the feed.
struct Reader<'a> {
    session: &'a Session,
    wanted: Wanted,
    /// Whether it reads on when it has printed what there is
    waits: bool,
    /// The newest event at the beginning
    newest: i64,
    /// How far it has read
    seen: Cursor,
}

impl Reader<'_> {
    /// Prints the wanted events after `seen`, up to the event `last`; true if an event has ended
    /// the command. The daemon sends only what the filter lets through. A filter does not tell how
    /// far the feed was read, so what is new is filtered here.
    async fn read(
        &mut self,
        client: &Client,
        filter: FeedFilter,
        last: Option<i64>,
    ) -> anyhow::Result<bool> {
        let Self { session, wanted, waits, newest, seen } = self;
        let follow = |client: &Client, after: &Cursor| -> anyhow::Result<Feed> {
            let feed = Feed::follow(client, filter.clone(), Some(after.clone()));
            Ok(feed.relocate(session.relocation()?))
        };
        let mut feed = follow(client, seen)?;
        let (mut losses, mut loss) = (0, Loss::default());
        let tell = |text: &str| session.output.note(text);
        while let Some(item) = feed.next().await {
            let item = item?;
            let is_reset = matches!(item, FeedItem::Reset(_));
            match item {
                // Until the daemon has answered, the cursor may be of another epoch.
                FeedItem::Connected => continue,
                FeedItem::Disconnected { error } if *waits => {
                    loss.begin(error, tell);
                    continue;
                }
                FeedItem::Disconnected { error } if losses + 1 == LOSSES => {
                    return Err(error.into());
                }
                FeedItem::Disconnected { .. } => {
                    losses += 1;
                    continue;
                }
                FeedItem::Hello(_) => _ = loss.end(tell),
                FeedItem::Reset(reset) if is_too_old(seen, &reset) => {
                    let kept = before_oldest(feed.client()).await?;
                    let missed = format!("those from {} to {}", seen.seq + 1, kept.seq);
                    tell(&format!("events were missed: {missed} are no longer kept"));
                    feed = follow(feed.client(), &kept)?;
                    *seen = kept;
                    continue;
                }
                item if wanted.take(session, &item)? => return Ok(true),
                _ => {}
            }
            *seen = feed.cursor().cloned().unwrap_or_else(|| seen.clone());
            // A reset continues after the newest event.
            if is_reset && last.is_some() {
                return Ok(false);
            }
            if last.is_some_and(|last| seen.seq >= last) {
                seen.seq = seen.seq.max(*newest);
                return Ok(false);
            }
        }
        Err(Refusal::new("the feed has ended").into())
    }
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

/// The first and the last of the newest `most` events of a filter; `None` if there are none.
async fn newest_of(
    client: &Client,
    filter: &FeedFilter,
    most: u32,
) -> anyhow::Result<Option<(i64, i64)>> {
    let kind = (!filter.kinds.is_empty()).then(|| filter.kinds.join(","));
    let scope = filter.scope.clone();
    let mut list = EventList { limit: Some(most), scope, kind, ..EventList::default() };
    let (mut found, mut seen) = (None, 0);
    loop {
        let page = client.call(&list).await?;
        if let (Some(first), Some(last)) = (page.events.first(), page.events.last()) {
            found = Some((first.seq, found.map_or(last.seq, |(_, last)| last)));
        }
        seen += page.events.len();
        list.limit = most.checked_sub(u32::try_from(seen)?).filter(|left| *left > 0);
        match page.next {
            // A page does not look through everything.
            Some(next) if list.limit.is_some() => list.before = Some(next),
            _ => return Ok(found),
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
