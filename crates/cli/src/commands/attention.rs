//! How everything stands and why: `status` and `why`

use agent_worker_protocol::{attention::Why, daemon::Status};
use clap::Args;
use clap_complete::ArgValueCandidates;

use crate::{
    complete,
    exit::{Exit, Refusal},
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

/// Tells why something is as it is.
pub async fn why(session: &Session, args: Asked) -> anyhow::Result<Exit> {
    let explanation = session.client().await?.call(&Why { subject: args.subject }).await?;
    session.output.show(&explanation, |explanation| {
        because::explanation(&View::of(session.output), explanation)
    })?;
    Ok(Exit::Done)
}
