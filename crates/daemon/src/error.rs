//! What an operation refuses, and how it says so.

use agent_worker_protocol::{ErrorBody, ErrorCode};

use crate::fault::{Fault, judged, or_lift_limit};

/// Why an operation did not happen. Nothing of it has happened then.
#[derive(Debug, thiserror::Error)]
pub enum OpError {
    /// The request cannot be done, and the caller can know why.
    #[error("{}", .0.message)]
    Refused(ErrorBody),
    #[error("the database: {0}")]
    Storage(#[source] rusqlite::Error),
    /// Something that cannot be has happened.
    #[error("{0}")]
    Broken(String),
}

/// What an operation gives, or why it did not happen.
pub type Result<T, E = OpError> = std::result::Result<T, E>;

impl From<rusqlite::Error> for OpError {
    fn from(error: rusqlite::Error) -> Self {
        Self::Storage(judged(error))
    }
}

impl OpError {
    /// A refusal of this kind.
    pub fn refused(code: ErrorCode, message: impl Into<String>) -> Self {
        Self::Refused(ErrorBody { code, message: message.into(), hint: None })
    }

    /// The request itself is wrong.
    pub fn invalid(message: impl Into<String>) -> Self {
        Self::refused(ErrorCode::Invalid, message)
    }

    /// What was asked for does not exist.
    pub fn not_found(message: impl Into<String>) -> Self {
        Self::refused(ErrorCode::NotFound, message)
    }

    /// There is such a thing already, or its state does not allow this.
    pub fn conflict(message: impl Into<String>) -> Self {
        Self::refused(ErrorCode::Conflict, message)
    }

    /// It was changed since the caller read it.
    pub fn stale(message: impl Into<String>) -> Self {
        Self::refused(ErrorCode::Stale, message)
    }

    /// The caller may not do this.
    pub fn denied(message: impl Into<String>) -> Self {
        Self::refused(ErrorCode::Denied, message)
    }

    /// The token is missing or invalid.
    pub fn unauthorized(message: impl Into<String>) -> Self {
        Self::refused(ErrorCode::Unauthorized, message)
    }

    /// Whether it did not happen because the disk is full.
    pub fn is_full(&self) -> bool {
        matches!(self, Self::Storage(error) if Fault::of(error) == Some(Fault::Full))
    }

    /// The caller's run is over.
    pub fn run_ended(message: impl Into<String>) -> Self {
        Self::refused(ErrorCode::RunEnded, message)
    }

    /// More than is taken.
    pub fn too_large(message: impl Into<String>) -> Self {
        Self::refused(ErrorCode::TooLarge, message)
    }

    /// The daemon is about to end.
    pub fn shutting_down() -> Self {
        Self::refused(ErrorCode::ShuttingDown, "the daemon is stopping")
    }

    /// Adds what the caller can do.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        if let Self::Refused(body) = &mut self {
            body.hint = Some(hint.into());
        }
        self
    }

    /// The refusal as it travels. What is the daemon's own fault goes to its log.
    pub fn into_body(self) -> ErrorBody {
        match self {
            Self::Refused(body) => brief(body),
            Self::Storage(error) if let Some(fault) = Fault::of(&error) => {
                tracing::error!(%error, ?fault, "the database");
                told(fault, &error)
            }
            fault => {
                tracing::error!(error = %fault, "an operation broke");
                ErrorBody {
                    code: ErrorCode::Internal,
                    message: format!("the daemon could not do this: {fault}"),
                    hint: Some("agent-worker daemon logs".to_owned()),
                }
            }
        }
    }
}

/// The longest that a refusal says, in characters.
const LONGEST: usize = 4000;

/// What was sent is named in a refusal, but not sent back whole.
fn brief(mut body: ErrorBody) -> ErrorBody {
    for text in std::iter::once(&mut body.message).chain(&mut body.hint) {
        if let Some((end, _)) = text.char_indices().nth(LONGEST) {
            text.truncate(end);
            text.push('…');
        }
    }
    body
}

fn told(fault: Fault, error: &rusqlite::Error) -> ErrorBody {
    let (code, message, hint) = match fault {
        Fault::Full => (
            ErrorCode::StorageFull,
            "disk full: nothing was saved".to_owned(),
            format!("free disk space{}; the daemon then continues by itself", or_lift_limit()),
        ),
        Fault::Damaged => (
            ErrorCode::Internal,
            format!("the database, agent-worker.db, is damaged: {error}"),
            "agent-worker doctor".to_owned(),
        ),
        Fault::Disk => (
            ErrorCode::Internal,
            format!("disk error: {error}. It is not known whether this was saved"),
            "check the disk, then try again".to_owned(),
        ),
    };
    ErrorBody { code, message, hint: Some(hint) }
}
