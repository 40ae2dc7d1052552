//! What agents see: the operations as MCP tools, for any client, of both protocol eras.
//! Stateless: who calls is in the token of each request.

use std::{borrow::Cow, pin::Pin, sync::Arc};

use agent_worker_protocol::{
    agent::{MyStatusSet, TeamMembers},
    channel::{ChannelRead, ChannelSend},
    document::{DocAppend, DocRead, DocWrite},
    error::ErrorBody,
    inbox::{BriefPage, MyInbox, MyInboxAck},
    name::Name,
    nearest::nearest,
    op::{Access, Op as _},
    question::{AskPerson, PermissionPrompt},
    resource::ResourceRead,
    search::Search,
    target::{Scope, Target},
};
use axum::http::request::Parts;
use futures::FutureExt;
use rmcp::{
    ErrorData, RoleServer, ServerHandler,
    model::{
        CallToolRequestParams, CallToolResponse, CallToolResult, CompleteRequestMethod,
        CompleteRequestParams, CompleteResult, ContentBlock, DiscoverResult, Implementation,
        InitializeRequestParams, InitializeResult, JsonObject, ListPromptsRequestMethod,
        ListPromptsResult, ListResourceTemplatesRequestMethod, ListResourceTemplatesResult,
        ListResourcesRequestMethod, ListResourcesResult, ListToolsResult, MetaObject,
        PaginatedRequestParams, ServerCapabilities, ServerConfig, Tool, ToolAnnotations,
    },
    service::RequestContext,
    transport::streamable_http_server::{
        StreamableHttpServerConfig, StreamableHttpService, session::never::NeverSessionManager,
    },
};
use serde::Serialize;
use serde_json::{Value, json};
use tokio::sync::Semaphore;

use crate::{
    context::{
        credential::Credential,
        cx,
        run::{Run, Surface},
    },
    engine::{
        app::App,
        asking,
        presence::{self, Connection, Holder},
        waiting,
    },
    error::OpError,
    ops::list,
    rules::offer::{self, Offered},
    surfaces::{
        gate::Identity,
        mcp::{bounds, permission, schema},
    },
};

