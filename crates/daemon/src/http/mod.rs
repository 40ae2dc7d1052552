//! What people's programs see: every operation as a route, the streams, and the gate before them.

mod answer;
mod ask;
mod feed;
mod follow;
mod gate;
mod mount;
mod openapi;
mod serve;
mod special;

use axum::{
    Router,
    middleware::from_fn_with_state,
    routing::{get, post},
};

use crate::{app::App, mcp, ops};

pub use gate::{Gate, Identity};
pub use serve::serve;

/// All routes, behind their gate.
pub fn router(app: &App, gate: Gate) -> Router {
    let operations = ops::routes(mount::Mount::default()).router;
    let streams = Router::new()
        .route("/events", get(feed::events))
        .route("/snapshot", get(special::snapshot))
        .route("/runs/{id}/output", get(follow::output))
        .route("/run", post(ask::run))
        .route("/serve", post(ask::serve))
        .route("/workflows", post(special::start))
        .route("/check", post(special::check))
        .route("/backup", post(special::backup))
        .route("/doctor", get(special::doctor))
        .route("/shutdown", post(special::shutdown))
        .route("/openapi.json", get(openapi::document))
        .route("/health", get(special::health));
    operations
        .merge(streams)
        .nest_service("/mcp", mcp::service(app))
        .fallback(answer::no_route)
        .method_not_allowed_fallback(answer::no_method)
        .layer(from_fn_with_state((app.clone(), std::sync::Arc::new(gate)), gate::guard))
        .with_state(app.clone())
}
