//! Versions as HTTP has them: `ETag` on what is read, `If-Match` on what is written over it
//! (RFC 9110, 8.8.3 and 13.1). A tag is a version's number in quotes.

use agent_worker_protocol::ErrorCode;
use axum::{
    Json,
    http::{HeaderMap, HeaderValue, header},
    response::{IntoResponse, Response},
};
use serde::Serialize;

use crate::{
    error::OpError,
    surfaces::answer::{Refusal, refuse},
};

/// An answer with the version in one of its fields as its tag.
pub fn answer(field: &str, answer: &impl Serialize) -> Result<Response, Refusal> {
    let value = serde_json::to_value(answer)
        .map_err(|error| OpError::Broken(format!("an answer: {error}")))?;
    let version = value[field].as_i64();
    let tag = version.and_then(|version| HeaderValue::try_from(format!("\"{version}\"")).ok());
    let mut response = Json(value).into_response();
    if let Some(tag) = tag {
        response.headers_mut().insert(header::ETAG, tag);
    }
    Ok(response)
}

/// The version over which a request writes: `If-Match: "14"` is that one, `If-None-Match: *` is
/// none at all.
pub fn asked(headers: &HeaderMap) -> Result<Option<i64>, Refusal> {
    let is = one(headers, &header::IF_MATCH, &written, "one version as its ETag has it: \"14\"")?;
    let none = |text: &str| (text == "*").then_some(0);
    let is_not = one(headers, &header::IF_NONE_MATCH, &none, "`*`, for a new document")?;
    match (is, is_not) {
        (Some(_), Some(_)) => {
            Err(refuse(ErrorCode::Invalid, "only one of `if-match` and `if-none-match` is allowed"))
        }
        (is, is_not) => Ok(is.or(is_not)),
    }
}

/// Refuses conditions where none is looked at.
pub fn refuse_any(headers: &HeaderMap) -> Result<(), Refusal> {
    let conditions = [header::IF_MATCH, header::IF_NONE_MATCH];
    match conditions.iter().find(|name| headers.contains_key(*name)) {
        Some(name) => {
            let text = format!("`{name}` is not looked at here: only a document's PUT does");
            Err(refuse(ErrorCode::Invalid, text))
        }
        None => Ok(()),
    }
}

pub fn one(
    headers: &HeaderMap,
    name: &header::HeaderName,
    read: &dyn Fn(&str) -> Option<i64>,
    rule: &str,
) -> Result<Option<i64>, Refusal> {
    let mut given = headers.get_all(name).iter();
    let Some(text) = given.next() else { return Ok(None) };
    let version = text.to_str().ok().and_then(|text| read(text.trim()));
    match (version, given.next()) {
        (Some(version), None) => Ok(Some(version)),
        _ => Err(refuse(ErrorCode::Invalid, format!("`{name}` must be {rule}"))),
    }
}

fn written(tag: &str) -> Option<i64> {
    let number = tag.strip_prefix('"')?.strip_suffix('"')?;
    let is_plain = number.bytes().all(|byte| byte.is_ascii_digit());
    number.parse().ok().filter(|version| is_plain && *version > 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked_with(given: &[(header::HeaderName, &'static str)]) -> Result<Option<i64>, String> {
        let mut headers = HeaderMap::new();
        for (name, value) in given {
            headers.append(name, HeaderValue::from_static(value));
        }
        asked(&headers).map_err(|refusal| refusal.0.message)
    }

    #[test]
    fn a_version_is_asked_for_by_its_tag_and_none_by_a_star() {
        assert_eq!(asked_with(&[]), Ok(None));
        assert_eq!(asked_with(&[(header::IF_MATCH, "\"14\"")]), Ok(Some(14)));
        assert_eq!(asked_with(&[(header::IF_NONE_MATCH, "*")]), Ok(Some(0)));
        for bad in ["14", "*", "W/\"14\"", "\"13\", \"14\"", "\"x\"", "\"\"", "\"0\"", "\"+1\"", ""]
        {
            assert!(asked_with(&[(header::IF_MATCH, bad)]).is_err(), "{bad}");
        }
        assert!(asked_with(&[(header::IF_NONE_MATCH, "\"14\"")]).is_err());
        let twice = [(header::IF_MATCH, "\"1\""), (header::IF_MATCH, "\"1\"")];
        assert!(asked_with(&twice).is_err());
        let both = [(header::IF_MATCH, "\"1\""), (header::IF_NONE_MATCH, "*")];
        assert!(asked_with(&both).unwrap_err().starts_with("only one of"));
    }
}
