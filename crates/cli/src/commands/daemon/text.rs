//! The daemon itself.

use std::{path::Path, time::Duration};

use agent_worker_client::text::numbers;
use agent_worker_protocol::daemon::{DaemonFile, Health};

use crate::text::{layout, line};

/// Where the daemon is and how it is.
pub fn health(file: &DaemonFile, base: &str, health: &Health, home: &Path) -> String {
    let uptime = Duration::from_millis(u64::try_from(health.uptime).unwrap_or(0));
    layout::fields(&[
        ("status", line(&health.status)),
        ("version", line(&health.version)),
        ("address", line(base)),
        ("process", file.pid.to_string()),
        ("up", numbers::span(uptime)),
        ("state in", home.display().to_string()),
    ])
}

/// A daemon that was started.
pub fn started(file: &DaemonFile, base: &str) -> String {
    format!("daemon {} runs at {} (process {})", line(&file.version), line(base), file.pid)
}
