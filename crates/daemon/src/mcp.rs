//! What agents see: the operations as MCP tools, for any client, of both protocol eras.
//! Stateless: who calls is in the token of each request.

use std::{borrow::Cow, pin::Pin, sync::Arc};

use agent_worker_protocol::{
    error::ErrorBody,
    inbox::MyInbox,
    name::Name,
    nearest::nearest,
    op::{Access, Op as _},
    question::AskPerson,
    target::Target,
};
use axum::http::request::Parts;
use futures::FutureExt;
use rmcp::{
    ErrorData, RoleServer, ServerHandler,
    model::{
        CallToolRequestParams, CallToolResponse, CallToolResult, CompleteRequestMethod,
        CompleteRequestParams, CompleteResult, ContentBlock, Implementation, JsonObject,
        ListPromptsRequestMethod, ListPromptsResult, ListResourceTemplatesRequestMethod,
        ListResourceTemplatesResult, ListResourcesRequestMethod, ListResourcesResult,
        ListToolsResult, PaginatedRequestParams, ServerCapabilities, ServerConfig, Tool,
        ToolAnnotations,
    },
    service::RequestContext,
    transport::streamable_http_server::{
        StreamableHttpServerConfig, StreamableHttpService, session::never::NeverSessionManager,
    },
};
use serde::Serialize;
use serde_json::Value;
use tokio::sync::Semaphore;

use crate::{
    app::App,
    asking,
    http::Identity,
    ops::{self, Credential, OpError, Run, Surface},
    waiting,
};

/// The MCP endpoint. `places` is how many calls of it may wait for the person at once.
pub fn service(
    app: &App,
    places: Arc<Semaphore>,
) -> StreamableHttpService<Server, NeverSessionManager> {
    let tools = ops::tools(Tools::default()).that_wait(places);
    let server = Server { app: app.clone(), tools: Arc::new(tools) };
    let config = StreamableHttpServerConfig::default()
        .with_legacy_session_mode(false)
        .with_json_response(true)
        .with_max_request_body_bytes(app.store().settings().text_body_bytes())
        // The gate before all routes checks hosts, by the daemon's own list.
        .disable_allowed_hosts()
        .with_cancellation_token(app.closing().child_token());
    StreamableHttpService::new(
        move || Ok(server.clone()),
        Arc::new(NeverSessionManager::default()),
        config,
    )
}

type Answer = Pin<Box<dyn Future<Output = Result<Value, OpError>> + Send>>;
type Call = Box<dyn Fn(App, Credential, Option<String>, JsonObject) -> Answer + Send + Sync>;

/// The tools, in the order in which agents are shown them.
#[derive(Default)]
struct Tools {
    listed: Vec<Tool>,
    calls: Vec<Call>,
}

impl Surface for Tools {
    fn mount<O: Run>(mut self) -> Self {
        self.listed.push(describe::<O>());
        self.calls.push(Box::new(|app, credential, key, arguments| {
            async move { told(&app.call(credential, key, read::<O>(arguments)?).await?) }.boxed()
        }));
        self
    }
}

impl Tools {
    /// What needs more than a transaction: `ask_person` waits for its answer, and `my_inbox` for
    /// mail.
    fn that_wait(self, places: Arc<Semaphore>) -> Self {
        let of_inbox = places.clone();
        let with_person = self.instead(AskPerson::NAME, move |app, credential, key, arguments| {
            let places = places.clone();
            async move {
                let ask = read::<AskPerson>(arguments)?;
                told(&asking::ask(&app, &places, credential, key, ask).await?)
            }
            .boxed()
        });
        with_person.instead(MyInbox::NAME, move |app, credential, key, arguments| {
            let places = of_inbox.clone();
            async move {
                let look = read::<MyInbox>(arguments)?;
                told(&waiting::inbox(&app, &places, credential, key, look).await?)
            }
            .boxed()
        })
    }

    /// Another call for a tool there is.
    fn instead(
        mut self,
        name: &str,
        call: impl Fn(App, Credential, Option<String>, JsonObject) -> Answer + Send + Sync + 'static,
    ) -> Self {
        let at = self.listed.iter().position(|tool| tool.name == name);
        self.calls[at.expect("it is one of the tools")] = Box::new(call);
        self
    }
}

fn read<O: Run>(arguments: JsonObject) -> Result<O, OpError> {
    serde_path_to_error::deserialize(Value::Object(arguments))
        .map_err(|error| wrong_arguments::<O>(&error))
}

fn told(answer: &impl Serialize) -> Result<Value, OpError> {
    serde_json::to_value(answer).map_err(|error| OpError::Broken(format!("an answer: {error}")))
}

/// What is wrong with a call, said so that a model can mend it.
fn wrong_arguments<O: Run>(error: &serde_path_to_error::Error<serde_json::Error>) -> OpError {
    let why = match error.path().to_string().as_str() {
        "." => error.inner().to_string(),
        path => format!("`{path}`: {}", error.inner()),
    };
    let schema = schemars::schema_for!(O);
    let known: Vec<String> = schema
        .get("properties")
        .and_then(Value::as_object)
        .map(|properties| properties.keys().cloned().collect())
        .unwrap_or_default();
    let error = OpError::invalid(format!("{}: {why}", O::NAME));
    match known.as_slice() {
        [] => error.hint(format!("{} takes no arguments", O::NAME)),
        known => error.hint(format!("{} takes {}", O::NAME, known.join(", "))),
    }
}

