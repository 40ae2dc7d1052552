//! What is said of a `config.toml` that is broken or was changed.

use std::io;

use agent_worker_protocol::daemon::DaemonFile;

use crate::{exit::Refusal, offline::Broken, session::Session};

/// Warning if the file is broken or sets something else than what the daemon has read.
pub fn state(session: &Session, daemon: Option<&DaemonFile>) -> anyhow::Result<Option<String>> {
    if session.host().is_some() {
        return Ok(None);
    }
    let path = session.home()?.path().join("config.toml");
    let digest = match session.offline.check_settings(&path) {
        Ok(digest) => digest,
        Err(broken) => return Ok(Some(of_broken(&broken))),
    };
    let read = daemon.and_then(|daemon| daemon.settings.as_ref());
    let is_other = read.is_some_and(|read| *read != digest);
    let hint = crate::text::hint("agent-worker daemon restart");
    let note = format!("config.toml was changed after the daemon started\n{hint}");
    Ok(is_other.then_some(note))
}

/// Warning of a broken file, with what mends it.
pub fn of_broken(broken: &Broken) -> String {
    format!("warning: {}\n{}", broken.told(), crate::text::hint(&broken.hint))
}

/// Adds the command that opens the file to an error of reading it. `check` knows that command.
pub fn unread(
    error: anyhow::Error,
    check: impl FnOnce() -> Result<String, Broken>,
) -> anyhow::Error {
    let cause = error.downcast_ref::<io::Error>();
    let is_denied = cause.is_some_and(|cause| cause.kind() == io::ErrorKind::PermissionDenied);
    match check() {
        Err(broken) if is_denied => Refusal::new(format!("{error:#}")).hint(broken.hint).into(),
        _ => error,
    }
}

/// Says it, where something went wrong that may come from it.
pub async fn note(session: &Session) {
    let Ok(Some((file, _))) = session.existing().await else { return };
    if let Ok(Some(note)) = state(session, Some(&file)) {
        session.output.note(&note);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_may_not_be_read_is_told_with_what_opens_it() {
        let told = |kind: io::ErrorKind| {
            let error = anyhow::Error::from(io::Error::from(kind)).context("cannot read it");
            let hint = "chmod 600 config.toml".to_owned();
            unread(error, || Err(Broken { is_of_prices: false, why: String::new(), hint }))
        };
        let denied = told(io::ErrorKind::PermissionDenied);
        assert_eq!(denied.to_string(), "cannot read it: permission denied");
        let denied = format!("{:?}", denied.downcast_ref::<Refusal>().unwrap());
        assert!(denied.contains("chmod 600 config.toml"), "{denied}");
        assert!(!told(io::ErrorKind::InvalidData).is::<Refusal>());
    }
}
