//! Operations as routes: path, query and body put together to the request's type.

use std::{
    collections::BTreeMap,
    sync::{Arc, PoisonError, RwLock},
};

use agent_worker_protocol::{ErrorCode, Interval, Method, Name, Op, Route, Scope, Target};
use axum::{
    body::{Body, Bytes},
    extract::{FromRequestParts, RawPathParams, Request, rejection::RawPathParamsRejection},
    http::{HeaderMap, HeaderValue, Uri, header, request::Parts},
};
use futures::StreamExt as _;
use serde_json::{Map, Value};
use tokio::time::Instant;

use crate::{
    context::{
        Credential,
        run::{self, Misfit, Signature},
    },
    engine::app::App,
    surfaces::{
        answer::{Refusal, refuse},
        gate::Identity,
        http::{hints, unambiguous::Unambiguous, version},
    },
};

/// How much of a body must come in each `body_timeout`, in bytes. A long text over a slow link takes
/// longer as a whole, but a body that trickles must still end.
const PART_BYTES: usize = 64 << 10;

pub fn filter(method: Method) -> axum::routing::MethodFilter {
    use axum::routing::MethodFilter;
    match method {
        Method::Get => MethodFilter::GET,
        Method::Post => MethodFilter::POST,
        Method::Put => MethodFilter::PUT,
        Method::Delete => MethodFilter::DELETE,
    }
}

/// A request, put together.
pub struct Gathered<O> {
    pub op: O,
    /// Where and as whom
    pub place: Place,
    pub key: Option<String>,
    /// What to write in place of a field that the request does not have
    misplaced: Option<String>,
    /// Where HTTP has the operation
    route: Option<Route>,
}

impl Gathered<Map<String, Value>> {
    /// Its fields as a request; what does not fit is named with its place.
    pub fn read<O>(
        self,
        read: impl FnOnce(Map<String, Value>) -> Result<O, Misfit>,
    ) -> Result<Gathered<O>, Refusal> {
        let Self { op, place, key, misplaced, route } = self;
        match read(op) {
            Ok(op) => Ok(Gathered { op, place, key, misplaced, route }),
            Err(misfit) => {
                let mut refusal = Refusal::from(hints::beside_path(misfit, route));
                refusal.0.hint = misplaced;
                Err(refusal)
            }
        }
    }
}

impl From<Misfit> for Refusal {
    fn from(misfit: Misfit) -> Self {
        invalid(misfit.to_string())
    }
}

/// Where a request acts, and as whom: never a field of its operation.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Place {
    /// `?target=`, or the scope in the path
    pub target: Option<Target>,
    /// `?as=`
    pub member: Option<Name>,
}

impl Place {
    /// What stands in a query that has nothing else.
    pub fn of(uri: &Uri) -> Result<Self, Refusal> {
        let mut place = Self::default();
        for (name, text) in query(uri) {
            if !place.take(&name, &text)? {
                return Err(invalid(format!("unknown query parameter `{name}`")));
            }
        }
        Ok(place)
    }

    /// The member in a query, whatever else stands in it.
    pub fn member_of(uri: &Uri) -> Result<Option<Name>, Refusal> {
        let mut place = Self::default();
        for (name, text) in query(uri).iter().filter(|(name, _)| name == "as") {
            place.take(name, text)?;
        }
        Ok(place.member)
    }

