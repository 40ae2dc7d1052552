//! Routes of homes, which are files beside the tables, and of what agents would be given.

use agent_worker_protocol::{
    agent::{Agent, AgentCreate},
    context::ContextShown,
    home::{HomeChanged, HomeShown, HomeVersions},
};
use axum::Json;

use crate::{
    engine::{
        home::{at, files},
        runs::preview,
    },
    error::OpError,
    surfaces::{
        answer::Refusal,
        http::caller::{Asked, Call},
    },
};

/// `POST /agents`: with its home, the agent is not in the tables alone.
pub async fn create(call: Call) -> Result<Json<Agent>, Refusal> {
    let Asked { app, credential, key, op } = call.read::<AgentCreate>().await?;
    at::check(&app, credential.clone(), &op).await?;
    let agent = app.call(credential, key, op).await?;
    at::make(&app, &agent.target).await.map_err(|error| match error {
        OpError::Refused(mut body) => {
            body.message = format!("`{}` was created, but {}", agent.target, body.message);
            OpError::Refused(body)
        }
        error => error,
    })?;
    Ok(Json(agent))
}

/// `GET /agents/{target}/home`
pub async fn show(call: Call) -> Result<Json<HomeShown>, Refusal> {
    let Asked { app, credential, op, .. } = call.read().await?;
    Ok(Json(files::show(&app, credential, op).await?))
}

/// `PUT /agents/{target}/home`
pub async fn edit(call: Call) -> Result<Json<HomeChanged>, Refusal> {
    let Asked { app, credential, key, op } = call.read().await?;
    Ok(Json(files::edit(&app, credential, key, op).await?))
}

/// `POST /agents/{target}/home/reset`
pub async fn reset(call: Call) -> Result<Json<HomeChanged>, Refusal> {
    let Asked { app, credential, key, op } = call.read().await?;
    Ok(Json(files::reset(&app, credential, key, op).await?))
}

/// `GET /agents/{target}/home/history`
pub async fn history(call: Call) -> Result<Json<HomeVersions>, Refusal> {
    let Asked { app, credential, op, .. } = call.read().await?;
    Ok(Json(files::history(&app, credential, op).await?))
}

/// `POST /agents/{target}/home/restore`
pub async fn restore(call: Call) -> Result<Json<HomeChanged>, Refusal> {
    let Asked { app, credential, key, op } = call.read().await?;
    Ok(Json(files::restore(&app, credential, key, op).await?))
}

/// `GET /agents/{target}/context`
pub async fn context(call: Call) -> Result<Json<ContextShown>, Refusal> {
    let Asked { app, credential, op, .. } = call.read().await?;
    Ok(Json(preview::show(&app, credential, op).await?))
}
