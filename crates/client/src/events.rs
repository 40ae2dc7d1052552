//! The feed, followed over broken connections and restarts of the daemon: every event once.

use std::{future::Future, path::PathBuf, time::Duration};

pub use agent_worker_protocol::event::KINDS;
use agent_worker_protocol::{Cursor, Event, Heartbeat, Hello, Reset};
use serde::de::DeserializeOwned;

use crate::{
    Client, ClientError, Endpoint,
    feed_filter::{FeedFilter, request},
    link::{Link, Step},
    sse::{Message, Patience},
};

/// Interval of the daemon's heartbeats, where its settings leave it open.
pub const HEARTBEAT: Duration = Duration::from_secs(10);

/// An item of a feed.
#[derive(Debug)]
pub enum FeedItem {
    /// A connection is open.
    Connected,
    /// The daemon names its epoch and the place from which it continues.
    Hello(Hello),
    Event(Box<Event>),
    /// An event of a kind that this version does not know.
    Unknown {
        /// Its place in the feed
        seq: i64,
    },
    /// Nothing is new.
    Heartbeat(Heartbeat),
    /// Missed events are lost: take a new snapshot.
    Reset(Reset),
    /// The connection is lost; the next item comes over a new connection.
    Disconnected {
        /// How it was lost
        error: ClientError,
    },
}

/// The feed of a daemon.
pub struct Feed {
    link: Link,
    filter: FeedFilter,
    cursor: Option<Cursor>,
    /// An event that a heartbeat named and that has not arrived.
    owed: Option<i64>,
}

/// Silence after which a connection counts as lost.
fn silence(heartbeat: Duration) -> Duration {
    heartbeat * 5 / 2
}

/// Longest silence of streams other than the feed, after their first message.
pub(crate) fn usual_patience() -> Patience {
    Patience::OnceHeard(silence(HEARTBEAT))
}

pub(crate) fn parsed<T: DeserializeOwned>(message: &Message) -> Result<T, ClientError> {
    serde_json::from_str(&message.data).map_err(|error| {
        ClientError::garbled(format!("the event `{}`", message.event_type), error.to_string())
    })
}

impl Feed {
    /// The events after this one, or those from now on.
    pub fn follow(client: &Client, filter: FeedFilter, after: Option<Cursor>) -> Self {
        let link = Link::new(client.clone(), Patience::Always(silence(HEARTBEAT)));
        Self { link, filter, cursor: after, owed: None }
    }

    /// The same feed, which asks before each new connection where the daemon is by then. An error
    /// means that it is nowhere: nothing is sent, and the hook is asked again later.
    #[must_use]
    pub fn relocate<H, F>(mut self, mut hook: H) -> Self
    where
        H: FnMut() -> F + Send + 'static,
        F: Future<Output = Result<Endpoint, ClientError>> + Send + 'static,
    {
        self.link.relocate = Some(Box::new(move || Box::pin(hook())));
        self
    }

    /// The same feed, which does not wait any longer for a new connection once this file is
    /// written: that in which the daemon says where it is.
    #[must_use]
    pub fn watch(mut self, file: Option<PathBuf>) -> Self {
        self.link.watch(file);
        self
    }

    /// Client of the daemon of this feed, at its current address.
    pub fn client(&self) -> &Client {
        self.link.client()
    }

    /// Time until the next connection is begun; `None` unless one is waited for.
    pub fn connects_in(&self) -> Option<Duration> {
        self.link.opens_in()
    }

    /// Cursor of the last event, from which another feed could continue.
    pub fn cursor(&self) -> Option<&Cursor> {
        self.cursor.as_ref()
    }

    /// Reconnects at once instead of after the delay.
    pub fn try_now(&mut self) {
        self.link.hurry();
    }

