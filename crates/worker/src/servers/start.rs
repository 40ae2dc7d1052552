//! Starts the servers of a run, lists their tools and calls them.

use std::{env, fmt, path::Path, time::Duration};

use agent_worker_protocol::{Interval, McpServer, ToolServer, Variable, Word, backend::fill};
use futures::future::{OptionFuture, join_all};
use rmcp::{
    ServiceError,
    model::{
        CallToolRequest, CallToolRequestParams, ClientRequest, PaginatedRequestParams, ServerResult,
    },
    service::PeerRequestOptions,
};
use serde_json::{Map, Value};
use tokio::time::timeout;

use super::{
    error::{Unlisted, told},
    lines::OpenCall,
    names,
    program::{self, Program},
    remote,
};
use crate::{
    mcp::{Answer, Connection, Listed},
    model::Tool,
};

/// How long a call may take.
const CALL: Duration = Duration::from_mins(5);

/// How many tools of one server are offered, and how many pages of its list are read.
const MOST_TOOLS: usize = 200;

/// Maximum length of a tool's description, in bytes.
const MOST_ABOUT: usize = 4 << 10;

/// The servers of a run, with their tools. Programs among them end with the worker, as all do that
/// it has started.
pub struct Servers {
    up: Vec<Up>,
    missing: Vec<Missing>,
}

/// A server that is not there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Missing {
    /// What the workflow file calls it
    pub name: String,
    /// What is the case
    pub why: String,
}

/// A server that is there.
struct Up {
    name: Word,
    connection: Connection,
    program: Option<Program>,
    /// Its tools as they are offered, each with the name that it has there
    tools: Vec<(Listed, String)>,
}

impl Servers {
    /// Starts and asks them all side by side. A server that has not said within `longest` what tools it
    /// has is not waited for any more.
    pub async fn start_within(
        servers: &[ToolServer],
        folder: Option<&Path>,
        longest: Duration,
    ) -> Self {
        let starting = servers.iter().map(async |ToolServer { name, server }| {
            let up = Box::pin(up(name, server, folder, longest)).await;
            up.map_err(|why| Missing { name: name.to_string(), why })
        });
        let (mut up, mut missing) = (Vec::new(), Vec::new());
        for started in join_all(starting).await {
            match started {
                Ok(server) => up.push(server),
                Err(server) => missing.push(server),
            }
        }
        names::make_distinct(up.iter_mut().flat_map(|server| &mut server.tools));
        Self { up, missing }
    }

    pub fn listed(&self) -> impl Iterator<Item = Listed> {
        self.up.iter().flat_map(|server| &server.tools).map(|(listed, _)| listed.clone())
    }

    /// Those that are not there.
    pub fn missing(&self) -> &[Missing] {
        &self.missing
    }

    /// The server that has this tool, and the tool's name there.
    fn find(&self, name: &str) -> Option<(&Up, &str)> {
        self.up.iter().find_map(|server| {
            let tool = server.tools.iter().find(|(listed, _)| listed.tool.name == name);
            tool.map(|(_, own)| (server, own.as_str()))
        })
    }

    /// Calls a tool; `None` if no server has it. What goes wrong is an answer that says so. An empty
    /// text is heard when the call begins.
    pub async fn call(
        &self,
        name: &str,
        arguments: &Map<String, Value>,
        hear: &mut dyn FnMut(&str),
    ) -> Option<Answer> {
        if let Some((server, own)) = self.find(name) {
            hear("");
            return Some(server.call(own, arguments.clone()).await);
        }
        let of_missing =
            self.missing.iter().find(|missing| names::is_of(name, missing.name.as_str()));
        of_missing.map(|missing| Answer::refusal(format!("{missing}: nothing was done")))
    }
}

async fn up(
    name: &Word,
    server: &McpServer,
    folder: Option<&Path>,
    longest: Duration,
) -> Result<Up, String> {
    let is_unset = |variable: &Variable| env::var_os(variable.as_str()).is_none();
    if let Some(variable) = server.variables().into_iter().find(is_unset) {
        return Err(format!("its variable `{variable}` is not set"));
    }
    let (program, reached) = match server {
        McpServer::Program { command, args, env } => {
            let env = filled(env.iter().map(|(name, value)| (name.as_str(), value)));
            let (program, pipes) = Program::start(command, args, &env, folder)?;
            (Some(program), timeout(longest, list(program::connect(pipes))).await)
        }
        McpServer::Remote { url, headers } => {
            let headers = filled(headers.iter().map(|(name, value)| (name.as_str(), value)));
            let connecting = remote::connect(url, &headers)?;
            (None, timeout(longest, Box::pin(list(connecting))).await)
        }
    };
    let (why, is_reason) = match reached {
        Ok(Ok((connection, listed))) => {
            let tools = listed.into_iter().map(|tool| offered(name, tool)).collect();
            return Ok(Up { name: name.clone(), connection, program, tools });
        }
        Ok(Err(Unlisted { why, has_answered })) => (why, has_answered),
        Err(_) => {
            let span = Interval::from(longest);
            (format!("it has not said within {span} what tools it has"), true)
        }
    };
    Err(match program {
        Some(program) if is_reason => program.with_complaints(why),
        Some(program) => program.why(why).await,
        None => why,
    })
}

