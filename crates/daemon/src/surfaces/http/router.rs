//! What people's programs see: every operation as a route, the streams, and the gate before them.

use std::sync::Arc;

use axum::{
    Extension, Router,
    middleware::from_fn_with_state,
    routing::{get, post, post_service},
};

use crate::{
    engine::app::App,
    surfaces::{
        answer,
        gate::{self, Gate},
        http::{
            ask, feed, follow, homes, mount, special,
            streams::{self, Streams},
            tools::{self, Calls},
            web,
        },
        mcp::server,
        page,
    },
};

/// All routes, behind their gate.
pub fn router(app: &App, gate: Gate) -> Router {
    let operations = mount::routes();
    let places = Streams::of(app.store().settings().http.streams);
    let streams = Router::new()
        .route("/events", get(feed::events))
        .route("/runs/{id}/output", get(follow::output))
        .route("/run", post(ask::run))
        .route("/serve", post(ask::serve))
        .route("/chat", post(ask::chat))
        .route("/api/chat", post(ask::chat))
        .route("/permissions", post(special::permission))
        .route_layer(from_fn_with_state(places.clone(), streams::bound));
    let special = Router::new()
        .route("/openapi.json", get(special::document))
        .route("/health", get(special::health))
        .route("/snapshot", get(special::snapshot))
        .route("/workflows", post(special::start))
        .route("/check", post(special::check))
        .route("/backup", post(special::backup))
        .route("/doctor", get(special::doctor))
        .route("/providers", get(special::providers))
        .route("/backends", get(special::backends))
        .route("/shutdown", post(special::shutdown))
        .route("/agents/{target}/token", post(special::member_token))
        .route("/web/links", post(web::link))
        .route("/agents", post(homes::create))
        .route("/agents/{target}/context", get(homes::context))
        .route("/agents/{target}/home", get(homes::show).put(homes::edit))
        .route("/agents/{target}/home/reset", post(homes::reset))
        .route("/agents/{target}/home/history", get(homes::history))
        .route("/agents/{target}/home/restore", post(homes::restore));
    let tools = Router::new()
        .route("/mcp", post_service(server::service(app, places.of_runs())))
        .route_layer(from_fn_with_state((app.clone(), Calls::default()), tools::around));
    let page = page::paths()
        .fold(Router::new(), |page, path| page.route(path, get(page::file)))
        .route(page::ENTER, post(web::enter));
    operations
        .merge(streams)
        .merge(special)
        .merge(tools)
        .merge(page)
        .fallback(answer::no_route)
        .method_not_allowed_fallback(answer::no_method)
        .layer(Extension(Arc::<web::Links>::default()))
        .layer(from_fn_with_state((app.clone(), Arc::new(gate)), gate::guard))
        .with_state(app.clone())
}
