//! Calls: a request goes out, its answer comes back.

use std::{
    fmt,
    net::IpAddr,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use agent_worker_protocol::{
    Access, Answer, Ask, DaemonFile, Health, Method, Name, Op, Route, Scope, Shutdown,
    ShuttingDown, Snapshot, Target,
};
use futures::future::BoxFuture;
use serde::de::DeserializeOwned;

use crate::{
    ClientError, Host,
    remote::CONNECT_TIMEOUT,
    request::{Request, Scoped},
};

/// Where a daemon is and by what token it knows the caller. Its `Debug` keeps the token.
#[derive(Clone, PartialEq, Eq)]
pub struct Endpoint {
    /// Such as `http://127.0.0.1:4711`
    pub base: String,
    /// The operator's token, or a run's
    pub token: String,
}

/// One caller of one daemon. Clones share their connections, and follow a revival of the daemon.
#[derive(Debug, Clone)]
pub struct Client {
    pub(crate) http: reqwest::Client,
    pub(crate) scoped: Scoped,
    /// Tells when the daemon does not answer
    pub(crate) tell: Option<fn(&ClientError)>,
    /// The machine of the daemon, if it is another one
    pub(crate) host: Option<Host>,
    pub(crate) revive: Option<Revive>,
    place: Arc<Mutex<Place>>,
}

/// What finds a daemon in the place of a dead one.
#[derive(Clone)]
pub struct Revive(pub Arc<Reviving>);

/// Looks for the daemon after the one at this place, and may start one.
pub type Reviving =
    dyn Fn(Gone, Endpoint) -> BoxFuture<'static, Result<Endpoint, ClientError>> + Send + Sync;

/// How a client notices that its daemon is gone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Gone {
    /// No daemon answers: the process may not have ended yet
    Unreachable,
    /// A daemon refuses the token: it may be the next one
    Refused,
}

/// Where the daemon is, and its process where that is known.
#[derive(Debug, Clone)]
struct Place {
    endpoint: Endpoint,
    pid: Option<u32>,
}

/// A new key under which a write is done once, however often it is sent.
pub fn fresh_key() -> String {
    uuid::Uuid::now_v7().to_string()
}

impl Client {
    /// A caller of the daemon at this place.
    pub fn new(endpoint: Endpoint) -> Self {
        let http = agent_worker_http::client_of_daemon()
            .connect_timeout(CONNECT_TIMEOUT)
            .build()
            .expect("a client without certificates needs nothing from the system");
        Self {
            http,
            scoped: Scoped::default(),
            tell: None,
            host: None,
            revive: None,
            place: Arc::new(Mutex::new(Place { endpoint, pid: None })),
        }
    }

    /// The same caller, for which a dead daemon is replaced.
    #[must_use]
    pub fn reviving(&self, revive: Revive) -> Self {
        Self { revive: Some(revive), ..self.clone() }
    }

    /// The same caller of a daemon on another machine.
    #[must_use]
    pub fn on(&self, host: Host) -> Self {
        Self { host: Some(host), ..self.placed(self.endpoint(), None) }
    }

    /// Returns where its daemon is, for people.
    pub fn place(&self) -> String {
        let base = self.endpoint().base;
        match &self.host {
            Some(host) => format!("{base} on {}", host.destination()),
            None => base,
        }
    }

    /// The same caller of a daemon that is this process. The number says nothing about a process
    /// of another machine.
    #[must_use]
    pub fn of_process(&self, pid: u32) -> Self {
        if self.host.is_some() {
            return self.clone();
        }
        self.placed(self.endpoint(), Some(pid))
    }

    /// The same caller, which tells when the daemon has said nothing at all for three seconds, and
    /// when its end takes longer than a second.
    #[must_use]
    pub fn on_silence(&self, tell: fn(&ClientError)) -> Self {
        Self { tell: Some(tell), ..self.clone() }
    }

    /// Where this client's daemon is.
    pub fn endpoint(&self) -> Endpoint {
        self.known().endpoint.clone()
    }

    pub(crate) fn pid(&self) -> Option<u32> {
        self.known().pid
    }

    /// Sends what this client and its clones ask from now on to this daemon.
    pub(crate) fn follow(&self, endpoint: Endpoint) {
        let mut known = self.known();
        if known.endpoint != endpoint {
            *known = Place { endpoint, pid: None };
        }
    }

    fn known(&self) -> MutexGuard<'_, Place> {
        self.place.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn placed(&self, endpoint: Endpoint, pid: Option<u32>) -> Self {
        Self { place: Arc::new(Mutex::new(Place { endpoint, pid })), ..self.clone() }
    }

    /// Returns its scope and the member it acts as.
    pub fn scoped(&self) -> &Scoped {
        &self.scoped
    }