/// Values with what their variables stand for, which the daemon has put into the environment.
fn filled<'a>(values: impl Iterator<Item = (&'a str, &'a String)>) -> Vec<(String, String)> {
    let find = |variable: &Variable| env::var(variable.as_str()).ok();
    let filled = |(name, value): (&str, &String)| Some((name.to_owned(), fill(value, find)?));
    values.filter_map(filled).collect()
}

/// Waits for the connection, then asks for the tools, page by page: a server may have no last one.
async fn list(
    connecting: impl Future<Output = Result<Connection, Unlisted>>,
) -> Result<(Connection, Vec<Listed>), Unlisted> {
    let connection = connecting.await?;
    let (mut listed, mut cursor) = (Vec::new(), None);
    for _ in 0..MOST_TOOLS {
        let params = PaginatedRequestParams::default().with_cursor(cursor.clone());
        let page = connection.list_tools(Some(params)).await?;
        let goes_on = !page.tools.is_empty() || page.next_cursor != cursor;
        listed.extend(page.tools.into_iter().map(Listed::from));
        cursor = page.next_cursor.filter(|_| goes_on);
        if cursor.is_none() || listed.len() >= MOST_TOOLS {
            break;
        }
    }
    listed.truncate(MOST_TOOLS);
    Ok((connection, listed))
}

/// A tool under the name by which it is offered, and its own.
fn offered(server: &Word, listed: Listed) -> (Listed, String) {
    let Listed { tool: Tool { name, mut about, schema }, only_reads } = listed;
    about.truncate(about.floor_char_boundary(MOST_ABOUT));
    let tool = Tool { name: names::offered(server.as_str(), &name), about, schema };
    (Listed { tool, only_reads }, name)
}

impl Up {
    async fn call(&self, tool: &str, arguments: Map<String, Value>) -> Answer {
        let params = CallToolRequestParams::new(tool.to_owned()).with_arguments(arguments);
        let request = ClientRequest::CallToolRequest(CallToolRequest::new(params));
        let options = PeerRequestOptions::with_timeout(CALL);
        let open = self.program.as_ref().map(|program| program.calls.begin());
        let sent = match self.connection.send_request_with_option(request, options).await {
            Ok(sent) => sent,
            Err(error) => return self.read(Err(error)).await,
        };
        let answered = tokio::select! {
            biased;
            answered = sent.await_response() => answered,
            Some(()) = OptionFuture::from(open.as_ref().map(OpenCall::passed_over)) => {
                let why = "it is longer than 16 MiB, so it was not read";
                let text = format!("no answer from the server `{}`: {why}", self.name);
                return Answer { was_begun: true, ..Answer::refusal(text) };
            }
        };
        let is_answered = !matches!(answered, Err(ServiceError::Timeout { .. }));
        if let Some(open) = open.filter(|_| is_answered) {
            open.end_answered();
        }
        let was_begun = !self.is_unheard(&answered);
        Answer { was_begun, ..self.read(answered).await }
    }

    /// Whether a call that was sent has surely not reached its tool. What a tool did before it
    /// failed only its server knows.
    fn is_unheard(&self, answered: &Result<ServerResult, ServiceError>) -> bool {
        // A program reads whole lines only. A server behind an address may have read it.
        matches!(answered, Err(ServiceError::TransportSend(_))) && self.program.is_some()
    }

    /// What is made of an answer, or of its absence.
    async fn read(&self, answered: Result<ServerResult, ServiceError>) -> Answer {
        let server = &self.name;
        match answered {
            Ok(ServerResult::CallToolResult(result)) => result.into(),
            Ok(_) => Answer::refusal(format!("the server `{server}` has answered something else")),
            Err(ServiceError::McpError(error)) => Answer::refusal(error.message.into_owned()),
            Err(ServiceError::Timeout { timeout }) => {
                let seconds = timeout.as_secs();
                Answer::refusal(format!(
                    "timed out: `{server}` has not answered within {seconds} s"
                ))
            }
            Err(error) => {
                let why = told(&error);
                let why = match &self.program {
                    Some(program) => program.why(why).await,
                    None => why,
                };
                Answer::refusal(format!("no answer from the server `{server}`: {why}"))
            }
        }
    }
}

impl fmt::Display for Missing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { name, why } = self;
        write!(f, "the MCP server `{name}` cannot be used in this run: {why}")
    }
}
