//! What the items of a feed mean for a mirror: when it is true, and when it must begin anew.

use agent_worker_protocol::{Event, Hello, Snapshot};

use super::state::Mirror;
use crate::{ClientError, FeedItem};

/// How many events are kept while a snapshot is on its way. What is more, a later snapshot has.
const MOST_KEPT: usize = 10_000;

/// How far the mirror can be trusted.
#[derive(Debug, Default)]
pub enum Connection {
    /// No snapshot was loaded yet.
    #[default]
    Starting,
    /// The picture is the daemon's.
    Live,
    /// This many events are missing, and they are on their way.
    CatchingUp(u64),
    /// The picture is old: a new one is on its way.
    Reloading {
        /// Why it could not go on
        reason: String,
    },
    /// The connection is open, and nothing is heard over it.
    Silent,
    /// The connection is lost.
    Reconnecting {
        /// How often it was lost, or not made, in a row
        tries: u32,
        /// How it was, the last time
        error: ClientError,
    },
    /// The daemon does not talk to this client.
    Refused { error: ClientError },
}

/// Next step after an item.
#[must_use]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Next {
    /// Hear the next item.
    Hear,
    /// Ask for a snapshot, beside the feed, in place of a snapshot already requested.
    Fetch,
    /// The same after a moment: it has just failed.
    FetchLater,
}

/// A mirror that follows a feed without a filter.
#[derive(Debug, Default)]
pub struct MirrorFeed {
    mirror: Mirror,
    connection: Connection,
    /// What the daemon said of itself, the last time
    daemon: Option<Hello>,
    /// What its last heartbeat said of the disk
    is_disk_full: bool,
    /// The newest event there was when the connection was made
    newest: i64,
    reload: Option<Reload>,
}

/// A snapshot is on its way, and events come meanwhile.
#[derive(Debug)]
struct Reload {
    reason: String,
    epoch: String,
    /// The snapshot must be of this place or of a later one: the events after it are kept.
    since: i64,
    /// The newest event that was heard
    last: i64,
    kept: Vec<Event>,
}

impl MirrorFeed {
    /// The picture as it is. How far it can be trusted, [`Self::connection`] tells.
    pub fn mirror(&self) -> &Mirror {
        &self.mirror
    }

    /// How far the mirror can be trusted.
    pub fn connection(&self) -> &Connection {
        &self.connection
    }

    /// What the daemon said of itself when it was last met: its version, and when it started.
    pub fn daemon(&self) -> Option<&Hello> {
        self.daemon.as_ref()
    }

    /// Whether the mirror is live, and the daemon's last change was not saved because the disk was
    /// full.
    pub fn is_disk_full(&self) -> bool {
        self.is_disk_full && matches!(self.connection, Connection::Live)
    }

    /// Takes what the feed gives.
    pub fn hear(&mut self, item: FeedItem) -> Next {
        let next = match item {
            FeedItem::Connected => return Next::Hear,
            FeedItem::Disconnected { error } => {
                self.lose(error);
                return Next::Hear;
            }
            FeedItem::Hello(hello) => {
                let next = self.greeted(&hello);
                self.daemon = Some(hello);
                self.is_disk_full = false;
                next
            }
            FeedItem::Reset(reset) => {
                self.newest = reset.seq;
                self.reload(reset.epoch, reset.seq, reset.reason)
            }
            FeedItem::Event(event) => self.next_is(event.seq, Some(*event)),
            FeedItem::Unknown { seq } => self.next_is(seq, None),
            FeedItem::Heartbeat(beat) => {
                self.is_disk_full = beat.disk_full;
                Next::Hear
            }
        };
        self.judge();
        next
    }

