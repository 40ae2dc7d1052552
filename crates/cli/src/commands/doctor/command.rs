//! `agent-worker doctor`

use agent_worker_protocol::doctor::Doctor;

use super::text as rendered;
use crate::{exit::Exit, offline::Offline, session::Session};

/// Tells what is wrong with the state directory. A daemon that is there looks itself; none is
/// started, as it would change what is to be looked at.
pub async fn examine(session: &Session, offline: &dyn Offline) -> anyhow::Result<Exit> {
    session.person_only("the check")?;
    let examination = match session.existing().await? {
        Some((_, client)) => client.call(&Doctor {}).await?,
        None => offline.examine(session.home()?.path()).await?,
    };
    session.output.show(&examination, rendered::examination)?;
    Ok(if examination.sound { Exit::Done } else { Exit::Failed })
}
