//! The daemon itself.

use std::time::Duration;

use agent_worker_client::{Home, text::numbers};
use agent_worker_protocol::Health;
use serde::Serialize;

use crate::text::{layout, line};

/// Where the daemon is and how it is.
#[derive(Debug, Serialize)]
pub struct Found {
    #[serde(flatten)]
    health: Health,
    address: String,
    /// Of a daemon on this machine
    #[serde(skip_serializing_if = "Option::is_none")]
    state_dir: Option<String>,
    /// Of a daemon on another one
    #[serde(skip_serializing_if = "Option::is_none")]
    machine: Option<String>,
}

impl Found {
    pub fn new(health: Health, address: String, home: &Home) -> Self {
        let machine = home.host().map(|host| host.destination().as_str().to_owned());
        let state_dir = machine.is_none().then(|| home.path().display().to_string());
        Self { health, address, state_dir, machine }
    }
}

pub fn found(found: &Found) -> String {
    let Found { health, address, state_dir, machine } = found;
    let uptime = Duration::from_millis(u64::try_from(health.uptime).unwrap_or(0));
    let mut fields = vec![
        ("status", line(&health.status)),
        ("version", line(&health.version)),
        ("address", line(address)),
        ("process", health.pid.to_string()),
        ("up", numbers::span(uptime)),
    ];
    fields.extend(machine.as_ref().map(|machine| ("machine", line(machine))));
    fields.extend(state_dir.clone().map(|path| ("state in", path)));
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
    use super::*;

    fn shown(disk_full: bool) -> Found {
        let (status, version, api) = ("ok".to_owned(), "0.1.0".to_owned(), "1.0".to_owned());
        let health = Health { status, pid: 7, version, api, uptime: 1, disk_full };
        Found::new(health, "http://127.0.0.1:1".to_owned(), &Home::at("/state"))
    }

    #[test]
    fn a_full_disk_is_told_with_the_state_of_the_daemon() {
        for disk_full in [false, true] {
            let text = found(&shown(disk_full));
            let is_told = text.contains("was full, so the last change was not saved");
            assert_eq!(is_told, disk_full, "{text}");
        }
    }

    #[test]
    fn json_tells_where_the_daemon_is_as_the_text_does() {
        let json = serde_json::to_value(shown(false)).unwrap();
        assert_eq!((&json["pid"], &json["status"]), (&7.into(), &"ok".into()));
        assert_eq!(
            (&json["address"], &json["state_dir"]),
            (&"http://127.0.0.1:1".into(), &"/state".into())
        );
        let text = found(&shown(false));
        assert!(text.contains("http://127.0.0.1:1") && text.contains("/state"), "{text}");
    }
}
