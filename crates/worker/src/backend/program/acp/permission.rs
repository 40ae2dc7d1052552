//! Whether an agent may do what it asks a permission for: the daemon's tools and those of its own
//! MCP servers always, the rest as its `tools:` and `permissions:` say.

use agent_worker_protocol::{Permissions, Tool, backend::SERVER};
use serde_json::{Map, Value, json};

use super::{
    super::content::text_of,
    speech::{Outcome, PermissionOption, ToolCall},
};

/// Owner of a tool.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Owner {
    /// The daemon's, with its name there.
    Daemon(String),
    /// That of an MCP server of the agent's own.
    Server,
    /// The agent program's own, with the tools of a workspace that it amounts to.
    Program(&'static [Tool]),
    /// Something that is not known here.
    Unknown,
}

impl Owner {
    /// Whether a failed call about this number of files has done nothing: a tool of the daemon, or a
    /// change of one file. Some of several may be changed, and a folder may be removed in part.
    pub fn is_whole(&self, files: usize) -> bool {
        match self {
            Self::Daemon(_) => true,
            Self::Program(tools) => {
                let is_change = |tool: &Tool| matches!(tool, Tool::Edit | Tool::Write);
                files <= 1 && tools.iter().all(is_change)
            }
            Self::Server | Self::Unknown => false,
        }
    }
}

/// Decision on a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Rule {
    Allow,
    /// The user decides, under this name of the tool.
    Ask(&'static str),
    /// It is refused, for this reason.
    Deny(String),
}

/// The MCP servers of a session, by which it is known whose a call is.
#[derive(Debug, Clone, Default)]
pub struct Names {
    /// The agent's own servers
    pub servers: Vec<String>,
}

impl Names {
    /// Tells whose tool is called. What a model can put into words, such as the title of a
    /// command, is believed only where the call is of a kind that runs nothing.
    pub fn owner(&self, call: &ToolCall) -> Owner {
        let kind = call.kind.as_deref().unwrap_or("other");
        if let Some((server, tool)) = self.addressed(call, kind == "other") {
            if server != SERVER {
                return Owner::Server;
            }
            return Owner::Daemon(tool.to_owned());
        }
        match kind {
            "read" => Owner::Program(&[Tool::Read]),
            "edit" => Owner::Program(&[Tool::Edit, Tool::Write]),
            "delete" | "move" => Owner::Program(&[Tool::Write, Tool::Shell]),
            "search" => Owner::Program(&[Tool::Grep, Tool::Glob]),
            "execute" => Owner::Program(&[Tool::Shell]),
            "fetch" => Owner::Program(&[Tool::Fetch]),
            _ => Owner::Unknown,
        }
    }

    /// The MCP server and the tool that a call names.
    fn addressed<'c>(
        &'c self,
        call: &'c ToolCall,
        runs_nothing: bool,
    ) -> Option<(&'c str, &'c str)> {
        let field = |name: &str| call.raw_input.as_ref()?.get(name)?.as_str();
        if call.is_marked_mcp() {
            return self.known(field("server")?).zip(field("tool"));
        }
        let of_claude = call.meta.pointer("/claudeCode/toolName").and_then(Value::as_str);
        let named = of_claude.or(call.name.as_deref());
        if let Some(found) = named.and_then(|name| self.split(name, runs_nothing)) {
            return Some(found);
        }
        let title = call.title.as_deref().filter(|_| runs_nothing && named.is_none())?;
        self.split(title, true)
    }

    fn known(&self, server: &str) -> Option<&str> {
        let servers = self.servers.iter().map(String::as_str).chain([SERVER]);
        servers.into_iter().find(|known| *known == server)
    }

    /// The server and the tool of a name, in each of the forms that agents give it. `web_fetch` may
    /// be a tool of the server `web` or one of the program, whose kind then says what it does.
    fn split<'c>(&'c self, name: &'c str, runs_nothing: bool) -> Option<(&'c str, &'c str)> {
        // `my_inbox (daemon MCP Server)`
        if let Some((tool, server)) = name.split_once(" (") {
            let server = self.known(server.strip_suffix(" MCP Server)")?)?;
            return is_word(tool).then_some((server, tool));
        }
        let servers = self.servers.iter().map(String::as_str).chain([SERVER]);
        servers.into_iter().find_map(|server| {
            ["mcp__", "mcp.", "mcp_", ""].iter().find_map(|start| {
                let rest = name.strip_prefix(start)?.strip_prefix(server)?;
                let mut dots = ["__", ".", "/", "_"].iter();
                let dot = dots.find(|dot| rest.starts_with(**dot))?;
                let tool = rest.strip_prefix(dot)?;
                if start.is_empty() && *dot == "_" && !runs_nothing {
                    return None;
                }
                is_word(tool).then_some((server, tool))
            })
        })
    }
}

