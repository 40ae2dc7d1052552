//! Who may come in: the host that is spoken to, the page that speaks, the token, the version.

use std::sync::Arc;

use agent_worker_protocol::{
    ErrorCode,
    daemon::{API_HEADER, API_VERSION},
};
use axum::{
    body::Body,
    extract::{Request, State},
    http::{HeaderMap, HeaderValue, Method, header},
    middleware::Next,
    response::{IntoResponse, Response},
};
use futures::{StreamExt as _, stream};
use subtle::ConstantTimeEq;
use tokio::sync::watch;

use crate::{
    engine::{
        app::{App, Holder},
        presence::Outside,
    },
    surfaces::{
        answer::{Refusal, refuse},
        page,
    },
};

/// Which hosts may be spoken to beside the loopback names, and when tokens may have been revoked.
#[derive(Debug, Clone, Default)]
pub struct Gate {
    /// Names given with `--allow-host`
    pub allowed_hosts: Vec<String>,
    /// Tells open streams to look at their tokens again
    pub revoked: watch::Sender<()>,
}

/// Who holds the token of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Identity {
    /// The person at this machine.
    Operator,
    /// A run, by the hash of its token. The transaction decides whether it is live.
    Run([u8; 32]),
}

/// Lets a request in, with who it is from, or refuses it.
pub async fn guard(
    State((app, gate)): State<(App, Arc<Gate>)>,
    mut request: Request,
    next: Next,
) -> Response {
    let (identity, revocable) = match gate.admit(&app, &request) {
        Ok(Some(Identity::Run(hash))) => {
            // Before the token is looked at: a removal in between is told too.
            let revoked = gate.revoked.subscribe();
            match app.knows_token(hash).await {
                Ok(Some(Holder::Browser)) => (Some(Identity::Operator), Some((hash, revoked))),
                Ok(Some(Holder::Member(member))) => {
                    request.extensions_mut().insert(Outside(member));
                    (Some(Identity::Run(hash)), None)
                }
                Ok(Some(Holder::Run)) => (Some(Identity::Run(hash)), None),
                Ok(None) => {
                    return refuse(ErrorCode::Unauthorized, "invalid token").into_response();
                }
                Err(error) => return Refusal::from(error).into_response(),
            }
        }
        Ok(identity) => (identity, None),
        Err(refusal) => return refusal.into_response(),
    };
    if let Some(identity) = identity {
        request.extensions_mut().insert(identity);
    }
    // Tokens are among what is removed.
    let removes = request.method() == Method::DELETE;
    let answer = next.run(request).await;
    if removes && answer.status().is_success() {
        gate.revoked.send_replace(());
    }
    match revocable {
        Some((hash, revoked)) => while_known(app, hash, revoked, answer),
        None => answer,
    }
}

/// Ends a stream of events when its browser is shut out: nothing more is told to it.
fn while_known(
    app: App,
    hash: [u8; 32],
    revoked: watch::Receiver<()>,
    answer: Response,
) -> Response {
    let kind = answer.headers().get(header::CONTENT_TYPE);
    if kind.is_none_or(|kind| kind != "text/event-stream") {
        return answer;
    }
    answer.map(|body| {
        let state = (body.into_data_stream(), revoked);
        Body::from_stream(stream::unfold(state, move |(mut parts, mut revoked)| {
            let app = app.clone();
            async move {
                loop {
                    let part = tokio::select! {
                        part = parts.next() => Some(part?),
                        Ok(()) = revoked.changed() => None,
                    };
                    if !matches!(app.knows_token(hash).await, Ok(Some(_))) {
                        return None;
                    }
                    if let Some(part) = part {
                        return Some((part, (parts, revoked)));
                    }
                }
            }
        }))
    })
}

impl Gate {
    /// Whose token a request shows; none where none is needed.
    fn admit(&self, app: &App, request: &Request) -> Result<Option<Identity>, Refusal> {
        let headers = request.headers();
        let host = self.host(request)?;
        check_origin(headers, &host)?;
        let path = request.uri().path();
        if path == "/health" || page::is_public(path) {
            return Ok(None);
        }
        let identity = token(app, headers)?;
        // To end this daemon is what helps a client of another version, and is the same in all.
        if path != "/shutdown" {
            check_version(headers)?;
        }
        Ok(Some(identity))
    }

