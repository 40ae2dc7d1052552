//! `agent-worker token` and `agent-worker mcp-config`: members that work outside, in clients of
//! their own.

use agent_worker_client::Client;
use agent_worker_protocol::{
    AgentShow, MemberKind, MemberTokenCreate, MemberTokenRevoke, Target, shell::quoted,
};
use clap::{Args, ValueEnum};
use serde::Serialize;
use serde_json::{Value, json};

use crate::{
    again, complete,
    exit::{Exit, Refusal},
    parse,
    session::{Session, program},
};

/// `agent-worker token`
#[derive(Debug, Args)]
pub struct Token {
    /// External member
    #[arg(add = complete::agents(), value_parser = parse::target)]
    pub target: Target,
    /// Revoke the token
    #[arg(long)]
    pub revoke: bool,
}

/// `agent-worker mcp-config`
#[derive(Debug, Args)]
pub struct McpConfig {
    /// External member
    #[arg(add = complete::agents(), value_parser = parse::target)]
    pub target: Target,
    /// Print only the settings of this client
    #[arg(long)]
    pub client: Option<For>,
    /// Create a new token and insert it
    #[arg(long)]
    pub new_token: bool,
    /// Connect over stdio, without a token
    #[arg(long, conflicts_with = "new_token")]
    pub stdio: bool,
}

/// Client with known settings.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
#[expect(missing_docs, reason = "the names of programs")]
pub enum For {
    Claude,
    Codex,
    Cursor,
    Opencode,
    Gemini,
    Vscode,
}

/// What to paste for one client.
#[derive(Debug, Serialize)]
struct Paste {
    client: String,
    /// The file it belongs to; `None` for a command
    file: Option<&'static str>,
    text: String,
}

#[derive(Debug, Serialize)]
struct Pastes {
    agent: Target,
    #[serde(flatten)]
    server: Server,
    clients: Vec<Paste>,
}

/// How a client reaches the daemon's tools.
#[derive(Debug, Serialize)]
#[serde(untagged)]
enum Server {
    Http {
        url: String,
        #[serde(skip)]
        token: String,
    },
    Stdio {
        /// The program and its arguments
        command: Vec<String>,
    },
}

/// Placeholder for the token.
const PLACEHOLDER: &str = "TOKEN";

/// Creates or revokes a token.
pub async fn token(session: &Session, args: Token) -> anyhow::Result<Exit> {
    session.person_only("the token of a member")?;
    let client = session.client().await?;
    let target = session.meant(&client, args.target).await?;
    if args.revoke {
        let revoked = client.call(&MemberTokenRevoke { target }).await?;
        return session.show(&revoked, |revoked| format!("{}: token revoked", revoked.agent));
    }
    let made = client.call(&MemberTokenCreate { target }).await?;
    session.output.show(&made, |made| made.token.clone())?;
    let until = format!("`agent-worker token {} --revoke` or a new token", made.agent);
    session.output.note(&format!("shown once; valid until {until}"));
    Ok(Exit::Done)
}

/// Prints what a client needs to be a member.
pub async fn mcp_config(session: &Session, args: McpConfig) -> anyhow::Result<Exit> {
    session.person_only("printing the settings of a client")?;
    if let Some(host) = session.host().filter(|_| !args.stdio) {
        let to = host.destination();
        let message = format!("the daemon of {to} has no address here: only `--stdio` reaches it");
        let hint = again::instead_of("--new-token", "mcp-config", "--stdio");
        return Err(Refusal::usage(message).hint(hint).into());
    }
    let client = session.client().await?;
    let target = session.meant(&client, args.target).await?;
    let target = external(&client, target).await?;
    let server = if args.stdio {
        Server::Stdio { command: stdio_command(session, &target)? }
    } else {
        let token = if args.new_token {
            client.call(&MemberTokenCreate { target: target.clone() }).await?.token
        } else {
            session.output.note(&format!(
                "replace {PLACEHOLDER} with a token: agent-worker token {target} creates one, \
                 --new-token inserts it"
            ));
            PLACEHOLDER.to_owned()
        };
        Server::Http { url: format!("{}/mcp?agent={target}", client.endpoint().base), token }
    };
    let wanted = args.client.map_or_else(|| For::value_variants().to_vec(), |one| vec![one]);
    let clients = wanted.into_iter().map(|one| one.paste(&server)).collect();
    let pastes = Pastes { agent: target, server, clients };
    session.show(&pastes, |pastes| match (args.client, &pastes.clients[..]) {
        (Some(_), [one]) => one.text.clone(),
        (_, all) => all.iter().map(Paste::shown).collect::<Vec<_>>().join("\n\n"),
    })
}

