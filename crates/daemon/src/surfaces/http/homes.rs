//! Routes of homes, which are files beside the tables, and of what agents would be given.

use agent_worker_protocol::{
    agent::{Agent, AgentCreate},
    context::{ContextShow, ContextShown},
    home::{
        HomeChanged, HomeEdit, HomeHistory, HomeReset, HomeRestore, HomeShow, HomeShown,
        HomeVersions,
    },
};
use axum::{
    Extension, Json,
    extract::{Request, State},
};

use crate::{
    engine::{
        app::App,
        home::{at, files},
        runs::preview,
    },
    error::OpError,
    surfaces::{answer::Refusal, gate::Identity, http::request},
};

/// `POST /agents`: with its home, the agent is not in the tables alone.
pub async fn create(
    State(app): State<App>,
    Extension(identity): Extension<Identity>,
    request: Request,
) -> Result<Json<Agent>, Refusal> {
    let gathered = request::gather::<AgentCreate>(&app, request).await?;
    let credential = gathered.place.credential(identity);
    at::check(&app, credential.clone(), &gathered.op).await?;
    let agent = app.call(credential, gathered.key, gathered.op).await?;
    at::make(&app, &agent.target).await.map_err(|error| match error {
        OpError::Refused(mut body) => {
            body.message = format!("`{}` was created, but {}", agent.target, body.message);
            OpError::Refused(body)
        }
        error => error,
    })?;
    Ok(Json(agent))
}

macro_rules! route {
    ($(#[$about:meta])* $name:ident: $op:ty => $answer:ty, $call:path $(, $key:ident)?) => {
        $(#[$about])*
        pub async fn $name(
            State(app): State<App>,
            Extension(identity): Extension<Identity>,
            request: Request,
        ) -> Result<Json<$answer>, Refusal> {
            let gathered = request::gather::<$op>(&app, request).await?;
            let credential = gathered.place.credential(identity);
            Ok(Json($call(&app, credential, $(gathered.$key,)? gathered.op).await?))
        }
    };
}

route! {
    /// `GET /agents/{target}/home`
    show: HomeShow => HomeShown, files::show
}
route! {
    /// `PUT /agents/{target}/home`
    edit: HomeEdit => HomeChanged, files::edit, key
}
route! {
    /// `POST /agents/{target}/home/reset`
    reset: HomeReset => HomeChanged, files::reset, key
}
route! {
    /// `GET /agents/{target}/home/history`
    history: HomeHistory => HomeVersions, files::history
}
route! {
    /// `POST /agents/{target}/home/restore`
    restore: HomeRestore => HomeChanged, files::restore, key
}
route! {
    /// `GET /agents/{target}/context`
    context: ContextShow => ContextShown, preview::show
}
