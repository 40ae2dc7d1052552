//! A model behind HTTP: a request out, a stream of events back. What is said in them is the
//! dialect's to know.

use std::{fmt, time::Duration};

use bytes::Bytes;
use jiff::Timestamp;
use reqwest::{
    Response, Url,
    header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue},
};
use serde_json::Value;
use tokio::time::{Instant, timeout, timeout_at};

use super::{
    Event, Kind, ModelError, Part, Request, Stop, Told,
    halves::{Halves, stand_in},
    sse::{Sse, SseEvent},
    when,
};
use crate::{failure::chain, web};

/// How much is read of one stream, in bytes: more than any answer takes.
const MAX_STREAM: usize = 64 << 20;

/// How long a server may take to tell of a model.
const ABOUT: Duration = Duration::from_secs(10);

/// How much is read of an answer that is not a stream.
const MAX_BODY: usize = 64 << 10;

/// Where a model is served.
#[derive(Clone)]
pub struct Place {
    pub base_url: String,
    /// API key.
    pub key: Option<String>,
    /// What the server calls the model.
    pub model: String,
    /// Longest silence of the server.
    pub silence: Duration,
    /// The same before the first byte of its answer.
    pub first: Duration,
}

impl fmt::Debug for Place {
    /// Leaves out the key.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { base_url, model, .. } = self;
        f.debug_struct("Place")
            .field("base_url", base_url)
            .field("model", model)
            .finish_non_exhaustive()
    }
}

/// How a server is spoken to.
pub trait Dialect {
    /// What reads its streams.
    type Reader: Reader + Default;
    /// Where it is asked, below the path of its base address.
    fn path(base: &str) -> String;
    /// Headers that every request has.
    fn headers(&self, key: Option<&str>) -> Vec<(HeaderName, String)> {
        key.map(|key| (AUTHORIZATION, format!("Bearer {key}"))).into_iter().collect()
    }
    /// A request in its words.
    fn body(&self, model: &str, request: &Request<'_>) -> Vec<u8>;
    /// Whether a refusal teaches something new of how to ask this server.
    fn learn(&self, refusal: &Told) -> bool;
    /// Whether a part of an answer is taken back only behind exactly what stood before it: the
    /// system prompt, the tools, and all turns.
    fn binds(_: &Part) -> bool {
        false
    }
    /// Where the server tells of a model, below the path of its base address, if it does.
    fn about(_base: &str, _model: &str) -> Option<String> {
        None
    }
}

/// What reads one answer.
pub trait Reader {
    /// Takes an event, and says whether it was the last.
    fn read(&mut self, event: &SseEvent, heard: &mut dyn FnMut(Event)) -> Result<bool, ModelError>;
    /// Nothing more comes: how the answer ends, unless it is not whole.
    fn end(&mut self, heard: &mut dyn FnMut(Event)) -> Option<Stop>;
    /// The last event was read, or the stream has ended; the error says that it should not have.
    fn finish(&mut self, heard: &mut dyn FnMut(Event)) -> Result<(), ModelError> {
        let stop = self.end(heard).ok_or_else(|| {
            ModelError::new(Kind::Unavailable, "its answer ended before it was whole")
        })?;
        heard(Event::Stop(stop));
        Ok(())
    }
}

/// A model behind HTTP.
pub struct Served<D> {
    dialect: D,
    place: Place,
    url: Url,
    headers: HeaderMap,
    http: reqwest::Client,
}

impl<D: Dialect> Served<D> {
    /// The model at this place. The error says what is wrong with the place.
    pub fn at(place: Place, dialect: D) -> Result<Self, ModelError> {
        let refused = |what: String| ModelError::new(Kind::Refused, what);
        let url = url::<D>(&place.base_url).map_err(refused)?;
        let http = web::client(&url).map_err(refused)?;
        let mut headers = HeaderMap::new();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        headers.insert(ACCEPT, HeaderValue::from_static("text/event-stream"));
        for (name, value) in dialect.headers(place.key.as_deref()) {
            // What is wrong with it is not shown: it may be the key.
            let mut value = HeaderValue::from_str(&value).map_err(|_| {
                ModelError::new(Kind::Key, "the key has characters that no key has")
            })?;
            value.set_sensitive(true);
            headers.insert(name, value);
        }
        Ok(Self { dialect, place, url, headers, http })
    }