/// The command that serves the daemon's tools to this member, wherever it is started.
fn stdio_command(session: &Session, target: &Target) -> anyhow::Result<Vec<String>> {
    let mut command = vec![program()?.display().to_string(), "mcp".to_owned()];
    command.extend(["--as".to_owned(), target.to_string()]);
    if let Some(host) = session.host() {
        command.extend(["--host".to_owned(), host.destination().to_string()]);
        if let Some(state_dir) = host.state_dir() {
            command.extend(["--state-dir".to_owned(), state_dir.display().to_string()]);
        }
        return Ok(command);
    }
    let home = session.home()?;
    if std::env::home_dir().is_none_or(|user| user.join(".agent-worker") != home.path()) {
        command.extend(["--state-dir".to_owned(), home.path().display().to_string()]);
    }
    Ok(command)
}

async fn external(client: &Client, target: Target) -> anyhow::Result<Target> {
    if target.name.is_none() {
        let message = format!("`{target}` is a workflow, not a member");
        return Err(Refusal::usage(message).hint(format!("agent-worker list {target}")).into());
    }
    let agent = client.call(&AgentShow { target }).await?.agent;
    if agent.kind == MemberKind::External {
        return Ok(agent.target);
    }
    let message =
        format!("only an external member has a client: `{}` is not external", agent.target);
    Err(Refusal::new(message).hint("agent-worker new ide --backend external").into())
}

impl For {
    fn paste(self, server: &Server) -> Paste {
        let file = match self {
            Self::Claude => None,
            Self::Codex => Some("~/.codex/config.toml"),
            Self::Cursor => Some(".cursor/mcp.json"),
            Self::Opencode => Some("opencode.json"),
            Self::Gemini => Some("~/.gemini/settings.json"),
            Self::Vscode => Some(".vscode/mcp.json"),
        };
        let text = match server {
            Server::Http { url, token } => self.over_http(url, &format!("Bearer {token}")),
            Server::Stdio { command } => self.over_stdio(command),
        };
        Paste { client: parse::word(&self), file, text }
    }

    fn over_http(self, url: &str, bearer: &str) -> String {
        let headers = json!({ "Authorization": bearer });
        match self {
            Self::Claude => format!(
                "claude mcp add --transport http agent-worker '{url}' \
                 --header 'Authorization: {bearer}'"
            ),
            Self::Codex => format!(
                "[mcp_servers.agent-worker]\nurl = \"{url}\"\n\
                 http_headers = {{ Authorization = \"{bearer}\" }}\n\
                 tool_timeout_sec = 90"
            ),
            Self::Cursor => self.settings(&json!({ "url": url, "headers": headers })),
            Self::Opencode => self.settings(&json!({
                "type": "remote", "url": url, "enabled": true, "headers": headers })),
            Self::Gemini => self.settings(&json!({ "httpUrl": url, "headers": headers })),
            Self::Vscode => {
                self.settings(&json!({ "type": "http", "url": url, "headers": headers }))
            }
        }
    }

    fn over_stdio(self, command: &[String]) -> String {
        let (program, args) = (&command[0], &command[1..]);
        match self {
            Self::Claude => {
                let words: Vec<_> = command.iter().map(|word| quoted(word)).collect();
                format!("claude mcp add agent-worker -- {}", words.join(" "))
            }
            // TOML's basic strings and lists of them are written as JSON's.
            Self::Codex => format!(
                "[mcp_servers.agent-worker]\ncommand = {}\nargs = {}\ntool_timeout_sec = 90",
                json!(program),
                json!(args)
            ),
            Self::Cursor | Self::Gemini => {
                self.settings(&json!({ "command": program, "args": args }))
            }
            Self::Opencode => {
                self.settings(&json!({ "type": "local", "command": command, "enabled": true }))
            }
            Self::Vscode => {
                self.settings(&json!({ "type": "stdio", "command": program, "args": args }))
            }
        }
    }

    /// The settings of a client that writes them as JSON.
    fn settings(self, server: &Value) -> String {
        let servers = match self {
            Self::Opencode => "mcp",
            Self::Vscode => "servers",
            _ => "mcpServers",
        };
        let settings = json!({ servers: { "agent-worker": server } });
        serde_json::to_string_pretty(&settings).unwrap_or_default()
    }
}

impl Paste {
    fn shown(&self) -> String {
        let place = self.file.map_or_else(|| "run".to_owned(), |file| format!("in {file}"));
        format!("# {} ({place})\n{}", self.client, self.text)
    }
}
