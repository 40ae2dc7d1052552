//! Heartbeats: when an agent looks after its home, and what it is sent.

use std::time::Duration;

use agent_worker_protocol::{Hours, Timestamp, ZoneName};
use jiff::{Timestamp as Instant, Zoned};

use crate::{
    context::Cx,
    error::Result,
    rows::{AgentRow, RunRow, ScheduleRow, candidate},
    rules::schedule::{
        cron,
        due::{self, Times},
        fire::{self, OVERLAP},
        spec,
    },
};

/// What an agent is sent.
pub const ASKED: &str = "Your heartbeat is due. Do what HEARTBEAT.md of your home says, as far as it \
                         is time for it. What you answer is sent to your user. If there is nothing \
                         that your user must know, answer HEARTBEAT_OK and nothing else.";

/// How long a heartbeat may stay outside of its hours after its interval.
const SILENT: Duration = Duration::from_hours(7 * 24);

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
) -> Result<Option<String>> {
    if let Some(reason) = fire::kept(cx, row, agent)? {
        return Ok(Some(reason));
    }
    if let Some(hours) =
        agent.config(cx.db)?.hours.filter(|hours| !is_in(cx.now, &row.timezone, *hours))
    {
        return Ok(Some(format!("outside of {hours}")));
    }
    // A schedule that is always due at the same time would keep all heartbeats away.
    let due = row.next_due.unwrap_or(cx.now);
    let live = RunRow::live_of(cx.db, agent.id)?;
    let live = live.map(|run| RunRow::by_id(cx.db, run)).transpose()?;
    let is_at_work = live.is_some_and(|run| run.started_at < due);
    if is_at_work || candidate::has_waking_before(cx.db, agent.id, due)? {
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
    let Some(hours) = hours else { return times.next(after).take(count).collect() };
    let (mut found, mut from) = (Vec::new(), after);
    for _ in 0..due::MOST {
        let Some(at) = times.after(from).filter(|_| found.len() < count) else { break };
        from = at;
        if is_in(at, zone, hours) {
            found.push(at);
        } else if let Some(begin) = begin(at, zone, hours) {
            from = from.max(Timestamp(begin.0 - 1));
        }
    }
    found
}

/// Returns the times of a heartbeat. If it is outside of its hours now, and would stay so for a
/// week after its interval, the times count from the beginning of the next hours.
pub fn within(times: Times, zone: &ZoneName, hours: Option<Hours>, now: Timestamp) -> Times {
    let Some(hours) = hours.filter(|hours| !is_in(now, zone, *hours)) else { return times };
    let Times::Every { span, .. } = times else { return times };
    let soon = now.after(SILENT).0.saturating_add(span);
    let is_soon = next(&times, zone, Some(hours), now, 1).first().is_some_and(|at| at.0 <= soon);
    match begin(now, zone, hours) {
        Some(begin) if !is_soon => {
            // A time farther ahead than the interval would look like a clock that was set back.
            let spans = (begin.0 - now.0 - 1).max(0) / span + 1;
            Times::Every { anchor: Timestamp(begin.0 - spans * span), span }
        }
        _ => times,
    }
}

/// When hours begin next, after a time that is outside of them.
fn begin(after: Timestamp, zone: &ZoneName, hours: Hours) -> Option<Timestamp> {
    let after = local(after, zone)?;
    let day = after.date();
    let day = if after.time() < hours.from() { day } else { day.tomorrow().ok()? };
    let begin = cron::once(day.to_datetime(hours.from()), after.time_zone())?;
    Some(Timestamp(begin.as_millisecond()))
}

fn is_in(at: Timestamp, zone: &ZoneName, hours: Hours) -> bool {
    local(at, zone).is_some_and(|at| hours.has(at.time()))
}

fn local(at: Timestamp, zone: &ZoneName) -> Option<Zoned> {
    let at = Instant::from_millisecond(at.0).unwrap_or_default();
    Some(at.to_zoned(due::zone(zone).ok()?))
}
