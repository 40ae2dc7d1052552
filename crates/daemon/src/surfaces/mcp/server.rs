//! What agents see: the operations as MCP tools, and resources to read, for any client, of both
//! protocol eras. Stateless: who calls is in the token of each request.

use std::sync::Arc;

use agent_worker_protocol::{AskPerson, MyInbox, Op as _, PermissionPrompt, Scope, Target};
use axum::http::request::Parts;
use futures::{FutureExt as _, future::BoxFuture};
use rmcp::{
    ErrorData, RoleServer, ServerHandler,
    model::{
        CallToolRequestMethod, CallToolRequestParams, CallToolResponse, CompleteRequestMethod,
        CompleteRequestParams, CompleteResult, ConstString as _, CustomRequest, CustomResult,
        DiscoverResult, ErrorCode, Implementation, InitializeRequestParams, InitializeResult,
        ListPromptsRequestMethod, ListPromptsResult, ListResourceTemplatesResult,
        ListResourcesResult, ListToolsResult, PaginatedRequestParams, ReadResourceRequestMethod,
        ReadResourceRequestParams, ReadResourceResponse, ServerCapabilities, ServerConfig, Tool,
    },
    service::RequestContext,
    transport::streamable_http_server::{
        StreamableHttpServerConfig, StreamableHttpService, session::never::NeverSessionManager,
    },
};
use tokio::sync::Semaphore;

use crate::{
    context::{Credential, cx},
    engine::{
        app::App,
        departure,
        presence::{Call, Connection, Outside},
    },
    error::{OpError, Result},
    rules::offer::{self, Offered},
    surfaces::{
        gate::Identity,
        mcp::{
            call, permission, resources,
            tools::{self, Tools},
        },
    },
};

/// The MCP endpoint. `places` is how many calls of it may wait for the person at once.
pub fn service(
    app: &App,
    places: Arc<Semaphore>,
) -> StreamableHttpService<Server, NeverSessionManager> {
    let tools = Tools::of_tables().that_wait(places).of_home();
    app.set_tool_list(tools.lines());
    let server = Server { app: app.clone(), tools: Arc::new(tools) };
    let config = StreamableHttpServerConfig::default()
        .with_legacy_session_mode(false)
        .with_json_response(true)
        .with_max_request_body_bytes(app.store().settings().text_body_bytes())
        // The gate before all routes checks hosts, by the daemon's own list.
        .disable_allowed_hosts();
    StreamableHttpService::new(
        move || Ok(server.clone()),
        Arc::new(NeverSessionManager::default()),
        config,
    )
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
    /// Reads something of the caller in a transaction. In a box: the library moves the future of
    /// a request from task to task, as large as the largest of all its requests.
    fn look<T: Send + 'static>(
        &self,
        context: &RequestContext<RoleServer>,
        look: impl FnMut(&mut cx::Cx<'_>) -> Result<T> + Send + 'static,
    ) -> BoxFuture<'_, Result<T>> {
        let caller = call::credential(context);
        async move { self.app.store().read(caller?, look).await }.boxed()
    }

    /// What the caller is offered, and whether it has the tool for permissions.
    async fn offered(&self, context: &RequestContext<RoleServer>) -> Result<(Offered, bool)> {
        let look = |cx: &mut cx::Cx<'_>| Ok((offer::offered(cx)?, offer::prompts(cx)?));
        let (offered, prompts) = self.look(context, look).await?;
        let all = Offered { home: offered.home, hire: offered.hire, ..Offered::ALL };
        Ok((if call::wants_all(context) { all } else { offered }, prompts))
    }

    /// Refuses a client that is not a member, before it comes to depend on the connection. Tells
    /// whether it is a run.
    async fn welcome(&self, context: &RequestContext<RoleServer>) -> Result<bool, ErrorData> {
        let look = |cx: &mut cx::Cx<'_>| cx.member().map(|_| cx.run().is_some());
        self.look(context, look).await.map_err(invalid)
    }

    /// What a client is told of the server. Resources are not declared to runs: agent programs would
    /// offer their model tools to read them beside the tools of the team.
    async fn declared(
        &self,
        context: &RequestContext<RoleServer>,
        mut config: ServerConfig,
    ) -> Result<ServerConfig, ErrorData> {
        if self.welcome(context).await? {
            config.capabilities.resources = None;
        }
        Ok(config)
    }

    /// Refuses a tool that does not exist, and names those that are offered.
    async fn unknown(&self, name: &str, context: &RequestContext<RoleServer>) -> OpError {
        let offered = match self.offered(context).await {
            Ok((offered, _)) => offered,
            Err(error) => return error,
        };
        let names = self.tools.listed.iter().map(|tool| tool.name.as_ref());
        let names: Vec<_> = names.filter(|name| offered.has(name)).collect();
        let hint = match tools::meant(name, &names) {
            Some(ours) => format!("did you mean `{ours}`?"),
            None => format!("tools: {}", names.join(", ")),
        };
        OpError::not_found(format!("unknown tool `{name}`")).hint(hint)
    }
}

