//! A mirror that follows a real daemon.

use std::{future::pending, pin::pin, sync::Arc, time::Duration};

use agent_worker_client::{
    Client, ClientError, Connection, Endpoint, Feed, FeedFilter, Mirror, MirrorFeed,
    discovery::{self, Home as ClientHome},
    mirror::Next,
};
use agent_worker_protocol::{Hello, Snapshot};
use futures::future::BoxFuture;

use crate::support::{Home, within};

/// Where the daemon is by now.
type Place = Arc<dyn Fn() -> BoxFuture<'static, Result<Endpoint, ClientError>> + Send + Sync>;

/// A mirror, its feed, and the snapshot that it waits for.
pub struct Follower {
    client: Client,
    place: Place,
    feed: Feed,
    mirror: MirrorFeed,
    snapshot: Option<BoxFuture<'static, Result<Snapshot, ClientError>>>,
    /// Why it has begun anew
    pub reloads: Vec<String>,
}

impl Follower {
    /// Follows the daemon of a home, wherever that is.
    pub fn of(home: &Home) -> Self {
        let path = ClientHome::at(home.path());
        let place = move || discovery::relocation(path.clone(), None)();
        Self::at(home.client(), Arc::new(place))
    }

    /// Follows a daemon by way of another address.
    pub fn by_way_of(home: &Home, base: &str) -> Self {
        let file = home.daemon_file().expect("a daemon runs");
        let (base, token) = (base.to_owned(), file.token);
        let client = Client::new(Endpoint { base: base.clone(), token: token.clone() });
        let place = move || -> BoxFuture<'static, Result<Endpoint, ClientError>> {
            let endpoint = Endpoint { base: base.clone(), token: token.clone() };
            Box::pin(std::future::ready(Ok(endpoint)))
        };
        Self::at(client, Arc::new(place))
    }

    fn at(client: Client, place: Place) -> Self {
        let hook = place.clone();
        let feed = Feed::follow(&client, FeedFilter::default(), None).relocate(move || hook());
        let (mirror, reloads) = (MirrorFeed::default(), Vec::new());
        Self { client, place, feed, mirror, snapshot: None, reloads }
    }

    pub fn mirror(&self) -> &Mirror {
        self.mirror.mirror()
    }

    pub fn connection(&self) -> &Connection {
        self.mirror.connection()
    }

    /// What the daemon has said of itself.
    pub fn daemon(&self) -> &Hello {
        self.mirror.daemon().expect("it was met")
    }

    /// Hears the next thing. Safe to be dropped and called again.
    async fn step(&mut self) {
        let next = tokio::select! {
            item = self.feed.next() => {
                let item = item.expect("the feed goes on").expect("the feed is read");
                self.mirror.hear(item)
            }
            answer = there(&mut self.snapshot) => {
                self.snapshot = None;
                self.mirror.loaded(answer)
            }
        };
        match next {
            Next::Hear => {}
            Next::Fetch => self.fetch(Duration::ZERO),
            Next::FetchLater => self.fetch(Duration::from_millis(20)),
        }
    }

    fn fetch(&mut self, after: Duration) {
        if let Connection::Reloading { reason } = self.mirror.connection() {
            self.reloads.push(reason.clone());
        }
        let (client, place) = (self.client.clone(), self.place.clone());
        self.snapshot = Some(Box::pin(async move {
            tokio::time::sleep(after).await;
            client.moved(place().await?).snapshot().await
        }));
    }

    /// Follows until something is so.
    pub async fn until(&mut self, what: &str, is_so: impl Fn(&Mirror, &Connection) -> bool) {
        within(what, async {
            while !is_so(self.mirror.mirror(), self.mirror.connection()) {
                self.step().await;
            }
        })
        .await;
    }

    /// Follows while something is done.
    pub async fn during<T>(&mut self, work: impl Future<Output = T>) -> T {
        let mut work = pin!(work);
        loop {
            tokio::select! {
                done = &mut work => return done,
                () = self.step() => {}
            }
        }
    }

    /// Follows until it is where the daemon is: then it is what the daemon says.
    pub async fn assert_exact(&mut self, client: &Client) {
        loop {
            let told = client.snapshot().await.expect("the daemon answers");
            self.until("the mirror is where the daemon is", |mirror, connection| {
                let is_there = mirror.epoch() == Some(&told.epoch) && mirror.seq() >= told.seq;
                is_there && matches!(connection, Connection::Live)
            })
            .await;
            let known = self.mirror().snapshot();
            if known.seq == told.seq {
                return assert_same(&known, &told);
            }
        }
    }
}

/// The answer, once it is asked for and there.
async fn there(
    snapshot: &mut Option<BoxFuture<'static, Result<Snapshot, ClientError>>>,
) -> Result<Snapshot, ClientError> {
    match snapshot {
        Some(answer) => answer.await,
        None => pending().await,
    }
}

fn assert_same(known: &Snapshot, told: &Snapshot) {
    assert_eq!(known.workflows, told.workflows);
    assert_eq!(known.agents, told.agents);
    assert_eq!(known.groups, told.groups);
    assert_eq!(known.runs, told.runs);
    assert_eq!(known.documents, told.documents);
    assert_eq!(known.attention, told.attention);
    assert_eq!(known, told);
}
