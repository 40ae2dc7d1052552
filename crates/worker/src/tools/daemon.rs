//! The daemon's tools, over MCP.

use std::{borrow::Cow, sync::Arc, time::Duration};

use agent_worker_protocol::{
    Context, ContextTake, ErrorAnswer, Op,
    daemon::{API_HEADER, API_VERSION},
};
use bytes::Bytes;
use reqwest::StatusCode;
use rmcp::{
    ServiceError,
    model::{CallToolRequestParams, CallToolResult, ContentBlock, RequestMetaObject},
    service::{ClientInitializeError, ClientServiceExt},
    transport::{
        DynamicTransportError, StreamableHttpClientTransport,
        streamable_http_client::{StreamableHttpClientTransportConfig, StreamableHttpError},
    },
};
use serde_json::{Map, Value};
use tokio::sync::Mutex;
use uuid::Uuid;

use super::no_answer::{NoAnswer, NotDone, again};
use crate::mcp::{Answer, Connection, Listed, lifecycle, me};

/// Field with the key of a call, by which the daemon recognizes a repeated call.
const IDEMPOTENCY_KEY: &str = "idempotencyKey";

/// How long an answer may take. The slowest tool, `my_inbox` with `wait`, takes 60 seconds.
const LONGEST_ANSWER: Duration = Duration::from_secs(75);

/// The daemon's tools, as the run's token allows them.
pub struct Tools {
    pub url: Arc<str>,
    pub token: String,
    pub http: reqwest::Client,
    connection: Mutex<Option<Arc<Connection>>>,
}

impl Tools {
    /// Tools that are reached when they are used first.
    pub fn at(url: &str, token: &str) -> Result<Self, reqwest::Error> {
        let http = agent_worker_http::client_of_daemon().timeout(LONGEST_ANSWER).build()?;
        Ok(Self { url: url.into(), token: token.to_owned(), http, connection: Mutex::default() })
    }

    /// Takes the run's context in one plain request. MCP would need five, and each answer would be
    /// parsed several times.
    pub async fn take(&self, daemon: &str, take: &ContextTake) -> Result<Context, NotDone> {
        let url = format!("{daemon}/runs/{}/context", take.id);
        let (status, body) = again(async || self.post(&url).await).await?;
        if !status.is_success() {
            let text = match serde_json::from_slice::<ErrorAnswer>(&body) {
                Ok(refusal) => refusal.error.to_string(),
                Err(_) => format!("{status}: {}", String::from_utf8_lossy(&body)),
            };
            return Err(NotDone::Refused { op: ContextTake::NAME, text });
        }
        serde_json::from_slice(&body).map_err(|why| NotDone::Garbled { op: ContextTake::NAME, why })
    }

    /// The answer, unless the daemon cannot give one now.
    async fn post(&self, url: &str) -> Result<(StatusCode, Bytes), NoAnswer> {
        let request = self.http.post(url).header(API_HEADER, API_VERSION);
        let request = request.bearer_auth(&self.token).json(&Map::new());
        let sent = async {
            let mut response = request.send().await?;
            if response.status().is_server_error() {
                response = response.error_for_status()?;
            }
            Ok((response.status(), response.bytes().await?))
        };
        sent.await.map_err(|error: reqwest::Error| NoAnswer::new(ContextTake::NAME, &error, true))
    }

    pub async fn ask<O: Op>(&self, op: &O) -> Result<O::Output, NotDone> {
        let mut arguments = match serde_json::to_value(op) {
            Ok(Value::Object(arguments)) => arguments,
            _ => Map::new(),
        };
        arguments.retain(|_, value| !value.is_null());
        let answer = self.call(O::NAME, arguments).await?;
        if answer.is_refusal {
            return Err(NotDone::Refused { op: O::NAME, text: answer.text });
        }
        serde_json::from_value(answer.value.unwrap_or_default())
            .map_err(|why| NotDone::Garbled { op: O::NAME, why })
    }

    /// Tools, in the order in which agents see them.
    pub async fn list(&self) -> Result<Vec<Listed>, NoAnswer> {
        let list = async |connection: &Connection| connection.list_all_tools().await;
        let tools = again(async || self.attempt("tools/list", list).await).await?;
        Ok(tools.into_iter().map(Listed::from).collect())
    }

