//! Mounts operations as routes.

use axum::{
    Extension, Json, Router,
    extract::{Request, State},
    response::{IntoResponse, Response},
    routing::on,
};

use crate::{
    context::Operation,
    engine::app::App,
    ops::list,
    surfaces::{
        answer::Refusal,
        gate::Identity,
        http::{request, version},
    },
};

/// The routes of all operations.
pub fn routes() -> Router<App> {
    let routes = list::ALL.iter().filter_map(|op| Some((op, op.signature.route?)));
    routes.fold(Router::new(), |router, (op, route)| {
        let handle = move |State(app), Extension(identity), request| async move {
            handle(op, &app, identity, request).await
        };
        router.route(route.path, on(request::filter(route.method), handle))
    })
}

async fn handle(
    op: &Operation,
    app: &App,
    identity: Identity,
    request: Request,
) -> Result<Response, Refusal> {
    let gathered = request::fields(app, request, &op.signature).await?.read(op.read)?;
    let credential = gathered.place.credential(identity);
    let answer = app.answer(op, credential, gathered.key, gathered.op).await?;
    match op.signature.etag {
        None => Ok(Json(answer).into_response()),
        Some(field) => version::answer(field, &answer),
    }
}
