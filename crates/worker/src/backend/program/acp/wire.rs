//! JSON-RPC with an agent: one message a line, requests in both directions.

use std::time::Duration;

use futures::{StreamExt, future::LocalBoxFuture, stream::FuturesUnordered};
use serde::{Serialize, de::DeserializeOwned};
use serde_json::{Value, json};
use tokio::{
    io::{AsyncWrite, AsyncWriteExt},
    sync::{mpsc, watch},
    time::timeout,
};

use super::{
    super::Said,
    speech::{METHOD_NOT_FOUND, Outcome, PermissionRequest, Update},
};

/// An agent that is heard.
pub trait Source {
    /// Returns the next line; `None` when the agent says nothing more. Dropping the future loses
    /// nothing.
    fn hear(&mut self) -> impl Future<Output = Option<Said>>;
}

/// Why a request has no result.
#[derive(Debug, Clone, PartialEq)]
pub enum Broken {
    /// The agent has closed its output.
    Closed,
    /// The agent answered with an error.
    Refused {
        /// Its number in JSON-RPC
        code: i64,
        /// The message, with its details
        message: String,
    },
    /// The agent answered with something else.
    Garbled(String),
    /// The agent did not answer in time.
    Silent(Duration),
}

/// The client's side of a session: what it does about what the agent sends by itself.
pub trait Client<'s> {
    /// Takes note of what happens in the session.
    fn update(&mut self, update: Update);

    /// Decides about a permission. The decision may take long.
    fn permission(&mut self, request: PermissionRequest) -> LocalBoxFuture<'s, Outcome>;

    /// Notes a line that is not what it should be, such as a message.
    fn other_line(&mut self, what: &str, line: &str);
}

/// A connection to an agent.
pub struct Wire<S> {
    source: S,
    canceller: Canceller,
    last_id: i64,
    /// The session that it speaks in; `None` until it is known
    session: Option<String>,
}

/// Writes to an agent, and cancels a turn while its request waits.
#[derive(Clone)]
pub struct Canceller {
    outgoing: mpsc::UnboundedSender<Vec<u8>>,
    is_cancelled: watch::Sender<bool>,
}

impl<S: Source> Wire<S> {
    /// Speaks to an agent that is heard and written to here. The agent's input closes with this
    /// and all cancellers.
    pub fn new(source: S, to: impl AsyncWrite + Unpin + Send + 'static) -> Self {
        let (outgoing, lines) = mpsc::unbounded_channel();
        // A task of its own: an agent that reads nothing while it writes much is still read.
        tokio::spawn(write(to, lines));
        let canceller = Canceller { outgoing, is_cancelled: watch::Sender::new(false) };
        Self { source, canceller, last_id: 0, session: None }
    }

    /// Passes over what the agent tells of other sessions from now on.
    pub fn keep_to(&mut self, session: &str) {
        self.session = Some(session.to_owned());
    }

    /// Closes the agent's input, and returns the agent once it says nothing more, or after this
    /// time. Until then the client hears its updates: some tell the end of their text, or what it
    /// cost, only after they have answered the prompt.
    pub async fn hear_out<'s>(self, longest: Duration, client: &mut impl Client<'s>) -> S {
        let Self { mut source, canceller, session, .. } = self;
        drop(canceller);
        let hearing = async {
            while let Some(said) = source.hear().await {
                if let Said::Event(mut message) = said
                    && matches!(kind(&message), Kind::Update)
                    && let Some(update) = update(&mut message, session.as_deref())
                {
                    client.update(update);
                }
            }
        };
        let _ = timeout(longest, hearing).await;
        source
    }

    /// Returns a way to cancel the turn while its request waits.
    pub fn canceller(&self) -> Canceller {
        self.canceller.clone()
    }

    /// Makes a request and waits for its result; meanwhile the client hears what else comes in.
    pub async fn call<'s, A: DeserializeOwned>(
        &mut self,
        method: &str,
        params: impl Serialize,
        client: &mut impl Client<'s>,
    ) -> Result<A, Broken> {
        self.last_id += 1;
        let id = self.last_id;
        let call = json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params });
        self.canceller.send(&call);
        let mut asked = FuturesUnordered::new();
        loop {
            let said = tokio::select! {
                Some((id, outcome)) = asked.next() => {
                    self.answer(&id, &json!({ "outcome": outcome }));
                    continue;
                }
                said = self.source.hear() => said,
            };
            let mut message = match said.ok_or(Broken::Closed)? {
                Said::Event(message) => message,
                Said::Text(line) => {
                    client.other_line("a message", &line);
                    continue;
                }
                // It may have been the answer that is waited for.
                Said::TooLong(bytes) => {
                    return Err(Broken::Garbled(format!("it wrote a line of {bytes} bytes")));
                }
            };
            match kind(&message) {
                Kind::Update => {
                    if let Some(update) = update(&mut message, self.session.as_deref()) {
                        client.update(update);
                    }
                }
                Kind::Request(id, method) if method == "session/request_permission" => {
                    match serde_json::from_value(take(&mut message, "params")) {
                        Ok(request) => {
                            let decision = client.permission(request);
                            let cancelled = self.canceller.is_cancelled.subscribe();
                            asked.push(async move { (id, outcome(decision, cancelled).await) });
                        }
                        Err(bad) => self.refuse(&id, -32_602, &bad.to_string()),
                    }
                }
                Kind::Request(id, method) => {
                    let text = format!("this client does not offer `{method}`");
                    self.refuse(&id, METHOD_NOT_FOUND, &text);
                }
                Kind::Answer(answered) if answered == id => return result(method, message),
                // No other request waits, and a request that could not be read has no id to answer by.
                Kind::Error if !*self.canceller.is_cancelled.borrow() => {
                    return result(method, message);
                }
                // It may be of the cancellation, which the agent need not know.
                Kind::Error => client.other_line("an answer to a request", &message.to_string()),
                Kind::Answer(_) | Kind::Nothing => {}
            }
        }
    }

    /// Hears what the agent has to say before it answers the next request: it refuses one of a
    /// method that no agent has.
    pub async fn catch_up<'s>(&mut self, client: &mut impl Client<'s>) -> Result<(), Broken> {
        match self.call::<Value>("_agent-worker/told", json!({}), client).await {
            Ok(_) | Err(Broken::Refused { .. }) => Ok(()),
            Err(broken) => Err(broken),
        }
    }

    fn answer(&self, id: &Value, result: &Value) {
        self.canceller.send(&json!({ "jsonrpc": "2.0", "id": id, "result": result }));
    }

    fn refuse(&self, id: &Value, code: i64, message: &str) {
        let error = json!({ "code": code, "message": message });
        self.canceller.send(&json!({ "jsonrpc": "2.0", "id": id, "error": error }));
    }
}