    /// Calls a tool. A call whose answer is lost is made again, and the daemon knows it by its
    /// key, so it is done once.
    pub async fn call(
        &self,
        tool: &str,
        arguments: Map<String, Value>,
    ) -> Result<Answer, NoAnswer> {
        let mut request =
            CallToolRequestParams::new(Cow::Owned(tool.to_owned())).with_arguments(arguments);
        let mut meta = RequestMetaObject::new();
        meta.0.0.insert(IDEMPOTENCY_KEY.to_owned(), Uuid::now_v7().to_string().into());
        request.meta = Some(meta);
        let call = async |connection: &Connection| {
            let answered = connection.call_tool(request.clone()).await;
            let Err(ServiceError::McpError(refusal)) = answered else { return answered };
            Ok(CallToolResult::error(vec![ContentBlock::text(refusal.message)]))
        };
        again(async || self.attempt(tool, call).await).await.map(Answer::from)
    }

    /// Makes a request of this name. A connection that has closed is not used again.
    async fn attempt<T>(
        &self,
        what: &str,
        request: impl AsyncFn(&Connection) -> Result<T, ServiceError>,
    ) -> Result<T, NoAnswer> {
        let connection = self.connect(what).await?;
        match request(&connection).await {
            Ok(answer) => Ok(answer),
            Err(ServiceError::TransportSend(error)) => {
                Err(NoAnswer::new(what, &*error.error, repeating_may_help(&error)))
            }
            Err(error) => {
                let is_lost = matches!(error, ServiceError::TransportClosed);
                self.connection.lock().await.take_if(|kept| Arc::ptr_eq(kept, &connection));
                Err(NoAnswer::new(what, &error, is_lost))
            }
        }
    }

    /// The connection, for a request of this name.
    async fn connect(&self, what: &str) -> Result<Arc<Connection>, NoAnswer> {
        let mut kept = self.connection.lock().await;
        if let Some(connection) = &*kept {
            return Ok(Arc::clone(connection));
        }
        let config = StreamableHttpClientTransportConfig::with_uri(Arc::clone(&self.url))
            .auth_header(self.token.as_str());
        let transport = StreamableHttpClientTransport::with_client(self.http.clone(), config);
        let connection = me().serve_with_lifecycle(transport, lifecycle()).await;
        let connection = connection
            .map(Arc::new)
            .map_err(|error| NoAnswer::new(what, &error, connecting_may_help(&error)))?;
        *kept = Some(Arc::clone(&connection));
        Ok(connection)
    }
}

fn connecting_may_help(error: &ClientInitializeError) -> bool {
    match error {
        ClientInitializeError::TransportError { error, .. } => repeating_may_help(error),
        ClientInitializeError::ConnectionClosed(_) => true,
        _ => false,
    }
}

/// Whether the answer was lost on its way, so that the same call may be answered the next time.
fn repeating_may_help(error: &DynamicTransportError) -> bool {
    use StreamableHttpError as Http;
    !matches!(
        error.error.downcast_ref::<Http<reqwest::Error>>(),
        Some(
            Http::AuthRequired(_)
                | Http::InsufficientScope(_)
                | Http::UnexpectedServerResponse(_)
                | Http::UnexpectedContentType(_)
                | Http::ResponseBodyTooLarge { .. }
                | Http::ReservedHeaderConflict(_)
        )
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::servers::tests::served;

    #[tokio::test]
    async fn a_connection_that_has_closed_is_made_anew() {
        let (url, _told) = served();
        let tools = Tools::at(&url, "word").unwrap();
        let close = async || {
            let kept = tools.connection.lock().await;
            kept.as_ref().unwrap().cancellation_token().cancel();
        };
        assert_eq!(tools.list().await.unwrap().len(), 1);
        close().await;
        assert_eq!(tools.list().await.unwrap().len(), 1);
        close().await;
        assert_eq!(tools.call("add", Map::new()).await.unwrap().text, "{}");
    }
}
