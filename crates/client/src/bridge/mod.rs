//! MCP on a pair of streams, for clients that start a program to reach their tools: each line in is
//! a message for the daemon, and each line out is an answer of it. The daemon keeps nothing of a
//! connection, so a restart of it is bridged by asking the next one.

mod answer;
mod list;
#[cfg(test)]
#[path = "tests/serve.rs"]
mod tests;

use std::{
    collections::HashMap,
    io,
    path::PathBuf,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use agent_worker_protocol::target::Target;
use serde_json::{Map, Value, json};
use tokio::{
    io::{AsyncBufReadExt as _, AsyncRead, AsyncWrite, AsyncWriteExt as _, BufReader},
    sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel},
    task::{AbortHandle, JoinSet},
    time::{Instant, sleep},
};

use self::answer::{Answer, Lost};
use crate::{Client, ClientError, Endpoint, Home, discovery, fresh_key};

/// How long a daemon that is gone is looked for.
const PATIENCE: Duration = Duration::from_mins(1);

/// The first delays before it is looked for again; the last stands for all further ones.
const DELAYS: [Duration; 5] = [
    Duration::from_millis(20),
    Duration::from_millis(100),
    Duration::from_millis(250),
    Duration::from_millis(500),
    Duration::from_secs(1),
];

/// Where the key of a call stands, by which the daemon knows it again.
const IDEMPOTENCY_KEY: &str = "idempotencyKey";

/// Where a message says which version of the protocol it is written in.
const VERSION: &str = "io.modelcontextprotocol/protocolVersion";

/// A client of MCP, as the daemon sees it.
#[derive(Debug, Clone)]
pub struct Bridge {
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    home: Home,
    /// The program that starts a daemon when none is running
    program: Option<PathBuf>,
    /// As whom the client acts
    agent: Option<Target>,
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    client: Client,
    /// The version that `initialize` agreed on
    version: Option<String>,
    /// The tools that the client was last told of
    listed: Option<Vec<String>>,
}

/// What can be sent to the client.
type Out = UnboundedSender<Value>;

impl Bridge {
    /// A bridge to the daemon of `client`; `program` starts another if it is gone.
    pub fn new(
        client: Client,
        home: Home,
        program: Option<PathBuf>,
        agent: Option<Target>,
    ) -> Self {
        let state = Mutex::new(State { client, version: None, listed: None });
        Self { shared: Arc::new(Shared { home, program, agent, state }) }
    }

    /// Serves until the client closes its side and has its answers, or reads no more.
    pub async fn serve(
        &self,
        input: impl AsyncRead + Unpin,
        output: impl AsyncWrite + Unpin,
    ) -> io::Result<()> {
        let (out, answers) = unbounded_channel();
        let reading = async {
            let read = self.read(input, &out).await;
            drop(out);
            read
        };
        tokio::try_join!(reading, write(answers, output)).map(|_| ())
    }

    async fn read(&self, input: impl AsyncRead + Unpin, out: &Out) -> io::Result<()> {
        let mut input = BufReader::new(input);
        let (mut work, mut news) = (JoinSet::new(), None);
        let mut at_work: HashMap<String, AbortHandle> = HashMap::new();
        let mut line = Vec::new();
        // Nothing is read for a client that does not listen.
        while !out.is_closed() {
            tokio::select! {
                read = input.read_until(b'\n', &mut line) => if read? == 0 { break },
                () = out.closed() => break,
            }
            while work.try_join_next().is_some() {}
            at_work.retain(|_, task| !task.is_finished());
            let text = std::mem::take(&mut line);
            if text.trim_ascii().is_empty() {
                continue;
            }
            match Message::of(&text) {
                Message::Request { id, mut request } => {
                    name_call(&mut request);
                    let (bridge, told) = (self.clone(), out.clone());
                    if request["method"] == "tools/list" && self.may_change() {
                        news.get_or_insert_with(|| list::Watch::begin(self.clone(), out.clone()));
                    }
                    let task = work.spawn(async move {
                        let answer = bridge.asked(&request).await;
                        let answer = bridge.noted(&request, answer);
                        // A client that is gone needs no answer.
                        let _ = told.send(answer);
                    });
                    at_work.insert(id.to_string(), task);
                }
                Message::Cancel(id) => {
                    if let Some(task) = at_work.remove(&id.to_string()) {
                        task.abort();
                    }
                }
                Message::Nothing => {}
                Message::Wrong(refusal) => drop(out.send(refusal)),
            }
        }
        tokio::select! {
            () = async { while work.join_next().await.is_some() {} } => {}
            () = out.closed() => {}
        }
        Ok(())
    }

    /// Whether the tools that are offered may be others later: the user is offered all.
    fn may_change(&self) -> bool {
        self.shared.agent.is_some() || self.shared.home.is_in_run()
    }

