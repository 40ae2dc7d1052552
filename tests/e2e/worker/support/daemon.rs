//! A fake daemon with only the two endpoints that a worker uses.

use std::{
    collections::{HashMap, VecDeque},
    io,
    net::SocketAddr,
    sync::{Arc, Mutex},
};

use axum::{
    Json, Router,
    body::{Body, to_bytes},
    extract::{Request, State},
    http::{StatusCode, header::AUTHORIZATION},
    middleware::{Next, from_fn_with_state},
    response::{IntoResponse, Response},
    routing::post,
};
use rmcp::{
    ErrorData, RoleServer, ServerHandler,
    model::{
        CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, Implementation,
        ServerCapabilities, ServerConfig,
    },
    service::RequestContext,
    transport::streamable_http_server::{
        StreamableHttpServerConfig, StreamableHttpService, session::never::NeverSessionManager,
    },
};
use serde_json::{Map, Value, json};
use tokio::net::TcpListener;

use super::{inbox, message};

/// The token that the daemon knows.
pub const TOKEN: &str = "run-token";

/// The name under which it notes that a run was given its context.
pub const TAKE: &str = "context_take";

/// A call that reached the daemon.
#[derive(Debug, Clone, PartialEq)]
pub struct Call {
    /// The tool.
    pub tool: String,
    /// Its arguments.
    pub arguments: Map<String, Value>,
    /// Its key.
    pub key: String,
}

#[derive(Default)]
struct Book {
    calls: Vec<Call>,
    answers: HashMap<&'static str, Result<Value, String>>,
    /// What still happens to the answers of a tool, on their way.
    losses: HashMap<&'static str, VecDeque<Loss>>,
    /// What happens to the answer that is made now.
    loss: Option<Loss>,
}

/// How an answer gets lost.
#[derive(Debug, Clone, Copy)]
pub enum Loss {
    /// The connection ends in the midst of it.
    Torn,
    /// The daemon is about to end.
    Unavailable,
    /// The run is over.
    Ended,
}

/// The daemon.
#[derive(Clone)]
pub struct Daemon {
    book: Arc<Mutex<Book>>,
    /// Where it listens.
    pub url: String,
}

impl Daemon {
    /// One whose agent has these messages in its inbox.
    pub async fn with_mail(texts: &[&str]) -> Self {
        let listener = TcpListener::bind(SocketAddr::from(([127, 0, 0, 1], 0))).await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let daemon = Self { book: Arc::default(), url };
        let messages: Vec<_> = (1..).zip(texts).map(|(seq, text)| message(seq, text)).collect();
        let member = json!({
            "name": "alice", "display_name": null, "role": null, "kind": "agent",
            "state": "running", "status": null, "task": null, "you": true
        });
        daemon.answer("my_inbox", inbox(&messages));
        daemon.answer("channel_read", json!({ "messages": messages, "more": false }));
        daemon.refuse("team_doc_read", "document `notes.md` not found in @review");
        daemon.answer("team_members", json!({ "scope": "@review", "members": [member] }));
        let mcp = StreamableHttpService::new(
            {
                let daemon = daemon.clone();
                move || Ok(daemon.clone())
            },
            Arc::new(NeverSessionManager::default()),
            StreamableHttpServerConfig::default()
                .with_legacy_session_mode(false)
                .with_json_response(true),
        );
        let app = Router::new()
            .route("/runs/{id}/context", post(context))
            .with_state(daemon.clone())
            .nest_service("/mcp", mcp)
            .layer(from_fn_with_state(daemon.clone(), on_the_way));
        tokio::spawn(async { axum::serve(listener, app).await });
        daemon
    }

    /// What a tool answers from now on.
    pub fn answer(&self, tool: &'static str, answer: Value) {
        self.book.lock().unwrap().answers.insert(tool, Ok(answer));
    }

    /// What a tool says when it refuses, from now on.
    pub fn refuse(&self, tool: &'static str, why: &str) {
        self.book.lock().unwrap().answers.insert(tool, Err(why.to_owned()));
    }

    /// Loses the next answers of a tool.
    pub fn lose(&self, tool: &'static str, losses: &[Loss]) {
        self.book.lock().unwrap().losses.insert(tool, losses.iter().copied().collect());
    }

    /// All calls so far.
    pub fn calls(&self) -> Vec<Call> {
        self.book.lock().unwrap().calls.clone()
    }

    /// The calls after the request that every run begins with.
    pub fn later_calls(&self) -> Vec<Call> {
        let calls = self.calls();
        assert_eq!(calls[0].tool, TAKE);
        calls[1..].to_vec()
    }
}

impl ServerHandler for Daemon {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
            .with_server_info(Implementation::new("fake", "0"))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let mut book = self.book.lock().unwrap();
        let key = context.meta.0.0.get("idempotencyKey").and_then(Value::as_str).unwrap();
        book.calls.push(Call {
            tool: request.name.to_string(),
            arguments: request.arguments.unwrap_or_default(),
            key: key.to_owned(),
        });
        book.loss = book.losses.get_mut(&*request.name).and_then(VecDeque::pop_front);
        match book.answers.get(&*request.name) {
            Some(Ok(answer)) => Ok(CallToolResult::structured(answer.clone()).into()),
            Some(Err(why)) => {
                Ok(CallToolResult::error(vec![ContentBlock::text(why.clone())]).into())
            }
            None => Err(ErrorData::invalid_params(format!("no tool `{}`", request.name), None)),
        }
    }
}

/// What a run is given: what the tools would answer.
async fn context(State(daemon): State<Daemon>) -> Json<Value> {
    let mut book = daemon.book.lock().unwrap();
    book.calls.push(Call { tool: TAKE.to_owned(), arguments: Map::new(), key: String::new() });
    book.loss = book.losses.get_mut(TAKE).and_then(VecDeque::pop_front);
    let answered = |tool: &str| book.answers[tool].as_ref().cloned().unwrap_or(Value::Null);
    Json(json!({
        "inbox": answered("my_inbox"),
        "channel": answered("channel_read"),
        "document": answered("team_doc_read"),
        "team": answered("team_members"),
    }))
}

async fn on_the_way(State(daemon): State<Daemon>, request: Request, next: Next) -> Response {
    let token = request.headers().get(AUTHORIZATION).map(|value| value.to_str().unwrap());
    if token != Some(&format!("Bearer {TOKEN}")) {
        return (StatusCode::UNAUTHORIZED, "no such token").into_response();
    }
    let answer = next.run(request).await;
    let loss = daemon.book.lock().unwrap().loss.take();
    match loss {
        None => answer,
        Some(Loss::Unavailable) => StatusCode::SERVICE_UNAVAILABLE.into_response(),
        Some(Loss::Ended) => (StatusCode::GONE, "run_ended").into_response(),
        Some(Loss::Torn) => {
            let (mut head, body) = answer.into_parts();
            let whole = to_bytes(body, usize::MAX).await.unwrap();
            head.headers.remove("content-length");
            let pieces = [Ok(whole.slice(..whole.len() / 2)), Err(io::Error::other("torn"))];
            Response::from_parts(head, Body::from_stream(futures::stream::iter(pieces)))
        }
    }
}
