//! `agent-worker mcp`: the daemon's tools on stdio.

use std::io::IsTerminal as _;

use agent_worker_client::Bridge;
use agent_worker_protocol::Target;
use anyhow::Context as _;

use crate::{
    again,
    exit::{Exit, Refusal},
    session::Session,
};

/// Serves until the client closes standard input.
pub async fn serve(session: &Session) -> anyhow::Result<Exit> {
    if std::io::stdin().is_terminal() {
        let message = "`mcp` must be started by an MCP client: standard input is a terminal";
        let member = session.acting().map_or_else(|| "NAME".to_owned(), Target::to_string);
        let hint = format!("agent-worker mcp-config {member} --stdio");
        return Err(Refusal::usage(message).hint(hint).into());
    }
    if let Some(host) = session.host() {
        // Its client would not see a question.
        host.ask_nothing();
    }
    let client = session.client().await?.as_oneself();
    let agent = session.acting().cloned();
    let bridge = Bridge::new(client, session.home()?, session.starter()?, agent, again::at_home);
    let (input, output) = (tokio::io::stdin(), tokio::io::stdout());
    match bridge.serve(input, output).await {
        // A client that reads no more is done.
        Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => Ok(Exit::Done),
        served => served.context("cannot serve the client").map(|()| Exit::Done),
    }
}
