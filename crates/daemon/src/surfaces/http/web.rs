//! The way into the web chat: a one-time link, for whose code a browser gets a token.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex},
    time::{Duration, Instant},
};

use agent_worker_protocol::{ErrorCode, WebEnter, WebEntered, WebLink, WebLinkMade};
use axum::{
    Extension, Json,
    extract::{Request, State},
};

use crate::{
    context::{Credential, Cx},
    engine::app::App,
    lock::lock,
    ops::web,
    surfaces::{
        answer::{Refusal, refuse},
        http::{
            caller::Call,
            request::{self, Gathered, Place},
        },
    },
    token::{new_token, token_hash},
};

/// How long a link is good for.
const LINK_LIFE: Duration = Duration::from_mins(5);

/// How many links there are at the same time; the oldest goes first.
const MOST_LINKS: usize = 16;

/// Since when a link is good, and for which door.
type Link = (Instant, i64);

/// Links that were made and not used, by the hashes of their codes.
#[derive(Debug, Default)]
pub struct Links {
    made: Mutex<HashMap<[u8; 32], Link>>,
}

impl Links {
    fn add(&self, code: &str, door: i64) {
        let mut made = lock(&self.made);
        made.retain(|_, (at, _)| at.elapsed() < LINK_LIFE);
        if made.len() >= MOST_LINKS
            && let Some(oldest) = made.iter().min_by_key(|(_, (at, _))| *at).map(|(hash, _)| *hash)
        {
            made.remove(&oldest);
        }
        made.insert(token_hash(code), (Instant::now(), door));
    }

    /// Takes a link, unless it was used or is too old.
    fn take(&self, code: &str) -> Option<Link> {
        lock(&self.made).remove(&token_hash(code)).filter(|(at, _)| at.elapsed() < LINK_LIFE)
    }

    /// Puts back a link that let no browser in.
    fn put_back(&self, code: &str, link: Link) {
        lock(&self.made).insert(token_hash(code), link);
    }
}

/// `POST /web/links`
pub async fn link(
    Extension(links): Extension<Arc<Links>>,
    call: Call,
) -> Result<Json<WebLinkMade>, Refusal> {
    let app = call.of_operator::<WebLink>("the web chat").await?.app;
    let code = new_token();
    links.add(&code, app.store().read(Credential::Daemon, web::door).await?);
    let url = format!("{}/#{code}", app.base_url());
    Ok(Json(WebLinkMade { url, expires_in: LINK_LIFE.into() }))
}

/// `POST /web/enter`
pub async fn enter(
    State(app): State<App>,
    Extension(links): Extension<Arc<Links>>,
    request: Request,
) -> Result<Json<WebEntered>, Refusal> {
    let Gathered { op: WebEnter { code }, place, .. } =
        request::gather::<WebEnter>(&app, request).await?;
    if place != Place::default() {
        return Err(request::invalid("a browser is let in without `target` and `as`".to_owned()));
    }
    let token = new_token();
    if let Some(link) = links.take(&code) {
        let (hash, door) = (token_hash(&token), link.1);
        let let_in = move |cx: &mut Cx<'_>| web::let_in(cx, &hash, door);
        match app.store().write(Credential::Daemon, let_in).await {
            Ok(true) => return Ok(Json(WebEntered { token })),
            Ok(false) => {}
            Err(error) => {
                links.put_back(&code, link);
                return Err(error.into());
            }
        }
    }
    Err(refuse(ErrorCode::Unauthorized, "this link was used, or is too old")
        .hint("agent-worker web"))
}
