//! Backups that were made or put back.

use agent_worker_client::text::numbers;
use agent_worker_protocol::{BackupMade, Restored};

use crate::text::{dim, line};

/// A copy that was made.
pub fn made(made: &BackupMade) -> String {
    let size = numbers::size(made.bytes);
    format!("{} {}", line(&made.file), dim(&format!("({size}, checked)")))
}

/// A backup that was put in its place.
pub fn restored(restored: &Restored) -> String {
    let mut lines = vec![format!("restored the database from {}", line(&restored.file))];
    lines.extend(
        restored
            .replaced
            .as_deref()
            .map(|folder| format!("the previous database is in {}", line(folder))),
    );
    lines.push(dim("the next command starts the daemon"));
    lines.join("\n")
}
