//! How everything stands and why: `status` and `why`

use agent_worker_client::Client;
use agent_worker_protocol::{attention::Why, daemon::Status};
use clap::Args;
use clap_complete::ArgValueCandidates;

use crate::{
    complete,
    exit::{Exit, Refusal},
    meant,
    render::{View, because, status as rendered},
    session::Session,
};

/// `agent-worker why`
#[derive(Debug, Args)]
pub struct Asked {
    /// A run (`run_12`), an agent or a workflow
    #[arg(add = ArgValueCandidates::new(complete::targets))]
    pub subject: String,
}

/// Shows how everything stands, of a daemon that is there.
pub async fn status(session: &Session) -> anyhow::Result<Exit> {
    let Some((_, client)) = session.existing().await? else {
        let hint = "agent-worker list starts it, as most commands do";
        return Err(Refusal::no_daemon().hint(hint).into());
    };
    let report = client.call(&Status {}).await?;
    session.output.show(&report, |report| rendered::report(&View::of(session.output), report))?;
    Ok(Exit::Done)
}

/// What is asked about: a run, or what a target means.
async fn subject(session: &Session, client: &Client, text: String) -> anyhow::Result<String> {
    if let Ok(run) = meant::run(&text) {
        return Ok(run.to_string());
    }
    match meant::target(&text) {
        Ok(target) => Ok(session.meant(client, target).await?.whole()),
        // The daemon says what is wrong with it.
        Err(_) => Ok(text),
    }
}

/// Tells why something is as it is.
pub async fn why(session: &Session, args: Asked) -> anyhow::Result<Exit> {
    let client = session.client().await?;
    let subject = subject(session, &client, args.subject).await?;
    let explanation = client.call(&Why { subject }).await?;
    session.output.show(&explanation, |explanation| {
        because::explanation(&View::of(session.output), explanation)
    })?;
    Ok(Exit::Done)
}
