//! Routes of homes: files on the disk, beside the tables.

use agent_worker_protocol::{
    agent::{Agent, AgentCreate},
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
    ($(#[$about:meta])* $name:ident: $op:ty => $answer:ty) => {
        $(#[$about])*
        pub async fn $name(
            State(app): State<App>,
            Extension(identity): Extension<Identity>,
            request: Request,
        ) -> Result<Json<$answer>, Refusal> {
            let gathered = request::gather::<$op>(&app, request).await?;
            let credential = gathered.place.credential(identity);
            Ok(Json(files::$name(&app, credential, gathered.op).await?))
        }
    };
}

route! {
    /// `GET /agents/{target}/home`
    show: HomeShow => HomeShown
}
route! {
    /// `PUT /agents/{target}/home`
    edit: HomeEdit => HomeChanged
}
route! {
    /// `POST /agents/{target}/home/reset`
    reset: HomeReset => HomeChanged
}
route! {
    /// `GET /agents/{target}/home/history`
    history: HomeHistory => HomeVersions
}
route! {
    /// `POST /agents/{target}/home/restore`
    restore: HomeRestore => HomeChanged
}
