//! Writes that must not be given up: what a run or a setup has come to. Without room on the disk
//! they wait until there is room, and hold up nobody else.

use std::time::Duration;

use crate::{
    app::App,
    ops::{Credential, Cx, OpError},
    store::Fault,
};

/// How long to wait before asking again; nobody tells when there is room.
const PAUSE: Duration = Duration::from_secs(1);

/// Does `work` as the daemon, when there is room for it. A daemon that is told to end waits no
/// longer: the next one finds the run or the setup as it was, and takes it for lost.
pub async fn insist<T: Send + 'static>(
    app: &App,
    work: impl FnMut(&mut Cx<'_>) -> Result<T, OpError> + Clone + Send + 'static,
) -> Result<T, OpError> {
    loop {
        let done = app.store().write(Credential::Daemon, work.clone()).await;
        match &done {
            Err(OpError::Storage(error)) if Fault::of(error) == Some(Fault::Full) => {}
            _ => return done,
        }
        tokio::select! {
            () = tokio::time::sleep(PAUSE) => {}
            () = app.stopping().cancelled() => return done,
        }
    }
}