/// An error of a request that is not a call.
fn invalid(error: OpError) -> ErrorData {
    ErrorData::invalid_request(call::shown(&error.into_body()), None)
}

impl ServerHandler for Server {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().enable_resources().build())
            .with_server_info(Implementation::new("agent-worker", env!("CARGO_PKG_VERSION")))
            .with_instructions(INSTRUCTIONS)
    }

    async fn initialize(
        &self,
        request: InitializeRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<InitializeResult, ErrorData> {
        let answer = self.declared(&context, self.negotiate_initialize(&request)?).boxed().await?;
        context.peer.set_peer_info(request);
        Ok(answer)
    }

    async fn discover(
        &self,
        context: RequestContext<RoleServer>,
    ) -> Result<DiscoverResult, ErrorData> {
        let versions = self.supported_protocol_versions().into_owned();
        let config = self.declared(&context, self.get_info()).boxed().await?;
        Ok(DiscoverResult::from_server_info(versions, config))
    }

    async fn list_tools(
        &self,
        request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        first_page(request)?;
        let parts = context.extensions.get::<Parts>();
        let identity = parts.and_then(|parts| parts.extensions.get::<Identity>());
        if let Some(Identity::Run(token_hash)) = identity {
            self.app.callers().note_listing(token_hash);
        }
        let (offered, prompts) = self.offered(&context).await.map_err(invalid)?;
        let listed = self.tools.listed.iter().filter(|tool| offered.has(&tool.name)).cloned();
        let prompt = prompts.then(permission::describe);
        Ok(ListToolsResult::with_all_items(listed.chain(prompt).collect()))
    }

    async fn list_resources(
        &self,
        request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        self.welcome(&context).await?;
        let cursor = request.and_then(|page| page.cursor);
        let list = move |cx: &mut cx::Cx<'_>| resources::list(cx, cursor.as_deref());
        self.look(&context, list).await.map_err(resources::refusal)
    }

    async fn list_resource_templates(
        &self,
        request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        first_page(request)?;
        self.welcome(&context).await?;
        Ok(resources::templates())
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        self.welcome(&context).await?;
        let caller = call::credential(&context).map_err(invalid)?;
        // A member outside that reads is at work, as with the tools.
        let _in_flight = note(&self.app, &context, &caller);
        let read = resources::read(&self.app, caller, &request.uri).boxed().await;
        read.map(ReadResourceResponse::from).map_err(resources::refusal)
    }

    // What is not declared does not exist; the library would answer with empty lists.

    async fn list_prompts(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        Err(ErrorData::method_not_found::<ListPromptsRequestMethod>())
    }

    async fn complete(
        &self,
        _: CompleteRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<CompleteResult, ErrorData> {
        Err(ErrorData::method_not_found::<CompleteRequestMethod>())
    }

    /// What the library could not read as one of its requests comes here too.
    async fn on_custom_request(
        &self,
        request: CustomRequest,
        _: RequestContext<RoleServer>,
    ) -> Result<CustomResult, ErrorData> {
        let needs = match request.method.as_str() {
            CallToolRequestMethod::VALUE => {
                "`params` needs `name`, a text, and may have `arguments`, an object"
            }
            ReadResourceRequestMethod::VALUE => "`params` needs `uri`, a text",
            _ => return Err(ErrorData::new(ErrorCode::METHOD_NOT_FOUND, request.method, None)),
        };
        Err(ErrorData::invalid_params(needs, None))
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        self.tools.listed.iter().find(|tool| tool.name == name).cloned()
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        if request.name == PermissionPrompt::TOOL
            && self.look(&context, offer::prompts).await.map_err(invalid)?
        {
            let answer = match call::credential(&context) {
                Ok(caller) => {
                    let asks = permission::ask(&self.app, caller, &context, request).boxed();
                    while_called(&context, asks).await?
                }
                Err(error) => permission::denied(error),
            };
            return Ok(answer.into());
        }
        let Some(index) = self.tools.listed.iter().position(|tool| tool.name == request.name)
        else {
            let error = self.unknown(&request.name, &context).await;
            return Ok(call::refusal(&error.into_body()).into());
        };
        let caller = call::credential(&context);
        let (credential, key) = match caller.and_then(|who| Ok((who, call::key(&context)?))) {
            Ok(both) => both,
            Err(error) => return Ok(call::refusal(&error.into_body()).into()),
        };
        let arguments = request.arguments.unwrap_or_default();
        // Ends also when the caller is gone.
        let _in_flight = note(&self.app, &context, &credential);
        let call = self.tools.calls[index](self.app.clone(), credential, key, arguments);
        let answer = if WAITING.contains(&&*request.name) {
            while_called(&context, call).await?
        } else {
            call.await
        };
        let result = answer.and_then(|answer| call::done(&answer));
        Ok(result.unwrap_or_else(|error| call::refusal(&error.into_body())).into())
    }
}

/// Refuses the cursor of a list that has one page alone, and so names none.
fn first_page(request: Option<PaginatedRequestParams>) -> Result<(), ErrorData> {
    match request.and_then(|page| page.cursor) {
        Some(_) => Err(ErrorData::invalid_params("invalid `cursor`: there is one page", None)),
        None => Ok(()),
    }
}

/// Tools that may wait long. The others are finished even when their caller is gone.
pub const WAITING: [&str; 2] = [AskPerson::NAME, MyInbox::NAME];

/// Waits for a call, and drops it when its caller is gone: the library runs it in a task of its
/// own and only says so.
async fn while_called<T>(
    context: &RequestContext<RoleServer>,
    call: impl Future<Output = T> + Send,
) -> Result<T, ErrorData> {
    tokio::select! {
        // When the daemon stops, the call ends by itself and its question stays as it is.
        biased;
        answer = call => Ok(answer),
        () = context.ct.cancelled() => Err(ErrorData::internal_error("the caller is gone", None)),
    }
}

/// Notes the call of a member outside until it is dropped, so that what the member holds is free
/// again when its client is gone.
pub fn note<'app>(
    app: &'app App,
    context: &RequestContext<RoleServer>,
    credential: &Credential,
) -> Option<Call<'app>> {
    let parts = context.extensions.get::<Parts>()?;
    let connection = parts.extensions.get::<Connection>()?;
    Some(departure::note(app, connection, outside(parts, credential)?))
}

/// The member outside that calls a tool, by its own token or by the user's; `None` for others.
pub fn outside(parts: &Parts, credential: &Credential) -> Option<Target> {
    let Credential::Tool(caller) = credential else { return None };
    match &**caller {
        Credential::Run { .. } => parts.extensions.get::<Outside>().map(|it| it.0.clone()),
        Credential::Operator { target, member: Some(member) } => {
            let scope =
                target.as_ref().map_or_else(Scope::global, |at| at.scope_or(&Scope::global()));
            Some(Target::member(member.clone(), scope))
        }
        _ => None,
    }
}