/// The MCP endpoint. `places` is how many calls of it may wait for the person at once.
pub fn service(
    app: &App,
    places: Arc<Semaphore>,
) -> StreamableHttpService<Server, NeverSessionManager> {
    let tools = list::tools(Tools::default()).that_wait(places);
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

pub type Answer = Pin<Box<dyn Future<Output = Result<Value, OpError>> + Send>>;

pub type Call = Box<dyn Fn(App, Credential, Option<String>, JsonObject) -> Answer + Send + Sync>;

/// The tools, in the order in which agents are shown them.
#[derive(Default)]
pub struct Tools {
    pub listed: Vec<Tool>,
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
    /// What needs more than a transaction: `ask_person` waits for its answer, `my_inbox` for mail
    /// and is short unless it is asked for all details, and `channel_read` is cut to a size.
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
        let with_inbox =
            with_person.instead(MyInbox::NAME, move |app, credential, key, arguments| {
                let places = of_inbox.clone();
                async move {
                    let mut look = read::<MyInbox>(arguments)?;
                    let is_full = look.full == Some(true);
                    if !is_full {
                        let most = app.store().settings().inbox.bytes.min(bounds::MOST_CHARS);
                        look.max_chars.get_or_insert(most);
                    }
                    let page = waiting::inbox(&app, &places, credential, key, look).await?;
                    if is_full { told(&page) } else { told(&BriefPage::from(page)) }
                }
                .boxed()
            });
        with_inbox.instead(ChannelRead::NAME, |app, credential, key, arguments| {
            async move {
                let look = read::<ChannelRead>(arguments)?;
                let page = app.call(credential, key, look.clone()).await?;
                told(&if look.limit.is_some() { page } else { bounds::fitted(page, &look) })
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

/// Reads a call's arguments. A null is an argument that is left out.
pub fn read<O: Run>(mut arguments: JsonObject) -> Result<O, OpError> {
    arguments.retain(|_, value| !value.is_null());
    if [DocRead::NAME, ResourceRead::NAME].contains(&O::NAME) {
        arguments.entry("limit").or_insert(bounds::MOST_CHARS.into());
    }
    serde_path_to_error::deserialize(Value::Object(arguments))
        .map_err(|error| wrong_arguments::<O>(&error))
}

pub fn told(answer: &impl Serialize) -> Result<Value, OpError> {
    serde_json::to_value(answer).map_err(|error| OpError::Broken(format!("an answer: {error}")))
}

/// What is wrong with a call, said so that a model can mend it.
pub fn wrong_arguments<O: Run>(error: &serde_path_to_error::Error<serde_json::Error>) -> OpError {
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

/// Tools that a client offers its model at once, where it defers others.
pub const CORE: [&str; 11] = [
    ChannelSend::NAME,
    ChannelRead::NAME,
    MyInbox::NAME,
    MyInboxAck::NAME,
    MyStatusSet::NAME,
    TeamMembers::NAME,
    DocRead::NAME,
    DocWrite::NAME,
    DocAppend::NAME,
    ResourceRead::NAME,
    AskPerson::NAME,
];

/// Tools whose answers are texts that a client should show its model whole.
pub const TEXTS: [&str; 5] =
    [ChannelRead::NAME, MyInbox::NAME, DocRead::NAME, ResourceRead::NAME, Search::NAME];

/// Describes an operation as a tool. What it answers is described nowhere: models are not shown
/// it, and it was three quarters of what a list of tools took.
pub fn describe<O: Run>() -> Tool {
    let schema = schemars::schema_for!(O).to_value();
    let about = schema["description"].as_str().unwrap_or_default().replace('\n', " ");
    let annotations = ToolAnnotations::new()
        .read_only(O::ACCESS == Access::Read)
        .destructive(false)
        .idempotent(O::ACCESS == Access::Read || O::IDEMPOTENT)
        .open_world(false);
    let tool = Tool::new(Cow::Borrowed(O::NAME), about, Arc::new(schema::plain(&schema)))
        .with_annotations(annotations);
    match meta(O::NAME) {
        meta if meta.0.is_empty() => tool,
        meta => tool.with_meta(meta),
    }
}

/// What clients are told of a tool beside the protocol.
pub fn meta(tool: &str) -> MetaObject {
    let mut meta = MetaObject::new();
    if CORE.contains(&tool) {
        meta.0.insert("anthropic/alwaysLoad".to_owned(), json!(true));
    }
    if TEXTS.contains(&tool) {
        meta.0.insert("anthropic/maxResultSizeChars".to_owned(), json!(bounds::LONGEST_RESULT));
    }
    meta
}

/// One for each request: it keeps nothing.
#[derive(Clone)]
pub struct Server {
    app: App,
    tools: Arc<Tools>,
}

/// Some clients show their model about 250 characters of this, so the tools come first.
pub const INSTRUCTIONS: &str = "You are a member of a team of agents. Tools: my_inbox (messages to \
    handle), my_inbox_ack (mark them done), channel_send (each @name reaches that member), \
    channel_read, team_members, team_doc_read, team_doc_write, ask_person (ask the user). \
    Documents and resources hold what is long or must last.";

impl Server {
    /// Reads something of the caller in a transaction.
    async fn look<T: Send + 'static>(
        &self,
        context: &RequestContext<RoleServer>,
        look: impl FnMut(&mut cx::Cx<'_>) -> Result<T, OpError> + Send + 'static,
    ) -> Result<T, ErrorData> {
        let looked = match credential(context) {
            Ok(credential) => self.app.store().read(credential, look).await,
            Err(error) => Err(error),
        };
        looked.map_err(|error| ErrorData::invalid_request(shown(&error.into_body()), None))
    }

    /// Refuses a client that is not a member, before it comes to depend on the connection.
    async fn welcome(&self, context: &RequestContext<RoleServer>) -> Result<(), ErrorData> {
        self.look(context, |cx| offer::known(cx)).await
    }
}

impl ServerHandler for Server {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
            .with_server_info(Implementation::new("agent-worker", env!("CARGO_PKG_VERSION")))
            .with_instructions(INSTRUCTIONS)
    }

    async fn initialize(
        &self,
        request: InitializeRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<InitializeResult, ErrorData> {
        self.welcome(&context).await?;
        context.peer.set_peer_info(request.clone());
        self.negotiate_initialize(&request)
    }

    async fn discover(
        &self,
        context: RequestContext<RoleServer>,
    ) -> Result<DiscoverResult, ErrorData> {
        self.welcome(&context).await?;
        let versions = self.supported_protocol_versions().into_owned();
        Ok(DiscoverResult::from_server_info(versions, self.get_info()))
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
        let look = |cx: &mut cx::Cx<'_>| Ok((offer::offered(cx)?, offer::prompts(cx)?));
        let (offered, prompts) = self.look(&context, look).await?;
        let offered = if wants_all(&context) { Offered::ALL } else { offered };
        let listed = self.tools.listed.iter().filter(|tool| offered.has(&tool.name)).cloned();
        let prompt = prompts.then(permission::describe);
        Ok(ListToolsResult::with_all_items(listed.chain(prompt).collect()))
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
        if request.name == PermissionPrompt::TOOL && self.look(&context, offer::prompts).await? {
            let answer = match credential(&context) {
                Ok(caller) => permission::ask(&self.app, caller, &context, request).await,
                Err(error) => permission::denied(error),
            };
            return Ok(answer.into());
        }
        let Some(index) = self.tools.listed.iter().position(|tool| tool.name == request.name)
        else {
            let names: Vec<_> = self.tools.listed.iter().map(|tool| tool.name.as_ref()).collect();
            let hint = match meant(&request.name, &names) {
                Some(ours) => format!("did you mean `{ours}`?"),
                None => format!("tools: {}", names.join(", ")),
            };
            let error = OpError::not_found(format!("unknown tool `{}`", request.name));
            return Ok(refusal(&error.hint(hint).into_body()).into());
        };
        let credential = match credential(&context) {
            Ok(credential) => credential,
            Err(error) => return Ok(refusal(&error.into_body()).into()),
        };
        let key = key(&context);
        let arguments = request.arguments.unwrap_or_default();
        note(&self.app, &context, &credential);
        let answer = self.tools.calls[index](self.app.clone(), credential, key, arguments).await;
        Ok(match answer {
            Ok(value) => CallToolResult::structured(value),
            Err(error) => refusal(&error.into_body()),
        }
        .into())
    }
}

/// The tool that does what one of another name was asked for.
pub fn meant<'a>(name: &str, tools: &[&'a str]) -> Option<&'a str> {
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
pub fn refusal(body: &ErrorBody) -> CallToolResult {
    let mut refused = CallToolResult::error(vec![ContentBlock::text(shown(body))]);
    // For programs, such as a client that asks the next daemon when this one stops.
    let code = JsonObject::from_iter([("code".to_owned(), json!(body.code))]);
    refused.meta = Some(MetaObject(code));
    refused
}

pub fn shown(body: &ErrorBody) -> String {
    match &body.hint {
        Some(hint) => format!("{}\nhint: {hint}", body.message),
        None => body.message.clone(),
    }
}

/// Whether a client asks for every tool (`?tools=all`), such as a client that shows its model only
/// the tools that it searches for.
pub fn wants_all(context: &RequestContext<RoleServer>) -> bool {
    let query = context.extensions.get::<Parts>().and_then(|parts| parts.uri.query());
    let mut pairs = form_urlencoded::parse(query.unwrap_or_default().as_bytes());
    pairs.any(|(name, value)| name == "tools" && value == "all")
}

/// Who calls: the token's holder, or with the operator's token the member that `?agent=` names.
pub fn credential(context: &RequestContext<RoleServer>) -> Result<Credential, OpError> {
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

/// The key under which a call that is repeated is known again.
pub fn key(context: &RequestContext<RoleServer>) -> Option<String> {
    context.meta.get("idempotencyKey").and_then(Value::as_str).map(ToOwned::to_owned)
}

/// Notes who calls, so that what a member outside holds is free again when its client is gone.
pub fn note(app: &App, context: &RequestContext<RoleServer>, credential: &Credential) {
    let Some(parts) = context.extensions.get::<Parts>() else { return };
    let Some(connection) = parts.extensions.get::<Connection>() else { return };
    let Credential::Tool(caller) = credential else { return };
    let holder = match &**caller {
        Credential::Run { token_hash, .. } => Holder::Token(*token_hash),
        Credential::Operator { target, member: Some(member) } => {
            let scope =
                target.as_ref().map_or_else(Scope::global, |at| at.scope_or(&Scope::global()));
            Holder::Member(Target::member(member.clone(), scope))
        }
        _ => return,
    };
    presence::note(app, connection, holder, credential.clone());
}

pub fn agent(parts: &Parts) -> Result<Option<Target>, OpError> {
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
