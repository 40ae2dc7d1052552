//! What a request was most likely meant to be.

use std::collections::BTreeMap;

use agent_worker_protocol::{Route, nearest::nearest};
use serde_json::{Map, Value};

use crate::{context::run::Misfit, surfaces::http::openapi::DOCUMENT};

/// What to write in place of a field that the request does not have.
pub fn misplaced(fields: &Map<String, Value>, schema: &Value) -> Option<String> {
    let known = |name: &str| schema["properties"].get(name).is_some();
    let unknown = fields.keys().map(String::as_str).find(|name| !known(name))?;
    let text = fields[unknown].as_str();
    match unknown {
        "workflow" | "file" if known("source") => {
            Some("`source` is the workflow file: {\"file_name\", \"folder\", \"text\"}".to_owned())
        }
        "agent" | "scope" | "workflow" if known("target") && !fields.contains_key("target") => {
            text.map(|name| format!("in the body: {{\"target\": {}}}", Value::from(name)))
        }
        // The `target` beside it says for which agent.
        "agent" if known("target") => None,
        "target" | "scope" | "workflow" => {
            Some(format!("in the query: ?target={}", text.unwrap_or("@review")))
        }
        "as" | "agent" | "from" | "sender" => text.map(|name| format!("in the query: ?as={name}")),
        _ => None,
    }
}

/// How the fields of a body are written in a query, if the request has them and all are plain.
pub fn in_query(
    fields: &Map<String, Value>,
    schema: &Value,
    route: Option<Route>,
) -> Option<String> {
    let in_path: Vec<_> = route.iter().flat_map(Route::fields).collect();
    let known = |name: &str| schema["properties"].get(name).is_some() && !in_path.contains(&name);
    let mut query = form_urlencoded::Serializer::new(String::new());
    for (name, value) in fields {
        let text = match value {
            Value::String(text) => text.clone(),
            Value::Bool(_) | Value::Number(_) => value.to_string(),
            _ => return None,
        };
        if !known(name) {
            return None;
        }
        query.append_pair(name, &text);
    }
    Some(format!("in the query: ?{}", query.finish()))
}

/// Takes the fields that stand in the path from those that a body or a query is told it may have.
pub fn beside_path(mut misfit: Misfit, route: Option<Route>) -> Misfit {
    let Some((unknown, expected)) = misfit.why.split_once(", expected ") else { return misfit };
    let field = misfit.path.as_deref().unwrap_or_default();
    if unknown != format!("unknown field `{field}`") {
        return misfit;
    }
    let in_path: Vec<_> = route.iter().flat_map(Route::fields).collect();
    let names = expected.split('`').skip(1).step_by(2).filter(|name| !in_path.contains(name));
    let names: Vec<_> = names.map(|name| format!("`{name}`")).collect();
    misfit.why = match names.as_slice() {
        [] => format!("{unknown}, there are no fields"),
        [name] => format!("{unknown}, expected {name}"),
        names => format!("{unknown}, expected one of {}", names.join(", ")),
    };
    misfit
}

/// The route that is nearest to a path, with its methods: first of those with as many parts.
pub fn route(path: &str) -> String {
    // A long path is like none, and takes long to compare.
    let path = if path.len() > 200 { "" } else { path };
    let paths = DOCUMENT["paths"].as_object();
    let routes = || paths.iter().flat_map(|paths| paths.keys()).map(String::as_str);
    let alike: BTreeMap<String, &str> =
        routes().filter_map(|route| Some((filled(route, path)?, route))).collect();
    let near = nearest(path, alike.keys().map(String::as_str)).map(|near| (alike[near], near));
    match near.or_else(|| nearest(path, routes()).map(|near| (near, near))) {
        Some((route, path)) => {
            format!("did you mean {}? GET /openapi.json lists all", methods(route, path))
        }
        None => "GET /openapi.json lists all routes".to_owned(),
    }
}

/// A route with the fields of a path that has as many parts, if the other parts are alike.
fn filled(route: &str, path: &str) -> Option<String> {
    let (names, parts) = (route.split('/'), path.split('/'));
    if names.clone().count() != parts.clone().count() {
        return None;
    }
    let filled: Option<Vec<&str>> = names
        .zip(parts)
        .map(|(name, part)| {
            let is_field = name.starts_with('{') && !part.is_empty();
            if is_field { Some(part) } else { nearest(part, [name]) }
        })
        .collect();
    Some(filled?.join("/"))
}

/// The methods of the route that a path is of, if it is one.
pub fn methods_of(path: &str) -> Option<String> {
    let route = DOCUMENT["paths"].as_object()?.keys().find(|route| is_of(path, route))?;
    Some(methods(route, path))
}

fn is_of(path: &str, route: &str) -> bool {
    let (parts, names) = (path.split('/'), route.split('/'));
    let is_as_long = parts.clone().count() == names.clone().count();
    is_as_long && parts.zip(names).all(|(part, name)| name.starts_with('{') || part == name)
}

fn methods(route: &str, path: &str) -> String {
    let methods = DOCUMENT["paths"][route].as_object();
    let mut methods: Vec<_> =
        methods.iter().flat_map(|it| it.keys()).map(|it| it.to_uppercase()).collect();
    methods.sort();
    format!("`{} {path}`", methods.join("|"))
}

#[cfg(test)]
#[path = "tests/hints.rs"]
mod tests;
