//! Programs that a workflow file names: agents that speak a protocol, MCP servers.

use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize};

use crate::terms::{FromText, Ordered, Variable, forms, shell::quoted, words::words};

/// A program and how to start it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Command {
    /// Name of the program, or path of its file
    pub program: String,
    /// Arguments of the program
    #[serde(default, deserialize_with = "arguments")]
    pub args: Vec<String>,
    /// Additional environment variables; `$NAME`, or `${NAME}`, stands for a key or an environment
    /// variable
    #[serde(default)]
    pub env: Ordered<Variable, String>,
    /// Mode in which the program works, if it has several
    pub mode: Option<String>,
}

impl Command {
    /// Returns the variables that the values of `env` name.
    pub fn variables(&self) -> Vec<Variable> {
        named_in(self.env.values())
    }
}

/// The name by which agent programs know the daemon's MCP server. Gemini allows no `_` in it.
pub const SERVER: &str = "daemon";

/// An MCP server for one agent: a program to start, or an address.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "McpServerForm", into = "McpServerForm")]
pub enum McpServer {
    /// A program that speaks on its input and output.
    Program {
        /// Name of the program, or path of its file
        command: String,
        /// Arguments of the program
        args: Vec<String>,
        /// What stands in its environment besides
        env: Ordered<Variable, String>,
    },
    /// A server that is there already.
    Remote {
        /// Its address
        url: String,
        /// What is sent with each request
        headers: Ordered<String, String>,
    },
}

#[derive(Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
#[schemars(inline)]
struct McpServerForm {
    /// Program to start: its name, or the path of its file
    command: Option<String>,
    /// Arguments of the program
    #[serde(deserialize_with = "optional_arguments")]
    args: Option<Vec<String>>,
    /// Additional environment variables of the program; `$NAME`, or `${NAME}`, stands for a key or an
    /// environment variable
    env: Option<Ordered<Variable, String>>,
    /// Address of a running server
    url: Option<String>,
    /// Headers of each request; `$NAME`, or `${NAME}`, stands for a key or an environment variable
    headers: Option<Ordered<String, String>>,
}

impl McpServer {
    /// The variables that its values name.
    pub fn variables(&self) -> Vec<Variable> {
        match self {
            Self::Program { env, .. } => named_in(env.values()),
            Self::Remote { headers, .. } => named_in(headers.values()),
        }
    }
}

words! {
    /// How an agent's program connects to the daemon's tools.
    #[derive(Default)]
    pub enum McpTransport {
        /// Over HTTP
        #[default]
        Http = "http",
        /// Over `agent-worker mcp`, for a program that cannot use HTTP
        Stdio = "stdio",
    }
}

fn named_in<'a>(values: impl Iterator<Item = &'a String>) -> Vec<Variable> {
    let mut named = Vec::new();
    for value in values {
        fill(value, |variable| {
            named.push(variable.clone());
            Some(String::new())
        });
    }
    named
}

/// A value with what its variables stand for: `$NAME` or `${NAME}` anywhere in it, and `$$` for a
/// `$`. None if one of them stands for nothing.
pub fn fill(value: &str, find: impl FnMut(&Variable) -> Option<String>) -> Option<String> {
    try_fill(value, find).ok()
}

/// The same; an error is the first variable that stands for nothing.
pub fn try_fill(
    value: &str,
    mut find: impl FnMut(&Variable) -> Option<String>,
) -> Result<String, Variable> {
    let mut filled = String::new();
    let mut rest = value;
    while let Some((before, after)) = rest.split_once('$') {
        filled.push_str(before);
        let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let end = after.find(|c| !is_name(c)).unwrap_or(after.len());
        let braced = after.strip_prefix('{').and_then(|braced| braced.split_once('}'));
        let (name, behind) = braced.unwrap_or(after.split_at(end));
        rest = behind;
        if let Ok(variable) = name.parse() {
            filled.push_str(&find(&variable).ok_or(variable)?);
        } else {
            filled.push('$');
            rest = after.strip_prefix('$').unwrap_or(after);
        }
    }
    filled.push_str(rest);
    Ok(filled)
}

/// A value as a word of a shell, which fills in what its variables stand for, and refuses the
/// command where one is not set.
pub fn in_shell(value: &str) -> String {
    if !value.contains('$') {
        return quoted(value);
    }
    let named = |variable: &Variable| Some(format!("'\"${{{variable}?}}\"'"));
    let filled = fill(&value.replace('\'', "'\\''"), named).unwrap_or_default();
    let word = format!("'{filled}'");
    let word = word.strip_prefix("''").unwrap_or(&word);
    word.strip_suffix("''").unwrap_or(word).to_owned()
}

impl FromText for Command {
    const EXPECTED: &'static str = "a program, or a mapping with `program`";

    fn from_text(text: &str) -> Result<Self, String> {
        let mut words = text.split_whitespace();
        let program = words.next().ok_or("a program is named here")?.to_owned();
        let rest: Vec<_> = words.collect();
        if !rest.is_empty() {
            let args = rest.join(", ");
            return Err(format!(
                "`{text}` is more than a program: write `{{ program: {program}, args: [{args}] }}`"
            ));
        }
        Ok(Self { program, args: Vec::new(), env: Ordered::default(), mode: None })
    }
}

impl TryFrom<McpServerForm> for McpServer {
    type Error = String;

    fn try_from(form: McpServerForm) -> Result<Self, String> {
        let McpServerForm { command, args, env, url, headers } = form;
        match (command, url) {
            (Some(_), Some(_)) => Err("a server has a `command` or a `url`, not both".to_owned()),
            (None, None) => {
                Err("a server has a `command` or a `url`; this one has neither".to_owned())
            }
            (Some(_), None) if headers.is_some() => {
                Err("`headers` belong to a `url`; a `command` has `env`".to_owned())
            }
            (None, Some(_)) if args.is_some() || env.is_some() => {
                Err("`args` and `env` belong to a `command`; a `url` has `headers`".to_owned())
            }
            (Some(command), None) => Ok(Self::Program {
                command,
                args: args.unwrap_or_default(),
                env: env.unwrap_or_default(),
            }),
            (None, Some(url)) => Ok(Self::Remote { url, headers: headers.unwrap_or_default() }),
        }
    }
}

impl From<McpServer> for McpServerForm {
    fn from(server: McpServer) -> Self {
        match server {
            McpServer::Program { command, args, env } => {
                Self { command: Some(command), args: Some(args), env: Some(env), ..Self::default() }
            }
            McpServer::Remote { url, headers } => {
                Self { url: Some(url), headers: Some(headers), ..Self::default() }
            }
        }
    }
}

fn arguments<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<String>, D::Error> {
    forms::list(deserializer, "a list of arguments")
}

/// So that arguments can be told from no arguments.
#[derive(Deserialize)]
#[serde(transparent)]
struct Arguments(#[serde(deserialize_with = "arguments")] Vec<String>);

fn optional_arguments<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<Vec<String>>, D::Error> {
    Ok(Option::<Arguments>::deserialize(deserializer)?.map(|arguments| arguments.0))
}

#[cfg(test)]
#[path = "tests/program.rs"]
mod tests;
