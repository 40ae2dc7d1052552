//! Why a call gave nothing: by what its caller can do about it.

use std::{error::Error, io};

use agent_worker_protocol::{ErrorAnswer, ErrorBody, ErrorCode};

use crate::Sanitized;

/// Failure of a call.
#[derive(Debug, thiserror::Error)]
pub enum ClientError {
    /// The connection failed or broke.
    #[error("no daemon answers at {base}")]
    Unreachable {
        /// Where it was asked for
        base: String,
        /// What the system said
        source: io::Error,
    },
    /// The daemon takes connections and answers nothing.
    #[error("the daemon{} does not answer at {base}: it may still do what was asked", process(*pid))]
    Silent {
        /// Where it was asked
        base: String,
        /// Its process, where that is known
        pid: Option<u32>,
        hint: String,
    },
    /// The daemon says no, and why.
    #[error(transparent)]
    Refused(#[from] ErrorBody),
    /// The answer is not one of a daemon of this version.
    #[error("{what} is invalid: {detail}")]
    Garbled {
        what: String,
        /// What is wrong with it
        detail: String,
    },
}

impl ClientError {
    /// Returns a command or an action that helps, if any.
    pub fn hint(&self) -> Option<&str> {
        match self {
            Self::Unreachable { .. } => Some("agent-worker daemon status"),
            Self::Silent { hint, .. } => Some(hint),
            Self::Refused(body) => body.hint.as_deref(),
            Self::Garbled { .. } => Some("agent-worker daemon restart, if the versions differ"),
        }
    }

    /// Whether the daemon says no, and this is why.
    pub fn is(&self, code: ErrorCode) -> bool {
        matches!(self, Self::Refused(body) if body.code == code)
    }

    /// Whether a stream was silent for too long.
    pub(crate) fn is_silence(&self) -> bool {
        matches!(self, Self::Unreachable { source, .. } if source.kind() == io::ErrorKind::TimedOut)
    }

    /// The answer; `None` if the daemon says that what was asked for does not exist.
    pub fn if_found<T>(answer: Result<T, Self>) -> Result<Option<T>, Self> {
        match answer {
            Err(error) if error.is(ErrorCode::NotFound) => Ok(None),
            answer => answer.map(Some),
        }
    }

    pub(crate) fn unreachable(base: &str, error: &(dyn Error + 'static)) -> Self {
        Self::Unreachable { base: base.to_owned(), source: root(error) }
    }

    pub(crate) fn garbled(what: impl Into<String>, detail: impl AsRef<str>) -> Self {
        let detail = Sanitized::line(detail.as_ref()).truncate(300).to_string();
        Self::Garbled { what: what.into(), detail }
    }

    /// Reads the refusal from an unsuccessful answer.
    pub(crate) fn refusal(what: &str, status: u16, body: &[u8]) -> Self {
        if let Ok(answer) = serde_json::from_slice::<ErrorAnswer>(body) {
            return Self::Refused(answer.error);
        }
        let body = String::from_utf8_lossy(body);
        let detail = match body.trim() {
            "" => format!("status {status} and no text"),
            text => format!("status {status}, `{}`", Sanitized::line(text).truncate(120)),
        };
        Self::garbled(what, detail)
    }
}

fn process(pid: Option<u32>) -> String {
    pid.map_or_else(String::new, |pid| format!(" (process {pid})"))
}

/// The last of a chain of causes. HTTP crates wrap what the system said four times over, and only
/// the innermost says something to a person.
fn root(error: &(dyn Error + 'static)) -> io::Error {
    let mut last = error;
    let mut kind = io::ErrorKind::Other;
    loop {
        let mut source = last.source();
        if let Some(error) = last.downcast_ref::<io::Error>() {
            kind = error.kind();
            if let Some(code) = error.raw_os_error() {
                return io::Error::from_raw_os_error(code);
            }
            // Its source is that of the wrapped error, which would be one step too far.
            source = error.get_ref().map(|inner| inner as &(dyn Error + 'static));
        }
        match source {
            Some(source) => last = source,
            None => return io::Error::new(kind, last.to_string()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refusal_is_read_and_anything_else_is_named() {
        let refused = br#"{"error":{"code":"not_found","message":"no agent named `bob`","hint":"agent-worker list"}}"#;
        let error = ClientError::refusal("the answer", 404, refused);
        assert_eq!(error.to_string(), "no agent named `bob`");
        assert_eq!(error.hint(), Some("agent-worker list"));

        let error = ClientError::refusal("the answer", 502, b"<html>\n\x1b[31mbad gateway");
        assert_eq!(error.to_string(), "the answer is invalid: status 502, `<html> ⏎ bad gateway`");
        let error = ClientError::refusal("the answer", 500, b"\xff\xfe");
        assert_eq!(error.to_string(), "the answer is invalid: status 500, `��`");
        let error = ClientError::refusal("the answer", 401, b" ");
        assert_eq!(error.to_string(), "the answer is invalid: status 401 and no text");
    }

    #[test]
    fn the_innermost_cause_is_what_the_system_said() {
        let system = io::Error::from_raw_os_error(111);
        let wrapped = io::Error::other(io::Error::other(system));
        let error = ClientError::unreachable("http://127.0.0.1:1", &wrapped);
        let source = error.source().unwrap().downcast_ref::<io::Error>().unwrap();
        assert_eq!(source.kind(), io::ErrorKind::ConnectionRefused);
        assert_eq!(error.to_string(), "no daemon answers at http://127.0.0.1:1");
    }
}
