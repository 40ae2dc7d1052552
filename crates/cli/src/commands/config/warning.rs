//! What is said of a `config.toml` that is broken or was changed.

use std::io;

use agent_worker_protocol::DaemonFile;

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

/// Adds the command that opens the file to an error of reading it.
pub fn unread(error: anyhow::Error, hint: Option<String>) -> anyhow::Error {
    let cause = error.downcast_ref::<io::Error>();
    let is_denied = cause.is_some_and(|cause| cause.kind() == io::ErrorKind::PermissionDenied);
    match hint {
        Some(hint) if is_denied => Refusal::new(format!("{error:#}")).hint(hint).into(),
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
    use crate::exit::with_hint;

    #[test]
    fn a_file_that_may_not_be_read_is_told_with_what_opens_it() {
        let told = |kind: io::ErrorKind| {
            let error = anyhow::Error::from(io::Error::from(kind)).context("cannot read it");
            unread(error, Some("chmod 600 config.toml".to_owned()))
        };
        let denied = with_hint(&told(io::ErrorKind::PermissionDenied));
        assert_eq!(denied, "cannot read it: permission denied\nhint: chmod 600 config.toml");
        assert!(!told(io::ErrorKind::InvalidData).is::<Refusal>());
    }
}
