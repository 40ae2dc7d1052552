//! Heartbeats: when an agent looks after its home, and what it says if all is well.

use agent_worker_protocol::{
    schedule::{Hours, ZoneName},
    time::Timestamp,
};
use jiff::Timestamp as Instant;

use crate::{
    context::cx::Cx,
    error::OpError,
    rows::{agent::AgentRow, run::RunRow, schedule::ScheduleRow},
    rules::{
        outcome::has_waking_mail,
        schedule::{
            due::{self, Times},
            fire::{self, OVERLAP},
            spec,
        },
    },
};

/// What an agent answers when there is nothing to say.
pub const WELL: &str = "HEARTBEAT_OK";

/// What an agent is sent.
pub const ASKED: &str = "Your heartbeat is due. Do what HEARTBEAT.md of your home says, as far as it \
                         is time for it. What you answer is sent to your user. If there is nothing \
                         that your user must know, answer HEARTBEAT_OK and nothing else.";

/// Whether an answer is [`WELL`], with or without marks around it.
pub fn is_well(text: &str) -> bool {
    text.trim_matches(|c: char| !c.is_ascii_alphanumeric()) == WELL
}

impl ScheduleRow {
    /// Whether it is the heartbeat of its agent.
    pub fn is_heartbeat(&self) -> bool {
        self.name == spec::heartbeat()
    }
}

/// Why an agent is not to look after its home now, if it is not; `why_not` is what its home says.
pub fn kept(
    cx: &Cx<'_>,
    row: &ScheduleRow,
    agent: &AgentRow,
    why_not: Option<&str>,
) -> Result<Option<String>, OpError> {
    if let Some(reason) = fire::kept(cx, row, agent)? {
        return Ok(Some(reason));
    }
    if let Some(hours) =
        agent.config(cx.db)?.hours.filter(|hours| !is_in(cx.now, &row.timezone, *hours))
    {
        return Ok(Some(format!("outside of {hours}")));
    }
    if RunRow::live_of(cx.db, agent.id)?.is_some() || has_waking_mail(cx.db, agent)? {
        return Ok(Some(format!("{OVERLAP}: {} was busy", agent.name)));
    }
    Ok(why_not.map(ToOwned::to_owned))
}

/// The next times of a schedule after one, at most `count`: those of a heartbeat within its hours.
pub fn next(
    times: &Times,
    zone: &ZoneName,
    hours: Option<Hours>,
    after: Timestamp,
    count: usize,
) -> Vec<Timestamp> {
    let is_due = |at: &Timestamp| hours.is_none_or(|hours| is_in(*at, zone, hours));
    times.next(after).take(due::MOST).filter(is_due).take(count).collect()
}

fn is_in(at: Timestamp, zone: &ZoneName, hours: Hours) -> bool {
    let at = Instant::from_millisecond(at.0).unwrap_or_default();
    due::zone(zone).is_ok_and(|zone| hours.has(at.to_zoned(zone).time()))
}
