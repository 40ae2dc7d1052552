//! `GET /events`: the feed, read from its table. A slow reader falls behind and catches up,
//! without a gap and without growing memory.

use std::{collections::VecDeque, convert::Infallible};

use agent_worker_protocol::{Cursor, FeedRequest, Heartbeat, Hello, Reset, Target};
use axum::{
    Extension,
    extract::{Query, State},
    http::{HeaderMap, Uri},
    response::{Sse, sse},
};
use futures::{Stream, stream};
use tokio::{sync::watch, time::Instant};

use crate::{
    context::{Credential, Cx, run::Misfit},
    engine::app::App,
    entities::feed::{self, FeedLine, Filter, Part, Place},
    error::{OpError, Result},
    surfaces::{
        answer::{self, Refusal},
        gate::Identity,
        http::{caller::operator_only, request},
    },
};

/// How many events are read at once.
const PAGE: usize = 200;

pub async fn events(
    State(app): State<App>,
    Extension(identity): Extension<Identity>,
    headers: HeaderMap,
    uri: Uri,
    wanted: Result<Query<FeedRequest>, axum::extract::rejection::QueryRejection>,
) -> Result<Sse<impl Stream<Item = Result<sse::Event, Infallible>>>, Refusal> {
    operator_only(&app, identity, &uri, "the feed").await?;
    let Query(wanted) = wanted.map_err(|bad| unread(&bad.body_text(), &uri))?;
    let cursor = last_event_id(&headers)?.or(wanted.after).map(|text| text.parse::<Cursor>());
    let cursor = cursor.transpose().map_err(|bad| OpError::invalid(bad.to_string()))?;
    let filter = Filter::new(wanted.scope, wanted.kind.as_deref())?;
    // Subscribed before the tables are read, or an event would fall between.
    let latest = app.store().latest();
    let (epoch, after, greeting) = place(&app, cursor).await?;
    let mut feed = Feed {
        heartbeat: Instant::now() + app.store().settings().feed.heartbeat.duration(),
        epoch,
        after,
        newest: after,
        ready: VecDeque::from([greeting]),
        pages: VecDeque::new(),
        app,
        filter,
        latest,
    };
    // The reader hears of it at once, not after an interval.
    if feed.app.store().is_disk_full() {
        feed.beat();
    }
    Ok(Sse::new(stream::unfold(feed, Feed::next)))
}

/// Refuses a query that cannot be read, in the words of the other routes.
fn unread(why: &str, uri: &Uri) -> OpError {
    if let Some((_, field)) = why.split_once("duplicate field ") {
        let twice = OpError::invalid(format!("{field} is given twice"));
        if !field.starts_with("`kind`") {
            return twice;
        }
        return twice.hint("several kinds are one value: kind=message.sent,run.changed");
    }
    let why = why.strip_prefix("Failed to deserialize query string: ").unwrap_or(why);
    let told = |field: &str, why: &str| {
        let (path, why) = (Some(field.to_owned()), why.to_owned());
        OpError::invalid(Misfit { path, why }.to_string())
    };
    match why.split_once(": ") {
        Some((field @ "target", why)) => {
            let scope = target_of(uri).and_then(|target| target.scope);
            let scope = scope.map_or_else(|| "@WORKFLOW".to_owned(), |scope| scope.to_string());
            told(field, why).hint(format!("in the query: ?scope={scope}"))
        }
        Some((field, why)) if !field.contains(' ') => told(field, why),
        _ => OpError::invalid(why),
    }
}

/// The `target` in a query; `None` without a valid one.
fn target_of(uri: &Uri) -> Option<Target> {
    let (_, text) = request::query(uri).into_iter().find(|(name, _)| name == "target")?;
    text.parse().ok()
}

fn last_event_id(headers: &HeaderMap) -> Result<Option<String>> {
    let mut given = headers.get_all("last-event-id").iter();
    let last = given.next().map(|id| String::from_utf8_lossy(id.as_bytes()).into_owned());
    match given.next() {
        None => Ok(last),
        Some(_) => Err(OpError::invalid("`last-event-id` is given twice")),
    }
}

