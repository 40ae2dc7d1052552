//! A client that follows a daemon over a connection on which anything can happen.

use std::collections::VecDeque;

use agent_worker_client::{ClientError, Connection, FeedItem, MirrorFeed, mirror::Next};
use agent_worker_protocol::{Cursor, Event, Heartbeat, Hello, Reset, Snapshot};

use crate::{
    entities::feed::{self, FeedLine, Filter, Part, Place},
    ops::tests::{
        World,
        mirror::{difference, told},
    },
    rows::{daemon_state, event},
};

/// What happens to a client.
#[derive(Debug, Clone, Copy)]
pub enum Act {
    /// It connects.
    Connect,
    /// The client reads at most this many events.
    Hear(u8),
    /// The daemon answers with a snapshot.
    Answer,
    /// The answer comes.
    Deliver,
    /// The answer is lost.
    Lose,
    /// The connection is cut.
    Cut,
    /// An event is lost, and the client is not told.
    Swallow,
    /// Nothing is heard for a while.
    Silence,
}

/// An open connection.
struct Link {
    after: i64,
    ready: VecDeque<FeedItem>,
}

#[derive(Default)]
pub struct Client {
    pub feed: MirrorFeed,
    link: Option<Link>,
    cursor: Option<Cursor>,
    /// Whether it waits for a snapshot
    waits: bool,
    answer: Option<Snapshot>,
    /// Whether it is of a time when texts were not resources
    is_old: bool,
}

fn lost() -> ClientError {
    let source = std::io::Error::from(std::io::ErrorKind::ConnectionReset);
    ClientError::Unreachable { base: "nowhere".to_owned(), source }
}

impl Client {
    pub fn new(is_old: bool) -> Self {
        Self { is_old, ..Self::default() }
    }

    pub fn act(&mut self, world: &World, act: Act) {
        match act {
            Act::Connect => self.connect(world),
            Act::Hear(most) => self.hear(world, usize::from(most)),
            Act::Answer if self.waits => self.answer = Some(told(world)),
            Act::Deliver => {
                if let Some(snapshot) = self.answer.take() {
                    self.waits = false;
                    let next = self.feed.loaded(Ok(snapshot));
                    self.heed(next);
                }
            }
            Act::Lose if self.waits => {
                (self.waits, self.answer) = (false, None);
                let next = self.feed.loaded(Err(lost()));
                self.heed(next);
            }
            Act::Cut => self.cut(),
            Act::Swallow => self.swallow(world),
            Act::Silence => self.feed.fall_silent(),
            Act::Answer | Act::Lose => {}
        }
    }

    /// Closes the connection.
    pub fn cut(&mut self) {
        if self.link.take().is_some() {
            self.take(FeedItem::Disconnected { error: lost() });
        }
    }

    /// Whether it has heard of everything, and says so.
    pub fn is_in_step(&self, world: &World) -> bool {
        let newest = world.daemon(|cx| event::range(cx.db)).1;
        let has_all = |link: &Link| link.after == newest && link.ready.is_empty();
        matches!(self.feed.connection(), Connection::Live)
            && self.link.as_ref().is_some_and(has_all)
            && self.cursor.as_ref().is_some_and(|cursor| cursor.seq == newest)
    }

    /// In what it is wrong although it says that it is right.
    pub fn is_wrong(&self, world: &World) -> Option<String> {
        difference(&self.feed.mirror().snapshot(), &told(world))
    }

    /// Nothing more goes wrong: it hears all there is. False if that does not end.
    pub fn come_to_rest(&mut self, world: &World) -> bool {
        for _ in 0..100 {
            self.connect(world);
            self.hear(world, 200);
            self.act(world, Act::Answer);
            self.act(world, Act::Deliver);
            if self.is_in_step(world) {
                return true;
            }
        }
        false
    }

    fn connect(&mut self, world: &World) {
        if self.link.is_some() {
            return;
        }
        let cursor = self.cursor.clone();
        let Place { epoch, after, newest, lost, started_at } =
            world.daemon(move |cx| feed::place(cx.db, cursor.as_ref()));
        let greeting = if let Some(reason) = lost {
            FeedItem::Reset(Reset { epoch, seq: after, reason: reason.to_owned() })
        } else {
            let version = String::new();
            FeedItem::Hello(Hello { epoch, seq: after, newest, version, started_at, now: None })
        };
        self.link = Some(Link { after, ready: [FeedItem::Connected, greeting].into() });
    }

    fn hear(&mut self, world: &World, most: usize) {
        for item in self.next_items(world, most) {
            self.take(item);
        }
    }

    /// What comes over the connection now.
    fn next_items(&mut self, world: &World, most: usize) -> Vec<FeedItem> {
        let Some(link) = &mut self.link else { return Vec::new() };
        if !link.ready.is_empty() {
            return link.ready.drain(..).collect();
        }
        let after = link.after;
        let read = world.daemon(move |cx| feed::read_on(cx.db, &Filter::default(), after, most));
        match read {
            Part::Lost { newest, reason } => {
                link.after = newest;
                let epoch = world.daemon(|cx| daemon_state::epoch(cx.db));
                vec![FeedItem::Reset(Reset { epoch, seq: newest, reason: reason.to_owned() })]
            }
            Part::Lines(lines, seen) => {
                link.after = seen;
                let beat = Heartbeat { seq: seen, at: world.store.clock().now(), disk_full: false };
                let events = lines.iter().map(|line| self.read(line));
                events.chain([FeedItem::Heartbeat(beat)]).collect()
            }
        }
    }

    fn read(&self, line: &FeedLine) -> FeedItem {
        if self.is_old && line.kind == "resource.created" {
            return FeedItem::Unknown { seq: line.seq };
        }
        let event: Event = serde_json::from_str(&line.json).expect("it is an event");
        FeedItem::Event(Box::new(event))
    }

    /// Gives an item on and moves the cursor, as the feed of a client does.
    fn take(&mut self, item: FeedItem) {
        match &item {
            FeedItem::Hello(hello) => {
                let epoch = Some(hello.epoch.clone());
                if self.cursor.as_ref().is_none_or(|cursor| cursor.epoch != epoch) {
                    self.cursor = Some(Cursor { epoch, seq: hello.seq });
                }
            }
            FeedItem::Reset(reset) => {
                self.cursor = Some(Cursor { epoch: Some(reset.epoch.clone()), seq: reset.seq });
            }
            FeedItem::Event(event) => self.move_cursor(event.seq),
            FeedItem::Unknown { seq } => self.move_cursor(*seq),
            // What it names has not come: it will not come over this connection.
            FeedItem::Heartbeat(beat) => {
                if self.cursor.as_ref().is_some_and(|cursor| cursor.seq < beat.seq) {
                    return self.cut();
                }
            }
            FeedItem::Connected | FeedItem::Disconnected { .. } => {}
        }
        let next = self.feed.hear(item);
        self.heed(next);
    }

    fn move_cursor(&mut self, seq: i64) {
        if let Some(cursor) = &mut self.cursor {
            cursor.seq = cursor.seq.max(seq);
        }
    }

    fn heed(&mut self, next: Next) {
        if next != Next::Hear {
            (self.waits, self.answer) = (true, None);
        }
    }

    /// The next event is never sent.
    fn swallow(&mut self, world: &World) {
        let Some(link) = &mut self.link else { return };
        let newest = world.daemon(|cx| event::range(cx.db)).1;
        if link.ready.is_empty() && link.after < newest {
            link.after += 1;
        }
    }
}
