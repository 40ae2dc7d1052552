//! The daemon itself.

use std::time::Duration;

use agent_worker_client::{Home, text::numbers};
use agent_worker_protocol::daemon::{DaemonFile, Health};

use crate::text::{layout, line};

/// Where the daemon is and how it is.
pub fn health(file: &DaemonFile, base: &str, health: &Health, home: &Home) -> String {
    let uptime = Duration::from_millis(u64::try_from(health.uptime).unwrap_or(0));
    let kept = match home.host() {
        Some(host) => ("machine", line(host.destination().as_str())),
        None => ("state in", home.path().display().to_string()),
    };
    layout::fields(&[
        ("status", line(&health.status)),
        ("version", line(&health.version)),
        ("address", line(base)),
        ("process", file.pid.to_string()),
        ("up", numbers::span(uptime)),
        kept,
    ])
}

/// A daemon that was started.
pub fn started(health: &Health, base: &str) -> String {
    format!("daemon {} runs at {} (process {})", line(&health.version), line(base), health.pid)
}
