//! The one shape in which a refusal travels.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::terms::words::words;

words! {
    /// What kind of refusal it is. The HTTP status and the exit code follow from it.
    pub enum ErrorCode {
        /// The request itself is wrong.
        Invalid = "invalid",
        /// Missing or invalid token.
        Unauthorized = "unauthorized",
        /// The caller may not do this.
        Denied = "denied",
        /// The named thing was not found.
        NotFound = "not_found",
        /// There is such a thing already, or its state does not allow this.
        Conflict = "conflict",
        /// It was changed since the caller read it.
        Stale = "stale",
        /// The route has another method.
        MethodNotAllowed = "method_not_allowed",
        /// It did not come in its time.
        TooSlow = "too_slow",
        /// More bytes than are taken.
        TooLarge = "too_large",
        /// A body that is not JSON.
        UnsupportedMediaType = "unsupported_media_type",
        /// The client speaks another version of this interface.
        UpgradeRequired = "upgrade_required",
        /// The caller's run is over.
        RunEnded = "run_ended",
        /// What was asked for comes with a later version.
        NotSupported = "not_supported",
        /// The disk is full.
        StorageFull = "storage_full",
        /// The daemon is about to end.
        ShuttingDown = "shutting_down",
        /// More is going on at once than the daemon takes.
        Busy = "busy",
        /// The daemon's own fault.
        Internal = "internal",
    }
}

impl ErrorCode {
    /// The HTTP status it travels with.
    pub fn status(self) -> u16 {
        match self {
            Self::Invalid => 400,
            Self::Unauthorized => 401,
            Self::Denied => 403,
            Self::NotFound => 404,
            Self::MethodNotAllowed => 405,
            Self::TooSlow => 408,
            Self::Conflict => 409,
            Self::RunEnded => 410,
            Self::Stale => 412,
            Self::TooLarge => 413,
            Self::UnsupportedMediaType => 415,
            Self::NotSupported => 422,
            Self::UpgradeRequired => 426,
            Self::Internal => 500,
            Self::Busy | Self::ShuttingDown => 503,
            Self::StorageFull => 507,
        }
    }
}

/// Hint of what is refused for `?as=` alone. Programs name their own way back in its place.
pub const LEAVE_AS_OUT: &str = "leave `?as=` out to act as yourself";

/// A refusal: what was asked, what is the case, what to do.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, thiserror::Error)]
#[error("{message}")]
pub struct ErrorBody {
    /// What kind of refusal it is
    pub code: ErrorCode,
    /// What was asked and what is the case
    pub message: String,
    /// What to do, where there is something to do
    pub hint: Option<String>,
}

/// An [`ErrorBody`] as it stands in an HTTP answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ErrorAnswer {
    /// The refusal
    pub error: ErrorBody,
}
