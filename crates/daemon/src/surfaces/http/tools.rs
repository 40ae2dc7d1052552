//! `POST /mcp`: what its service does not do itself. Bodies have the limits of all bodies, and
//! refusals that are not JSON-RPC have the form of all refusals.

use agent_worker_protocol::error::ErrorCode;
use axum::{
    body::{self, Body},
    extract::{Request, State},
    http::{StatusCode, header},
    middleware::Next,
    response::{IntoResponse, Response},
};

use crate::{
    engine::app::App,
    surfaces::{
        answer::{Refusal, refuse},
        http::request,
    },
};

/// The longest text of a refusal.
pub const REFUSAL_BYTES: usize = 16 * 1024;

/// Reads the body, has the request answered, and shapes what is refused.
pub async fn around(
    State(app): State<App>,
    request: Request,
    next: Next,
) -> Result<Response, Refusal> {
    let (parts, body) = request.into_parts();
    let most = app.store().settings().text_body_bytes();
    let bytes = request::read_body(&app, &parts.headers, body, most).await?;
    // The service itself refuses what does not say that it is JSON.
    if parts.headers.get(header::CONTENT_TYPE).is_some_and(request::is_json) {
        let message = request::unambiguous(&bytes).map_err(|error| request::no_json(&error))?;
        // Else the service would say that the type of the body is wrong.
        if !message.is_object() {
            let refusal = refuse(ErrorCode::Invalid, "the body is not a JSON-RPC message");
            let hint = "send each message of a batch in a request of its own";
            return Err(if message.is_array() { refusal.hint(hint) } else { refusal });
        }
    }
    let answer = next.run(Request::from_parts(parts, Body::from(bytes))).await;
    Ok(shaped(answer).await)
}

pub async fn shaped(answer: Response) -> Response {
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
