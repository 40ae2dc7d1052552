//! The HTTP side: requests in, streams out, and how they break off.

use std::{
    convert::Infallible,
    io,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
    time::Duration,
};

use hyper::{
    Method, Request, Response, StatusCode,
    body::{Body, Bytes, Frame, Incoming},
    header::{CONTENT_TYPE, RETRY_AFTER},
    server::conn::http1,
    service::service_fn,
};
use hyper_util::rt::TokioIo;
use serde_json::Value;
use tokio::{net::TcpListener, sync::mpsc, time::sleep};

use crate::{
    answer::Answer,
    asked::Asked,
    director::{Cue, Director},
    interface::{Address, Interface},
    scenario::{Break, Turn},
    wires::{self, Sent},
};

const MAX_BODY: usize = 64 << 20;

/// Where held answers are let go, before their name.
const RELEASE: &str = "/release/";

/// Where it is waited for a number of requests, before that number.
const ASKED: &str = "/asked/";

/// How long what was said last takes to be on its way, before its connection is cut.
const FLUSH: Duration = Duration::from_millis(20);

pub async fn serve(listener: TcpListener, director: Arc<Director>) -> Infallible {
    loop {
        // A client may be gone before it is accepted.
        let Ok((socket, _)) = listener.accept().await else { continue };
        let director = Arc::clone(&director);
        tokio::spawn(async move {
            let answer = |request| answer(Arc::clone(&director), request);
            let connection =
                http1::Builder::new().serve_connection(TokioIo::new(socket), service_fn(answer));
            // How it ends, the other side knows.
            drop(connection.await);
        });
    }
}

/// What a server says that cannot be reached any more.
type Broken = io::Error;

type Answered = Result<Response<Spoken>, Broken>;

async fn answer(director: Arc<Director>, request: Request<Incoming>) -> Answered {
    let (head, body) = request.into_parts();
    let path = head.uri.path();
    match (&head.method, path) {
        (&Method::GET, path) if path.starts_with(ASKED) => {
            let times = path[ASKED.len()..].parse().unwrap_or(0);
            director.asked(times).await;
            return Ok(json(StatusCode::OK, &Value::Bool(true)));
        }
        (&Method::POST, path) if path.starts_with(RELEASE) => {
            director.release(&path[RELEASE.len()..]);
            return Ok(json(StatusCode::OK, &Value::Bool(true)));
        }
        (&Method::GET, "/counts") => {
            let counts = serde_json::to_value(director.counts()).map_err(io::Error::other)?;
            return Ok(json(StatusCode::OK, &counts));
        }
        (&Method::GET, path) if path.contains("/v1/models/") => {
            let id = path.rsplit('/').next().unwrap_or_default();
            let longest = director.scenario().longest;
            return Ok(json(StatusCode::OK, &wires::about(id, longest)));
        }
        _ => {}
    }
    let Some(address) = Address::of(path).filter(|_| head.method == Method::POST) else {
        let says = format!("there is no {} {path} here", head.method);
        return Ok(json(StatusCode::NOT_FOUND, &wires::error(Interface::Openai, 404, &says)));
    };
    let interface = address.interface;
    let asked = match Asked::read(address, &whole(body).await?) {
        Ok(asked) => asked,
        Err(bad) => return Ok(json(StatusCode::BAD_REQUEST, &wires::error(interface, 400, &bad))),
    };
    let Cue { turn, answer } = director.cue(&asked);
    if let Some(name) = &turn.hold {
        director.held(name).await;
    }
    if let Some(span) = turn.sleep {
        sleep(span.duration()).await;
    }
    match (turn.refuse, turn.breaks) {
        (Some(status), _) => Ok(refuse(&director, interface, status, &turn, answer.n)),
        (None, Some(Break::Drop)) => {
            director.ended(answer.n, 0, turn.breaks);
            Err(io::Error::other("the scenario drops this connection"))
        }
        _ if !asked.streams => {
            let whole = wires::whole(&asked, &answer);
            director.used(answer.n, whole.usage);
            director.ended(answer.n, 200, None);
            Ok(text(StatusCode::OK, whole.text))
        }
        _ => Ok(stream(director, &asked, &turn, &answer)),
    }
}

