//! The agent's own MCP servers, in the program's configuration.

use std::fmt::Write as _;

use agent_worker_protocol::McpServer;
use serde_json::Value;

use super::super::{Launch, launch::filled};

/// How the variables begin that hold the values for servers.
const SECRET: &str = "AGENT_WORKER_SECRET_";

/// Keeps the values for servers from commands, which get the program's environment.
pub fn hide(launch: &mut Launch) {
    set_list(launch, "shell_environment_policy.exclude", [format!("{SECRET}*")]);
}

/// Adds the server at this place of the list. Arguments are for all to read, so values that may be
/// secrets stand in the program's environment. Each has a variable of its own there: the program
/// itself and the other servers must not take it for theirs.
pub fn add(launch: &mut Launch, at: usize, name: &str, server: &McpServer) {
    let place = format!("mcp_servers.{name}");
    let mut hide = |n: usize, value: &str| {
        let variable = format!("{SECRET}{at}_{n}");
        launch.env(&variable, filled(value).unwrap_or_default());
        variable
    };
    match server {
        McpServer::Program { command, args, env } => {
            let mut variables = Vec::new();
            let mut script = String::new();
            for (n, (name, value)) in env.iter().enumerate() {
                let variable = hide(n, value);
                let _ = write!(script, "export {name}=\"${variable}\"; unset {variable}; ");
                variables.push(variable);
            }
            script.push_str("exec \"$@\"");
            let args = args.iter().map(String::as_str);
            if variables.is_empty() {
                set(launch, &format!("{place}.command"), command);
                set_list(launch, &format!("{place}.args"), args);
            } else {
                // The program can give a server a variable only by the name that it has itself.
                set(launch, &format!("{place}.command"), "sh");
                let wrapped = ["-c", &script, "sh", command].into_iter().chain(args);
                set_list(launch, &format!("{place}.args"), wrapped);
                set_list(launch, &format!("{place}.env_vars"), variables);
            }
        }
        McpServer::Remote { url, headers } => {
            let named = headers
                .iter()
                .enumerate()
                .map(|(n, (header, value))| format!("{}={}", text(header), text(&hide(n, value))));
            let headers = named.collect::<Vec<_>>().join(",");
            set(launch, &format!("{place}.url"), url);
            launch.arg("-c").arg(format!("{place}.env_http_headers={{{headers}}}"));
        }
    }
    set(launch, &format!("{place}.default_tools_approval_mode"), "approve");
}

/// Sets a text in the program's configuration.
pub fn set(launch: &mut Launch, key: &str, value: &str) {
    launch.arg("-c").arg(format!("{key}={}", text(value)));
}

/// Sets a list of texts.
pub fn set_list(launch: &mut Launch, key: &str, all: impl IntoIterator<Item: AsRef<str>>) {
    let values: Vec<_> = all.into_iter().map(|value| text(value.as_ref())).collect();
    let values = values.join(",");
    launch.arg("-c").arg(format!("{key}=[{values}]"));
}

/// A text as TOML has it: as JSON, but for one character that TOML does not allow.
pub fn text(value: &str) -> String {
    Value::from(value).to_string().replace('\u{7f}', "\\u007F")
}
