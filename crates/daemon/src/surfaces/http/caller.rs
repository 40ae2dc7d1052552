//! Who calls a route of no operation, and refusals by caller.

use agent_worker_protocol::Op;
use axum::{
    extract::{FromRequest, Request},
    http::Uri,
};

use crate::{
    context::{Credential, Cx},
    engine::app::App,
    error::OpError,
    surfaces::{
        answer::Refusal,
        gate::Identity,
        http::request::{self, Gathered, Place},
    },
};

/// A request to a route that is more than one transaction.
pub struct Call {
    pub app: App,
    /// Who it is from
    pub identity: Identity,
    pub request: Request,
}

/// What a request asks for, in whose name, and the key under which a repeat of it is known.
pub struct Asked<O> {
    pub app: App,
    pub credential: Credential,
    pub key: Option<String>,
    pub op: O,
}

impl FromRequest<App> for Call {
    type Rejection = Refusal;

    async fn from_request(request: Request, app: &App) -> Result<Self, Refusal> {
        let missing = || OpError::Broken("a request came past the gate".to_owned());
        let identity = request.extensions().get::<Identity>().copied().ok_or_else(missing)?;
        Ok(Self { app: app.clone(), identity, request })
    }
}

impl Call {
    /// Puts the request together.
    pub async fn read<O: Op>(self) -> Result<Asked<O>, Refusal> {
        let Self { app, identity, request } = self;
        let Gathered { op, place, key, .. } = request::gather::<O>(&app, request).await?;
        Ok(Asked { app, credential: place.credential(identity), key, op })
    }

    /// Puts the request together, and refuses runs and members before that.
    pub async fn of_operator<O: Op>(self, what: &'static str) -> Result<Asked<O>, Refusal> {
        operator_only(&self.app, self.identity, self.request.uri(), what).await?;
        self.read().await
    }
}

/// Refuses runs, and requests in a member's name; an ended run is told that it has ended.
pub async fn operator_only(
    app: &App,
    identity: Identity,
    uri: &Uri,
    what: &'static str,
) -> Result<(), Refusal> {
    let caller = Place { member: Place::member_of(uri)?, ..Place::default() };
    if identity == Identity::Operator && caller.member.is_none() {
        return Ok(());
    }
    let refuse = move |cx: &mut Cx<'_>| cx.operator_only(what);
    Ok(app.store().read(caller.credential(identity), refuse).await?)
}

/// Refuses runs that are over.
pub async fn live_only(app: &App, identity: Identity) -> Result<(), Refusal> {
    let look = |_: &mut Cx<'_>| Ok(());
    Ok(app.store().read(Place::default().credential(identity), look).await?)
}
