//! Refusals by caller.

use agent_worker_protocol::{error::ErrorCode, name::Name};
use axum::{
    extract::Request,
    middleware::Next,
    response::{IntoResponse, Response},
};

use crate::{
    context::cx::Cx,
    engine::app::App,
    surfaces::{
        answer::{Refusal, refuse},
        gate::Identity,
        http::request::Place,
    },
};

/// Refuses runs; an ended run is told that it has ended.
pub async fn operator_only(
    app: &App,
    identity: Identity,
    what: &'static str,
) -> Result<(), Refusal> {
    if identity == Identity::Operator {
        return Ok(());
    }
    let refuse = move |cx: &mut Cx<'_>| cx.operator_only(what);
    Ok(app.store().read(Place::default().credential(identity), refuse).await?)
}

/// Refuses requests in a member's name where only the person sees or does anything.
pub async fn in_own_name(request: Request, next: Next) -> Response {
    let query = request.uri().query().unwrap_or_default();
    let named = form_urlencoded::parse(query.as_bytes()).find(|(name, _)| name == "as");
    match named {
        Some((_, member)) if member != Name::PERSON => {
            let path = request.uri().path();
            let text = format!("`{path}`: only the user can do this, and you act as {member}");
            let hint = "leave `--as` (`?as=`) out to act as yourself";
            refuse(ErrorCode::Denied, text).hint(hint).into_response()
        }
        _ => next.run(request).await,
    }
}

/// Refuses runs that are over.
pub async fn live_only(app: &App, identity: Identity) -> Result<(), Refusal> {
    let look = |_: &mut Cx<'_>| Ok(());
    Ok(app.store().read(Place::default().credential(identity), look).await?)
}
