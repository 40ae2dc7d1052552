//! How a request is sent, and sent again.

use agent_worker_protocol::{
    daemon::{API_HEADER, API_VERSION},
    op::Method,
};
use reqwest::{RequestBuilder, Url};
use serde::de::DeserializeOwned;

use crate::{
    Client, ClientError,
    request::{KEY_HEADER, Request},
};

/// How often a request goes out when its connection breaks.
const ATTEMPTS: usize = 3;

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
                let detail = "the token contains characters that a header cannot";
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
