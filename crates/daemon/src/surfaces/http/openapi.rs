//! `GET /openapi.json`: the described interface, made from the operations themselves.

use std::sync::LazyLock;

use agent_worker_protocol::{
    agent::AgentCreate,
    backend::BackendList,
    backup::Backup,
    context::ContextShow,
    daemon::{Shutdown, ShuttingDown},
    doctor::Doctor,
    event::{FeedRequest, Snapshot},
    home::{HomeEdit, HomeHistory, HomeReset, HomeRestore, HomeShow},
    member_token::MemberTokenCreate,
    op::{Op, Route},
    provider::ProviderList,
    question::PermissionRequest,
    run::{Answer, Ask},
    web::WebLink,
    workflow::{Check, WorkflowStart},
};
use schemars::{JsonSchema, SchemaGenerator, generate::SchemaSettings};
use serde_json::{Map, Value, json};

use crate::{
    context::run::{Schemas, Signature},
    ops::list,
};

/// The document, which is made once.
pub static DOCUMENT: LazyLock<Value> = LazyLock::new(build);

/// Routes of the whole daemon, for which no place makes a difference.
const OF_THE_DAEMON: [Route; 14] = [
    Route::get("/snapshot"),
    Route::get("/status"),
    Route::get("/health"),
    Route::get("/events"),
    Route::get("/event-log"),
    Route::post("/shutdown"),
    Route::post("/web/links"),
    Route::delete("/web/browsers"),
    Route::post("/workflows"),
    Route::post("/check"),
    Route::post("/backup"),
    Route::get("/doctor"),
    Route::get("/backends"),
    Route::get("/providers"),
];

pub struct Describe {
    schemas: SchemaGenerator,
    paths: Map<String, Value>,
}

impl Describe {
    fn describe_op<O: Op>(&mut self) {
        self.operation(&Signature::of::<O>());
    }

    fn describe<Q: JsonSchema, A: JsonSchema>(&mut self, name: &str, route: Route) {
        self.request(name, route, Schemas::of::<Q, A>());
    }

    fn operation(&mut self, signature: &Signature) {
        if let Some(route) = signature.route {
            self.request(signature.name, route, signature.schemas);
            self.version(signature, route);
        }
    }

    fn request(&mut self, name: &str, route: Route, schemas: Schemas) {
        let request = (schemas.request)();
        let in_path: Vec<_> = route.fields().collect();
        let properties = request["properties"].as_object().cloned().unwrap_or_default();
        let required = request["required"].as_array().cloned().unwrap_or_default();
        let mut parameters: Vec<Value> =
            in_path.iter().map(|field| parameter(field, "path", &properties, true)).collect();
        if !in_path.contains(&"scope") && !OF_THE_DAEMON.contains(&route) {
            parameters
                .push(json!({ "name": "target", "in": "query", "schema": { "type": "string" },
                "description": "Where to act: a scope such as `@review`, or a member of one" }));
        }
        let mut operation = json!({
            "operationId": name,
            "description": request["description"].as_str().unwrap_or_default(),
            "responses": {
                "200": { "description": "Done",
                    "content": { "application/json": { "schema": (schemas.answer)(&mut self.schemas) } } },
                "default": { "description": "Refused",
                    "content": { "application/json": { "schema":
                        self.schemas.subschema_for::<agent_worker_protocol::error::ErrorAnswer>() } } },
            },
        });
        let rest = properties.iter().filter(|(field, _)| !in_path.contains(&field.as_str()));
        if route.method.has_body() {
            let body = self.body(&schemas, &in_path);
            if in_path.is_empty() || body["properties"] != json!({}) {
                operation["requestBody"] =
                    json!({ "content": { "application/json": { "schema": body } } });
            }
        } else {
            for (field, _) in rest {
                let is_required = required.iter().any(|name| name == field);
                parameters.push(parameter(field, "query", &properties, is_required));
            }
        }
        operation["parameters"] = Value::Array(parameters);
        let entry = self.paths.entry(shown(route)).or_insert_with(|| json!({}));
        entry[method(route)] = operation;
    }

    /// What stands in the body: all but what the path has.
    fn body(&mut self, schemas: &Schemas, in_path: &[&str]) -> Value {
        let schema = (schemas.body)(&mut self.schemas).to_value();
        let named = schema["$ref"].as_str().and_then(|path| path.rsplit('/').next());
        let whole = named.and_then(|name| self.schemas.definitions().get(name));
        let Some(whole) = whole.filter(|_| !in_path.is_empty()) else { return schema };
        let mut rest = whole.clone();
        if let Some(fields) = rest["properties"].as_object_mut() {
            fields.retain(|field, _| !in_path.contains(&field.as_str()));
        }
        if let Some(required) = rest["required"].as_array_mut() {
            required.retain(|field| field.as_str().is_none_or(|field| !in_path.contains(&field)));
        }
        rest
    }

