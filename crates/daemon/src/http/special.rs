//! Routes that are more than one transaction.

use agent_worker_protocol::{
    backup::{Backup, BackupMade},
    daemon::{API_VERSION, Health, Shutdown, ShuttingDown},
    doctor::{Doctor, Examination},
    event::Snapshot,
    workflow::{Check, Checked, Started, WorkflowStart},
};
use axum::{
    Extension, Json,
    extract::{Request, State},
};

use super::{answer::Refusal, gate::Identity, mount};
use crate::{
    app::App,
    backup, doctor,
    ops::{Credential, Cx, OpError, snapshot as snapshots},
};

/// `GET /health`: the only route without a token.
pub async fn health(State(app): State<App>) -> Json<Health> {
    let status = if app.stopping().is_cancelled() { "stopping" } else { "ok" };
    Json(Health {
        status: status.to_owned(),
        pid: std::process::id(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        api: API_VERSION.to_owned(),
        uptime: app.uptime(),
    })
}

/// Refuses runs.
pub fn operator_only(identity: Identity, what: &str) -> Result<(), Refusal> {
    match identity {
        Identity::Operator => Ok(()),
        Identity::Run(_) => Err(OpError::denied(format!("{what} is for the person")).into()),
    }
}

/// `GET /snapshot`
pub async fn snapshot(
    State(app): State<App>,
    Extension(identity): Extension<Identity>,
) -> Result<Json<Snapshot>, Refusal> {
    operator_only(identity, "the snapshot")?;
    let take = |cx: &mut Cx<'_>| snapshots::take(cx);
    Ok(Json(app.store().read(Credential::Daemon, take).await?))
}

/// `POST /workflows`
pub async fn start(
    State(app): State<App>,
    Extension(identity): Extension<Identity>,
    request: Request,
) -> Result<Json<Started>, Refusal> {
    operator_only(identity, "starting a workflow")?;
    let gathered = mount::gather::<WorkflowStart>(&app, request).await?;
    let credential = gathered.place.credential(identity);
    Ok(Json(app.start_workflow(credential, gathered.key, gathered.op).await?))
}

/// `POST /check`
pub async fn check(State(app): State<App>, request: Request) -> Result<Json<Checked>, Refusal> {
    let gathered = mount::gather::<Check>(&app, request).await?;
    Ok(Json(app.check(&gathered.op)))
}

/// `POST /backup`
pub async fn backup(
    State(app): State<App>,
    Extension(identity): Extension<Identity>,
    request: Request,
) -> Result<Json<BackupMade>, Refusal> {
    operator_only(identity, "a backup")?;
    mount::gather::<Backup>(&app, request).await?;
    Ok(Json(backup::make(&app).await?))
}

/// `GET /doctor`
pub async fn doctor(
    State(app): State<App>,
    Extension(identity): Extension<Identity>,
    request: Request,
) -> Result<Json<Examination>, Refusal> {
    operator_only(identity, "the examination")?;
    mount::gather::<Doctor>(&app, request).await?;
    Ok(Json(doctor::examine(&app).await?))
}

/// `POST /shutdown`
pub async fn shutdown(
    State(app): State<App>,
    Extension(identity): Extension<Identity>,
    request: Request,
) -> Result<Json<ShuttingDown>, Refusal> {
    operator_only(identity, "ending the daemon")?;
    let (parts, body) = request.into_parts();
    let bytes = mount::read_body(&app, &parts.headers, body).await?;
    if !bytes.is_empty() {
        let body = serde_json::from_slice(&bytes)
            .map_err(|error| OpError::invalid(format!("the body is no JSON: {error}")))?;
        mount::decode::<Shutdown>(body)?;
    }
    app.stopping().cancel();
    Ok(Json(ShuttingDown { pid: std::process::id() }))
}