    /// The same caller, asking in the scope of this target.
    #[must_use]
    pub fn at(&self, target: Target) -> Self {
        let scoped = Scoped { target: Some(target), ..self.scoped.clone() };
        Self { scoped, ..self.clone() }
    }

    /// The same caller, asking as this member.
    #[must_use]
    pub fn acting_as(&self, name: Name) -> Self {
        let scoped = Scoped { as_member: Some(name), ..self.scoped.clone() };
        Self { scoped, ..self.clone() }
    }

    /// The same caller, acting as itself.
    #[must_use]
    pub fn as_oneself(&self) -> Self {
        let scoped = Scoped { as_member: None, ..self.scoped.clone() };
        Self { scoped, ..self.clone() }
    }

    /// The same caller of a daemon that has moved.
    #[must_use]
    pub fn moved(&self, endpoint: Endpoint) -> Self {
        // The process of another daemon is not known.
        let pid = self.pid().filter(|_| self.endpoint() == endpoint);
        self.placed(endpoint, pid)
    }

    /// Does an operation. A write carries a fresh key, so that it can be sent again when its
    /// connection breaks.
    pub async fn call<O: Op>(&self, op: &O) -> Result<O::Output, ClientError> {
        self.call_with_key(op, &fresh_key()).await
    }

    /// Does an operation under a key that the caller keeps, for callers that may repeat it
    /// after the daemon came back. Reads have no use for it.
    pub async fn call_with_key<O: Op>(&self, op: &O, key: &str) -> Result<O::Output, ClientError> {
        let route = const {
            match O::ROUTE {
                Some(route) => route,
                None => panic!("HTTP does not have this operation"),
            }
        };
        let mut request = self.request(route, op).named(O::NAME);
        // What only reads is told again without a key, which would be stored.
        if O::ACCESS == Access::Write && route.method != Method::Get {
            request.key = Some(key.to_owned());
        }
        self.send(&request).await
    }

    /// How the daemon is. Asks without a token, and for no longer than a few seconds.
    pub async fn health(&self) -> Result<Health, ClientError> {
        self.health_within(CONNECT_TIMEOUT).await
    }

    pub(crate) async fn health_within(&self, span: Duration) -> Result<Health, ClientError> {
        let mut request = Request::new(Method::Get, "/health");
        request.deadline = Some(span);
        request.is_bare = true;
        self.send(&request).await
    }

    /// Ends this daemon, and never the one in its place. The request names no scope and no member.
    pub async fn shutdown(&self) -> Result<ShuttingDown, ClientError> {
        let this = Self { revive: None, scoped: Scoped::default(), ..self.clone() };
        this.send(&this.request(Route::post("/shutdown"), &Shutdown {})).await
    }

    /// Everything that is, at one place of the feed.
    pub async fn snapshot(&self) -> Result<Snapshot, ClientError> {
        self.get_json("/snapshot").await
    }

    /// Asks an agent and waits for its whole answer, however long that takes.
    pub async fn serve(&self, ask: &Ask) -> Result<Answer, ClientError> {
        let mut request = self.request(Route::post("/serve"), ask);
        request.key = Some(fresh_key());
        self.send(&request).await
    }

    /// Reads a path outside of the operations.
    pub async fn get_json<T: DeserializeOwned>(&self, path: &str) -> Result<T, ClientError> {
        let request = Request::new(Method::Get, path).scoped(&self.scoped);
        self.send(&request).await
    }

    pub(crate) fn request<T: serde::Serialize>(&self, route: Route, fields: &T) -> Request {
        let scope = self.scoped.target.as_ref().map(|target| target.scope_or(&Scope::global()));
        let filled = route.fill(fields, scope.map(|scope| scope.to_string()).as_deref());
        let mut request = Request::new(route.method, &filled.path).scoped(&self.scoped);
        request.arguments(filled.rest);
        request
    }
}

impl fmt::Debug for Revive {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Revive")
    }
}

impl fmt::Debug for Endpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Endpoint").field("base", &self.base).finish_non_exhaustive()
    }
}

impl From<&DaemonFile> for Endpoint {
    /// A daemon that listens on every address is asked on the loopback one.
    fn from(file: &DaemonFile) -> Self {
        let host = match file.host.trim_matches(['[', ']']).parse::<IpAddr>() {
            Ok(IpAddr::V4(ip)) if ip.is_unspecified() => "127.0.0.1".to_owned(),
            Ok(IpAddr::V6(ip)) if ip.is_unspecified() => "[::1]".to_owned(),
            Ok(IpAddr::V6(ip)) => format!("[{ip}]"),
            _ => file.host.clone(),
        };
        Self { base: format!("http://{host}:{}", file.port), token: file.token.clone() }
    }
}

#[cfg(test)]
#[path = "tests/call.rs"]
mod tests;
