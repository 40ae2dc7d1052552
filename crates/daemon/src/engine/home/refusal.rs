//! What is wrong with a home, and what mends it.

use std::path::Path;

use agent_worker_home::HomeError;
use agent_worker_protocol::{error::ErrorCode, target::Target};

use crate::error::OpError;

/// What is wrong with a home, as a refusal.
pub fn refused(error: &HomeError, target: &Target, path: &Path) -> OpError {
    let home = path.display();
    let code = match error {
        HomeError::Missing { .. } | HomeError::NoFile { .. } | HomeError::NoVersion { .. } => {
            ErrorCode::NotFound
        }
        HomeError::OtherOwner { .. } => ErrorCode::Denied,
        HomeError::Full { .. } => ErrorCode::StorageFull,
        _ => ErrorCode::Conflict,
    };
    let hint = match error {
        HomeError::Missing { .. } | HomeError::NoFile { .. } => {
            format!("agent-worker home show {target}")
        }
        HomeError::NotAFolder { path } => format!("mv '{path}' '{path}.old'"),
        HomeError::OtherOwner { path, me, .. } => format!("sudo chown -R {me} '{path}'"),
        HomeError::Link { file } | HomeError::NotAFile { file } => {
            format!("mv '{home}/{file}' '{home}/{file}.old'")
        }
        HomeError::NoVersion { file, .. } => format!("agent-worker home history {target} {file}"),
        HomeError::Full { .. } => "free disk space, then try again".to_owned(),
        HomeError::System { .. } => format!("ls -la '{home}'"),
    };
    OpError::refused(code, format!("home of `{target}`: {error}")).hint(hint)
}