    /// Takes the snapshot that was asked for, or why it failed.
    pub fn loaded(&mut self, answer: Result<Snapshot, ClientError>) -> Next {
        let Some(reload) = self.reload.take() else { return Next::Hear };
        let snapshot = match answer {
            Ok(one) if one.epoch == reload.epoch && one.seq >= reload.since => one,
            // Of another database, or older than the feed. The feed will say if it is of another.
            _ => {
                self.reload = Some(reload);
                return if self.is_connected() { Next::FetchLater } else { Next::Hear };
            }
        };
        self.mirror.replace(snapshot);
        for event in &reload.kept {
            self.mirror.apply(event);
        }
        self.mirror.pass(reload.last);
        if self.is_connected() {
            self.judge();
        }
        Next::Hear
    }

    /// Nothing was heard for longer than a heartbeat takes.
    pub fn fall_silent(&mut self) {
        if matches!(self.connection, Connection::Live | Connection::CatchingUp(_)) {
            self.connection = Connection::Silent;
        }
    }

    /// The feed has ended with this, and nothing more will be heard.
    pub fn end(&mut self, error: ClientError) {
        self.connection = Connection::Refused { error };
    }

    fn is_connected(&self) -> bool {
        !matches!(self.connection, Connection::Reconnecting { .. } | Connection::Refused { .. })
    }

    fn lose(&mut self, error: ClientError) {
        let tries = match self.connection {
            Connection::Reconnecting { tries, .. } => tries.saturating_add(1),
            _ => 1,
        };
        self.connection = Connection::Reconnecting { tries, error };
    }

    /// The feed goes on where it broke off, or it is new to the mirror.
    fn greeted(&mut self, hello: &Hello) -> Next {
        self.newest = hello.newest;
        let (epoch, last) = match &self.reload {
            Some(reload) => (Some(reload.epoch.as_str()), reload.last),
            None => (self.mirror.epoch(), self.mirror.seq()),
        };
        let goes_on = epoch == Some(hello.epoch.as_str()) && hello.seq <= last;
        match (goes_on, &self.reload) {
            (true, None) => Next::Hear,
            (true, Some(_)) => Next::Fetch,
            (false, _) => self.reload(hello.epoch.clone(), hello.seq, "another feed".to_owned()),
        }
    }

    /// Begins anew with the events after this one.
    fn reload(&mut self, epoch: String, seq: i64, reason: String) -> Next {
        self.newest = self.newest.max(seq);
        self.reload = Some(Reload { reason, epoch, since: seq, last: seq, kept: Vec::new() });
        Next::Fetch
    }

    /// The next event, or the place of a useless one. Events follow each other without a
    /// gap: if one is missing, the mirror can no longer tell.
    fn next_is(&mut self, seq: i64, event: Option<Event>) -> Next {
        let last = self.reload.as_ref().map_or(self.mirror.seq(), |reload| reload.last);
        if seq <= last {
            return Next::Hear;
        }
        if seq > last + 1 {
            let reason = format!("event {} has not come", last + 1);
            let epoch = match &self.reload {
                Some(reload) => reload.epoch.clone(),
                None => self.mirror.epoch().unwrap_or_default().to_owned(),
            };
            return self.reload(epoch, seq, reason);
        }
        match (&mut self.reload, event) {
            (Some(reload), event) => return reload.keep(seq, event),
            (None, Some(event)) => self.mirror.apply(&event),
            (None, None) => self.mirror.pass(seq),
        };
        Next::Hear
    }

    /// Says how far the mirror can be trusted while the connection is open.
    fn judge(&mut self) {
        let missing = u64::try_from(self.newest - self.mirror.seq()).unwrap_or(0);
        self.connection = match &self.reload {
            Some(_) if self.mirror.epoch().is_none() => Connection::Starting,
            Some(reload) => Connection::Reloading { reason: reload.reason.clone() },
            None if missing > 0 => Connection::CatchingUp(missing),
            None => Connection::Live,
        };
    }
}

impl Reload {
    fn keep(&mut self, seq: i64, event: Option<Event>) -> Next {
        self.last = seq;
        self.kept.extend(event);
        if self.kept.len() <= MOST_KEPT {
            return Next::Hear;
        }
        self.kept.clear();
        self.since = seq;
        Next::Fetch
    }
}