    /// Asks the daemon, however often it restarts meanwhile.
    async fn asked(&self, request: &Value) -> Value {
        let begun = Instant::now();
        let mut delays = DELAYS.iter().chain(std::iter::repeat(&DELAYS[DELAYS.len() - 1]));
        loop {
            let client = self.client();
            let url = self.url(&client);
            let lost = match answer::ask(&client, &url, request, self.version()).await {
                Answer::Whole(answer) => return answer,
                Answer::Lost(lost) => lost,
            };
            match self.found_again(&client).await {
                // The same daemon, with the same token: it means what it says.
                Ok(false) if lost.is_refusal => return lost.told(request),
                Ok(_) if begun.elapsed() < PATIENCE => {}
                Ok(_) => return lost.told(request),
                Err(error) if begun.elapsed() < PATIENCE && may_pass(&error) => {}
                Err(error) => return Lost::of(&error).told(request),
            }
            sleep(*delays.next().expect("the delays have no end")).await;
        }
    }

    /// Looks where the daemon is by now; true if it is another than this client's.
    async fn found_again(&self, known: &Client) -> Result<bool, discovery::FindError> {
        let Shared { home, program, .. } = &*self.shared;
        let found = match program {
            Some(program) if !home.is_in_run() => {
                Some(discovery::connect_or_start(home, program).await?)
            }
            _ => discovery::find(home).await?,
        };
        let Some(file) = found else { return Ok(true) };
        let endpoint: Endpoint = home.endpoint(&file);
        let is_other = endpoint != *known.endpoint();
        if is_other {
            self.state().client = known.moved(endpoint).of_process(file.pid);
        }
        Ok(is_other)
    }

    /// Keeps what later messages need of an answer.
    fn noted(&self, request: &Value, mut answer: Value) -> Value {
        match request["method"].as_str() {
            Some("initialize") => {
                if let Some(version) = answer["result"]["protocolVersion"].as_str() {
                    self.state().version = Some(version.to_owned());
                }
                if let Some(tools) = answer.pointer_mut("/result/capabilities/tools") {
                    tools["listChanged"] = json!(true);
                }
            }
            Some("tools/list") => self.state().listed = list::names(&answer),
            _ => {}
        }
        answer
    }

    fn state(&self) -> std::sync::MutexGuard<'_, State> {
        self.shared.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn client(&self) -> Client {
        self.state().client.clone()
    }

    fn version(&self) -> Option<String> {
        self.state().version.clone()
    }

    fn url(&self, client: &Client) -> String {
        let base = &client.endpoint().base;
        match &self.shared.agent {
            Some(agent) => format!("{base}/mcp?agent={agent}"),
            None => format!("{base}/mcp"),
        }
    }
}

/// A daemon that is being started or replaced comes to be found.
fn may_pass(error: &discovery::FindError) -> bool {
    use discovery::FindError as Find;
    matches!(error, Find::Stuck { .. } | Find::NotReady { .. } | Find::Garbled { .. })
}

/// Gives a call a key, so that it is done once however often it is asked for.
fn name_call(request: &mut Value) {
    if request["method"] != "tools/call" || !request["params"].is_object() {
        return;
    }
    let meta = &mut request["params"]["_meta"];
    if !meta.is_object() {
        *meta = json!({});
    }
    if !meta[IDEMPOTENCY_KEY].is_string() {
        meta[IDEMPOTENCY_KEY] = json!(fresh_key());
    }
}

async fn write(
    mut answers: UnboundedReceiver<Value>,
    mut output: impl AsyncWrite + Unpin,
) -> io::Result<()> {
    while let Some(answer) = answers.recv().await {
        let mut line = answer.to_string();
        line.push('\n');
        output.write_all(line.as_bytes()).await?;
        output.flush().await?;
    }
    Ok(())
}

/// A line of the client.
#[derive(Debug, PartialEq)]
enum Message {
    /// It wants an answer.
    Request { id: Value, request: Value },
    /// It wants no answer to this request any more.
    Cancel(Value),
    /// What the daemon has no use for: it keeps nothing of a connection.
    Nothing,
    /// It is no message, and this is said.
    Wrong(Value),
}

impl Message {
    fn of(line: &[u8]) -> Self {
        let request: Value = match serde_json::from_slice(line) {
            Ok(request) => request,
            Err(error) => return Self::Wrong(refused(&Value::Null, -32700, &error.to_string())),
        };
        let id = request.get("id").cloned();
        match (request["method"].as_str(), id) {
            (Some(_), Some(id)) if id.is_string() || id.is_i64() || id.is_u64() => {
                Self::Request { id, request }
            }
            (Some("notifications/cancelled"), None) => {
                Self::Cancel(request["params"]["requestId"].clone())
            }
            (Some(_), None) => Self::Nothing,
            (None, Some(_)) if has_answer(request.as_object()) => Self::Nothing,
            (_, id) => {
                let id = id.filter(|id| id.is_string() || id.is_number()).unwrap_or_default();
                let text = "invalid message: one JSON-RPC request or notification per line";
                Self::Wrong(refused(&id, -32600, text))
            }
        }
    }
}

fn has_answer(message: Option<&Map<String, Value>>) -> bool {
    message.is_some_and(|fields| fields.contains_key("result") || fields.contains_key("error"))
}

fn refused(id: &Value, code: i32, text: &str) -> Value {
    json!({ "jsonrpc": "2.0", "id": id, "error": { "code": code, "message": text } })
}

/// What is said of an error, with what helps.
fn told(error: &ClientError) -> String {
    match error.hint() {
        Some(hint) => format!("{error}\nhint: {hint}"),
        None => error.to_string(),
    }
}
