//! One HTTP request, and where it goes.

use std::time::Duration;

use agent_worker_protocol::{ErrorBody, ErrorCode, Method, Name, Target};
use reqwest::Url;
use serde_json::{Map, Value};

use crate::ClientError;

/// The header that makes a write happen once.
pub(crate) const KEY_HEADER: &str = "idempotency-key";

/// Scope and member of a request; `None` means the caller's own.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Scoped {
    /// A scope, or a member in a scope
    pub target: Option<Target>,
    /// The member that the caller acts as
    pub as_member: Option<Name>,
}

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
                message: bad_path(path),
                hint: None,
            }));
        }
        if !self.query.is_empty() {
            url.query_pairs_mut().extend_pairs(&self.query);
        }
        Ok(url)
    }
}

/// Refusal of a path that would be another one. A document is called as its reader calls it.
fn bad_path(path: &str) -> String {
    let document = path.strip_prefix("/docs/").and_then(|rest| rest.split_once('/'));
    let rule = "no part may be empty, `.` or `..`";
    match document {
        Some((_, name)) => format!("invalid document path `{}`: {rule}", decoded(name)),
        None => format!("invalid path `{path}`: {rule}"),
    }
}

/// The text that was percent-encoded.
fn decoded(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('%') {
        bytes.extend(before.bytes());
        let byte = after.get(..2).and_then(|digits| u8::from_str_radix(digits, 16).ok());
        bytes.push(byte.unwrap_or(b'%'));
        rest = if byte.is_some() { &after[2..] } else { after };
    }
    bytes.extend(rest.bytes());
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_document_is_called_by_its_own_path() {
        let told = bad_path("/docs/%40news/../caf%C3%A9%20%25.md");
        assert_eq!(told, "invalid document path `../café %.md`: no part may be empty, `.` or `..`");
        assert!(bad_path("/agents/../x").starts_with("invalid path `/agents/../x`"));
    }
}
