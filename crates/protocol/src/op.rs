//! What an operation is: a type that knows its name, its route and its answer.

use std::fmt::Write as _;

use schemars::JsonSchema;
use serde::{Serialize, de::DeserializeOwned};
use serde_json::{Map, Value};

/// One operation of the daemon: the request with its arguments, defined once.
/// Its doc comment is the tool's description, the command's help and the API's text.
pub trait Op:
    Serialize + DeserializeOwned + JsonSchema + Clone + std::fmt::Debug + Send + Sync + 'static
{
    /// Its name, in snake case: the MCP tool's name.
    const NAME: &'static str;
    /// Where HTTP has it; none for what only a member's tools offer.
    const ROUTE: Option<Route>;
    /// Whether it writes. Leasing and noting what was read are writes.
    const ACCESS: Access;
    /// Whether members are offered it as a tool.
    const TOOL: bool = false;
    /// Whether doing it twice is the same as doing it once.
    const IDEMPOTENT: bool = false;
    /// Whether a repeat with the same key is done again. Else it gets the stored answer.
    const FRESH: bool = false;
    /// Whether it takes a text as long as a message may be: then its body may be longer than
    /// others, by what JSON's escapes add.
    const TAKES_TEXT: bool = false;
    /// The field of its answer that is the version of what it names: HTTP has it as `ETag` too.
    const ETAG: Option<&'static str> = None;
    /// The field that says over which version it writes: HTTP takes it as `If-Match` too.
    const IF_MATCH: Option<&'static str> = None;
    type Output: Serialize + DeserializeOwned + JsonSchema + Send + 'static;
}

/// Makes a type an operation, in a line: its name, where HTTP has it, how it behaves, its answer.
/// After the route come `read` or `write`, and those that are the case of `tool`, `idempotent`,
/// `fresh`, `text`, `etag "FIELD"` and `if_match "FIELD"`.
macro_rules! op {
    ($op:ident $name:literal: no route, $($rest:tt)+) => {
        $crate::op::op!(@op $op $name (None) $($rest)+);
    };
    ($op:ident $name:literal: $method:ident $path:literal, $($rest:tt)+) => {
        $crate::op::op!(@op $op $name (Some($crate::op::Route::$method($path))) $($rest)+);
    };
    (@op $op:ident $name:literal ($route:expr) $($is:ident $($field:literal)?),+ => $output:ty) => {
        impl $crate::op::Op for $op {
            const NAME: &'static str = $name;
            const ROUTE: Option<$crate::op::Route> = $route;
            $($crate::op::op!(@is $is $($field)?);)+
            type Output = $output;
        }
    };
    (@is read) => { const ACCESS: $crate::op::Access = $crate::op::Access::Read; };
    (@is write) => { const ACCESS: $crate::op::Access = $crate::op::Access::Write; };
    (@is tool) => { const TOOL: bool = true; };
    (@is idempotent) => { const IDEMPOTENT: bool = true; };
    (@is fresh) => { const FRESH: bool = true; };
    (@is text) => { const TAKES_TEXT: bool = true; };
    (@is etag $field:literal) => { const ETAG: Option<&'static str> = Some($field); };
    (@is if_match $field:literal) => { const IF_MATCH: Option<&'static str> = Some($field); };
}

pub(crate) use op;

/// Whether an operation only reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    /// Runs on a read-only connection.
    Read,
    /// Runs in the writer's transaction.
    Write,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Method {
    /// Arguments in path and query.
    Get,
    /// Arguments in path and JSON body.
    Post,
    /// Arguments in path and JSON body.
    Put,
    /// Arguments in path and query.
    Delete,
}

/// A method and a path such as `/agents/{target}/stop`; `{*path}` takes the rest of a path.
/// `{scope}` names the scope the operation acts in and is never a field of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Route {
    pub method: Method,
    /// The path, with fields in braces.
    pub path: &'static str,
}

/// A route filled from a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Filled {
    /// The path with its fields put in, percent-encoded.
    pub path: String,
    /// The fields that are left, for query or body.
    pub rest: Map<String, Value>,
}