    /// Takes a pair of a query; false if it says something else.
    fn take(&mut self, name: &str, text: &str) -> Result<bool, Refusal> {
        match name {
            "target" => once(&mut self.target, "target", parse("target", text)?)?,
            "as" => once(&mut self.member, "as", parse("as", text)?)?,
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// Takes a field of a path; false if it is one of the operation.
    fn take_field(&mut self, name: &str, text: &str) -> Result<bool, Refusal> {
        if name == "scope" {
            let scope: Scope = parse("scope", text)?;
            self.agree(&scope)?;
            self.target = Some(Target::scope(scope));
            return Ok(true);
        }
        if matches!(name, "target" | "subject")
            && let Ok(Target { scope: Some(scope), .. }) = text.parse::<Target>()
        {
            self.agree(&scope)?;
        }
        Ok(false)
    }

    /// Refuses a target in another scope than the path.
    fn agree(&self, scope: &Scope) -> Result<(), Refusal> {
        match self.target.as_ref().and_then(|target| target.scope.as_ref()) {
            Some(other) if other != scope => {
                let text = format!("`target` is in {other}, but the path is in {scope}");
                Err(invalid(text).hint("leave `?target=` out"))
            }
            _ => Ok(()),
        }
    }

    /// What the transaction looks up.
    pub fn credential(self, identity: Identity) -> Credential {
        match identity {
            Identity::Operator => Credential::Operator { target: self.target, member: self.member },
            Identity::Run(token_hash) => {
                // A name beside a run's token must be its agent's own.
                let agent = self.member.map(|name| Target { name: Some(name), scope: None });
                Credential::Run { token_hash, target: self.target, agent }
            }
        }
    }
}

/// Puts path, query and body back together as a request.
pub async fn gather<O: Op>(app: &App, request: Request) -> Result<Gathered<O>, Refusal> {
    fields(app, request, &Signature::of::<O>()).await?.read(run::read)
}

/// Puts path, query and body back together.
pub async fn fields(
    app: &App,
    request: Request,
    signature: &Signature,
) -> Result<Gathered<Map<String, Value>>, Refusal> {
    let (mut parts, body) = request.into_parts();
    let has_body = signature.has_body();
    let mut place = Place::default();
    let mut fields = if has_body {
        let settings = app.store().settings();
        let most = if signature.takes_text {
            settings.text_body_bytes()
        } else {
            settings.http.body_bytes
        };
        let bytes = read_body(app, &parts.headers, body, most).await?;
        object(&bytes)?
    } else {
        if !parts.method.is_safe() {
            refuse_body(app, &parts, body, signature).await?;
        }
        Map::new()
    };
    let schema = schema_of(signature);
    for (name, text) in query(&parts.uri) {
        if place.take(&name, &text)? {
            continue;
        }
        if has_body {
            return Err(invalid(format!("unknown query parameter `{name}`")));
        }
        put(&mut fields, &name, scalar(&schema, &name, &text))?;
    }
    let params = path_params(&mut parts).await?;
    for (name, text) in params.iter().flatten() {
        if !place.take_field(name, text)? {
            put(&mut fields, name, scalar(&schema, name, text))?;
        }
    }
    match signature.if_match {
        Some(field) => {
            if let Some(version) = version::asked(&parts.headers)? {
                put(&mut fields, field, Value::from(version))?;
            }
        }
        // A read may come back whole, but a write must not be done against its condition.
        None if !parts.method.is_safe() => version::refuse_any(&parts.headers)?,
        None => {}
    }
    let key = idempotency_key(&parts.headers)?;
    let misplaced = hints::misplaced(&fields, &schema);
    Ok(Gathered { op: fields, place, key, misplaced, route: signature.route })
}

/// Refuses a body where arguments stand in the query: a write must not be done without them.
async fn refuse_body(
    app: &App,
    parts: &Parts,
    body: Body,
    signature: &Signature,
) -> Result<(), Refusal> {
    let http = &app.store().settings().http;
    let bytes = whole(body, http.body_bytes, http.body_timeout).await?;
    let fields = object(&bytes).ok();
    if bytes.trim_ascii().is_empty() || fields.as_ref().is_some_and(Map::is_empty) {
        return Ok(());
    }
    let mut refusal = invalid(format!("`{} {}` takes no body", parts.method, parts.uri.path()));
    refusal.0.hint =
        fields.and_then(|fields| hints::in_query(&fields, &schema_of(signature), signature.route));
    Err(refusal)
}

/// The parameters in a path, if its route has some.
async fn path_params(parts: &mut Parts) -> Result<Option<RawPathParams>, Refusal> {
    match RawPathParams::from_request_parts(parts, &()).await {
        Ok(params) => Ok(Some(params)),
        // None of them is known then: without them the request would mean something else.
        Err(RawPathParamsRejection::InvalidUtf8InPathParam(_)) => Err(not_utf8()),
        Err(_) => Ok(None),
    }
}

pub fn not_utf8() -> Refusal {
    invalid("the path is not UTF-8".to_owned())
}

/// The schema of a request. It is made once for each: that takes longer than all else that is done
/// with a small one.
fn schema_of(signature: &Signature) -> Arc<Value> {
    static KNOWN: RwLock<BTreeMap<&str, Arc<Value>>> = RwLock::new(BTreeMap::new());
    let known = KNOWN.read().unwrap_or_else(PoisonError::into_inner).get(signature.name).cloned();
    known.unwrap_or_else(|| {
        let made = Arc::new((signature.schemas.request)());
        KNOWN.write().unwrap_or_else(PoisonError::into_inner).insert(signature.name, made.clone());
        made
    })
}

fn put(fields: &mut Map<String, Value>, name: &str, value: Value) -> Result<(), Refusal> {
    match fields.insert(name.to_owned(), value) {
        None => Ok(()),
        Some(_) => Err(invalid(format!("`{name}` is given twice"))),
    }
}

pub fn once<T>(place: &mut Option<T>, name: &str, value: T) -> Result<(), Refusal> {
    match place.replace(value) {
        None => Ok(()),
        Some(_) => Err(invalid(format!("`{name}` is given twice"))),
    }
}

pub fn invalid(message: String) -> Refusal {
    refuse(ErrorCode::Invalid, message)
}

pub fn parse<T: std::str::FromStr>(name: &str, text: &str) -> Result<T, Refusal>
where
    T::Err: std::fmt::Display,
{
    text.parse().map_err(|error| invalid(format!("`{name}`: {error}")))
}

/// Query pairs, decoded (WHATWG URL, `application/x-www-form-urlencoded`).
pub fn query(uri: &Uri) -> Vec<(String, String)> {
    let query = uri.query().unwrap_or_default();
    form_urlencoded::parse(query.as_bytes()).into_owned().collect()
}

/// The text of a query or a path as the type that its field has.
fn scalar(schema: &Value, name: &str, text: &str) -> Value {
    let kind = &schema["properties"][name]["type"];
    let is = |wanted: &str| {
        kind == wanted || kind.as_array().is_some_and(|kinds| kinds.iter().any(|k| k == wanted))
    };
    // JSON would take spaces around it.
    let plain: Option<Value> = serde_json::from_str(text).ok();
    match plain.filter(|_| text.trim() == text) {
        Some(number @ Value::Number(_)) if is("integer") || is("number") => number,
        Some(truth @ Value::Bool(_)) if is("boolean") => truth,
        _ => Value::from(text),
    }
}

/// Reads a body: JSON, not too long, and within its time.
pub async fn read_body(
    app: &App,
    headers: &HeaderMap,
    body: Body,
    most: usize,
) -> Result<Bytes, Refusal> {
    let kinds: Vec<_> = headers.get_all(header::CONTENT_TYPE).iter().collect();
    if !kinds.iter().all(|kind| is_json(kind)) || kinds.len() > 1 {
        return Err(not_json());
    }
    let bytes = whole(body, most, app.store().settings().http.body_timeout).await?;
    if kinds.is_empty() && !bytes.is_empty() {
        return Err(not_json());
    }
    Ok(bytes)
}

/// Reads a body of any type: not too long, and a part of it, or its rest, in each such span.
async fn whole(body: Body, most: usize, span: Interval) -> Result<Bytes, Refusal> {
    let (mut body, mut read) = (body.into_data_stream(), Vec::new());
    let (mut until, mut wanted) = (Instant::now() + span.duration(), PART_BYTES);
    loop {
        match tokio::time::timeout_at(until, body.next()).await {
            Ok(Some(Ok(bytes))) if read.len() + bytes.len() <= most => read.extend(bytes),
            Ok(Some(_)) => {
                let message = format!("a body has at most {most} bytes");
                return Err(refuse(ErrorCode::TooLarge, message));
            }
            Ok(None) => return Ok(Bytes::from(read)),
            Err(_) => {
                let message = format!("the body did not come within {span}");
                return Err(refuse(ErrorCode::TooSlow, message));
            }
        }
        if read.len() >= wanted {
            (until, wanted) = (Instant::now() + span.duration(), read.len() + PART_BYTES);
        }
    }
}

pub fn is_json(kind: &HeaderValue) -> bool {
    let kind = kind.to_str().unwrap_or_default().split(';').next().unwrap_or_default();
    kind.trim().eq_ignore_ascii_case("application/json")
}

fn not_json() -> Refusal {
    refuse(ErrorCode::UnsupportedMediaType, "the body must be JSON")
        .hint("content-type: application/json")
}

/// The fields of a body.
pub fn object(bytes: &Bytes) -> Result<Map<String, Value>, Refusal> {
    if bytes.is_empty() {
        return Ok(Map::new());
    }
    match unambiguous(bytes).map_err(|error| no_json(&error))? {
        Value::Object(fields) => Ok(fields),
        _ => Err(invalid("the body is not a JSON object".to_owned())),
    }
}

/// A body's JSON, in which no key stands twice; that is an error of its data.
pub fn unambiguous(bytes: &Bytes) -> Result<Value, serde_json::Error> {
    serde_json::from_slice(bytes).map(|Unambiguous(value)| value)
}

pub fn no_json(error: &serde_json::Error) -> Refusal {
    invalid(format!("the body is not JSON: {error}"))
}

/// The longest idempotency key, in characters.
pub const LONGEST_KEY: usize = 200;

fn idempotency_key(headers: &HeaderMap) -> Result<Option<String>, Refusal> {
    let mut given = headers.get_all("idempotency-key").iter();
    let Some(key) = given.next() else { return Ok(None) };
    if given.next().is_some() {
        return Err(invalid("`idempotency-key` is given twice".to_owned()));
    }
    match key.to_str() {
        Ok(key) if (1..=LONGEST_KEY).contains(&key.len()) => Ok(Some(key.to_owned())),
        _ => Err(invalid(format!("an idempotency key has 1 to {LONGEST_KEY} visible characters"))),
    }
}

#[cfg(test)]
#[path = "tests/request.rs"]
mod tests;