fn describe<O: Run>() -> Tool {
    let mut input = schemars::schema_for!(O).to_value();
    let about = input["description"].take();
    let about = about.as_str().unwrap_or_default().to_owned();
    let mut input = object(input);
    for gone in ["description", "$schema", "title"] {
        input.remove(gone);
    }
    let output = object(schemars::schema_for!(O::Output).to_value());
    let annotations = ToolAnnotations::new()
        .read_only(O::ACCESS == Access::Read)
        .destructive(false)
        .idempotent(O::ACCESS == Access::Read || O::IDEMPOTENT)
        .open_world(false);
    Tool::new(Cow::Borrowed(O::NAME), about, Arc::new(input))
        .with_raw_output_schema(Arc::new(output))
        .with_annotations(annotations)
}

fn object(value: Value) -> JsonObject {
    match value {
        Value::Object(mut fields) => {
            fields.entry("properties").or_insert_with(|| Value::Object(JsonObject::new()));
            fields
        }
        _ => JsonObject::new(),
    }
}

/// One for each request: it keeps nothing.
#[derive(Clone)]
pub struct Server {
    app: App,
    tools: Arc<Tools>,
}

const INSTRUCTIONS: &str = "You are a member of a team of agents. my_inbox gives you the messages \
    you are asked to handle; channel_send speaks to the team, and every @name in it reaches that \
    member; team_members tells who is there; ask_person asks the person. Documents and resources \
    hold what is long or lasts.";

impl ServerHandler for Server {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
            .with_server_info(Implementation::new("agent-worker", env!("CARGO_PKG_VERSION")))
            .with_instructions(INSTRUCTIONS)
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let parts = context.extensions.get::<Parts>();
        let identity = parts.and_then(|parts| parts.extensions.get::<Identity>());
        if let Some(Identity::Run(token_hash)) = identity {
            self.app.callers().note_listing(token_hash);
        }
        Ok(ListToolsResult::with_all_items(self.tools.listed.clone()))
    }

    // What is not declared does not exist; the library would answer with empty lists.

    async fn list_prompts(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        Err(ErrorData::method_not_found::<ListPromptsRequestMethod>())
    }

    async fn list_resources(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        Err(ErrorData::method_not_found::<ListResourcesRequestMethod>())
    }

    async fn list_resource_templates(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        Err(ErrorData::method_not_found::<ListResourceTemplatesRequestMethod>())
    }

    async fn complete(
        &self,
        _: CompleteRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<CompleteResult, ErrorData> {
        Err(ErrorData::method_not_found::<CompleteRequestMethod>())
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        self.tools.listed.iter().find(|tool| tool.name == name).cloned()
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let Some(index) = self.tools.listed.iter().position(|tool| tool.name == request.name)
        else {
            let names: Vec<_> = self.tools.listed.iter().map(|tool| tool.name.as_ref()).collect();
            let hint = match meant(&request.name, &names) {
                Some(ours) => format!("did you mean `{ours}`?"),
                None => format!("tools: {}", names.join(", ")),
            };
            let error = OpError::not_found(format!("there is no tool `{}`", request.name));
            return Ok(refusal(error.hint(hint).into_body()).into());
        };
        let credential = match credential(&context) {
            Ok(credential) => credential,
            Err(error) => return Ok(refusal(error.into_body()).into()),
        };
        let key = context.meta.get("idempotencyKey").and_then(Value::as_str).map(ToOwned::to_owned);
        let arguments = request.arguments.unwrap_or_default();
        let answer = self.tools.calls[index](self.app.clone(), credential, key, arguments).await;
        Ok(match answer {
            Ok(value) => CallToolResult::structured(value),
            Err(error) => refusal(error.into_body()),
        }
        .into())
    }
}

/// The tool that does what one of another name was asked for.
fn meant<'a>(name: &str, tools: &[&'a str]) -> Option<&'a str> {
    let ours = match name {
        "send_to_agent" | "send_message" | "message_agent" => "channel_send",
        "read_messages" | "get_messages" => "channel_read",
        "read_inbox" | "check_inbox" | "get_inbox" => "my_inbox",
        "list_agents" | "get_agents" => "team_members",
        "ask_user" | "ask_human" => "ask_person",
        _ => return nearest(name, tools.iter().copied()),
    };
    tools.iter().copied().find(|tool| *tool == ours)
}

/// A refusal is an answer, so that a model can act on it.
fn refusal(body: ErrorBody) -> CallToolResult {
    let text = match &body.hint {
        Some(hint) => format!("{}\nhint: {hint}", body.message),
        None => body.message,
    };
    CallToolResult::error(vec![ContentBlock::text(text)])
}

/// Who calls: the token's holder, and with the operator's token whoever `?agent=` names.
fn credential(context: &RequestContext<RoleServer>) -> Result<Credential, OpError> {
    let missing = || OpError::Broken("a request came past the gate".to_owned());
    let parts = context.extensions.get::<Parts>().ok_or_else(missing)?;
    let identity = parts.extensions.get::<Identity>().copied().ok_or_else(missing)?;
    let agent = agent(parts)?;
    let caller = match identity {
        Identity::Run(token_hash) => Credential::Run { token_hash, target: None, agent },
        Identity::Operator => {
            let (member, scope): (Option<Name>, _) = match agent {
                Some(Target { name, scope }) => (name, scope),
                None => (None, None),
            };
            Credential::Operator { target: scope.map(Target::scope), member }
        }
    };
    Ok(Credential::Tool(Box::new(caller)))
}

fn agent(parts: &Parts) -> Result<Option<Target>, OpError> {
    let query = parts.uri.query().unwrap_or_default();
    let mut named = form_urlencoded::parse(query.as_bytes()).filter(|(name, _)| name == "agent");
    match (named.next(), named.next()) {
        (None, _) => Ok(None),
        (Some((_, text)), None) => {
            text.parse().map(Some).map_err(|bad| OpError::invalid(format!("?agent=: {bad}")))
        }
        (Some(_), Some(_)) => Err(OpError::invalid("?agent= is given twice")),
    }
}