    /// Asks for the next turn and tells it as it comes, up to its [`Event::Stop`]. Dropping the
    /// future takes the question back.
    pub async fn ask(
        &self,
        request: &Request<'_>,
        heard: &mut dyn FnMut(Event),
    ) -> Result<(), ModelError> {
        let (mut request, mut is_shortened) = (*request, false);
        loop {
            let Err((error, refusal)) = self.attempt(&request, heard).await else { return Ok(()) };
            if let Some(room) = error.room.filter(|_| !is_shortened) {
                is_shortened = true;
                request.max_tokens = Some(request.max_tokens.map_or(room, |own| own.min(room)));
                continue;
            }
            let refusal = refusal.filter(|_| error.kind == Kind::Refused);
            if !refusal.is_some_and(|refusal| self.dialect.learn(&refusal)) {
                return Err(error);
            }
        }
    }

    async fn attempt(
        &self,
        request: &Request<'_>,
        heard: &mut dyn FnMut(Event),
    ) -> Result<(), Failed> {
        let body = self.dialect.body(&self.place.model, request);
        let sent = self.http.post(self.url.clone()).headers(self.headers.clone()).body(body);
        let first = Instant::now() + self.place.first;
        let response = match timeout_at(first, sent.send()).await {
            Err(_) => return Err((is_silent(self.place.first), None)),
            Ok(Err(error)) => {
                return Err((ModelError::unreached(&chain(&error.without_url())), None));
            }
            Ok(Ok(response)) => response,
        };
        let status = response.status();
        if !status.is_success() || !is_a(response.headers(), "text/event-stream") {
            return Err(self.refusal(response).await);
        }
        self.follow(response, first, heard).await.map_err(|error| (error, None))
    }

    /// The text of an answer that is not a stream.
    async fn refusal(&self, response: Response) -> Failed {
        let (status, headers) = (response.status(), response.headers().clone());
        let body = timeout(self.place.silence, head(response)).await.unwrap_or_default();
        let is_cut = body.len() == MAX_BODY && is_a(&headers, "application/json");
        let body = self.without_key(String::from_utf8_lossy(&body).into_owned());
        let told = Told::read(&body);
        if status.is_success() {
            let is_answer = is_whole_answer(&body) || (is_cut && is_begun_answer(&body));
            let error = if is_answer {
                let message = "its answer came in one piece: this address does not stream";
                ModelError::new(Kind::Refused, message)
            } else if body.contains("\"error\"") {
                ModelError::of_stream(&told)
            } else {
                ModelError::garbled("it is not a stream of events")
            };
            return (error, None);
        }
        let mut error = ModelError::of_answer(status.as_u16(), &told);
        error.retry_after = when::retry_after(&headers, Timestamp::now());
        if let (true, Some(to)) = (status.is_redirection(), headers.get("location")) {
            let to = to.to_str().unwrap_or("elsewhere");
            error = ModelError::new(Kind::Refused, format!("it redirects to {to}"));
        }
        (error, status.is_client_error().then_some(told))
    }

    /// Reads a stream, whose first byte must come by `first`.
    async fn follow(
        &self,
        mut response: Response,
        first: Instant,
        heard: &mut dyn FnMut(Event),
    ) -> Result<(), ModelError> {
        let (mut sse, mut reader) = (Sse::default(), D::Reader::default());
        let (mut room, mut silence, mut by) = (MAX_STREAM, self.place.first, first);
        let mut halves = Halves::default();
        let heard: &mut dyn FnMut(Event) = &mut |event| halves.hear(event, heard);
        loop {
            let bytes = match timeout_at(by, response.chunk()).await {
                Ok(Ok(Some(bytes))) => bytes,
                Ok(Ok(None)) => return reader.finish(heard),
                // Of both: all that counts may have come before.
                Ok(Err(error)) => return reader.finish(heard).map_err(|_| self.cut(error)),
                Err(_) => return reader.finish(heard).map_err(|_| is_silent(silence)),
            };
            silence = self.place.silence;
            by = Instant::now() + silence;
            room = room.checked_sub(bytes.len()).ok_or_else(|| {
                ModelError::garbled(format!("it is longer than {MAX_STREAM} bytes"))
            })?;
            for mut event in sse.take(&bytes).map_err(ModelError::garbled)? {
                event.data = stand_in(event.data);
                if reader.read(&event, heard).map_err(|error| self.scrubbed(error))? {
                    return reader.finish(heard);
                }
            }
        }
    }