fn is_word(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|c| c.is_ascii_alphanumeric() || "_-".contains(c))
}

/// Decides about a call.
pub fn rule(owner: &Owner, tools: &[Tool], permissions: &Permissions) -> Rule {
    let kinds = match owner {
        Owner::Daemon(_) | Owner::Server => return Rule::Allow,
        Owner::Program(kinds) => *kinds,
        Owner::Unknown => {
            return Rule::Deny("it is none of the tools that a workflow file can allow".to_owned());
        }
    };
    let names = kinds.iter().map(|tool| format!("`{}`", tool.as_str())).collect::<Vec<_>>();
    let names = names.join(" or ");
    let Some(tool) = kinds.iter().find(|tool| tools.contains(tool)) else {
        return Rule::Deny(format!("this agent has no {names} (`tools:`)"));
    };
    if kinds.iter().any(|tool| permissions.deny.contains(tool)) {
        return Rule::Deny(format!("this agent never uses {names} (`permissions: deny`)"));
    }
    if kinds.iter().any(|tool| permissions.ask.contains(tool)) {
        Rule::Ask(tool.as_str())
    } else {
        Rule::Allow
    }
}

/// What the user is shown of a call.
pub fn arguments(call: &ToolCall) -> Map<String, Value> {
    if let Some(arguments) = call.arguments() {
        return arguments.clone();
    }
    let mut told = Map::new();
    if let Some(title) = &call.title {
        told.insert("title".to_owned(), json!(title));
    }
    for content in call.content.iter().flatten() {
        let field = |name: &str| content.get(name).and_then(Value::as_str).map(str::to_owned);
        if content.get("type").and_then(Value::as_str) == Some("diff") {
            told.insert("path".to_owned(), json!(field("path")));
            told.insert("old".to_owned(), json!(field("oldText")));
            told.insert("new".to_owned(), json!(field("newText")));
            continue;
        }
        let text = content.get("content").map(text_of).unwrap_or_default();
        if !text.is_empty() && call.title.as_deref() != Some(text.as_str()) {
            told.insert("content".to_owned(), json!(text));
        }
    }
    told
}

/// The option that allows a call. An answer that holds for later calls too is given only where
/// the user need not be asked about them.
pub fn allow(options: &[PermissionOption], is_unasked: bool) -> Outcome {
    let kinds = ["allow_once", "allow_always"];
    choose(options, &kinds[..=usize::from(is_unasked)])
}

/// The option that refuses a call.
pub fn reject(options: &[PermissionOption]) -> Outcome {
    choose(options, &["reject_once", "reject_always"])
}

fn choose(options: &[PermissionOption], kinds: &[&str]) -> Outcome {
    let of = |kind: &&str| options.iter().find(|option| option.kind == **kind);
    let found = kinds.iter().find_map(of);
    found.map_or(Outcome::Cancelled, |option| Outcome::Selected {
        option_id: option.option_id.clone(),
    })
}
