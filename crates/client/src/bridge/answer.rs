//! One message to the daemon, and what came back.

use std::fmt::Display;

use agent_worker_protocol::ErrorCode;
use serde_json::{Value, json};

use crate::{Client, ClientError, discovery::FindError, transport::Failure};

/// Field with the key of a call, by which the daemon recognizes a repeated call.
pub(super) const IDEMPOTENCY_KEY: &str = "idempotencyKey";

/// Where a message says which version of the protocol it is written in.
pub(super) const VERSION: &str = "io.modelcontextprotocol/protocolVersion";

/// The message is an invalid request.
const INVALID: i32 = -32600;

/// The request was not answered.
const INTERNAL: i32 = -32603;

/// Why the client gets no message: no answer came, or that of a daemon that ends.
#[derive(Debug)]
pub(super) struct Lost {
    /// What to say if it stays so
    text: String,
    /// What that is called in JSON-RPC
    code: i32,
    /// Whether a daemon said so, and only another one would say otherwise
    pub is_refusal: bool,
}

/// Sends a request once.
pub(super) async fn ask(
    client: &Client,
    url: &str,
    request: &Value,
    version: Option<String>,
) -> Result<Value, Lost> {
    let method = request["method"].as_str().unwrap_or_default();
    let own = request["params"]["_meta"][VERSION].as_str().map(ToOwned::to_owned);
    let mut sent = client
        .http
        .post(url)
        .bearer_auth(&client.endpoint().token)
        .header("accept", "application/json, text/event-stream")
        .header("mcp-method", method)
        .json(request);
    if let Some(version) = own.or(version).filter(|_| method != "initialize") {
        sent = sent.header("mcp-protocol-version", version);
    }
    let params = &request["params"];
    let name = match method {
        "tools/call" => params["name"].as_str(),
        // Other characters fit into no header, and older versions need none.
        "resources/read" => params["uri"].as_str().filter(|uri| uri.is_ascii()),
        _ => None,
    };
    if let Some(name) = name {
        sent = sent.header("mcp-name", name);
    }
    let (error, is_refusal) = match client.unless_silent(client.carried(sent)).await {
        Ok(Ok((status, body))) => return read(request, status, &body),
        // What no header may hold is the client's mistake, and no daemon takes it.
        Ok(Err(Failure::Unwritable)) => {
            let text = "invalid message: it does not fit into a header";
            return Ok(refused(&request["id"], INVALID, text));
        }
        Ok(Err(Failure::Broken(error))) => (error, false),
        Ok(Err(Failure::Late)) => (client.silence(), false),
        Err(silence) => (silence, true),
    };
    Err(Lost { text: told(&error, error.hint()), code: INTERNAL, is_refusal })
}

fn read(request: &Value, status: u16, body: &[u8]) -> Result<Value, Lost> {
    if let Ok(answer) = serde_json::from_slice::<Value>(body)
        && answer["jsonrpc"] == "2.0"
    {
        // A tool that the daemon refused because it stops was not used: the next daemon does it.
        let code = &answer["result"]["_meta"]["code"];
        if *code == json!(ErrorCode::ShuttingDown) {
            return Err(Lost { text: text_of(&answer), code: INTERNAL, is_refusal: false });
        }
        return Ok(answer);
    }
    let error = ClientError::refusal("the daemon's answer", status, body);
    let is_refusal = !error.is(ErrorCode::ShuttingDown);
    let code = if error.is(ErrorCode::Invalid) { INVALID } else { INTERNAL };
    let lost = Lost { text: told(&error, error.hint()), code, is_refusal };
    if error.is(ErrorCode::Unauthorized) || !is_refusal {
        return Err(lost);
    }
    Ok(lost.told(request))
}

fn text_of(answer: &Value) -> String {
    answer["result"]["content"][0]["text"].as_str().unwrap_or("the daemon is stopping").to_owned()
}

impl Lost {
    pub fn of(error: &FindError) -> Self {
        Self { text: told(error, error.hint().as_deref()), code: INTERNAL, is_refusal: true }
    }

    /// Says so: of a call as a tool's answer, which a model can act on.
    pub fn told(&self, request: &Value) -> Value {
        let id = &request["id"];
        if !request["params"]["_meta"][IDEMPOTENCY_KEY].is_string() {
            return refused(id, self.code, &self.text);
        }
        let content = json!([{ "type": "text", "text": self.text }]);
        json!({ "jsonrpc": "2.0", "id": id, "result": { "content": content, "isError": true } })
    }
}

pub(super) fn refused(id: &Value, code: i32, text: &str) -> Value {
    json!({ "jsonrpc": "2.0", "id": id, "error": { "code": code, "message": text } })
}

/// Text of an error, with its hint.
fn told(error: &impl Display, hint: Option<&str>) -> String {
    match hint {
        Some(hint) => format!("{error}\nhint: {hint}"),
        None => error.to_string(),
    }
}
