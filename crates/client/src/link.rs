//! A stream that is reopened whenever it breaks, also if the daemon has moved.

use std::{
    path::{Path, PathBuf},
    time::{Duration, SystemTime},
};

use agent_worker_protocol::ErrorCode;
use futures::future::BoxFuture;
use tokio::time::Instant;

use crate::{
    Client, ClientError, Endpoint,
    request::Request,
    sse::{Connection, Cut, Dial, Heard, Message, Patience, dial_of},
};

/// Delays before a stream is reopened; further attempts use the last one.
const DELAYS: [Duration; 6] = [
    Duration::from_millis(250),
    Duration::from_millis(500),
    Duration::from_secs(1),
    Duration::from_secs(2),
    Duration::from_secs(4),
    Duration::from_secs(8),
];

/// How often the watched file is checked during a delay.
const LOOK: Duration = Duration::from_millis(200);

/// Random part of a delay, so that many clients do not reconnect at once.
const JITTER: f64 = 0.2;

/// Asks where the daemon is by now.
pub type Relocate = Box<dyn FnMut() -> BoxFuture<'static, Result<Endpoint, ClientError>> + Send>;

/// What happens on a link.
#[derive(Debug)]
pub(crate) enum Step {
    Connected,
    Message(Message),
    Disconnected(ClientError),
}

enum State {
    Idle,
    Waiting(Instant),
    Asking(BoxFuture<'static, Result<Endpoint, ClientError>>),
    Open(Connection),
    Ended,
}

pub(crate) struct Link {
    client: Client,
    state: State,
    failures: usize,
    pub patience: Patience,
    pub relocate: Option<Relocate>,
    pub dial: Dial,
    watched: Option<Watched>,
}

/// File that ends a delay when it changes.
struct Watched {
    path: PathBuf,
    before: Option<SystemTime>,
}

/// Time of the last write to a file; `None` if the file does not exist.
fn written(path: &Path) -> Option<SystemTime> {
    std::fs::metadata(path).and_then(|file| file.modified()).ok()
}

/// Waits for the end of a delay, or until the watched file changes.
async fn wait(watched: Option<&Watched>, until: Instant) {
    let is_another = |watched: &Watched| {
        let now = written(&watched.path);
        now.is_some() && now != watched.before
    };
    loop {
        let look = match watched {
            Some(watched) if is_another(watched) => return,
            Some(_) => until.min(Instant::now() + LOOK),
            None => until,
        };
        tokio::time::sleep_until(look).await;
        if Instant::now() >= until {
            return;
        }
    }
}

/// The delay after this many failures in a row; `luck` is between 0 and 1.
fn delay(failures: usize, luck: f64) -> Duration {
    DELAYS[failures.min(DELAYS.len() - 1)].mul_f64(1.0 - JITTER + 2.0 * JITTER * luck)
}

impl Link {
    pub fn new(client: Client, patience: Patience) -> Self {
        let (state, dial) = (State::Idle, dial_of(&client));
        Self { client, state, failures: 0, patience, relocate: None, dial, watched: None }
    }

    /// Ends each later delay when this file is written, if there is one.
    pub fn watch(&mut self, path: Option<PathBuf>) {
        self.watched = path.map(|path| Watched { path, before: None });
    }

    /// Client of the daemon, at its current address.
    pub fn client(&self) -> &Client {
        &self.client
    }

    /// Time until a broken stream is reopened; `None` unless that is waited for.
    pub fn opens_in(&self) -> Option<Duration> {
        match self.state {
            State::Waiting(until) => Some(until.saturating_duration_since(Instant::now())),
            _ => None,
        }
    }

    /// The next thing that happens; none once nothing will. Safe to be dropped and called again.
    /// Each connection asks for what `request` gives, with the last id that was seen.
    pub async fn next(
        &mut self,
        request: impl Fn() -> (Request, Option<String>),
    ) -> Option<Result<Step, ClientError>> {
        loop {
            match &mut self.state {
                State::Idle => {
                    let (request, last_id) = request();
                    let opened = Connection::open(
                        &self.client,
                        &request,
                        last_id,
                        self.patience,
                        &self.dial,
                    );
                    match opened {
                        Ok(connection) => self.state = State::Open(connection),
                        Err(cut) => return Some(self.broken(cut)),
                    }
                }
                State::Waiting(until) => {
                    let until = *until;
                    wait(self.watched.as_ref(), until).await;
                    self.state = match &mut self.relocate {
                        Some(hook) => State::Asking(hook()),
                        None => State::Idle,
                    };
                }
                State::Asking(place) => match place.await {
                    Ok(endpoint) => {
                        self.client = self.client.moved(endpoint);
                        self.state = State::Idle;
                    }
                    Err(error) => {
                        self.cut();
                        return Some(Ok(Step::Disconnected(error)));
                    }
                },
                State::Open(connection) => match connection.next().await {
                    Ok(Heard::Opened) => return Some(Ok(Step::Connected)),
                    Ok(Heard::Comment) => {}
                    Ok(Heard::Message(message)) => {
                        self.failures = 0;
                        return Some(Ok(Step::Message(message)));
                    }
                    Err(cut) => return Some(self.broken(cut)),
                },
                State::Ended => return None,
            }
        }
    }

    /// Drops this connection; the next call reconnects after a delay.
    pub fn cut(&mut self) {
        if let Some(watched) = &mut self.watched {
            watched.before = written(&watched.path);
        }
        let delay = delay(self.failures, rand::random());
        self.failures += 1;
        self.state = State::Waiting(Instant::now() + delay);
    }

    /// Reconnects at once instead of after the delay.
    pub fn hurry(&mut self) {
        if let State::Waiting(until) = &mut self.state {
            *until = Instant::now();
        }
    }

    /// Whether a refused token may be that of the daemon before, which had the same port: a daemon
    /// that restarts is looked for again, a few times.
    fn may_have_moved(&self, error: &ClientError) -> bool {
        const LOOKS: usize = 3;
        let is_refused = error.is(ErrorCode::Unauthorized);
        is_refused && self.relocate.is_some() && self.failures < LOOKS
    }

    /// Ends the stream.
    pub fn end(&mut self) {
        self.state = State::Ended;
    }

    fn broken(&mut self, cut: Cut) -> Result<Step, ClientError> {
        if cut.is_final && !self.may_have_moved(&cut.error) {
            self.end();
            return Err(cut.error);
        }
        self.cut();
        Ok(Step::Disconnected(cut.error))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn delays_grow_to_eight_seconds_and_stay_within_a_fifth() {
        for (failures, ms) in
            [(0, 250), (1, 500), (2, 1000), (3, 2000), (4, 4000), (5, 8000), (99, 8000)]
        {
            assert_eq!(delay(failures, 0.5), Duration::from_millis(ms));
            assert_eq!(delay(failures, 0.0), Duration::from_millis(ms * 4 / 5));
            assert_eq!(delay(failures, 1.0), Duration::from_millis(ms * 6 / 5));
        }
    }
}
