//! `GET /openapi.json`: the described interface, made from the operations themselves.

use std::sync::LazyLock;

use agent_worker_protocol::{
    Access, Answer, Ask, AskEvent, Event, FeedRequest, Heartbeat, Hello, Op, OutputEvent, Reset,
    Route, Snapshot, agent, backend, backup, context, daemon, doctor, event::KINDS, home,
    member_token, provider, question, web, workflow,
};
use schemars::{JsonSchema, Schema, SchemaGenerator, generate::SchemaSettings};
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

/// Routes that only the user reads, beside those of the whole daemon.
const OF_THE_USER: [Route; 6] = [
    Route::get("/questions"),
    Route::get("/questions/{id}"),
    Route::get("/attention"),
    Route::get("/agents/{target}/context"),
    Route::get("/agents/{target}/home"),
    Route::get("/agents/{target}/home/history"),
];

struct Describe {
    schemas: SchemaGenerator,
    /// Writes a schema with all that it refers to, for parts that are shown without the rest
    whole: SchemaGenerator,
    paths: Map<String, Value>,
}

impl Describe {
    fn describe_op<O: Op>(&mut self) {
        self.operation(&Signature::of::<O>(), O::FRESH);
    }

    fn describe<Q: JsonSchema, A: JsonSchema>(&mut self, name: &str, route: Route) {
        self.request(name, route, Schemas::of::<Q, A>());
    }

    fn operation(&mut self, signature: &Signature, is_fresh: bool) {
        if let Some(route) = signature.route {
            self.request(signature.name, route, signature.schemas);
            self.caller(signature, route);
            if signature.access == Access::Write && !is_fresh {
                let repeat = match signature.name {
                    member_token::MemberTokenCreate::NAME => {
                        "is refused, for tokens are not stored"
                    }
                    _ => "gets the stored answer",
                };
                let about = format!(
                    "1 to 200 visible characters, others for each request: a repeat with the \
                     same key {repeat}"
                );
                self.optional(route, "header", "Idempotency-Key", &about);
            }
            self.version(signature, route);
        }
    }

    /// A route that asks an agent.
    fn question(&mut self, name: &'static str, path: &'static str) {
        let (route, schemas) = (Some(Route::post(path)), Schemas::of::<Ask, Answer>());
        let signature = Signature { name, route, schemas, ..Signature::of::<Ask>() };
        self.operation(&signature, Ask::FRESH);
    }

    /// As whom a request may act: a member reads, and does what its tools do.
    fn caller(&mut self, signature: &Signature, route: Route) {
        let is_of_user = OF_THE_USER.contains(&route) || OF_THE_DAEMON.contains(&route);
        if signature.is_tool || (signature.access == Access::Read && !is_of_user) {
            self.acting(route);
        }
    }

    fn acting(&mut self, route: Route) {
        self.optional(route, "query", "as", "The member to act as, with its rights");
    }

    /// A text that a request may have beside its fields.
    fn optional(&mut self, route: Route, place: &str, name: &str, about: &str) {
        let operation = &mut self.paths[&shown(route)][method(route)];
        if let Some(parameters) = operation["parameters"].as_array_mut() {
            parameters.push(json!({ "name": name, "in": place, "required": false,
                "description": about, "schema": { "type": "string" } }));
        }
    }