/// Where a reader goes on, in which epoch and after which event, and what it is told of that.
pub async fn place(app: &App, cursor: Option<Cursor>) -> Result<(String, i64, sse::Event)> {
    let look = move |cx: &mut Cx<'_>| Ok((feed::place(cx.db, cursor.as_ref())?, cx.now));
    let (place, now) = app.store().read(Credential::Daemon, look).await?;
    let Place { epoch, after, newest, lost, started_at } = place;
    let greeting = if let Some(reason) = lost {
        reset(&epoch, after, reason)
    } else {
        let version = env!("CARGO_PKG_VERSION").to_owned();
        let (epoch, now) = (epoch.clone(), Some(now));
        let hello = Hello { epoch, seq: after, newest, version, started_at, now };
        answer::event("hello", &hello).id(format!("{}-{after}", hello.epoch))
    };
    Ok((epoch, after, greeting))
}

/// Tells a reader that it has missed something, and where it goes on.
fn reset(epoch: &str, newest: i64, reason: &str) -> sse::Event {
    let reset = Reset { epoch: epoch.to_owned(), seq: newest, reason: reason.to_owned() };
    answer::event("reset", &reset).id(format!("{epoch}-{newest}"))
}

pub struct Feed {
    app: App,
    filter: Filter,
    epoch: String,
    /// How far was looked
    after: i64,
    /// The newest event that the filter has let through
    newest: i64,
    ready: VecDeque<sse::Event>,
    pages: VecDeque<FeedLine>,
    latest: watch::Receiver<i64>,
    heartbeat: Instant,
}

impl Feed {
    async fn next(mut self) -> Option<(Result<sse::Event, Infallible>, Self)> {
        loop {
            if let Some(line) = self.pages.pop_front() {
                let event = self.event(&line);
                return Some((Ok(event), self));
            }
            if let Some(event) = self.ready.pop_front() {
                return Some((Ok(event), self));
            }
            if !self.fill().await {
                return None;
            }
        }
    }

    fn event(&self, line: &FeedLine) -> sse::Event {
        let id = format!("{}-{}", self.epoch, line.seq);
        sse::Event::default().id(id).event(line.kind.clone()).data(line.json.clone())
    }

    /// Reads what is new, or waits until something is. False when the daemon closes.
    async fn fill(&mut self) -> bool {
        let newest = *self.latest.borrow_and_update();
        if newest > self.after {
            return self.read_page(newest).await;
        }
        let closing = self.app.closing().clone();
        tokio::select! {
            () = closing.cancelled() => false,
            changed = self.latest.changed() => changed.is_ok(),
            () = tokio::time::sleep_until(self.heartbeat) => {
                self.beat();
                true
            }
        }
    }

    /// Reads on. There are events up to `newest` at least.
    async fn read_page(&mut self, newest: i64) -> bool {
        let (filter, after) = (self.filter.clone(), self.after);
        let read = move |cx: &mut Cx<'_>| feed::read_on(cx.db, &filter, after, PAGE);
        match self.app.store().read(Credential::Daemon, read).await {
            Ok(Part::Lost { newest, reason }) => {
                self.after = newest;
                self.newest = newest;
                self.ready.push_back(reset(&self.epoch, newest, reason));
                true
            }
            Ok(Part::Lines(lines, seen)) => {
                // Nothing was found although there are later events: they are of another scope.
                // What has come since may not be.
                let is_empty = lines.is_empty() && seen == self.after;
                self.after = if is_empty { newest } else { seen };
                self.newest = lines.last().map_or(self.newest, |line| line.seq);
                self.pages.extend(lines);
                if Instant::now() >= self.heartbeat {
                    self.beat();
                }
                true
            }
            Err(error) => {
                tracing::warn!(%error, "reading the feed");
                false
            }
        }
    }

    /// Comes behind all that was read: what it names, the reader has been sent.
    fn beat(&mut self) {
        let store = self.app.store();
        self.heartbeat = Instant::now() + store.settings().feed.heartbeat.duration();
        let (at, disk_full) = (store.clock().now(), store.is_disk_full());
        let beat = Heartbeat { seq: self.newest, at, disk_full };
        self.ready.push_back(answer::event("heartbeat", &beat));
    }
}