    /// The longest answer of the model in tokens, where the server tells it. Whatever goes wrong
    /// with the question, the model itself can still be asked.
    pub async fn longest(&self) -> Option<u32> {
        let mut url = Url::parse(&self.place.base_url).ok()?;
        let path = D::about(url.path().trim_end_matches('/'), &self.place.model)?;
        url.set_path(&path);
        let sent = self.http.get(url).headers(self.headers.clone()).timeout(ABOUT).send();
        let response = sent.await.ok()?.error_for_status().ok()?;
        let about: Value = serde_json::from_slice(&head(response).await).ok()?;
        let longest = about["max_tokens"].as_u64()?;
        u32::try_from(longest).ok().filter(|longest| *longest > 0)
    }

    fn cut(&self, error: reqwest::Error) -> ModelError {
        let why = chain(&error.without_url());
        let message = format!("its answer was cut off: {why}");
        self.scrubbed(ModelError::new(Kind::Unavailable, message))
    }

    fn scrubbed(&self, mut error: ModelError) -> ModelError {
        error.message = self.without_key(error.message);
        error
    }

    /// A server may repeat the request in its error.
    fn without_key(&self, text: String) -> String {
        match self.place.key.as_deref() {
            Some(key) if key.len() > 3 => text.replace(key, "…"),
            _ => text,
        }
    }
}

/// A failed attempt, with what a server that refused it has said.
type Failed = (ModelError, Option<Told>);

fn is_silent(silence: Duration) -> ModelError {
    let span = agent_worker_protocol::Interval::about(silence);
    ModelError::new(Kind::Unavailable, format!("it has said nothing for {span}"))
}

fn url<D: Dialect>(base: &str) -> Result<Url, String> {
    let bad = |why: &str| format!("`{base}` is not the address of a model server: {why}");
    let mut url = Url::parse(base).map_err(|error| bad(&error.to_string()))?;
    let path = D::path(url.path().trim_end_matches('/'));
    url.set_path(&path);
    Ok(url)
}

fn is_a(headers: &HeaderMap, content_type: &str) -> bool {
    let told = headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok());
    let begin = told.and_then(|value| value.trim_start().get(..content_type.len()));
    begin.is_some_and(|begin| begin.eq_ignore_ascii_case(content_type))
}

/// Where the three interfaces have what the model says.
const SAYS: [&str; 3] = ["choices", "output", "content"];

/// Whether a body is an answer in one piece, as from a server that ignores `stream`.
fn is_whole_answer(body: &str) -> bool {
    let body: Value = serde_json::from_str(body).unwrap_or_default();
    let has = |key: &str| body[key].is_array();
    body["error"].is_null() && SAYS.into_iter().any(has)
}

/// Whether the first 64 KiB of a longer body look like such an answer.
fn is_begun_answer(body: &str) -> bool {
    let has = |key: &str| body.contains(&format!("\"{key}\""));
    let is_error = ["\"error\":{", "\"error\": {"].into_iter().any(|error| body.contains(error));
    body.trim_start().starts_with('{') && !is_error && SAYS.into_iter().any(has)
}

/// The beginning of a body.
async fn head(mut response: Response) -> Vec<u8> {
    let mut body = Vec::new();
    while let Ok(Some(chunk)) = response.chunk().await {
        let room = MAX_BODY - body.len();
        let kept: Bytes = chunk.slice(..chunk.len().min(room));
        body.extend_from_slice(&kept);
        if kept.len() == room {
            break;
        }
    }
    body
}
