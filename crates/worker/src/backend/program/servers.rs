//! The MCP servers of a run, in the JSON that several programs read.

use agent_worker_protocol::{
    McpServer, McpTransport, RunConfig,
    backend::{SERVER, fill},
};
use serde_json::{Map, Value, json};

use super::run_program::{MCP_URL, TOKEN, bridge, callers};

/// The daemon's server and the agent's own, by their names. The program fills in variables of its
/// environment, so no secret stands in an argument; `variable` writes one as the program does.
pub fn servers(run: &RunConfig, variable: impl Fn(&str) -> String) -> Map<String, Value> {
    let daemon = match run.mcp {
        McpTransport::Http => json!({
            "url": variable(MCP_URL),
            "headers": { "Authorization": format!("Bearer {}", variable(TOKEN)) },
        }),
        McpTransport::Stdio => {
            let env = callers(run).map(|name| (name.clone(), variable(&name).into()));
            json!({ "command": bridge(), "args": ["mcp"], "env": env.collect::<Map<_, _>>() })
        }
    };
    let own = run.servers.iter().map(|own| (own.name.to_string(), of(&own.server, &variable)));
    std::iter::once((SERVER.to_owned(), daemon)).chain(own).collect()
}

fn of(server: &McpServer, variable: impl Fn(&str) -> String) -> Value {
    let filled =
        |value: &str| fill(value, |name| Some(variable(name.as_str()))).unwrap_or_default();
    match server {
        McpServer::Program { command, args, env } => {
            let env = env.iter().map(|(name, value)| (name.to_string(), filled(value).into()));
            json!({ "command": command, "args": args, "env": env.collect::<Map<_, _>>() })
        }
        McpServer::Remote { url, headers } => {
            let headers = headers.iter().map(|(name, value)| (name.clone(), filled(value).into()));
            json!({ "url": url, "headers": headers.collect::<Map<_, _>>() })
        }
    }
}
