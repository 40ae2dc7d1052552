//! What a feed is asked for.

use agent_worker_protocol::{Cursor, Method, Scope};

use crate::request::Request;

/// Filter of a feed; an empty filter lets all events through.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FeedFilter {
    /// Only those of this scope
    pub scope: Option<Scope>,
    /// Only those of these kinds
    pub kinds: Vec<String>,
}

/// A cursor of another epoch is for the daemon to judge; a cursor without an epoch is not an event id.
pub(crate) fn request(filter: &FeedFilter, after: Option<&Cursor>) -> (Request, Option<String>) {
    let mut request = Request::new(Method::Get, "/events");
    if let Some(scope) = &filter.scope {
        request.query.push(("scope".to_owned(), scope.to_string()));
    }
    if !filter.kinds.is_empty() {
        request.query.push(("kind".to_owned(), filter.kinds.join(",")));
    }
    let id = match after {
        Some(cursor) if cursor.epoch.is_some() => Some(cursor.to_string()),
        Some(cursor) => {
            request.query.push(("after".to_owned(), cursor.to_string()));
            None
        }
        None => None,
    };
    (request, id)
}
