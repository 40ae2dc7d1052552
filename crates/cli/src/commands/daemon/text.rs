//! The daemon itself.

use std::time::Duration;

use agent_worker_client::{Home, text::numbers};
use agent_worker_protocol::{DaemonFile, Health};

use crate::text::{layout, line};

/// Where the daemon is and how it is.
pub fn health(file: &DaemonFile, base: &str, health: &Health, home: &Home) -> String {
    let uptime = Duration::from_millis(u64::try_from(health.uptime).unwrap_or(0));
    let kept = match home.host() {
        Some(host) => ("machine", line(host.destination().as_str())),
        None => ("state in", home.path().display().to_string()),
    };
    let mut fields = vec![
        ("status", line(&health.status)),
        ("version", line(&health.version)),
        ("address", line(base)),
        ("process", file.pid.to_string()),
        ("up", numbers::span(uptime)),
        kept,
    ];
    if health.disk_full {
        let told = "was full, so the last change was not saved: check the free space";
        fields.push(("disk", told.to_owned()));
    }
    layout::fields(&fields)
}

/// A daemon that was started.
pub fn started(health: &Health, base: &str) -> String {
    format!("daemon {} runs at {} (process {})", line(&health.version), line(base), health.pid)
}

#[cfg(test)]
mod tests {
    use agent_worker_protocol::Timestamp;

    use super::*;

    #[test]
    fn a_full_disk_is_told_with_the_state_of_the_daemon() {
        let file = DaemonFile {
            pid: 7,
            host: "127.0.0.1".to_owned(),
            port: 1,
            token: String::new(),
            version: "0.1.0".to_owned(),
            started_at: Timestamp(0),
            settings: None,
            grace: None,
        };
        for disk_full in [false, true] {
            let (status, version, api) = ("ok".to_owned(), "0.1.0".to_owned(), "1.0".to_owned());
            let health = Health { status, pid: 7, version, api, uptime: 1, disk_full };
            let text = super::health(&file, "http://127.0.0.1:1", &health, &Home::at("/state"));
            let is_told = text.contains("was full, so the last change was not saved");
            assert_eq!(is_told, disk_full, "{text}");
        }
    }
}
