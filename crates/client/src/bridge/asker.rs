//! The client of MCP, and its way to the daemon, which may be another one by now.

use std::{
    path::PathBuf,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use agent_worker_protocol::Target;
use serde_json::Value;
use tokio::time::{Instant, sleep};

use super::answer::{self, Lost};
use crate::{Client, Endpoint, Home, discovery};

/// How long after a request began it is sent again.
const PATIENCE: Duration = Duration::from_mins(1);

/// Delays before the daemon is looked for again; further attempts use the last one.
const DELAYS: [Duration; 5] = [
    Duration::from_millis(20),
    Duration::from_millis(100),
    Duration::from_millis(250),
    Duration::from_millis(500),
    Duration::from_secs(1),
];

/// A client of MCP, as the daemon sees it.
#[derive(Debug, Clone)]
pub struct Bridge {
    pub(super) shared: Arc<Shared>,
}

#[derive(Debug)]
pub(super) struct Shared {
    pub(super) home: Home,
    /// The program that starts a daemon when none is running
    pub(super) program: Option<PathBuf>,
    /// Member that the client acts as
    pub(super) agent: Option<Target>,
    /// Completes the commands in a text for the daemon that is asked
    place: fn(&str) -> String,
    state: Mutex<State>,
}

#[derive(Debug)]
pub(super) struct State {
    client: Client,
    /// The version that `initialize` agreed on
    pub(super) version: Option<String>,
    /// Tools in the last list that the client got
    pub(super) listed: Option<Vec<String>>,
    /// Those of them that only read
    pub(super) reads: Vec<String>,
}

impl Bridge {
    /// A bridge to the daemon of `client`; `program` starts another if it is gone. `place` completes
    /// the commands in the text of an error, so that they reach the same daemon.
    pub fn new(
        client: Client,
        home: Home,
        program: Option<PathBuf>,
        agent: Option<Target>,
        place: fn(&str) -> String,
    ) -> Self {
        let state = Mutex::new(State { client, version: None, listed: None, reads: Vec::new() });
        Self { shared: Arc::new(Shared { home, program, agent, place, state }) }
    }

    /// Whether the tools that are offered may be others later: the user is always offered the same.
    pub(super) fn may_change(&self) -> bool {
        self.shared.agent.is_some() || self.shared.home.is_in_run()
    }

    /// Returns the answer to a request, with hints that work when they are pasted.
    pub(super) async fn asked(&self, request: &Value) -> Value {
        let mut answer = self.answered(request).await;
        if let Some(Value::String(told)) = answer.pointer_mut("/error/message") {
            *told = (self.shared.place)(told);
        }
        answer
    }

    /// Asks the daemon, and for a minute each next one if it restarts meanwhile.
    async fn answered(&self, request: &Value) -> Value {
        let begun = Instant::now();
        let mut delays = DELAYS.iter().chain(std::iter::repeat(&DELAYS[DELAYS.len() - 1]));
        loop {
            let client = self.client();
            let url = self.url(&client);
            let lost = match answer::ask(&client, &url, request, self.version()).await {
                Ok(answer) => return answer,
                Err(lost) => lost,
            };
            match self.found_again(&client).await {
                // The daemon and the token are the same, so the refusal is final.
                Ok(false) if lost.is_refusal => return lost.told(request),
                Ok(_) if begun.elapsed() < PATIENCE => {}
                Ok(_) => return lost.told(request),
                Err(error) if begun.elapsed() < PATIENCE && may_pass(&error) => {}
                Err(error) => return Lost::of(&error).told(request),
            }
            sleep(*delays.next().expect("the delays have no end")).await;
        }
    }

    /// Looks where the daemon is by now; true if it is another than this client's.
    async fn found_again(&self, known: &Client) -> Result<bool, discovery::FindError> {
        let Shared { home, program, .. } = &*self.shared;
        let program = program.as_deref().filter(|_| !home.is_in_run());
        let found = discovery::find_or_start(home, program).await?;
        let Some(file) = found else { return Ok(true) };
        let endpoint: Endpoint = home.endpoint(&file);
        let is_other = endpoint != known.endpoint();
        if is_other {
            self.state().client = known.moved(endpoint).of_process(file.pid);
        }
        Ok(is_other)
    }

    pub(super) fn state(&self) -> std::sync::MutexGuard<'_, State> {
        self.shared.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn client(&self) -> Client {
        self.state().client.clone()
    }

    fn version(&self) -> Option<String> {
        self.state().version.clone()
    }

    fn url(&self, client: &Client) -> String {
        let base = client.endpoint().base;
        match &self.shared.agent {
            Some(agent) => format!("{base}/mcp?agent={agent}"),
            None => format!("{base}/mcp"),
        }
    }
}

/// A daemon that is being started or replaced comes to be found, and a link that is cut may come back.
fn may_pass(error: &discovery::FindError) -> bool {
    use discovery::FindError as Find;
    matches!(
        error,
        Find::Stuck { .. } | Find::NotReady { .. } | Find::Garbled { .. } | Find::Remote(_)
    )
}