impl Method {
    /// Whether arguments that are not in the path travel in a JSON body.
    pub fn has_body(self) -> bool {
        matches!(self, Self::Post | Self::Put)
    }

    pub fn as_str(self) -> &'static str {
        match self {
            Self::Get => "GET",
            Self::Post => "POST",
            Self::Put => "PUT",
            Self::Delete => "DELETE",
        }
    }
}

impl Route {
    /// `GET path`
    pub const fn get(path: &'static str) -> Self {
        Self { method: Method::Get, path }
    }

    /// `POST path`
    pub const fn post(path: &'static str) -> Self {
        Self { method: Method::Post, path }
    }

    /// `PUT path`
    pub const fn put(path: &'static str) -> Self {
        Self { method: Method::Put, path }
    }

    /// `DELETE path`
    pub const fn delete(path: &'static str) -> Self {
        Self { method: Method::Delete, path }
    }

    /// The names of the path's fields, in order; a rest field without its `*`.
    pub fn fields(&self) -> impl Iterator<Item = &'static str> {
        self.path.split('/').filter_map(|part| {
            let field = part.strip_prefix('{')?.strip_suffix('}')?;
            Some(field.strip_prefix('*').unwrap_or(field))
        })
    }

    /// Takes the path's fields out of a request and puts them into the path.
    /// `scope` fills `{scope}`. Fields that are null are left out.
    pub fn fill<T: Serialize>(&self, request: &T, scope: Option<&str>) -> Filled {
        match serde_json::to_value(request) {
            Ok(Value::Object(fields)) => self.fill_fields(fields, scope),
            _ => self.fill_fields(Map::new(), scope),
        }
    }

    fn fill_fields(&self, mut rest: Map<String, Value>, scope: Option<&str>) -> Filled {
        rest.retain(|_, value| !value.is_null());
        let mut path = String::new();
        for part in self.path.split('/').skip(1) {
            path.push('/');
            match part.strip_prefix('{').and_then(|part| part.strip_suffix('}')) {
                None => path.push_str(part),
                Some("scope") => path.push_str(&encode(scope.unwrap_or("@global"), false)),
                Some(field) => {
                    let is_rest = field.starts_with('*');
                    let taken = rest.remove(field.trim_start_matches('*'));
                    path.push_str(&encode(&text_of(taken), is_rest));
                }
            }
        }
        Filled { path, rest }
    }
}

fn text_of(value: Option<Value>) -> String {
    match value {
        Some(Value::String(text)) => text,
        Some(other) => other.to_string(),
        None => String::new(),
    }
}

/// Percent-encodes one path segment, or several when slashes are kept (RFC 3986, unreserved).
fn encode(text: &str, keep_slashes: bool) -> String {
    let mut out = String::with_capacity(text.len());
    for byte in text.bytes() {
        let plain = byte.is_ascii_alphanumeric() || b"-._~@:".contains(&byte);
        if plain || (keep_slashes && byte == b'/') {
            out.push(char::from(byte));
        } else {
            let _ = write!(out, "%{byte:02X}"); // a String takes any text
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Serialize)]
    struct Request {
        target: &'static str,
        path: &'static str,
        limit: Option<u32>,
        find: Option<&'static str>,
    }

    #[test]
    fn a_route_takes_its_fields_out_of_the_request() {
        let request =
            Request { target: "alice@review", path: "a b/ü.md", limit: Some(5), find: None };
        let filled = Route::get("/x/{target}/{scope}/{*path}").fill(&request, Some("@review"));
        assert_eq!(filled.path, "/x/alice@review/@review/a%20b/%C3%BC.md");
        assert_eq!(Value::Object(filled.rest), serde_json::json!({ "limit": 5 }));
        let fields: Vec<_> = Route::get("/x/{target}/{*path}").fields().collect();
        assert_eq!(fields, ["target", "path"]);
    }
}
