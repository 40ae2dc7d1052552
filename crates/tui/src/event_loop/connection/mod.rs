//! The daemon, from a thread of its own: the feed, snapshots, transcripts, and what is asked.

mod ask;
mod several;
mod since;

use std::{collections::HashMap, sync::Arc, thread, time::Duration};

use agent_worker_client::{
    Client, ClientError, Feed, FeedFilter, FeedItem, OutputItem, RunOutput,
    discovery::{self, relocation},
};
use agent_worker_protocol::RunId;
use tokio::{
    runtime::Builder,
    sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel},
    task::{AbortHandle, JoinHandle},
    time::{Instant, sleep_until},
};

use super::options::Options;
use crate::{
    app::Msg,
    model::{Effect, Reach, Request, RequestError},
};

/// How often the program looks for a daemon that is not running.
const LOOK: Duration = Duration::from_secs(1);

/// What the thread is to do.
pub enum Wish {
    /// Ask the daemon; the answer comes as a message.
    Ask(Request),
    /// Ask for a snapshot, after this many milliseconds.
    Fetch(u64),
    /// Follow a run's transcript from its beginning.
    Follow(RunId),
    /// Follow it no more.
    Unfollow(RunId),
    /// Try the connection now.
    Hurry,
    StartDaemon,
}

/// The thread, as the loop sees it.
pub struct Link {
    wishes: UnboundedSender<Wish>,
}

type Sink = Arc<dyn Fn(Msg) + Send + Sync>;

impl Link {
    /// Starts the thread, which looks for the daemon and says what it hears.
    pub fn start(options: Options, sink: impl Fn(Msg) + Send + Sync + 'static) -> Self {
        let (wishes, inbox) = unbounded_channel();
        let sink: Sink = Arc::new(sink);
        let thread = thread::Builder::new().name("tui-link".to_owned());
        let started = thread.spawn({
            let sink = Arc::clone(&sink);
            move || match Builder::new_current_thread().enable_all().build() {
                Ok(runtime) => runtime.block_on(live(&options, inbox, &sink)),
                Err(error) => sink(nobody(&options, Some(error.to_string()), false)),
            }
        });
        if let Err(error) = started {
            sink(Msg::NotSaved(format!("nothing can be asked: {error}")));
        }
        Self { wishes }
    }

    /// Has the thread do this, after what was wished before.
    pub fn wish(&self, wish: Wish) {
        // The thread ends only after this end is dropped, or if it could not be started.
        let _ = self.wishes.send(wish);
    }

    /// Has the thread do what an effect asks of the daemon. Returns any other effect.
    pub fn take(&self, effect: Effect) -> Option<Effect> {
        self.wish(match effect {
            Effect::Ask(request) => Wish::Ask(request),
            Effect::Fetch(after) => Wish::Fetch(after),
            Effect::Follow(run) => Wish::Follow(run),
            Effect::Unfollow(run) => Wish::Unfollow(run),
            Effect::Retry => Wish::Hurry,
            Effect::StartDaemon => Wish::StartDaemon,
            other => return Some(other),
        });
        None
    }
}

fn nobody(options: &Options, problem: Option<String>, is_starting: bool) -> Msg {
    let looked_at = match options.home.watched() {
        Some(file) => file.display().to_string(),
        None => options.home.shown(),
    };
    Msg::Reach(Reach::Nobody { looked_at, problem, is_starting }, None)
}

/// Finds the daemon, then follows it for good: it may move, it is not given up.
async fn live(options: &Options, mut inbox: UnboundedReceiver<Wish>, sink: &Sink) {
    let Some(client) = found(options, &mut inbox, sink).await else { return };
    sink(Msg::Reach(Reach::Found, None));
    Connected::new(options, client, Arc::clone(sink)).follow(&mut inbox).await;
}

/// Looks for the daemon until there is one.
async fn found(
    options: &Options,
    inbox: &mut UnboundedReceiver<Wish>,
    sink: &Sink,
) -> Option<Client> {
    let mut told = None;
    loop {
        let problem = match discovery::find(&options.home).await {
            Ok(Some(file)) => {
                let client = options.home.client(&file);
                let Err(error @ ClientError::Silent { .. }) = client.health().await else {
                    return Some(known_as(options, client));
                };
                sink(Msg::Reach(Reach::Found, None));
                sink(Msg::Feed(FeedItem::Disconnected { error }));
                told = None;
                None
            }
            Ok(None) => Some(None),
            Err(error) => Some(Some(error.to_string())),
        };
        if let Some(problem) = problem
            && told.as_ref() != Some(&problem)
        {
            sink(nobody(options, problem.clone(), false));
            told = Some(problem);
        }
        let again = Instant::now() + LOOK;
        loop {
            tokio::select! {
                () = sleep_until(again) => break,
                wish = inbox.recv() => match wish? {
                    Wish::Hurry => break,
                    Wish::StartDaemon => {
                        if let Err(problem) = started(options, sink).await {
                            sink(Msg::NotStarted(problem));
                        }
                        told = None;
                        break;
                    }
                    Wish::Ask(request) => {
                        let trouble = RequestError::offline();
                        sink(Msg::Answer(Box::new(request), Err(trouble)));
                    }
                    _ => {}
                },
            }
        }
    }
}