    fn version(&mut self, signature: &Signature, route: Route) {
        let operation = &mut self.paths[&shown(route)][method(route)];
        let text = json!({ "type": "string" });
        if signature.etag.is_some() {
            operation["responses"]["200"]["headers"] =
                json!({ "ETag": { "description": "The version, quoted", "schema": text } });
        }
        if signature.if_match.is_some()
            && let Some(parameters) = operation["parameters"].as_array_mut()
        {
            let about = "The one version over which to write, as its ETag has it";
            parameters.push(json!({ "name": "If-Match", "in": "header", "required": false,
                "description": about, "schema": text }));
        }
    }

    fn stream<Q: JsonSchema>(&mut self, name: &str, route: Route, about: &str) {
        self.describe::<Q, String>(name, route);
        self.about(route, about);
        self.paths[&shown(route)][method(route)]["responses"]["200"] = json!({
            "description": "Server-sent events",
            "content": { "text/event-stream": { "schema": { "type": "string" } } },
        });
    }

    fn about(&mut self, route: Route, about: &str) {
        self.paths[&shown(route)][method(route)]["description"] = about.into();
    }
}

/// A path and a method as the document has them.
pub fn shown(route: Route) -> String {
    route.path.replace("{*", "{")
}

pub fn method(route: Route) -> String {
    route.method.as_str().to_lowercase()
}

pub fn parameter(
    field: &str,
    place: &str,
    properties: &Map<String, Value>,
    required: bool,
) -> Value {
    let schema = properties.get(field).cloned().unwrap_or_else(|| json!({ "type": "string" }));
    json!({ "name": field, "in": place, "required": required, "schema": schema })
}

pub fn build() -> Value {
    let mut settings = SchemaSettings::draft2020_12();
    settings.definitions_path = "/components/schemas".into();
    let mut all = Describe { schemas: settings.into_generator(), paths: Map::new() };
    for op in list::ALL {
        all.operation(&op.signature);
    }
    all.describe_op::<WorkflowStart>();
    all.describe_op::<Check>();
    all.describe_op::<Backup>();
    all.describe_op::<Doctor>();
    all.describe_op::<BackendList>();
    all.describe_op::<ProviderList>();
    all.describe::<Ask, Answer>("serve", Route::post("/serve"));
    all.describe::<Ask, Answer>("chat", Route::post("/chat"));
    all.describe::<Ask, Answer>("api_chat", Route::post("/api/chat"));
    all.describe_op::<PermissionRequest>();
    all.describe_op::<MemberTokenCreate>();
    all.describe_op::<WebLink>();
    all.describe_op::<AgentCreate>();
    all.describe_op::<ContextShow>();
    all.describe_op::<HomeShow>();
    all.describe_op::<HomeEdit>();
    all.describe_op::<HomeReset>();
    all.describe_op::<HomeHistory>();
    all.describe_op::<HomeRestore>();
    all.describe::<Shutdown, ShuttingDown>("shutdown", Route::post("/shutdown"));
    let (snapshot, health) = (Route::get("/snapshot"), Route::get("/health"));
    all.describe::<(), Snapshot>("snapshot", snapshot);
    all.about(snapshot, "Everything that is, at one place of the feed");
    all.describe::<(), agent_worker_protocol::daemon::Health>("health", health);
    all.about(health, "How the daemon is");
    all.stream::<Ask>("run", Route::post("/run"), "The answer to a question, as it grows");
    let about = "The feed: every change, once, in order";
    all.stream::<FeedRequest>("events", Route::get("/events"), about);
    let about = "The transcript of a run, from its beginning, as it grows";
    all.stream::<()>("run_output", Route::get("/runs/{id}/output"), about);
    let Describe { mut schemas, paths } = all;
    json!({
        "openapi": "3.1.0",
        "info": { "title": "agent-worker", "version": agent_worker_protocol::daemon::API_VERSION },
        "security": [{ "token": [] }],
        "paths": paths,
        "components": {
            "schemas": schemas.take_definitions(true),
            "securitySchemes": { "token": { "type": "http", "scheme": "bearer" } },
        },
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn routes_of_the_whole_daemon_are_described_without_a_target() {
        for route in OF_THE_DAEMON {
            let described = &DOCUMENT["paths"][shown(route)][method(route)];
            let parameters = described["parameters"].as_array();
            let parameters = parameters.unwrap_or_else(|| panic!("{route:?} is not described"));
            assert!(parameters.iter().all(|one| one["name"] != "target"), "{route:?}");
        }
    }
}
