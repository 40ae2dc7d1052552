//! Answers: JSON, refusals in their one shape, and events of a stream.

use std::convert::Infallible;

use agent_worker_protocol::{ErrorAnswer, ErrorBody, ErrorCode};
use axum::{
    Json,
    extract::Request,
    http::{HeaderValue, StatusCode, header},
    response::{IntoResponse, Response, Sse, sse},
};
use futures::stream;
use serde::Serialize;
use tokio::sync::mpsc;

use crate::{error::OpError, surfaces::http::hints};

/// A refusal on its way out.
#[derive(Debug)]
pub struct Refusal(pub ErrorBody);

impl Refusal {
    /// Adds what the caller can do.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.0.hint = Some(hint.into());
        self
    }
}

impl From<OpError> for Refusal {
    fn from(error: OpError) -> Self {
        Self(error.into_body())
    }
}

impl IntoResponse for Refusal {
    fn into_response(self) -> Response {
        let status =
            StatusCode::from_u16(self.0.code.status()).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        let is_unauthorized = self.0.code == ErrorCode::Unauthorized;
        let mut response = (status, Json(ErrorAnswer { error: self.0 })).into_response();
        if is_unauthorized {
            let bearer = HeaderValue::from_static("Bearer");
            response.headers_mut().insert(header::WWW_AUTHENTICATE, bearer);
        }
        response
    }
}

/// A refusal of this kind.
pub fn refuse(code: ErrorCode, message: impl Into<String>) -> Refusal {
    OpError::refused(code, message).into()
}

/// Answers unknown routes.
pub async fn no_route(request: Request) -> Refusal {
    let path = request.uri().path();
    refuse(ErrorCode::NotFound, format!("unknown route `{path}`")).hint(hints::route(path))
}

/// The route has other methods.
pub async fn no_method(request: Request) -> Refusal {
    let (method, path) = (request.method(), request.uri().path());
    let mut refusal = refuse(ErrorCode::MethodNotAllowed, format!("`{path}` takes no {method}"));
    refusal.0.hint = hints::methods_of(path).map(|methods| format!("did you mean {methods}?"));
    refusal
}

/// An event of a stream: its name, and its data as JSON.
pub fn event(name: &str, data: &impl Serialize) -> sse::Event {
    let event = sse::Event::default().event(name);
    match serde_json::to_string(data) {
        Ok(json) => event.data(json),
        Err(error) => event.comment(format!("an event could not be written: {error}")),
    }
}

/// A stream of these events, which ends when their sender is gone.
pub fn streamed<T: Serialize + Send + 'static>(events: mpsc::Receiver<T>) -> Response {
    let events = stream::unfold(events, |mut events| async move {
        let event = tagged(&events.recv().await?);
        Some((Ok::<_, Infallible>(event), events))
    });
    Sse::new(events).into_response()
}

/// An event of a tagged enum: `event` is its name, `data` its data.
fn tagged(value: &impl Serialize) -> sse::Event {
    #[derive(serde::Deserialize)]
    struct Tagged {
        event: String,
        #[serde(default)]
        data: serde_json::Value,
    }

    let parts = serde_json::to_value(value).and_then(serde_json::from_value::<Tagged>);
    match parts {
        Ok(parts) => event(&parts.event, &parts.data),
        Err(error) => {
            sse::Event::default().comment(format!("an event could not be written: {error}"))
        }
    }
}
