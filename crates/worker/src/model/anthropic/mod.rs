//! Anthropic's Messages, and whoever else speaks it.

mod answer;
mod request;

use reqwest::header::HeaderName;

use super::{Request, error::Told, http::Dialect};

/// The version of the interface that is spoken.
const VERSION: &str = "2023-06-01";

/// The dialect.
#[derive(Debug, Default)]
pub struct Anthropic;

impl Dialect for Anthropic {
    type Reader = answer::Answer;

    fn path(base: &str) -> String {
        let version = if base.ends_with("/v1") { "" } else { "/v1" };
        format!("{base}{version}/messages")
    }

    fn headers(&self, key: Option<&str>) -> Vec<(HeaderName, String)> {
        let mut headers = vec![(HeaderName::from_static("anthropic-version"), VERSION.to_owned())];
        if let Some(key) = key {
            headers.push((HeaderName::from_static("x-api-key"), key.to_owned()));
        }
        headers
    }

    fn body(&self, model: &str, request: &Request<'_>) -> Vec<u8> {
        request::body(model, request)
    }

    fn learn(&self, _: &Told) -> bool {
        false
    }
}
