//! Servers of tools that are an agent's own: programs that are started for its run, and addresses.

use std::{collections::HashMap, env, process::Stdio, time::Duration};

use agent_worker_protocol::{
    report::{RunConfig, ToolServer},
    run::FailureClass,
    target::Target,
    word::Variable,
    workflow_file::{McpServer, fill},
};
use reqwest::{
    Url,
    header::{HeaderName, HeaderValue},
};
use rmcp::{
    ServiceExt,
    model::CallToolRequestParams,
    service::ClientInitializeError,
    transport::{
        StreamableHttpClientTransport, streamable_http_client::StreamableHttpClientTransportConfig,
    },
};
use serde_json::{Map, Value};
use tokio::{process::Command, time::timeout};

use crate::{
    backend::Failure,
    mcp::{Answer, Connection, Listed, chain, me},
    tree::{self, Spawned},
    web,
};

/// How long a server may take to be there: some are fetched from somewhere first.
const LONGEST_START: Duration = Duration::from_mins(1);

/// How long one call may take.
const LONGEST_CALL: Duration = Duration::from_mins(5);

/// A server that is there.
pub struct Server {
    /// What the agent calls it.
    pub name: String,
    connection: Connection,
    /// What was started for it; it ends with the worker
    _program: Option<Spawned>,
}

/// Why a server is not there.
struct Missing {
    class: FailureClass,
    why: String,
}

impl Server {
    /// Starts or reaches a server.
    pub async fn start(config: &ToolServer, run: &RunConfig) -> Result<Self, Failure> {
        let begun = match &config.server {
            McpServer::Program { command, args, env } => {
                let values = filled(env.iter().map(|(name, value)| (name.as_str(), value)))?;
                let mut program = Command::new(command);
                program.args(args).envs(values).stdin(Stdio::piped()).stdout(Stdio::piped());
                program.current_dir(run.cwd.as_deref().unwrap_or("."));
                Self::program(program).await
            }
            McpServer::Remote { url, headers } => {
                let headers = filled(headers.iter().map(|(name, value)| (name.as_str(), value)))?;
                Self::remote(url, headers).await
            }
        };
        let name = config.name.to_string();
        match begun {
            Ok((connection, program)) => Ok(Self { name, connection, _program: program }),
            Err(missing) => Err(missing.of(&name, run)),
        }
    }

    async fn program(mut command: Command) -> Result<(Connection, Option<Spawned>), Missing> {
        let permanent = |why: String| Missing { class: FailureClass::Permanent, why };
        let name = command.as_std().get_program().display().to_string();
        let mut program = tree::spawn(&mut command)
            .map_err(|error| permanent(format!("`{name}` cannot be started: {error}")))?;
        let pipes = program.pipes().ok_or_else(|| permanent("it has no pipes".to_owned()))?;
        let begun = me().serve(pipes).await_start().await;
        Ok((reached(begun, FailureClass::Transient)?, Some(program)))
    }

    async fn remote(
        url: &str,
        headers: Vec<(String, String)>,
    ) -> Result<(Connection, Option<Spawned>), Missing> {
        let permanent = |why: String| Missing { class: FailureClass::Permanent, why };
        let parsed: Url = url.parse().map_err(|bad| permanent(format!("`{url}`: {bad}")))?;
        let http = web::client(&parsed).map_err(permanent)?;
        let mut sent = HashMap::new();
        for (name, value) in headers {
            // What is wrong with the value is not shown: it may be a secret.
            let bad = || permanent(format!("the header `{name}` cannot be sent"));
            let mut value: HeaderValue = value.parse().map_err(|_| bad())?;
            value.set_sensitive(true);
            sent.insert(name.parse::<HeaderName>().map_err(|_| bad())?, value);
        }
        let config = StreamableHttpClientTransportConfig::with_uri(url).custom_headers(sent);
        let transport = StreamableHttpClientTransport::with_client(http, config);
        let begun = me().serve(transport).await_start().await;
        Ok((reached(begun, FailureClass::Unavailable)?, None))
    }

    /// What it offers.
    pub async fn list(&self, run: &RunConfig) -> Result<Vec<Listed>, Failure> {
        let listed = timeout(LONGEST_START, self.connection.list_all_tools()).await;
        let why = match listed {
            Ok(Ok(tools)) => return Ok(tools.into_iter().map(Listed::from).collect()),
            Ok(Err(error)) => chain(&error),
            Err(_) => late(LONGEST_START),
        };
        Err(Missing { class: FailureClass::Transient, why }.of(&self.name, run))
    }

    /// Calls one of its tools. What goes wrong is an answer that the model can act on.
    pub async fn call(&self, tool: &str, arguments: Map<String, Value>) -> Answer {
        let request = CallToolRequestParams::new(tool.to_owned()).with_arguments(arguments);
        match timeout(LONGEST_CALL, self.connection.call_tool(request)).await {
            Ok(Ok(result)) => Answer::from(result),
            Ok(Err(error)) => Answer::refusal(format!("`{}`: {}", self.name, chain(&error))),
            Err(_) => Answer::refusal(format!("`{}`: {}", self.name, late(LONGEST_CALL))),
        }
    }
}

/// What is waited for at a start, and not for ever.
trait AwaitStart: Future + Sized {
    async fn await_start(self) -> Option<Self::Output> {
        timeout(LONGEST_START, self).await.ok()
    }
}

impl<F: Future> AwaitStart for F {}

/// A connection, or why there is none; `broken` is what it is if nothing comes through.
fn reached(
    begun: Option<Result<Connection, ClientInitializeError>>,
    broken: FailureClass,
) -> Result<Connection, Missing> {
    let (class, why) = match begun {
        Some(Ok(connection)) => return Ok(connection),
        Some(Err(error @ ClientInitializeError::TransportError { .. })) => (broken, chain(&error)),
        Some(Err(error)) => (FailureClass::Transient, chain(&error)),
        None => (FailureClass::Transient, late(LONGEST_START)),
    };
    Err(Missing { class, why })
}

impl Missing {
    fn of(self, server: &str, run: &RunConfig) -> Failure {
        let mut text = format!("its server of tools `{server}` is not there: {}", self.why);
        if self.class == FailureClass::Permanent {
            let agent = Target::member(run.agent.clone(), run.scope.clone());
            text = format!("{text}; mend it, then agent-worker resume {agent}");
        }
        Failure::new(self.class, text)
    }
}

fn late(span: Duration) -> String {
    let span = agent_worker_protocol::time::Interval::from(span);
    format!("no answer within {span}")
}

/// Values with what their variables stand for, which the daemon has put into the environment.
fn filled<'a>(
    values: impl Iterator<Item = (&'a str, &'a String)>,
) -> Result<Vec<(String, String)>, Failure> {
    let find = |variable: &Variable| env::var(variable.as_str()).ok();
    let fill = |(name, value): (&str, &String)| {
        let missing = || {
            let text = format!("`{value}` names a variable that the worker was not given");
            Failure::new(FailureClass::Transient, text)
        };
        Ok((name.to_owned(), fill(value, find).ok_or_else(missing)?))
    };
    values.map(fill).collect()
}
