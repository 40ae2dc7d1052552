//! Routes that are more than one transaction.

use agent_worker_protocol::{
    backend::{BackendList, BackendsListed},
    backup::{Backup, BackupMade},
    daemon::{API_VERSION, Health, Shutdown, ShuttingDown},
    doctor::{Doctor, Examination},
    event::Snapshot,
    member_token::{MemberToken, MemberTokenCreate},
    op::Op,
    provider::{KnownProvider, ProviderList, ProvidersListed, UsableProvider},
    question::{Permission, PermissionRequest},
    workflow::{Check, Checked, Started, WorkflowStart},
};
use axum::{
    Extension, Json,
    extract::{Request, State},
};
use serde_json::Value;

use crate::{
    context::{credential::Credential, cx::Cx, repeat, run},
    engine::{self, app::App, asking, doctor::report},
    entities,
    ops::agent::token,
    surfaces::{
        answer::Refusal,
        gate::Identity,
        http::{
            caller::{self, live_only},
            openapi::DOCUMENT,
            request,
        },
    },
    token::{new_token, token_hash},
};

/// The document (`OpenAPI` 3.1).
pub async fn document(
    State(app): State<App>,
    Extension(identity): Extension<Identity>,
) -> Result<Json<Value>, Refusal> {
    live_only(&app, identity).await?;
    Ok(Json(DOCUMENT.clone()))
}

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

/// `GET /snapshot`
pub async fn snapshot(
    State(app): State<App>,
    Extension(identity): Extension<Identity>,
) -> Result<Json<Snapshot>, Refusal> {
    caller::operator_only(&app, identity, "the snapshot").await?;
    let take = |cx: &mut Cx<'_>| entities::snapshot::take(cx);
    Ok(Json(app.store().read(Credential::Daemon, take).await?))
}

/// `POST /workflows`
pub async fn start(
    State(app): State<App>,
    Extension(identity): Extension<Identity>,
    request: Request,
) -> Result<Json<Started>, Refusal> {
    caller::operator_only(&app, identity, "starting a workflow").await?;
    let gathered = request::gather::<WorkflowStart>(&app, request).await?;
    let credential = gathered.place.credential(identity);
    Ok(Json(app.start_workflow(credential, gathered.key, gathered.op).await?))
}

/// `POST /check`
pub async fn check(
    State(app): State<App>,
    Extension(identity): Extension<Identity>,
    request: Request,
) -> Result<Json<Checked>, Refusal> {
    // It tells which keys and programs there are.
    caller::operator_only(&app, identity, "checking a workflow file").await?;
    let gathered = request::gather::<Check>(&app, request).await?;
    Ok(Json(app.check(gathered.op).await?))
}

/// `POST /backup`
pub async fn backup(
    State(app): State<App>,
    Extension(identity): Extension<Identity>,
    request: Request,
) -> Result<Json<BackupMade>, Refusal> {
    caller::operator_only(&app, identity, "a backup").await?;
    request::gather::<Backup>(&app, request).await?;
    Ok(Json(engine::backup::make(&app).await?))
}

/// `GET /doctor`
pub async fn doctor(
    State(app): State<App>,
    Extension(identity): Extension<Identity>,
    request: Request,
) -> Result<Json<Examination>, Refusal> {
    caller::operator_only(&app, identity, "the examination").await?;
    request::gather::<Doctor>(&app, request).await?;
    Ok(Json(report::examine(&app).await?))
}

/// `GET /providers`
pub async fn providers(
    State(app): State<App>,
    Extension(identity): Extension<Identity>,
    request: Request,
) -> Result<Json<ProvidersListed>, Refusal> {
    // It tells which keys there are.
    caller::operator_only(&app, identity, "the list of providers").await?;
    request::gather::<ProviderList>(&app, request).await?;
    let known = app.store().settings().providers.clone();
    let names = known.all().filter_map(|known| Some(known.key.as_ref()?.to_string()));
    let looked = app.keys().look_up(&names.collect::<Vec<_>>());
    let missing = looked.map_err(|error| app.keys().unread(&error))?.missing;
    let usable = |provider: &KnownProvider| UsableProvider {
        has_key: provider.key.as_ref().map(|key| !missing.contains(&key.to_string())),
        provider: provider.clone(),
    };
    let prices_as_of = known.prices_as_of().to_owned();
    Ok(Json(ProvidersListed { providers: known.all().map(usable).collect(), prices_as_of }))
}

/// `GET /backends`
pub async fn backends(
    State(app): State<App>,
    Extension(identity): Extension<Identity>,
    request: Request,
) -> Result<Json<BackendsListed>, Refusal> {
    // It tells which programs and keys there are, and runs the programs.
    caller::operator_only(&app, identity, "the list of backends").await?;
    let gathered = request::gather::<BackendList>(&app, request).await?;
    Ok(Json(engine::backends::list(&app, gathered.op).await?))
}

/// `POST /agents/{target}/token`
pub async fn member_token(
    State(app): State<App>,
    Extension(identity): Extension<Identity>,
    request: Request,
) -> Result<Json<MemberToken>, Refusal> {
    let gathered = request::gather::<MemberTokenCreate>(&app, request).await?;
    let credential = gathered.place.credential(identity);
    let token = new_token();
    let asked = repeat::request_hash(MemberTokenCreate::NAME, &gathered.op)?;
    let (target, hash, key) = (gathered.op.target, token_hash(&token), gathered.key);
    let set = move |cx: &mut Cx<'_>| {
        token::set(cx, &target, &hash, key.as_deref().map(|key| (key, &asked)))
    };
    let agent = app.store().write(credential, set).await?;
    Ok(Json(MemberToken { agent, token }))
}

/// `POST /permissions`: answered when the user has answered, or on timeout.
pub async fn permission(
    State(app): State<App>,
    Extension(identity): Extension<Identity>,
    request: Request,
) -> Result<Json<Permission>, Refusal> {
    let gathered = request::gather::<PermissionRequest>(&app, request).await?;
    let credential = gathered.place.credential(identity);
    Ok(Json(asking::request(&app, credential, gathered.key, gathered.op).await?))
}

/// `POST /shutdown`
pub async fn shutdown(
    State(app): State<App>,
    Extension(identity): Extension<Identity>,
    request: Request,
) -> Result<Json<ShuttingDown>, Refusal> {
    caller::operator_only(&app, identity, "ending the daemon").await?;
    let (parts, body) = request.into_parts();
    let most = app.store().settings().http.body_bytes;
    let bytes = request::read_body(&app, &parts.headers, body, most).await?;
    run::read::<Shutdown>(request::object(&bytes)?)?;
    app.stopping().cancel();
    Ok(Json(ShuttingDown { pid: std::process::id() }))
}
