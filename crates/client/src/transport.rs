//! How a request is sent, and sent again.

use std::io;

use agent_worker_protocol::{
    Method,
    daemon::{API_HEADER, API_VERSION},
};
use bytes::Bytes;
use futures::{FutureExt, future::BoxFuture};
use http_body_util::BodyExt as _;
use reqwest::{RequestBuilder, Url};
use serde::de::DeserializeOwned;

use crate::{
    Client, ClientError, Endpoint, Gone, Host, Revive, remote,
    request::{KEY_HEADER, Request},
};

/// How often a request goes out when its connection breaks.
const ATTEMPTS: usize = 3;

/// Status of an answer to an unknown token.
const UNAUTHORIZED: u16 = 401;

/// Status and body of an answer.
type Exchanged = Result<(u16, Vec<u8>), ClientError>;

/// Why a request has no answer.
pub(crate) enum Failure {
    /// No header can hold what is in it.
    Unwritable,
    /// Its deadline is over.
    Late,
    Broken(ClientError),
}

async fn sent(of: RequestBuilder) -> reqwest::Result<(u16, Vec<u8>)> {
    let answer = of.send().await?;
    let status = answer.status().as_u16();
    Ok((status, answer.bytes().await?.into()))
}

fn may_repeat(of: &Request) -> bool {
    of.method == Method::Get || of.key.is_some()
}

/// The same request for another connection.
fn plain(request: &reqwest::Request) -> io::Result<http::Request<Bytes>> {
    let mut plain = http::Request::builder().method(request.method()).uri(request.url().as_str());
    if let Some(headers) = plain.headers_mut() {
        headers.clone_from(request.headers());
    }
    let body = request.body().and_then(reqwest::Body::as_bytes).unwrap_or_default();
    plain.body(Bytes::copy_from_slice(body)).map_err(io::Error::other)
}

impl Client {
    pub(crate) async fn send<T: DeserializeOwned>(&self, of: &Request) -> Result<T, ClientError> {
        let body = self.answered(of).await?;
        serde_json::from_slice(&body)
            .map_err(|error| ClientError::garbled(of.answer(), error.to_string()))
    }

    /// The answer to a request, as it came. Boxed: else each kind of answer would have all of how
    /// requests are sent in its own code.
    fn answered<'a>(&'a self, of: &'a Request) -> BoxFuture<'a, Result<Vec<u8>, ClientError>> {
        let answered = async move {
            let endpoint = self.endpoint();
            let mut exchanged = self.exchange(of, &endpoint).await;
            if let Some(next) = self.revived(of, &endpoint, &exchanged).await? {
                self.follow(next.clone());
                exchanged = self.exchange(of, &next).await;
            }
            let (status, body) = exchanged?;
            if (200..300).contains(&status) {
                return Ok(body);
            }
            Err(ClientError::refusal(&of.answer(), status, &body))
        };
        answered.boxed()
    }

    /// Returns the daemon that the request goes to once more, if it missed the one before. The next
    /// daemon keeps the port and has another token; a refused request did nothing, so it needs no
    /// key.
    async fn revived(
        &self,
        of: &Request,
        endpoint: &Endpoint,
        exchanged: &Exchanged,
    ) -> Result<Option<Endpoint>, ClientError> {
        let Some(Revive(revive)) = &self.revive else { return Ok(None) };
        match exchanged {
            Err(ClientError::Unreachable { .. }) if may_repeat(of) => {
                let found = revive(Gone::Unreachable, endpoint.clone());
                self.patient(found).await.map(Some)
            }
            // If no other daemon is found, the token itself is wrong.
            Ok((UNAUTHORIZED, _)) => {
                let found = revive(Gone::Refused, endpoint.clone()).await.ok();
                Ok(found.filter(|found| found != endpoint))
            }
            _ => Ok(None),
        }
    }

    /// A broken connection leaves open whether the request was done. Reads may be done twice, and
    /// writes carry a key under which the daemon does them once; a write without a key goes out
    /// once.
    async fn exchange(&self, of: &Request, endpoint: &Endpoint) -> Exchanged {
        let url = of.url(&endpoint.base)?;
        let mut attempts = 1;
        loop {
            let attempt = self.carried(self.written(of, url.clone(), &endpoint.token));
            // A request with a deadline of its own is how it is found out whether anyone answers.
            let done = match of.deadline {
                Some(_) => attempt.await,
                None => self.unless_silent(attempt).await?,
            };
            let error = match done {
                Ok(answer) => return Ok(answer),
                Err(error) => error,
            };
            match error {
                Failure::Unwritable => {
                    let detail = "the token contains characters that a header cannot";
                    return Err(ClientError::garbled("the request", detail));
                }
                Failure::Late => return Err(self.silence()),
                Failure::Broken(error) if !may_repeat(of) || attempts == ATTEMPTS => {
                    return Err(error);
                }
                Failure::Broken(_) => attempts += 1,
            }
        }
    }

    /// Sends a request once, over the network or over a link, and reads the whole answer.
    pub(crate) async fn carried(&self, of: RequestBuilder) -> Result<(u16, Vec<u8>), Failure> {
        match &self.host {
            Some(host) => self.linked(host, of).await,
            None => sent(of).await.map_err(|error| self.failure(&error)),
        }
    }

    async fn linked(&self, host: &Host, of: RequestBuilder) -> Result<(u16, Vec<u8>), Failure> {
        let request = of.build().map_err(|error| self.failure(&error))?;
        let linked = async {
            let answer = remote::exchange(host.connect().await?, plain(&request)?).await?;
            let status = answer.status().as_u16();
            let body = answer.into_body().collect().await.map_err(io::Error::other)?;
            Ok((status, body.to_bytes().into()))
        };
        let linked = match request.timeout().copied() {
            Some(deadline) => {
                tokio::time::timeout(deadline, linked).await.map_err(|_| Failure::Late)?
            }
            None => linked.await,
        };
        linked.map_err(|error: io::Error| {
            Failure::Broken(ClientError::unreachable(&self.place(), &error))
        })
    }

    fn failure(&self, error: &reqwest::Error) -> Failure {
        if error.is_builder() {
            Failure::Unwritable
        } else if error.is_timeout() {
            Failure::Late
        } else {
            Failure::Broken(ClientError::unreachable(&self.place(), error))
        }
    }

    fn written(&self, of: &Request, url: Url, token: &str) -> RequestBuilder {
        let method = match of.method {
            Method::Get => reqwest::Method::GET,
            Method::Post => reqwest::Method::POST,
            Method::Put => reqwest::Method::PUT,
            Method::Delete => reqwest::Method::DELETE,
        };
        let mut builder = self.http.request(method, url).header(API_HEADER, API_VERSION);
        if !of.is_bare {
            builder = builder.bearer_auth(token);
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
