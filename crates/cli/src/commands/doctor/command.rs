//! `agent-worker doctor`

use std::path::Path;

use agent_worker_protocol::{Doctor, Examination};

use super::text as rendered;
use crate::{
    exit::{Exit, Refusal},
    session::Session,
};

/// Tells what is wrong with the state directory. A daemon that is there looks itself; none is
/// started, as it would change what is to be looked at.
pub async fn examine(session: &Session) -> anyhow::Result<Exit> {
    session.person_only("the check")?;
    let answer = match session.existing().await? {
        Some((_, client)) => session.if_running(client.call(&Doctor {}).await).await?,
        None => None,
    };
    let examination = match answer {
        Some(examination) => examination,
        None => examine_idle(session, session.home()?.path()).await?,
    };
    session.output.show(&examination, rendered::examination)?;
    Ok(if examination.sound { Exit::Done } else { Exit::Failed })
}

/// Refuses a directory that is named and does not exist: a mistyped path is not a sound state
/// directory. Without the usual one there is nothing to check yet.
async fn examine_idle(session: &Session, home: &Path) -> anyhow::Result<Examination> {
    if !home.exists() {
        if !session.is_home_named() {
            let shown = home.display();
            let told = format!("no state directory yet: the first daemon creates {shown}");
            session.output.note(&told);
            return Ok(Examination::of(false, 0, Vec::new()));
        }
        let missing = format!("state directory not found: {}", home.display());
        let hint = "the first daemon creates it; `--state-dir` or AGENT_WORKER_HOME names another";
        return Err(Refusal::new(missing).hint(hint).into());
    }
    session.offline.examine(home).await
}