    /// The host that the request is for, in lower case. A page on the web can have its name lead
    /// to this machine, but not its `Host` header be one of this machine's names. HTTP/1.1 names
    /// the host in a header, in the request line, or in both: then both must be ours.
    fn host(&self, request: &Request) -> Result<String, Refusal> {
        let in_line = request.uri().authority().map(|host| host.as_str().as_bytes());
        let mut headers = request.headers().get_all(header::HOST).iter();
        let header = headers.next().map(HeaderValue::as_bytes);
        if headers.next().is_some() {
            return Err(refuse(ErrorCode::Denied, "the request has two `host` headers"));
        }
        let mut known = None;
        for host in header.into_iter().chain(in_line) {
            let host = String::from_utf8_lossy(host).to_ascii_lowercase();
            self.check_host(&host)?;
            known.get_or_insert(host);
        }
        known.ok_or_else(|| refuse(ErrorCode::Denied, "the request has no `host` header"))
    }

    fn check_host(&self, host: &str) -> Result<(), Refusal> {
        let name = without_port(host);
        let is_loopback = matches!(name, "localhost" | "127.0.0.1" | "[::1]");
        let is_allowed =
            self.allowed_hosts.iter().any(|allowed| allowed.eq_ignore_ascii_case(name));
        if is_loopback || is_allowed {
            return Ok(());
        }
        Err(refuse(ErrorCode::Denied, format!("the host `{host}` is not this daemon's"))
            .hint("agent-worker daemon --allow-host NAME"))
    }
}

fn without_port(host: &str) -> &str {
    match host.rsplit_once(':') {
        Some((name, port)) if is_port(port) => name,
        _ => host,
    }
}

fn is_port(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_digit()) && text.parse::<u16>().is_ok()
}

/// A page may speak to the daemon only if the daemon served it.
fn check_origin(headers: &HeaderMap, host: &str) -> Result<(), Refusal> {
    for origin in headers.get_all(header::ORIGIN) {
        if origin.as_bytes() != format!("http://{host}").as_bytes() {
            return Err(refuse(ErrorCode::Denied, "pages of another origin are not allowed"));
        }
    }
    Ok(())
}

/// Whose token it is: the operator's, or perhaps a run's.
fn token(app: &App, headers: &HeaderMap) -> Result<Identity, Refusal> {
    let missing = || {
        refuse(ErrorCode::Unauthorized, "a bearer token is needed")
            .hint("the user's is `token` in daemon.json of the state directory")
    };
    let mut given = headers.get_all(header::AUTHORIZATION).iter();
    let (Some(value), None) = (given.next(), given.next()) else { return Err(missing()) };
    let text = value.to_str().map_err(|_| missing())?;
    let (scheme, token) = text.split_once(' ').ok_or_else(missing)?;
    if !scheme.eq_ignore_ascii_case("bearer") {
        return Err(missing());
    }
    let token = token.trim();
    if token.as_bytes().ct_eq(app.operator_token().as_bytes()).into() {
        return Ok(Identity::Operator);
    }
    Ok(Identity::Run(crate::token::token_hash(token)))
}

/// A client says which version of this interface it speaks; another major is refused.
fn check_version(headers: &HeaderMap) -> Result<(), Refusal> {
    let major = |version: &str| version.split('.').next().map(ToOwned::to_owned);
    let Some(version) = headers.get(API_HEADER).and_then(|value| value.to_str().ok()) else {
        return Ok(());
    };
    if major(version) == major(API_VERSION) {
        return Ok(());
    }
    let text = format!("the client speaks API version {version}, and the daemon {API_VERSION}");
    Err(refuse(ErrorCode::UpgradeRequired, text)
        .hint("agent-worker daemon restart, with the newer of the two"))
}