impl Canceller {
    /// Cancels the turn of a session. Permission requests are from now on answered `cancelled`,
    /// also those that wait: an agent may wait for them before it ends its turn.
    pub fn cancel(&self, session: &str) {
        let (method, params) = ("session/cancel", json!({ "sessionId": session }));
        self.send(&json!({ "jsonrpc": "2.0", "method": method, "params": params }));
        self.is_cancelled.send_replace(true);
    }

    fn send(&self, message: &Value) {
        let mut line = message.to_string().into_bytes();
        line.push(b'\n');
        // An agent that does not read any more is noticed by what it does not answer.
        let _ = self.outgoing.send(line);
    }
}

/// Outcome of a permission request. In a turn that is cancelled the user is not asked.
async fn outcome(
    decision: impl Future<Output = Outcome>,
    mut is_cancelled: watch::Receiver<bool>,
) -> Outcome {
    tokio::select! {
        biased;
        _ = is_cancelled.wait_for(|is_cancelled| *is_cancelled) => Outcome::Cancelled,
        outcome = decision => outcome,
    }
}

async fn write(mut to: impl AsyncWrite + Unpin, mut lines: mpsc::UnboundedReceiver<Vec<u8>>) {
    while let Some(line) = lines.recv().await {
        if to.write_all(&line).await.is_err() || to.flush().await.is_err() {
            return;
        }
    }
}

/// What a message is.
enum Kind {
    Request(Value, String),
    Update,
    Answer(i64),
    /// An error that does not say which request it answers.
    Error,
    Nothing,
}

fn kind(message: &Value) -> Kind {
    let method = message["method"].as_str().map(str::to_owned);
    let id = message.get("id").filter(|id| !id.is_null()).cloned();
    match (method, id) {
        (Some(method), Some(id)) => Kind::Request(id, method),
        (Some(method), None) if method == "session/update" => Kind::Update,
        (None, Some(id)) => {
            // Some give it back as a text.
            let number = id.as_i64().or_else(|| id.as_str()?.parse().ok());
            number.map_or(Kind::Nothing, Kind::Answer)
        }
        // A line of a log may have an error too.
        (None, None) if message["jsonrpc"] == "2.0" && message["error"].is_object() => Kind::Error,
        (_, None) => Kind::Nothing,
    }
}

fn take(message: &mut Value, key: &str) -> Value {
    message.get_mut(key).map(Value::take).unwrap_or_default()
}

/// What an update says; `None` if it makes no sense, or if another session, such as that of a
/// subagent, says or thinks something. Its calls have effects, and belong to the run.
fn update(message: &mut Value, session: Option<&str>) -> Option<Update> {
    let params = message.get_mut("params")?;
    let named = params.get("sessionId").and_then(Value::as_str);
    let is_other = named.zip(session).is_some_and(|(named, own)| named != own);
    let update: Update = serde_json::from_value(take(params, "update")).ok()?;
    (!is_other || update.is_call()).then_some(update)
}

fn result<A: DeserializeOwned>(method: &str, mut message: Value) -> Result<A, Broken> {
    if let Some(error) = message.get("error").filter(|error| !error.is_null()) {
        return Err(refusal(error));
    }
    serde_json::from_value(take(&mut message, "result"))
        .map_err(|bad| Broken::Garbled(format!("its answer to `{method}` makes no sense: {bad}")))
}

fn refusal(error: &Value) -> Broken {
    let mut message = error["message"].as_str().unwrap_or("an error").trim().to_owned();
    let data = &error["data"];
    let in_data = || ["details", "message"].iter().find_map(|key| data[*key].as_str());
    let details = data.as_str().or_else(in_data);
    if let Some(details) = details.filter(|details| !message.contains(*details)) {
        message = format!("{message}: {details}");
    }
    Broken::Refused { code: error["code"].as_i64().unwrap_or_default(), message }
}
