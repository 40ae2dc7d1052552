//! The page of the web chat. It holds nothing: what it shows, it asks for like any client.

use axum::{
    extract::Request,
    http::{HeaderValue, header},
    response::{IntoResponse, Response},
};

use crate::surfaces::answer;

/// What the page is made of: paths, types, contents.
const FILES: &[(&str, &str, &str)] = &[
    ("/", "text/html; charset=utf-8", include_str!("../../web/index.html")),
    ("/web/style.css", "text/css; charset=utf-8", include_str!("../../web/style.css")),
    ("/web/main.js", SCRIPT, include_str!("../../web/main.js")),
    ("/web/daemon.js", SCRIPT, include_str!("../../web/daemon.js")),
    ("/web/feed.js", SCRIPT, include_str!("../../web/feed.js")),
    ("/web/mirror.js", SCRIPT, include_str!("../../web/mirror.js")),
    ("/web/tree.js", SCRIPT, include_str!("../../web/tree.js")),
    ("/web/talk.js", SCRIPT, include_str!("../../web/talk.js")),
    ("/web/needs.js", SCRIPT, include_str!("../../web/needs.js")),
    ("/web/history.js", SCRIPT, include_str!("../../web/history.js")),
    ("/web/run.js", SCRIPT, include_str!("../../web/run.js")),
    ("/web/composer.js", SCRIPT, include_str!("../../web/composer.js")),
    ("/web/markdown.js", SCRIPT, include_str!("../../web/markdown.js")),
];

const SCRIPT: &str = "text/javascript; charset=utf-8";

/// Nothing but the page's own files, and no text is ever taken for markup.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; \
    img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; \
    require-trusted-types-for 'script'; trusted-types 'none'";

/// Where a browser shows the code of its link.
pub const ENTER: &str = "/web/enter";

/// Whether a path is answered without a token.
pub fn is_public(path: &str) -> bool {
    path == ENTER || FILES.iter().any(|(at, ..)| *at == path)
}

/// A file of the page.
pub async fn file(request: Request) -> Response {
    let path = request.uri().path();
    let Some((_, kind, text)) = FILES.iter().find(|(at, ..)| *at == path) else {
        return answer::no_route(request).await.into_response();
    };
    let mut response = (*text).into_response();
    for (name, value) in [
        (header::CONTENT_TYPE, *kind),
        (header::CONTENT_SECURITY_POLICY, POLICY),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::REFERRER_POLICY, "no-referrer"),
        (header::CACHE_CONTROL, "no-cache"),
    ] {
        response.headers_mut().insert(name, HeaderValue::from_static(value));
    }
    response
}

/// The paths of the page's files.
pub fn paths() -> impl Iterator<Item = &'static str> {
    FILES.iter().map(|(path, ..)| *path)
}
