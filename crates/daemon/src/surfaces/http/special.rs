//! Routes that are more than one transaction.

use agent_worker_protocol::{
    BackendsListed, Backup, BackupMade, Checked, Doctor, Examination, Health, KnownProvider,
    MemberToken, MemberTokenCreate, Op, Permission, ProviderList, ProvidersListed, Shutdown,
    ShuttingDown, Snapshot, Started, UsableProvider, daemon::API_VERSION,
};
use axum::{Json, extract::State};
use serde_json::Value;

use crate::{
    context::{Credential, Cx, repeat, run},
    engine::{self, app::App, asking, doctor::report},
    entities,
    ops::agent::token,
    surfaces::{
        answer::Refusal,
        http::{
            caller::{Asked, Call, live_only, operator_only},
            openapi::DOCUMENT,
            request::{self, Place},
        },
    },
    token::{new_token, token_hash},
};

/// The document (`OpenAPI` 3.1).
pub async fn document(call: Call) -> Result<Json<Value>, Refusal> {
    let Call { app, identity, request } = call;
    live_only(&app, identity).await?;
    Place::of(request.uri())?;
    Ok(Json(DOCUMENT.clone()))
}

/// `GET /health`: the only route without a token. Its query is ignored: monitors add their own.
pub async fn health(State(app): State<App>) -> Json<Health> {
    let status = if app.stopping().is_cancelled() { "stopping" } else { "ok" };
    Json(Health {
        status: status.to_owned(),
        pid: std::process::id(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        api: API_VERSION.to_owned(),
        uptime: app.store().uptime().millis(),
        disk_full: app.store().is_disk_full(),
    })
}

/// `GET /snapshot`
pub async fn snapshot(call: Call) -> Result<Json<Snapshot>, Refusal> {
    let Call { app, identity, request } = call;
    operator_only(&app, identity, request.uri(), "the snapshot").await?;
    Place::of(request.uri())?;
    let take = |cx: &mut Cx<'_>| entities::snapshot::take(cx);
    Ok(Json(app.store().read(Credential::Daemon, take).await?))
}

/// `POST /workflows`
pub async fn start(call: Call) -> Result<Json<Started>, Refusal> {
    let Asked { app, credential, key, op } = call.of_operator("starting a workflow").await?;
    Ok(Json(app.start_workflow(credential, key, op).await?))
}

/// `POST /check`
pub async fn check(call: Call) -> Result<Json<Checked>, Refusal> {
    // It tells which keys and programs there are.
    let Asked { app, op, .. } = call.of_operator("checking a workflow file").await?;
    Ok(Json(app.check(op).await?))
}

/// `POST /backup`
pub async fn backup(call: Call) -> Result<Json<BackupMade>, Refusal> {
    let app = call.of_operator::<Backup>("a backup").await?.app;
    Ok(Json(engine::backup::make(&app).await?))
}

/// `GET /doctor`
pub async fn doctor(call: Call) -> Result<Json<Examination>, Refusal> {
    let app = call.of_operator::<Doctor>("the examination").await?.app;
    Ok(Json(report::examine(&app).await?))
}

/// `GET /providers`
pub async fn providers(call: Call) -> Result<Json<ProvidersListed>, Refusal> {
    // It tells which keys there are.
    let app = call.of_operator::<ProviderList>("the list of providers").await?.app;
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
pub async fn backends(call: Call) -> Result<Json<BackendsListed>, Refusal> {
    // It tells which programs and keys there are, and runs the programs.
    let Asked { app, op, .. } = call.of_operator("the list of backends").await?;
    Ok(Json(engine::backends::list(&app, op).await?))
}

/// `POST /agents/{target}/token`
pub async fn member_token(call: Call) -> Result<Json<MemberToken>, Refusal> {
    let Asked { app, credential, key, op } = call.read::<MemberTokenCreate>().await?;
    let token = new_token();
    let asked = repeat::request_hash(MemberTokenCreate::NAME, &op)?;
    let (target, hash) = (op.target, token_hash(&token));
    let set = move |cx: &mut Cx<'_>| {
        token::set(cx, &target, &hash, key.as_deref().map(|key| (key, &asked)))
    };
    let agent = app.store().write(credential, set).await?;
    Ok(Json(MemberToken { agent, token }))
}

/// `POST /permissions`: answered when the user has answered, or on timeout.
pub async fn permission(call: Call) -> Result<Json<Permission>, Refusal> {
    let Asked { app, credential, key, op } = call.read().await?;
    Ok(Json(asking::request(&app, credential, key, op).await?))
}

/// `POST /shutdown`
pub async fn shutdown(call: Call) -> Result<Json<ShuttingDown>, Refusal> {
    let Call { app, identity, request } = call;
    operator_only(&app, identity, request.uri(), "ending the daemon").await?;
    let (parts, body) = request.into_parts();
    if Place::of(&parts.uri)? != Place::default() {
        return Err(request::invalid("the daemon is ended without `target` and `as`".to_owned()));
    }
    let most = app.store().settings().http.body_bytes;
    let bytes = request::read_body(&app, &parts.headers, body, most).await?;
    run::read::<Shutdown>(request::object(&bytes)?)?;
    app.stopping().cancel();
    Ok(Json(ShuttingDown { pid: std::process::id() }))
}