    fn request(&mut self, name: &str, route: Route, schemas: Schemas) {
        let request = (schemas.body)(&mut self.whole).to_value();
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
                        self.schemas.subschema_for::<agent_worker_protocol::ErrorAnswer>() } } },
            },
        });
        let rest = properties.iter().filter(|(field, _)| !in_path.contains(&field.as_str()));
        if route.method.has_body() {
            let body = self.body(&schemas, &in_path);
            if in_path.is_empty() || body["properties"] != json!({}) {
                let is_required = required.iter().any(|name| !in_path.iter().any(|it| name == it));
                operation["requestBody"] = json!({ "required": is_required,
                    "content": { "application/json": { "schema": body } } });
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
        // A schema that requires nothing lacks the list: an index would put null there.
        if let Some(required) = rest.get_mut("required").and_then(Value::as_array_mut) {
            required.retain(|field| field.as_str().is_none_or(|field| !in_path.contains(&field)));
        }
        rest
    }

    fn version(&mut self, signature: &Signature, route: Route) {
        if signature.etag.is_some() {
            let text = json!({ "type": "string" });
            self.paths[&shown(route)][method(route)]["responses"]["200"]["headers"] =
                json!({ "ETag": { "description": "The version, quoted", "schema": text } });
        }
        if signature.if_match.is_some() {
            let about = "The one version over which to write, as its ETag has it";
            self.optional(route, "header", "If-Match", about);
            let about = "`*`, in place of `If-Match`: only if it does not exist";
            self.optional(route, "header", "If-None-Match", about);
        }
    }

    /// The routes that answer with events.
    fn streams(&mut self) {
        let asked = self.schemas.subschema_for::<AskEvent>().to_value();
        for path in ["/chat", "/api/chat"] {
            self.paths[path]["post"]["responses"]["200"]["content"]["text/event-stream"] =
                json!({ "schema": asked });
        }
        self.stream(Route::post("/run"), "The answer to a question, as it grows", &asked);
        let (feed, event) = (Route::get("/events"), self.feed_event());
        self.describe::<FeedRequest, ()>("events", feed);
        self.stream(feed, "The feed: every change, once, in order", &event);
        let about = "The `id` of the last event that was read, in place of `after`";
        self.optional(feed, "header", "Last-Event-ID", about);
        let output = Route::get("/runs/{id}/output");
        let event = self.schemas.subschema_for::<OutputEvent>().to_value();
        self.describe::<(), ()>("run_output", output);
        self.stream(output, "The transcript of a run, from its beginning, as it grows", &event);
        self.acting(output);
    }

    /// Has a route answer with a stream of these events.
    fn stream(&mut self, route: Route, about: &str, event: &Value) {
        self.about(route, about);
        self.paths[&shown(route)][method(route)]["responses"]["200"] = json!({
            "description": "Server-sent events, each of one form of the schema: `event` is its \
                            name, `data` is JSON",
            "content": { "text/event-stream": { "schema": event } },
        });
    }

    /// One event of `GET /events`.
    fn feed_event(&mut self) -> Value {
        let event = |name: Value, data: Schema| {
            json!({ "type": "object", "required": ["event", "data"],
                "properties": { "event": name, "data": data } })
        };
        json!({ "oneOf": [
            event(json!({ "const": "hello" }), self.schemas.subschema_for::<Hello>()),
            event(json!({ "const": "reset" }), self.schemas.subschema_for::<Reset>()),
            event(json!({ "const": "heartbeat" }), self.schemas.subschema_for::<Heartbeat>()),
            event(json!({ "enum": KINDS }), self.schemas.subschema_for::<Event>()),
        ] })
    }

    fn about(&mut self, route: Route, about: &str) {
        self.paths[&shown(route)][method(route)]["description"] = about.into();
    }
}

/// A path and a method as the document has them.
pub fn shown(route: Route) -> String {
    route.path.replace("{*", "{")
}

fn method(route: Route) -> String {
    route.method.as_str().to_lowercase()
}

fn parameter(field: &str, place: &str, properties: &Map<String, Value>, required: bool) -> Value {
    let mut schema = properties.get(field).cloned().unwrap_or_else(|| json!({ "type": "string" }));
    // A tool's argument may be missing or null where a part of a path is neither.
    if required
        && let Some(schema) = schema.as_object_mut()
        && let Some(kind) = schema.get("type").and_then(|kinds| kinds.get(0)).cloned()
    {
        schema.insert("type".to_owned(), kind);
        schema.remove("default");
    }
    json!({ "name": field, "in": place, "required": required, "schema": schema })
}

fn build() -> Value {
    let mut settings = SchemaSettings::draft2020_12();
    settings.definitions_path = "/components/schemas".into();
    let inline = settings.clone().with(|settings| settings.inline_subschemas = true);
    let (schemas, whole) = (settings.into_generator(), inline.into_generator());
    let mut all = Describe { schemas, whole, paths: Map::new() };
    for op in list::ALL {
        all.operation(&op.signature, op.is_fresh);
    }
    all.describe_op::<workflow::WorkflowStart>();
    all.describe_op::<workflow::Check>();
    all.describe_op::<backup::Backup>();
    all.describe_op::<doctor::Doctor>();
    all.describe_op::<backend::BackendList>();
    all.describe_op::<provider::ProviderList>();
    all.question("run", "/run");
    all.question("serve", "/serve");
    all.question("chat", "/chat");
    all.question("api_chat", "/api/chat");
    all.describe_op::<question::PermissionRequest>();
    all.describe_op::<member_token::MemberTokenCreate>();
    all.describe_op::<web::WebLink>();
    all.describe_op::<agent::AgentCreate>();
    all.describe_op::<context::ContextShow>();
    all.describe_op::<home::HomeShow>();
    all.describe_op::<home::HomeEdit>();
    all.describe_op::<home::HomeReset>();
    all.describe_op::<home::HomeHistory>();
    all.describe_op::<home::HomeRestore>();
    all.describe::<daemon::Shutdown, daemon::ShuttingDown>("shutdown", Route::post("/shutdown"));
    let (snapshot, health) = (Route::get("/snapshot"), Route::get("/health"));
    all.describe::<(), Snapshot>("snapshot", snapshot);
    all.about(snapshot, "Everything that is, at one place of the feed");
    all.describe::<(), daemon::Health>("health", health);
    all.about(health, "State of the daemon");
    all.paths[&shown(health)][method(health)]["security"] = json!([]);
    all.streams();
    let Describe { mut schemas, paths, .. } = all;
    json!({
        "openapi": "3.1.0",
        "info": { "title": "agent-worker", "version": daemon::API_VERSION },
        "security": [{ "token": [] }],
        "paths": paths,
        "components": {
            "schemas": schemas.take_definitions(true),
            "securitySchemes": { "token": { "type": "http", "scheme": "bearer" } },
        },
    })
}

#[cfg(test)]
#[path = "tests/openapi.rs"]
mod tests;
