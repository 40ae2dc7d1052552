//! The way into the web chat: a one-time link, for whose code a browser gets a token.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError},
    time::{Duration, Instant},
};

use agent_worker_protocol::{
    error::ErrorCode,
    web::{WebEnter, WebEntered, WebLink, WebLinkMade},
};
use axum::{
    Extension, Json,
    extract::{Request, State},
};

use crate::{
    context::{credential::Credential, cx::Cx},
    engine::app::App,
    rows::browser::NewBrowser,
    surfaces::{
        answer::{Refusal, refuse},
        gate::Identity,
        http::{caller, request},
    },
    token::{new_token, token_hash},
};

/// How long a link is good for.
const LINK_LIFE: Duration = Duration::from_mins(5);

/// How many links there are at the same time; the oldest goes first.
const MOST_LINKS: usize = 16;

/// Links that were made and not used, by the hashes of their codes.
#[derive(Debug, Default)]
pub struct Links {
    made: Mutex<HashMap<[u8; 32], Instant>>,
}

impl Links {
    fn add(&self, code: &str) {
        let mut made = self.made.lock().unwrap_or_else(PoisonError::into_inner);
        made.retain(|_, at| at.elapsed() < LINK_LIFE);
        if made.len() >= MOST_LINKS
            && let Some(oldest) = made.iter().min_by_key(|(_, at)| **at).map(|(hash, _)| *hash)
        {
            made.remove(&oldest);
        }
        made.insert(token_hash(code), Instant::now());
    }

    /// Takes a link, unless it was used or is too old.
    fn take(&self, code: &str) -> bool {
        let mut made = self.made.lock().unwrap_or_else(PoisonError::into_inner);
        made.remove(&token_hash(code)).is_some_and(|at| at.elapsed() < LINK_LIFE)
    }
}

/// `POST /web/links`
pub async fn link(
    State(app): State<App>,
    Extension(identity): Extension<Identity>,
    Extension(links): Extension<Arc<Links>>,
    request: Request,
) -> Result<Json<WebLinkMade>, Refusal> {
    caller::operator_only(&app, identity, "the web chat").await?;
    request::gather::<WebLink>(&app, request).await?;
    let code = new_token();
    links.add(&code);
    let url = format!("{}/#{code}", app.base_url());
    Ok(Json(WebLinkMade { url, expires_in: LINK_LIFE.into() }))
}

/// `POST /web/enter`
pub async fn enter(
    State(app): State<App>,
    Extension(links): Extension<Arc<Links>>,
    request: Request,
) -> Result<Json<WebEntered>, Refusal> {
    let gathered = request::gather::<WebEnter>(&app, request).await?;
    if !links.take(&gathered.op.code) {
        let mut refusal = refuse(ErrorCode::Unauthorized, "this link was used, or is too old");
        refusal.0.hint = Some("agent-worker web".to_owned());
        return Err(refusal);
    }
    let token = new_token();
    let hash = token_hash(&token);
    let let_in = move |cx: &mut Cx<'_>| {
        cx.db.insert(&NewBrowser { hash: &hash, created_at: cx.now }).map(drop)
    };
    app.store().write(Credential::Daemon, let_in).await?;
    Ok(Json(WebEntered { token }))
}
