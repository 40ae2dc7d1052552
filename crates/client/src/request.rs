//! One HTTP request: how it is written, sent, and sent again.

use std::time::Duration;

use agent_worker_protocol::{
    daemon::{API_HEADER, API_VERSION},
    error::{ErrorBody, ErrorCode},
    op::Method,
};
use reqwest::{RequestBuilder, Url};
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use crate::{Client, ClientError, call::Scoped};

/// How often a request goes out when its connection breaks.
const ATTEMPTS: usize = 3;

/// The header that makes a write happen once.
pub(crate) const KEY_HEADER: &str = "idempotency-key";

#[derive(Clone)]
pub(crate) struct Request {
    /// What an error calls it
    pub name: String,
    pub method: Method,
    pub path: String,
    pub query: Vec<(String, String)>,
    pub body: Option<Value>,
    pub key: Option<String>,
    pub deadline: Option<Duration>,
    /// Whether the token stays here
    pub is_bare: bool,
}

impl Request {
    pub fn new(method: Method, path: &str) -> Self {
        Self {
            name: format!("{} {path}", method.as_str()),
            method,
            path: path.to_owned(),
            query: Vec::new(),
            body: None,
            key: None,
            deadline: None,
            is_bare: false,
        }
    }

    pub fn named(mut self, name: &str) -> Self {
        name.clone_into(&mut self.name);
        self
    }

    pub fn scoped(mut self, scoped: &Scoped) -> Self {
        self.query.extend(scoped.target.iter().map(|at| ("target".to_owned(), at.whole())));
        self.query.extend(scoped.as_member.iter().map(|name| ("as".to_owned(), name.to_string())));
        self
    }

    /// The arguments that are not in the path: in the body where there is one, else in the query.
    pub fn arguments(&mut self, fields: Map<String, Value>) {
        if self.method.has_body() {
            self.body = Some(Value::Object(fields));
            return;
        }
        let text = |value| match value {
            Value::String(text) => text,
            other => other.to_string(),
        };
        self.query.extend(fields.into_iter().map(|(name, value)| (name, text(value))));
    }

    pub fn answer(&self) -> String {
        format!("the answer to `{}`", self.name)
    }

    /// Where it goes. The parser of URLs takes `..` for a step up, and then `doc write
    /// --file ../x` would be another request.
    pub fn url(&self, base: &str) -> Result<Url, ClientError> {
        let garbled = |detail: String| ClientError::garbled("the daemon's address", detail);
        let mut url = Url::parse(&format!("{base}{}", self.path))
            .map_err(|error| garbled(format!("`{base}`: {error}")))?;
        let (path, query) = self.path.split_once('?').unwrap_or((&self.path, ""));
        let is_whole = path.split('/').skip(1).all(|part| !part.is_empty());
        if url.path() != path || !is_whole || url.query().unwrap_or("") != query {
            return Err(ClientError::Refused(ErrorBody {
                code: ErrorCode::Invalid,
                message: format!("`{path}` is no path of the daemon: a part is empty or `..`"),
                hint: None,
            }));
        }
        if !self.query.is_empty() {
            url.query_pairs_mut().extend_pairs(&self.query);
        }
        Ok(url)
    }
}

impl Client {
    pub(crate) async fn send<T: DeserializeOwned>(&self, of: &Request) -> Result<T, ClientError> {
        let url = of.url(&self.endpoint.base)?;
        let (status, body) = self.exchange(of, &url).await?;
        if !(200..300).contains(&status) {
            return Err(ClientError::refusal(&of.answer(), status, &body));
        }
        serde_json::from_slice(&body)
            .map_err(|error| ClientError::garbled(of.answer(), error.to_string()))
    }

    /// A broken connection leaves open whether the request was done. Reads may be done twice, and
    /// writes carry a key under which the daemon does them once; a write without a key goes out
    /// once.
    async fn exchange(&self, of: &Request, url: &Url) -> Result<(u16, Vec<u8>), ClientError> {
        let may_repeat = of.method == Method::Get || of.key.is_some();
        let mut attempts = 1;
        loop {
            let attempt = self.attempt(of, url.clone());
            // A request with a deadline of its own is how it is found out whether anyone answers.
            let done = match of.deadline {
                Some(_) => attempt.await,
                None => self.unless_silent(attempt).await?,
            };
            let error = match done {
                Ok(answer) => return Ok(answer),
                Err(error) => error,
            };
            if error.is_builder() {
                let detail = "the token holds characters that no header may";
                return Err(ClientError::garbled("the request", detail));
            }
            if error.is_timeout() {
                return Err(self.silence());
            }
            if !may_repeat || attempts == ATTEMPTS {
                return Err(ClientError::unreachable(&self.endpoint.base, &error));
            }
            attempts += 1;
        }
    }

    async fn attempt(&self, of: &Request, url: Url) -> reqwest::Result<(u16, Vec<u8>)> {
        let answer = self.written(of, url).send().await?;
        let status = answer.status().as_u16();
        Ok((status, answer.bytes().await?.into()))
    }

    fn written(&self, of: &Request, url: Url) -> RequestBuilder {
        let method = match of.method {
            Method::Get => reqwest::Method::GET,
            Method::Post => reqwest::Method::POST,
            Method::Put => reqwest::Method::PUT,
            Method::Delete => reqwest::Method::DELETE,
        };
        let mut builder = self.http.request(method, url).header(API_HEADER, API_VERSION);
        if !of.is_bare {
            builder = builder.bearer_auth(&self.endpoint.token);
        }
        if let Some(key) = &of.key {
            builder = builder.header(KEY_HEADER, key);
        }
        if let Some(body) = &of.body {
            builder = builder.json(body);
        }
        match of.deadline {
            Some(deadline) => builder.timeout(deadline),
            None => builder,
        }
    }
}
