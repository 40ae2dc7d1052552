//! Routes of homes, which are files beside the tables, and of what agents would be given.

use agent_worker_protocol::{
    Agent, AgentCreate, ContextShown, HomeChanged, HomeShown, HomeVersions, Target,
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
    at::make(&app, &agent.target).await.map_err(|error| without_home(&agent.target, error))?;
    Ok(Json(agent))
}

/// What is said of an agent that was created when its home could not be.
fn without_home(agent: &Target, error: OpError) -> OpError {
    match error {
        OpError::Refused(mut body) => {
            body.message = format!("`{agent}` was created, but {}", body.message);
            OpError::Refused(body)
        }
        error => error,
    }
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

#[cfg(test)]
mod tests {
    use agent_worker_protocol::ErrorCode;

    use super::*;

    #[test]
    fn an_agent_without_a_home_is_told_as_created() {
        let text = "the home of `bob` was not created: disk full";
        let refused = OpError::refused(ErrorCode::StorageFull, text).hint("free disk space");
        let body = without_home(&"bob".parse().unwrap(), refused).into_body();
        assert_eq!(body.code, ErrorCode::StorageFull);
        assert_eq!(body.message, format!("`bob` was created, but {text}"));
        assert_eq!(body.hint.as_deref(), Some("free disk space"));
    }
}
