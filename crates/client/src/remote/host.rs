//! A machine, as those see it who ask its daemon.

use std::{
    fmt, io,
    path::PathBuf,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    thread,
    time::{Duration, Instant},
};

use agent_worker_protocol::DaemonFile;
use tokio::{
    io::{AsyncReadExt as _, BufReader, DuplexStream},
    sync::{
        mpsc::{UnboundedSender, unbounded_channel},
        oneshot,
    },
};

use super::{
    Destination, RemoteError,
    line::ssh_line,
    plan::Plan,
    tunnel::{self, Wanted},
    wire::{self, Found, Purpose},
};

/// How long a failure is the answer to those who ask again: each attempt is a login there.
const PAUSE: Duration = Duration::from_secs(1);

/// Another machine. Clones share one link. The first call opens the link, and the next call after a
/// cut opens it again.
#[derive(Clone)]
pub struct Host(Arc<Mutex<State>>);

struct State {
    plan: Plan,
    link: Option<Link>,
    failed: Option<(Instant, RemoteError)>,
}

struct Link {
    wanted: UnboundedSender<Wanted>,
    thread: thread::JoinHandle<()>,
}

impl Host {
    /// The machine that ssh reaches by this name. Nothing is connected yet.
    pub fn new(to: Destination, state_dir: Option<PathBuf>, tell: Option<fn(&str)>) -> Self {
        let plan = Plan { to, state_dir, may_ask: true, tell };
        Self(Arc::new(Mutex::new(State { plan, link: None, failed: None })))
    }

    pub fn destination(&self) -> Destination {
        self.state().plan.to.clone()
    }

    /// Returns the state directory there; `None` for the usual one.
    pub fn state_dir(&self) -> Option<PathBuf> {
        self.state().plan.state_dir.clone()
    }

    /// Has ssh ask nothing and say nothing from here on: something else is on the terminal.
    pub fn ask_nothing(&self) {
        let mut state = self.state();
        state.plan.may_ask = false;
        state.plan.tell = None;
    }

    /// Returns the daemon there, if one is running or is to be started.
    pub async fn find(&self, start: bool) -> Result<Option<DaemonFile>, RemoteError> {
        let stream = self.stream(Purpose::Find { start }).await?;
        let answer = wire::value(&mut BufReader::new(stream.take(64 * 1024))).await;
        let to = self.destination();
        match answer.map_err(|error| RemoteError::cut(&to, &error.to_string()))? {
            Found::Daemon(file) => Ok(Some(file)),
            Found::None => Ok(None),
            Found::Error { message, hint } => {
                let status = || ssh_line(to.as_str(), "agent-worker daemon status");
                Err(RemoteError::new(format!("{to}: {message}"), hint.unwrap_or_else(status)))
            }
        }
    }

    /// Opens a connection to the daemon there. It ends at once if none is running.
    pub(crate) async fn connect(&self) -> io::Result<DuplexStream> {
        self.stream(Purpose::Connect).await.map_err(io::Error::other)
    }

    /// Ends the link and waits for the end of ssh, about a second at most.
    pub fn close(&self) {
        let link = self.state().link.take();
        if let Some(Link { wanted, thread }) = link {
            drop(wanted);
            // Its thread has nothing to say.
            let _ = thread.join();
        }
    }

    async fn stream(&self, purpose: Purpose) -> Result<DuplexStream, RemoteError> {
        // A link that has just been cut takes what is wanted and gives no answer.
        for _ in 0..2 {
            let (reply, answer) = oneshot::channel();
            self.want(Wanted { purpose, reply })?;
            if let Ok(answer) = answer.await {
                return answer;
            }
        }
        Err(RemoteError::cut(&self.destination(), ""))
    }

    fn want(&self, wanted: Wanted) -> Result<(), RemoteError> {
        let mut state = self.state();
        let wanted = match &state.link {
            Some(link) => match link.wanted.send(wanted) {
                Ok(()) => return Ok(()),
                Err(unsent) => unsent.0,
            },
            None => wanted,
        };
        if let Some((at, error)) = &state.failed
            && at.elapsed() < PAUSE
        {
            return Err(error.clone());
        }
        let (sender, inbox) = unbounded_channel();
        let (plan, host) = (state.plan.clone(), Arc::downgrade(&self.0));
        let failed = move |error: RemoteError| {
            if let Some(host) = host.upgrade().map(Self) {
                host.state().failed = Some((Instant::now(), error));
            }
        };
        let thread = thread::Builder::new().name("remote".to_owned());
        let thread =
            thread.spawn(move || tunnel::live(&plan, inbox, &failed)).map_err(|error| {
                RemoteError::new(format!("cannot start a thread: {error}"), "free some memory")
            })?;
        // Its receiver is in the thread that was just started.
        let _ = sender.send(wanted);
        state.link = Some(Link { wanted: sender, thread });
        Ok(())
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl PartialEq for Host {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl Eq for Host {}

impl fmt::Debug for Host {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Host").field(&self.destination().as_str()).finish()
    }
}
