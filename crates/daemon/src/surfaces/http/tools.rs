//! `POST /mcp`: what its service does not do itself. Bodies have the limits of all bodies, and
//! refusals that are not JSON-RPC have the form of all refusals.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex},
};

use agent_worker_protocol::ErrorCode;
use axum::{
    Json,
    body::{self, Body},
    extract::{Request, State},
    http::{StatusCode, header, request::Parts},
    middleware::Next,
    response::{IntoResponse, Response},
};
use rmcp::model::{CancelledNotificationMethod, ConstString as _};
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use crate::{
    engine::app::App,
    lock::lock,
    surfaces::{
        answer::{Refusal, refuse},
        gate::Identity,
        http::request,
        mcp::server::WAITING,
    },
};

/// The longest text of a refusal.
const REFUSAL_BYTES: usize = 16 * 1024;

/// The calls that wait, by whose they are: the token's holder, the query, which may name a member,
/// and the id of the request.
#[derive(Debug, Clone, Default)]
pub struct Calls(Arc<Mutex<HashMap<Whose, CancellationToken>>>);

type Whose = (Option<Identity>, String, String);

/// A call that waits, until it is dropped.
struct Waiting {
    calls: Calls,
    whose: Whose,
    cancelled: CancellationToken,
}

impl Calls {
    /// Notes a call that may wait. A cancellation ends the call that it names.
    fn heed(&self, parts: &Parts, message: &Value) -> Option<Waiting> {
        let params = &message["params"];
        let whose = |id: &Value| {
            let query = parts.uri.query().unwrap_or_default().to_owned();
            (parts.extensions.get::<Identity>().copied(), query, id.to_string())
        };
        if message["method"] == CancelledNotificationMethod::VALUE {
            if let Some(call) = lock(&self.0).get(&whose(&params["requestId"])) {
                call.cancel();
            }
            return None;
        }
        params["name"].as_str().filter(|name| WAITING.contains(name))?;
        let (whose, cancelled) = (whose(&message["id"]), CancellationToken::new());
        lock(&self.0).insert(whose.clone(), cancelled.clone());
        Some(Waiting { calls: self.clone(), whose, cancelled })
    }
}

impl Drop for Waiting {
    fn drop(&mut self) {
        lock(&self.calls.0).remove(&self.whose);
    }
}

/// Reads the body, has the request answered, and shapes what is refused. A call that waits and is
/// cancelled ends as if its client were gone: clients of HTTP keep its connection open, and have no
/// use for its answer.
pub async fn around(
    State((app, calls)): State<(App, Calls)>,
    request: Request,
    next: Next,
) -> Result<Response, Refusal> {
    let (parts, body) = request.into_parts();
    let most = app.store().settings().text_body_bytes();
    let bytes = request::read_body(&app, &parts.headers, body, most).await?;
    let mut waiting = None;
    // The service itself refuses what does not say that it is JSON.
    let is_json = parts.headers.get(header::CONTENT_TYPE).is_some_and(request::is_json);
    if is_json {
        let message = request::unambiguous(&bytes).map_err(|error| request::no_json(&error))?;
        // Else the service would say that the type of the body is wrong.
        if !message.is_object() {
            let hint = "send each message of a batch in a request of its own";
            return Err(no_message(if message.is_array() { hint } else { MESSAGE }));
        }
        waiting = calls.heed(&parts, &message).map(|call| (call, message["id"].clone()));
    }
    let answer = next.run(Request::from_parts(parts, Body::from(bytes)));
    let Some((call, id)) = waiting else {
        let answer = answer.await;
        if is_json && answer.status() == StatusCode::UNSUPPORTED_MEDIA_TYPE {
            return Err(no_message(MESSAGE));
        }
        return Ok(shaped(answer).await);
    };
    tokio::select! {
        answer = answer => Ok(shaped(answer).await),
        () = call.cancelled.cancelled() => {
            let error = json!({ "code": -32603, "message": "the client cancelled the call" });
            Ok(Json(json!({ "jsonrpc": "2.0", "id": id, "error": error })).into_response())
        }
    }
}

/// What a message must have.
const MESSAGE: &str = "it needs `\"jsonrpc\": \"2.0\"` and a `method`; an `id` is a text or an \
                       integer of 64 bits, and `params` an object";

fn no_message(hint: &str) -> Refusal {
    refuse(ErrorCode::Invalid, "the body is not a JSON-RPC message").hint(hint)
}

async fn shaped(answer: Response) -> Response {
    let status = answer.status();
    if !status.is_client_error() || answer.headers().contains_key(header::CONTENT_TYPE) {
        return answer;
    }
    let text = body::to_bytes(answer.into_body(), REFUSAL_BYTES).await.unwrap_or_default();
    let text = String::from_utf8_lossy(&text);
    let code = match status {
        StatusCode::METHOD_NOT_ALLOWED => ErrorCode::MethodNotAllowed,
        StatusCode::NOT_FOUND => ErrorCode::NotFound,
        _ => ErrorCode::Invalid,
    };
    let mut response = refuse(code, text).into_response();
    *response.status_mut() = status;
    response
}
