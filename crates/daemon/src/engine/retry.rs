//! Writes that must not fail: how a run or a setup has ended. While the disk is full they wait, and
//! delay nothing else.

use std::time::Duration;

use crate::{
    context::{credential::Credential, cx::Cx},
    engine::app::App,
    error::OpError,
    fault::Fault,
};

/// Delay before a retry; nothing announces free space.
pub const PAUSE: Duration = Duration::from_secs(1);

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
