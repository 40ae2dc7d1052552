//! `agent-worker why`

use agent_worker_client::Client;
use agent_worker_protocol::{MessageId, Why};
use clap::Args;

use super::text as because;
use crate::{
    complete,
    exit::{Exit, Refusal},
    parse,
    session::Session,
};

/// `agent-worker why`
#[derive(Debug, Args)]
pub struct Asked {
    /// Run (`run_12`), message (`msg_12`), agent or workflow
    #[arg(add = complete::targets())]
    pub subject: String,
}

/// Subject: a run, a message or a target.
async fn subject(session: &Session, client: &Client, text: String) -> anyhow::Result<String> {
    if let Ok(run) = parse::run(&text) {
        return Ok(run.to_string());
    }
    if text.parse::<MessageId>().is_ok() {
        return Ok(text);
    }
    match parse::target(&text) {
        Ok(target) => Ok(session.meant(client, target).await?.whole()),
        Err(bad) => Err(Refusal::usage(bad.to_string()).hint("agent-worker why --help").into()),
    }
}

/// Explains the state of a run, a message or a target.
pub async fn why(session: &Session, args: Asked) -> anyhow::Result<Exit> {
    let client = session.client().await?;
    let subject = subject(session, &client, args.subject).await?;
    let explanation = client.call(&Why { subject }).await?;
    session.show_in_view(&explanation, because::explanation)
}
