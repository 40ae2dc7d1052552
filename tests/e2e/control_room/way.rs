//! A way to a daemon that is known of: what is asked on it is counted, and it can be closed, held up
//! or made to refuse.

use std::{
    io::ErrorKind,
    net::{Ipv4Addr, TcpListener},
    sync::{Arc, Mutex},
    time::Duration,
};

use agent_worker_protocol::{DaemonFile, ErrorAnswer, ErrorBody, ErrorCode};
use axum::{
    Json, Router,
    body::{Body, to_bytes},
    extract::{Request, State},
    http::{HeaderMap, StatusCode, header},
    response::{IntoResponse, Response},
};
use futures::StreamExt;
use tokio::{runtime::Runtime, sync::watch};

use crate::support::{Home, wait_until};

/// Stands between the programs of a home and its daemon, until it is dropped.
pub struct Way {
    passing: Arc<Passing>,
    runtime: Option<Runtime>,
}

struct Passing {
    base: String,
    http: reqwest::Client,
    /// What was asked: `GET /events?after=4`
    asked: Mutex<Vec<String>>,
    rules: watch::Sender<Rules>,
}

#[derive(Debug, Clone, Default, PartialEq)]
struct Rules {
    /// Which paths have to wait
    held: Option<&'static str>,
    /// How everything that begins so is refused
    refusal: Option<(&'static str, ErrorBody)>,
    /// Which requests are done, and their answers lost
    lost: Option<&'static str>,
    /// Whether everything is answered by a stranger
    is_strange: bool,
    /// How often all that was open was cut
    cuts: u64,
}

impl Way {
    /// The way that every program of this home takes from here on.
    pub fn of(home: &Home) -> Self {
        let file = home.daemon_file().expect("a daemon runs");
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a port");
        listener.set_nonblocking(true).expect("it is a socket");
        let port = listener.local_addr().expect("it is bound").port();
        let passing = Arc::new(Passing {
            base: format!("http://127.0.0.1:{}", file.port),
            http: agent_worker_http::client().no_proxy().build().expect("a client"),
            asked: Mutex::default(),
            rules: watch::Sender::new(Rules::default()),
        });
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(1)
            .enable_all()
            .build()
            .expect("a runtime");
        let service = Router::new().fallback(pass).with_state(passing.clone());
        runtime.spawn(async move {
            let listener = tokio::net::TcpListener::from_std(listener).expect("it is a socket");
            axum::serve(listener, service).await.expect("it serves");
        });
        home.lead_to(&DaemonFile { port, ..file });
        Self { passing, runtime: Some(runtime) }
    }

    fn rule(&self, change: impl FnOnce(&mut Rules)) {
        self.passing.rules.send_modify(change);
    }

    /// Requests whose path begins so have to wait; none: all go on.
    pub fn hold(&self, path: Option<&'static str>) {
        self.rule(|rules| rules.held = path);
    }

    /// Requests whose path begins so are refused from here on; what is open is cut.
    pub fn refuse(&self, path: &'static str, code: ErrorCode, message: &str, hint: Option<&str>) {
        let hint = hint.map(ToOwned::to_owned);
        let body = ErrorBody { code, message: message.to_owned(), hint };
        self.rule(|rules| {
            rules.refusal = Some((path, body));
            rules.cuts += 1;
        });
    }

    /// Requests with a path that begins so are done, but their answers are lost.
    pub fn lose_answers(&self, path: Option<&'static str>) {
        self.rule(|rules| rules.lost = path);
    }

    /// Something else than a daemon answers from here on; what is open is cut.
    pub fn be_strange(&self) {
        self.rule(|rules| {
            rules.is_strange = true;
            rules.cuts += 1;
        });
    }

    /// Everything passes again.
    pub fn open(&self) {
        self.rule(|rules| *rules = Rules { cuts: rules.cuts, ..Rules::default() });
    }

    /// Cuts everything that is open.
    pub fn cut(&self) {
        self.rule(|rules| rules.cuts += 1);
    }

    /// What was asked so far that begins so, as `GET /messages`.
    pub fn asked(&self, with: &str) -> Vec<String> {
        let asked = self.passing.asked.lock().unwrap();
        asked.iter().filter(|line| line.starts_with(with)).cloned().collect()
    }

    /// Waits for `count` requests that begin so.
    pub fn wait_for(&self, count: usize, with: &str) {
        wait_until(&format!("{count} x {with}"), || self.asked(with).len() >= count);
    }
}

impl Drop for Way {
    fn drop(&mut self) {
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_timeout(Duration::from_secs(5));
        }
    }
}

async fn pass(State(way): State<Arc<Passing>>, request: Request) -> Response {
    let path = request.uri().path_and_query().map(ToString::to_string).unwrap_or_default();
    way.asked.lock().unwrap().push(format!("{} {path}", request.method()));
    let mut rules = way.rules.subscribe();
    let is_held = |rules: &Rules| rules.held.is_some_and(|held| path.starts_with(held));
    let Ok(rule) = rules.wait_for(|rules| !is_held(rules)).await.map(|rules| rules.clone()) else {
        return StatusCode::BAD_GATEWAY.into_response();
    };
    if rule.is_strange {
        return (StatusCode::OK, [(header::CONTENT_TYPE, "text/html")], "<p>welcome</p>")
            .into_response();
    }
    match rule.refusal {
        Some((begins, error)) if path.starts_with(begins) => {
            let status = StatusCode::from_u16(error.code.status()).expect("it is a status");
            (status, Json(ErrorAnswer { error })).into_response()
        }
        _ => way.on(&path, request, rules).await,
    }
}

impl Passing {
    /// Asks the daemon, and passes on what it says until that is cut.
    async fn on(
        &self,
        path: &str,
        request: Request,
        mut rules: watch::Receiver<Rules>,
    ) -> Response {
        let cuts = rules.borrow().cuts;
        let (parts, body) = request.into_parts();
        let Ok(body) = to_bytes(body, 64 << 20).await else {
            return StatusCode::BAD_REQUEST.into_response();
        };
        let asked = self.http.request(parts.method, format!("{}{path}", self.base));
        let asked = asked.headers(without_connection(&parts.headers)).body(body);
        let Ok(answer) = asked.send().await else {
            return StatusCode::BAD_GATEWAY.into_response();
        };
        let (status, headers) = (answer.status(), without_connection(answer.headers()));
        if rules.borrow().lost.is_some_and(|lost| path.starts_with(lost)) {
            let broken: [std::io::Result<Vec<u8>>; 1] = [Err(ErrorKind::BrokenPipe.into())];
            let broken = futures::stream::iter(broken);
            return (status, Body::from_stream(broken)).into_response();
        }
        let cut = async move { drop(rules.wait_for(|rules| rules.cuts > cuts).await) };
        let said = answer.bytes_stream().take_until(Box::pin(cut));
        (status, headers, Body::from_stream(said)).into_response()
    }
}

/// What is about what is said, and not about the connection.
fn without_connection(headers: &HeaderMap) -> HeaderMap {
    let mut kept = headers.clone();
    for name in [header::HOST, header::CONNECTION, header::TRANSFER_ENCODING] {
        kept.remove(name);
    }
    kept
}
