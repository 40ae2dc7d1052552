//! How often an agent looks after its home, as a workflow file says it.

use agent_worker_protocol::{Hours, Interval, forms::FromText};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How often an agent looks after its home without being asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Heartbeat {
    /// Interval between two heartbeats
    pub every: Interval,
    /// Hours of the day with heartbeats, such as `08:00-22:00`; default: all
    pub hours: Option<Hours>,
}

impl Default for Heartbeat {
    fn default() -> Self {
        Self { every: Interval::seconds(30 * 60), hours: None }
    }
}

impl FromText for Heartbeat {
    const EXPECTED: &'static str = "an interval (`30m`), or a mapping with `every` and `hours`";

    fn from_text(text: &str) -> Result<Self, String> {
        let every = text.parse().map_err(|bad| format!("{bad}"))?;
        Ok(Self { every, ..Self::default() })
    }
}