/// Starts a daemon, or finds a running one. Returns what was in the way.
async fn started(options: &Options, sink: &Sink) -> Result<(), String> {
    sink(nobody(options, None, true));
    let started = discovery::connect_or_start(&options.home, &options.program).await;
    started.map(|_| ()).map_err(|error| error.to_string())
}

fn known_as(options: &Options, client: Client) -> Client {
    if options.identity == agent_worker_protocol::Name::person() {
        client
    } else {
        client.acting_as(options.identity.clone())
    }
}

/// A feed of everything, wherever its daemon is by then.
fn followed(options: &Options, client: &Client) -> Feed {
    Feed::follow(client, FeedFilter::default(), None)
        .relocate(relocation(options.home.clone(), None))
        .watch(options.home.watched())
}

struct Connected<'a> {
    options: &'a Options,
    sink: Sink,
    feed: Feed,
    runs: HashMap<RunId, AbortHandle>,
    snapshot: Option<JoinHandle<()>>,
}

impl<'a> Connected<'a> {
    fn new(options: &'a Options, client: Client, sink: Sink) -> Self {
        let feed = followed(options, &client);
        Self { options, sink, feed, runs: HashMap::new(), snapshot: None }
    }

    /// Follows a feed that had ended for good, with the token that the daemon has by now.
    async fn begin_again(&mut self) {
        let mut client = self.client();
        if let Ok(Some(file)) = discovery::find(&self.options.home).await {
            client = client.moved(self.options.home.endpoint(&file));
        }
        self.feed = followed(self.options, &client);
    }

    fn client(&self) -> Client {
        self.feed.client().clone()
    }

    async fn follow(mut self, inbox: &mut UnboundedReceiver<Wish>) {
        let mut is_over = false;
        loop {
            tokio::select! {
                item = self.feed.next(), if !is_over => match item {
                    Some(Ok(item)) => self.heard(item),
                    Some(Err(error)) => (self.sink)(Msg::FeedEnded(error)),
                    None => is_over = true,
                },
                wish = inbox.recv() => match wish {
                    Some(wish) => {
                        if let Wish::Hurry = wish && is_over {
                            is_over = false;
                            self.begin_again().await;
                        }
                        self.wished(wish).await;
                    }
                    None => return,
                },
            }
        }
    }

    fn heard(&mut self, item: FeedItem) {
        let is_lost = matches!(item, FeedItem::Disconnected { .. });
        (self.sink)(Msg::Feed(item));
        if is_lost && let Some(left) = self.feed.connects_in() {
            let left = i64::try_from(left.as_millis()).unwrap_or(0);
            (self.sink)(Msg::RetryIn(left));
        }
    }

    async fn wished(&mut self, wish: Wish) {
        match wish {
            Wish::Ask(request) => self.ask(request),
            Wish::Fetch(after) => self.fetch(after),
            Wish::Follow(run) => self.follow_run(run),
            Wish::Unfollow(run) => {
                if let Some(task) = self.runs.remove(&run) {
                    task.abort();
                }
            }
            Wish::Hurry => self.feed.try_now(),
            Wish::StartDaemon => {
                let started = started(self.options, &self.sink).await;
                (self.sink)(Msg::Reach(Reach::Found, None));
                match started {
                    Ok(()) => self.feed.try_now(),
                    Err(problem) => (self.sink)(Msg::NotStarted(problem)),
                }
            }
        }
    }

    fn ask(&self, request: Request) {
        let (client, sink) = (self.client(), Arc::clone(&self.sink));
        let collect = Arc::clone(&self.options.collect);
        tokio::spawn(async move {
            let answer = ask::ask(&client, &request, &collect).await;
            sink(Msg::Answer(Box::new(request), answer));
        });
    }

    fn fetch(&mut self, after: u64) {
        if let Some(earlier) = self.snapshot.take() {
            earlier.abort();
        }
        // The control room belongs to the user, whichever name it sends under.
        let (client, sink) = (self.client().as_oneself(), Arc::clone(&self.sink));
        self.snapshot = Some(tokio::spawn(async move {
            sleep_until(Instant::now() + Duration::from_millis(after)).await;
            let answer = client.snapshot().await;
            sink(Msg::Snapshot(answer.map(Box::new).map_err(|error| RequestError::of(&error))));
        }));
    }

    fn follow_run(&mut self, run: RunId) {
        let sink = Arc::clone(&self.sink);
        let mut output = RunOutput::follow(&self.client(), run)
            .relocate(relocation(self.options.home.clone(), None))
            .watch(self.options.home.watched());
        let task = tokio::spawn(async move {
            while let Some(Ok(item)) = output.next().await {
                if let OutputItem::Output(event) = item {
                    sink(Msg::Output(run, event));
                }
            }
        });
        if let Some(earlier) = self.runs.insert(run, task.abort_handle()) {
            earlier.abort();
        }
    }
}
