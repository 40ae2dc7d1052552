//! The daemon itself: where it is, how it is, how it ends.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    op::op,
    team::{agent::Agent, attention::AttentionItem, run::Run, workflow::Workflow},
    terms::{Interval, Timestamp},
};

/// The version of the HTTP interface: `major.minor`. Another major is refused.
pub const API_VERSION: &str = "1.0";

/// The header in which a client says which version of the interface it speaks.
pub const API_HEADER: &str = "agent-worker-api";

/// `daemon.json`: where the daemon is and how to speak to it. Mode 0600.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DaemonFile {
    /// Its process number
    pub pid: u32,
    /// The address it is bound to
    pub host: String,
    /// The port it is bound to
    pub port: u16,
    /// The operator's token
    pub token: String,
    /// Its version
    pub version: String,
    /// When it started
    pub started_at: Timestamp,
    /// Digest of the settings it started with, without those of the control room
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub settings: Option<String>,
    /// How long its live runs may take to end; `None` for an earlier version
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub grace: Option<RunGrace>,
}

/// How long live runs may take to end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunGrace {
    /// Until they are told to end: `runs.stop_grace`
    pub stop: Interval,
    /// From then until they are killed: `runs.kill_grace`
    pub kill: Interval,
}

/// `GET /health`
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Health {
    /// `ok`, or `stopping`
    pub status: String,
    /// The daemon's process number
    pub pid: u32,
    /// Its version
    pub version: String,
    /// The version of the interface
    pub api: String,
    /// Milliseconds since its start
    pub uptime: i64,
    /// Whether the last change could not be saved because the disk was full
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub disk_full: bool,
}

/// Show the daemon, what runs, and what needs the user.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Status {}

/// The daemon's own figures.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct DaemonStatus {
    /// Its process number
    pub pid: u32,
    /// Its version
    pub version: String,
    /// Milliseconds since its start
    pub uptime: i64,
    /// How many runs are live
    pub live_runs: i64,
    /// How many may be
    pub max_runs: i64,
    /// How many messages are stored
    pub messages: i64,
    /// The database's size, in bytes
    pub database_bytes: i64,
    /// Folder of the database, if the last change could not be saved because the disk was full
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub disk_full: Option<String>,
}

/// Says that the disk of the database's folder was full. Nothing tells when space is free again, so
/// only what happened is said.
pub fn disk_full(folder: &str) -> String {
    format!(
        "the last change was not saved because the disk was full: check the free space at {folder}"
    )
}

/// How everything stands.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct StatusReport {
    /// The daemon
    pub daemon: DaemonStatus,
    /// All workflows that are not archived
    pub workflows: Vec<Workflow>,
    /// Their agents that are not idle
    pub agents: Vec<Agent>,
    /// Live runs
    pub runs: Vec<Run>,
    /// What needs the user, the most pressing first
    pub attention: Vec<AttentionItem>,
    /// Unread messages to the user, in ended workflows too
    pub unread: i64,
}

/// `POST /shutdown`: end the daemon. Live runs have `runs.stop_grace` to end.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Shutdown {}

/// The answer to [`Shutdown`]; the daemon ends after it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ShuttingDown {
    /// The process that is about to end
    pub pid: u32,
}

op!(Status "status": get "/status", read => StatusReport);
