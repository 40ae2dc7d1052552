//! One stream of server-sent events: opened, read, and given up when it is silent for too long.

use std::{io, sync::Arc, time::Duration};

use agent_worker_protocol::{
    Method,
    daemon::{API_HEADER, API_VERSION},
};
/// One event as it came.
pub(crate) use eventsource_client::Event as Message;
use eventsource_client::{BoxStream, Client as _, ClientBuilder, Error, ReconnectOptions, SSE};
use futures::StreamExt as _;
use tokio::time::Instant;

use crate::{
    Client, ClientError,
    remote::Carried,
    request::{KEY_HEADER, Request},
};

/// How much of a refusal is read, and for how long.
const REFUSAL_BYTES: usize = 64 * 1024;
const REFUSAL_TIMEOUT: Duration = Duration::from_secs(5);

/// How long a stream may take until open.
const OPEN_LIMIT: Duration = Duration::from_secs(15);

type Stream = BoxStream<Result<SSE, Error>>;

/// Makes a connection from what is asked for. Tests make theirs without a network, so that time
/// can stand still.
pub(crate) type Dial = Arc<dyn Fn(ClientBuilder) -> Stream + Send + Sync>;

/// An item of a stream.
#[derive(Debug)]
pub(crate) enum Heard {
    Opened,
    /// A comment, which keeps the connection alive.
    Comment,
    Message(Message),
}

/// Why a stream is over.
#[derive(Debug)]
pub(crate) struct Cut {
    pub error: ClientError,
    /// Whether asking again would be answered the same.
    pub is_final: bool,
}

/// For how long a stream may be silent.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Patience {
    /// The daemon has promised to be heard that often.
    Always(Duration),
    /// The same, once it was heard without having anything to say: an older daemon may be silent
    /// for as long as a run is.
    OnceHeard(Duration),
}

pub(crate) struct Connection {
    stream: Stream,
    base: String,
    name: String,
    patience: Patience,
    silent_at: Option<Instant>,
}

/// Dials over HTTP, past every proxy, or over the link to another machine.
pub(crate) fn dial_of(client: &Client) -> Dial {
    let carried = Carried(client.host.clone());
    Arc::new(move |builder| builder.build_with_transport(carried.clone()).stream())
}

impl Connection {
    pub fn open(
        client: &Client,
        request: &Request,
        last_id: Option<String>,
        patience: Patience,
        dial: &Dial,
    ) -> Result<Self, Cut> {
        let lasting = |error| Cut { error, is_final: true };
        let base = client.place();
        let builder = written(client, request, last_id).map_err(lasting)?;
        let stream = dial(builder);
        let name = request.answer();
        let silent_at = Some(Instant::now() + OPEN_LIMIT);
        Ok(Self { stream, base, name, patience, silent_at })
    }

    /// The next thing that is heard. Safe to be dropped and called again: what that can lose is the
    /// text of a refusal, and then the stream is just over.
    pub async fn next(&mut self) -> Result<Heard, Cut> {
        let heard = match self.silent_at {
            Some(at) => tokio::time::timeout_at(at, self.stream.next()).await,
            None => Ok(self.stream.next().await),
        };
        match heard {
            Err(_) => Err(self.lost(io::ErrorKind::TimedOut, "it is silent")),
            Ok(None) => Err(self.lost(io::ErrorKind::UnexpectedEof, "the stream ended")),
            Ok(Some(Err(error))) => Err(self.cut(error).await),
            Ok(Some(Ok(SSE::Comment(_)))) => {
                self.heard(true);
                Ok(Heard::Comment)
            }
            Ok(Some(Ok(SSE::Event(event)))) => {
                self.heard(event.event_type == "heartbeat");
                Ok(Heard::Message(event))
            }
            Ok(Some(Ok(SSE::Connected(details)))) => {
                self.heard(false);
                match details.response().get_header_value("content-type") {
                    Ok(Some(kind)) if kind.starts_with("text/event-stream") => Ok(Heard::Opened),
                    kind => Err(self.no_stream(kind.ok().flatten().unwrap_or("nothing"))),
                }
            }
        }
    }

    fn heard(&mut self, is_sign_of_life: bool) {
        if let (Patience::OnceHeard(span), true) = (self.patience, is_sign_of_life) {
            self.patience = Patience::Always(span);
        }
        self.silent_at = match self.patience {
            Patience::Always(span) => Some(Instant::now() + span),
            Patience::OnceHeard(_) => None,
        };
    }

    fn lost(&self, kind: io::ErrorKind, what: &str) -> Cut {
        let error = ClientError::unreachable(&self.base, &io::Error::new(kind, what));
        Cut { error, is_final: false }
    }

    fn no_stream(&self, kind: &str) -> Cut {
        let detail = format!("it is `{kind}`, not a stream of events");
        Cut { error: ClientError::garbled(&self.name, detail), is_final: true }
    }

    async fn cut(&self, error: Error) -> Cut {
        match error {
            Error::UnexpectedResponse(response, body) => {
                let (status, body) = (response.status(), read(body.into_stream()).await);
                let error = ClientError::refusal(&self.name, status, &body);
                // An invalid request stays invalid; errors of the daemon are temporary.
                Cut { error, is_final: (400..500).contains(&status) }
            }
            Error::Eof | Error::UnexpectedEof => {
                self.lost(io::ErrorKind::UnexpectedEof, "the stream ended")
            }
            Error::Transport(error) => {
                Cut { error: ClientError::unreachable(&self.base, &error), is_final: false }
            }
            Error::MaxRedirectLimitReached(_) => self.no_stream("a redirect"),
            error => {
                let error = ClientError::garbled(&self.name, error.to_string());
                Cut { error, is_final: false }
            }
        }
    }
}

fn written(
    client: &Client,
    request: &Request,
    last_id: Option<String>,
) -> Result<ClientBuilder, ClientError> {
    let endpoint = client.endpoint();
    let url = request.url(&endpoint.base)?;
    let bad = |error: Error| ClientError::garbled("the request", error.to_string());
    let token = format!("Bearer {}", endpoint.token);
    let mut builder = ClientBuilder::for_url(url.as_str())
        .and_then(|builder| builder.header("authorization", &token))
        .and_then(|builder| builder.header(API_HEADER, API_VERSION))
        .map_err(bad)?
        // Left to itself it hides what goes wrong and keeps an old token for ever.
        .reconnect(ReconnectOptions::reconnect(false).retry_initial(false).build())
        .redirect_limit(0);
    if let Some(id) = last_id {
        builder = builder.last_event_id(id);
    }
    if let Some(key) = &request.key {
        builder = builder.header(KEY_HEADER, key).map_err(bad)?;
    }
    if let Some(body) = &request.body {
        builder = builder.header("content-type", "application/json").map_err(bad)?;
        builder = builder.body(body.to_string());
    }
    Ok(match request.method {
        Method::Get => builder,
        method => builder.method(method.as_str().to_owned()),
    })
}

async fn read(mut body: launchdarkly_sdk_transport::ByteStream) -> Vec<u8> {
    let mut bytes = Vec::new();
    let reading = async {
        while let Some(Ok(part)) = body.next().await {
            bytes.extend_from_slice(&part);
            if bytes.len() > REFUSAL_BYTES {
                break;
            }
        }
    };
    // What came until then is enough to say what it was.
    let _ = tokio::time::timeout(REFUSAL_TIMEOUT, reading).await;
    bytes
}