fn refuse(
    director: &Director,
    interface: Interface,
    status: u16,
    turn: &Turn,
    n: u64,
) -> Response<Spoken> {
    director.ended(n, status, None);
    let message = turn.message.as_deref().unwrap_or("the scenario says no");
    let code = StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    let error = wires::refusal(interface, status, turn.code.as_deref(), turn.retry_after, message);
    let mut response = json(code, &error);
    if let Some(span) = turn.retry_after {
        let seconds = span.duration().as_secs_f64().to_string();
        let value = seconds.parse().expect("a number has no odd characters");
        response.headers_mut().insert(RETRY_AFTER, value);
    }
    response
}

fn stream(
    director: Arc<Director>,
    asked: &Asked,
    turn: &Turn,
    answer: &Answer,
) -> Response<Spoken> {
    let mut events = wires::stream(asked, answer);
    if let Some(breaks) = turn.breaks {
        events.truncate(turn.after.unwrap_or(events.len() / 2));
        match breaks {
            Break::Error => events.push(wires::stream_error(asked.interface)),
            Break::Garbage => events.push(wires::garbage()),
            Break::Cut | Break::Silence | Break::Drop => {}
        }
    }
    let (sender, events_sent) = mpsc::channel(1);
    let pace =
        turn.pace.or(director.scenario().pace).map(agent_worker_protocol::Interval::duration);
    tokio::spawn(speak(director, events, pace, turn.breaks, answer.n, sender));
    let mut response = Response::new(Spoken(events_sent));
    response.headers_mut().insert(CONTENT_TYPE, "text/event-stream".parse().expect("it is one"));
    response
}

/// Sends each event in turn, until the last or until the client disconnects.
async fn speak(
    director: Arc<Director>,
    events: Vec<Sent>,
    pace: Option<Duration>,
    breaks: Option<Break>,
    n: u64,
    to: mpsc::Sender<Result<Bytes, Broken>>,
) {
    for event in events {
        if to.send(Ok(event.text.into())).await.is_err() {
            break;
        }
        director.used(n, event.usage);
        if let Some(pace) = pace {
            sleep(pace).await;
        }
    }
    director.ended(n, 200, breaks);
    match breaks {
        Some(Break::Cut) => {
            sleep(FLUSH).await;
            drop(to.send(Err(io::Error::other("the scenario cuts this off"))).await);
        }
        // The other side gives up.
        Some(Break::Silence) => to.closed().await,
        _ => {}
    }
}

fn json(status: StatusCode, body: &Value) -> Response<Spoken> {
    text(status, body.to_string())
}

fn text(status: StatusCode, body: String) -> Response<Spoken> {
    let (sender, sent) = mpsc::channel(1);
    let whole = sender.try_send(Ok(body.into()));
    debug_assert!(whole.is_ok(), "there is room for one");
    let mut response = Response::new(Spoken(sent));
    *response.status_mut() = status;
    response.headers_mut().insert(CONTENT_TYPE, "application/json".parse().expect("it is one"));
    response
}

/// What is said, as it comes.
struct Spoken(mpsc::Receiver<Result<Bytes, Broken>>);

impl Body for Spoken {
    type Data = Bytes;
    type Error = Broken;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Broken>>> {
        self.0.poll_recv(cx).map(|event| event.map(|event| event.map(Frame::data)))
    }
}

async fn whole(mut body: Incoming) -> Result<Vec<u8>, Broken> {
    let mut bytes = Vec::new();
    while let Some(frame) = std::future::poll_fn(|cx| Pin::new(&mut body).poll_frame(cx)).await {
        if let Ok(data) = frame.map_err(io::Error::other)?.into_data() {
            bytes.extend_from_slice(&data);
        }
        if bytes.len() > MAX_BODY {
            return Err(io::Error::other("the request is too large"));
        }
    }
    Ok(bytes)
}
