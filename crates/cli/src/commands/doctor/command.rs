//! `agent-worker doctor`

use std::path::Path;

use agent_worker_protocol::doctor::{Doctor, Examination};

use super::text as rendered;
use crate::{
    exit::{Exit, Refusal},
    offline::Offline,
    session::Session,
};

/// Tells what is wrong with the state directory. A daemon that is there looks itself; none is
/// started, as it would change what is to be looked at.
pub async fn examine(session: &Session) -> anyhow::Result<Exit> {
    session.person_only("the check")?;
    let examination = match session.existing().await? {
        Some((_, client)) => client.call(&Doctor {}).await?,
        None => examine_idle(session.home()?.path(), session.offline).await?,
    };
    session.output.show(&examination, rendered::examination)?;
    Ok(if examination.sound { Exit::Done } else { Exit::Failed })
}

/// Refuses a directory that does not exist: a mistyped path is not a sound state directory.
async fn examine_idle(home: &Path, offline: &dyn Offline) -> anyhow::Result<Examination> {
    if !home.exists() {
        let missing = format!("state directory not found: {}", home.display());
        let hint = "the first daemon creates it; `--state-dir` or AGENT_WORKER_HOME names another";
        return Err(Refusal::new(missing).hint(hint).into());
    }
    offline.examine(home).await
}