    /// The next item; none after an error. Safe to be dropped and called again.
    pub async fn next(&mut self) -> Option<Result<FeedItem, ClientError>> {
        loop {
            let step = self.link.next(|| request(&self.filter, self.cursor.as_ref())).await?;
            let item = match step {
                Ok(Step::Connected) => Ok(Some(FeedItem::Connected)),
                Ok(Step::Disconnected(error)) => Ok(Some(self.lost(error))),
                Ok(Step::Message(message)) => self.take(&message),
                Err(error) => Err(error),
            };
            let Some(item) = item.transpose() else { continue };
            if item.is_err() {
                self.link.end();
            }
            return Some(item);
        }
    }

    fn take(&mut self, message: &Message) -> Result<Option<FeedItem>, ClientError> {
        match message.event_type.as_str() {
            "hello" => {
                let hello: Hello = parsed(message)?;
                self.greeted(&hello);
                Ok(Some(FeedItem::Hello(hello)))
            }
            "reset" => {
                let reset: Reset = parsed(message)?;
                self.owed = None;
                self.cursor = Some(Cursor { epoch: Some(reset.epoch.clone()), seq: reset.seq });
                Ok(Some(FeedItem::Reset(reset)))
            }
            "heartbeat" => Ok(Some(self.beat(parsed(message)?))),
            kind if KINDS.contains(&kind) => {
                let event: Event = parsed(message)?;
                let id = message.id.as_deref().and_then(|id| id.parse().ok());
                let place = id.unwrap_or(Cursor { epoch: None, seq: event.seq });
                Ok(self.is_new(place).then(|| FeedItem::Event(Box::new(event))))
            }
            // A newer daemon has kinds that this client has no use for; they are seen all the same.
            _ => {
                let place = message.id.as_deref().and_then(|id| id.parse::<Cursor>().ok());
                let seq = place.as_ref().map(|place| place.seq);
                let is_new = place.is_some_and(|place| self.is_new(place));
                Ok(seq.filter(|_| is_new).map(|seq| FeedItem::Unknown { seq }))
            }
        }
    }

    /// A cursor without an epoch gets it here, and a feed without a cursor gets one, so that a cut
    /// before the first event loses nothing.
    fn greeted(&mut self, hello: &Hello) {
        self.owed = None;
        let epoch = Some(hello.epoch.clone());
        match &mut self.cursor {
            Some(cursor) if cursor.epoch.is_none() => cursor.epoch = epoch,
            Some(cursor) if cursor.epoch == epoch => {}
            _ => self.cursor = Some(Cursor { epoch, seq: hello.seq }),
        }
    }

    /// Moves the cursor on; false for an event that was there before.
    fn is_new(&mut self, place: Cursor) -> bool {
        let Some(cursor) = &mut self.cursor else {
            self.cursor = Some(place);
            return true;
        };
        let is_other = matches!((&place.epoch, &cursor.epoch), (Some(a), Some(b)) if a != b);
        if !is_other && place.seq <= cursor.seq {
            return false;
        }
        cursor.seq = place.seq;
        if place.epoch.is_some() {
            cursor.epoch = place.epoch;
        }
        true
    }

    /// A heartbeat names the newest event. An event that has not come by the next heartbeat will not
    /// come over this connection.
    fn beat(&mut self, heartbeat: Heartbeat) -> FeedItem {
        let seen = self.cursor.as_ref().map_or(heartbeat.seq, |cursor| cursor.seq);
        if let Some(owed) = self.owed.take_if(|owed| *owed > seen) {
            let detail = format!("event {owed} has not come, and {seen} was the last");
            self.link.cut();
            return self.lost(ClientError::garbled("the feed", detail));
        }
        self.owed = (heartbeat.seq > seen).then_some(heartbeat.seq);
        FeedItem::Heartbeat(heartbeat)
    }

    fn lost(&mut self, error: ClientError) -> FeedItem {
        self.owed = None;
        let is_known = error.is_silence() && self.client().is_stopped();
        let error = if is_known { self.client().silence() } else { error };
        FeedItem::Disconnected { error }
    }
}

#[cfg(test)]
#[path = "tests/events_properties.rs"]
mod properties;
#[cfg(test)]
#[path = "tests/events.rs"]
mod tests;
