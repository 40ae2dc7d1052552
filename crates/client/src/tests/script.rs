//! Scripted connections in place of a server, without a network, so that a test can stop the clock.

use std::{
    collections::VecDeque,
    future::Future,
    io,
    sync::{Arc, Mutex},
    time::Duration,
};

use bytes::Bytes;
use eventsource_client::Client as _;
use futures::stream;
use launchdarkly_sdk_transport::{ByteStream, HttpTransport, ResponseFuture, TransportError};
use tokio::time::Instant;

use crate::{Client, Endpoint, sse::Dial};

/// Waits, but not for ever. Where time stands still, an hour is over at once.
pub async fn within<T>(work: impl Future<Output = T>) -> T {
    tokio::time::timeout(Duration::from_hours(1), work).await.expect("it takes too long")
}

/// Does what takes its time, where time stands still.
pub fn paused<T>(work: impl Future<Output = T>) -> T {
    let mut runtime = tokio::runtime::Builder::new_current_thread();
    runtime.enable_time().start_paused(true).build().unwrap().block_on(work)
}

/// What becomes of one connection.
pub enum Reply {
    Refused,
    Status(u16, &'static str),
    Page(&'static str),
    Stream(Vec<Part>),
    /// A stream, by what was asked for
    To(Asked),
}

/// What is answered to a request.
type Asked = Box<dyn FnOnce(&Dialled) -> Vec<Part> + Send>;

/// What comes over a connection; after the last it ends.
pub enum Part {
    Text(String),
    /// Text that may end inside a character
    Bytes(Vec<u8>),
    Wait(Duration),
    Broken,
    Silence,
}

/// A connection that was asked for.
#[derive(Debug, Clone)]
pub struct Dialled {
    pub at: Instant,
    pub uri: String,
    pub method: String,
    pub body: String,
    headers: http::HeaderMap,
}

#[derive(Clone, Default)]
pub struct Script {
    replies: Arc<Mutex<VecDeque<Reply>>>,
    dialled: Arc<Mutex<Vec<Dialled>>>,
}

/// An event as it stands in a stream.
pub fn event(name: &str, id: &str, data: &serde_json::Value) -> Part {
    let id = if id.is_empty() { String::new() } else { format!("id: {id}\n") };
    Part::Text(format!("{id}event: {name}\ndata: {data}\n\n"))
}

/// A stream of these texts that breaks after `bytes` bytes. Also returns how many texts came whole.
pub fn broken_after(texts: &[Part], bytes: usize) -> (Reply, usize) {
    let mut whole = Vec::new();
    let mut count = 0;
    for part in texts {
        let Part::Text(text) = part else { panic!("a text has a length") };
        whole.extend_from_slice(text.as_bytes());
        count += usize::from(whole.len() <= bytes);
    }
    whole.truncate(bytes);
    (Reply::Stream(vec![Part::Bytes(whole), Part::Broken]), count)
}

/// The bytes of these texts in pieces of these lengths, one after the other and again.
pub fn torn(texts: &[Part], bytes: usize, lengths: &[usize]) -> Vec<Part> {
    let (Reply::Stream(mut parts), _) = broken_after(texts, bytes) else {
        panic!("it is a stream")
    };
    let Part::Bytes(mut rest) = parts.remove(0) else { panic!("it is bytes") };
    let mut pieces = Vec::new();
    for length in lengths.iter().cycle() {
        if rest.is_empty() {
            break;
        }
        let later = rest.split_off((*length).clamp(1, rest.len()));
        pieces.push(Part::Bytes(std::mem::replace(&mut rest, later)));
    }
    pieces
}

/// How many bytes there are in these texts.
pub fn length(texts: &[Part]) -> usize {
    let length = |part: &Part| if let Part::Text(text) = part { text.len() } else { 0 };
    texts.iter().map(length).sum()
}

pub fn client() -> Client {
    let base = "http://127.0.0.1:1".to_owned();
    Client::new(Endpoint { base, token: "secret".to_owned() })
}

impl Dialled {
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).map(|value| value.to_str().unwrap())
    }
}

impl Script {
    pub fn new(replies: Vec<Reply>) -> Self {
        let replies = Arc::new(Mutex::new(replies.into()));
        Self { replies, dialled: Arc::default() }
    }

    pub fn dial(&self) -> Dial {
        let script = self.clone();
        Arc::new(move |builder| builder.build_with_transport(script.clone()).stream())
    }

    pub fn dialled(&self) -> Vec<Dialled> {
        self.dialled.lock().unwrap().clone()
    }
}

fn answer(status: u16, kind: &str, body: ByteStream) -> ResponseFuture {
    let response = http::Response::builder().status(status).header("content-type", kind);
    Box::pin(std::future::ready(Ok(response.body(body).unwrap())))
}

fn whole(text: &str) -> ByteStream {
    let bytes = Bytes::from(text.to_owned());
    Box::pin(stream::once(std::future::ready(Ok(bytes))))
}

fn parts(parts: Vec<Part>) -> ByteStream {
    Box::pin(stream::unfold(VecDeque::from(parts), async |mut parts| {
        loop {
            match parts.pop_front()? {
                Part::Text(text) => return Some((Ok(Bytes::from(text)), parts)),
                Part::Bytes(bytes) => return Some((Ok(Bytes::from(bytes)), parts)),
                Part::Wait(span) => tokio::time::sleep(span).await,
                Part::Silence => std::future::pending().await,
                Part::Broken => return Some((Err(broken(io::ErrorKind::ConnectionReset)), parts)),
            }
        }
    }))
}

fn broken(kind: io::ErrorKind) -> TransportError {
    TransportError::new(io::Error::from(kind))
}

impl HttpTransport for Script {
    fn request(&self, request: http::Request<Option<Bytes>>) -> ResponseFuture {
        let body = request.body().clone().unwrap_or_default();
        let asked = Dialled {
            at: Instant::now(),
            uri: request.uri().to_string(),
            method: request.method().to_string(),
            body: String::from_utf8(body.to_vec()).unwrap(),
            headers: request.headers().clone(),
        };
        self.dialled.lock().unwrap().push(asked.clone());
        match self.replies.lock().unwrap().pop_front() {
            None => Box::pin(std::future::pending()),
            Some(Reply::Refused) => {
                Box::pin(std::future::ready(Err(broken(io::ErrorKind::ConnectionRefused))))
            }
            Some(Reply::Status(status, body)) => answer(status, "application/json", whole(body)),
            Some(Reply::Page(body)) => answer(200, "text/html", whole(body)),
            Some(Reply::Stream(of)) => answer(200, "text/event-stream", parts(of)),
            Some(Reply::To(of)) => answer(200, "text/event-stream", parts(of(&asked))),
        }
    }
}
