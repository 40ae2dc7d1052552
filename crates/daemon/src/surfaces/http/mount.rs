//! Mounts operations as routes.

use axum::{
    Extension, Json, Router,
    extract::{Request, State},
    response::{IntoResponse, Response},
    routing::{MethodRouter, on},
};

use crate::{
    context::run::{Run, Surface},
    engine::app::App,
    surfaces::{
        answer::Refusal,
        gate::Identity,
        http::{request, version},
    },
};

/// The router that operations are mounted on.
#[derive(Default)]
pub struct Mount {
    /// The routes so far
    pub router: Router<App>,
}

impl Surface for Mount {
    fn mount<O: Run>(self) -> Self {
        let Some(route) = O::ROUTE else { return self };
        let method: MethodRouter<App> = on(request::filter(route.method), handle::<O>);
        Self { router: self.router.route(route.path, method) }
    }
}

pub async fn handle<O: Run>(
    State(app): State<App>,
    Extension(identity): Extension<Identity>,
    request: Request,
) -> Result<Response, Refusal> {
    let gathered = request::gather::<O>(&app, request).await?;
    let credential = gathered.place.credential(identity);
    let answer = app.call(credential, gathered.key, gathered.op).await?;
    match O::ETAG {
        None => Ok(Json(answer).into_response()),
        Some(field) => version::answer(field, &answer),
    }
}
