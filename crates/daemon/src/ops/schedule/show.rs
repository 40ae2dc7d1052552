//! Lists and shows schedules.

use agent_worker_protocol::{
    ScheduleDetail, ScheduleDetails, ScheduleList, ScheduleShow, ScheduleState, Schedules,
    Timestamp,
};

use crate::{
    context::{Cx, Run},
    entities,
    error::Result,
    rows::{AgentRow, ScheduleRow, schedule},
    rules::schedule::{
        fire, heartbeat,
        spec::{NEXT, SHOWN},
    },
};

impl Run for ScheduleList {
    fn run(&self, cx: &mut Cx<'_>) -> Result<Schedules> {
        let scope = cx.listed_scope()?;
        let mut rows = ScheduleRow::all(cx.db, scope.as_ref().map(|scope| scope.id), self.all)?;
        let named = cx.target.as_ref().and_then(|target| target.name.as_ref());
        if let Some((scope, name)) = scope.zip(named) {
            // By its number: an earlier agent of this name is another.
            let agent = AgentRow::by_name(cx.db, &scope, name)?.id;
            rows.retain(|row| row.agent == agent);
        }
        let schedules = rows.iter().map(|row| row.entity(cx.db)).collect::<Result<_, _>>()?;
        Ok(Schedules { schedules })
    }
}

impl Run for ScheduleShow {
    fn run(&self, cx: &mut Cx<'_>) -> Result<ScheduleDetails> {
        let agent = cx.locate_member(&self.target)?;
        let mut rows = ScheduleRow::of_agent(cx.db, agent.id)?;
        for (_, row) in fire::held(cx.db, agent.id)? {
            // A cleared or replaced schedule is left out: the user has ended it.
            if has_fired_all(cx, &row)? && rows.iter().all(|known| known.id != row.id) {
                rows.push(row);
            }
        }
        rows.sort_by_key(|row| row.id);
        let schedules = rows.iter().map(|row| detail(cx, row)).collect::<Result<_, _>>()?;
        Ok(ScheduleDetails { schedules })
    }
}

/// Whether a schedule is completed because it has fired for the last time. A date that was only
/// run by hand is still ahead.
fn has_fired_all(cx: &Cx<'_>, row: &ScheduleRow) -> Result<bool> {
    let last = row.last_judged(cx.db)?.zip(row.times().ok());
    let is_past = last.is_some_and(|(last, times)| times.after(last).is_none());
    Ok(row.state == ScheduleState::Completed && (is_past || row.fires_left() == Some(0)))
}

fn detail(cx: &Cx<'_>, row: &ScheduleRow) -> Result<ScheduleDetail> {
    let judged = schedule::fires(cx.db, row.id, SHOWN)?.into_iter();
    let fired = judged.map(|fire| entities::schedule::fired(cx.db, row.agent, fire));
    // A time that has passed may still wait for the last run or message.
    let before = row.next_due.map(|due| Timestamp(due.0 - 1).max(cx.now));
    let most = row.fires_left().and_then(|left| usize::try_from(left).ok());
    let most = most.map_or(NEXT, |left| left.min(NEXT));
    let hours = row.hours(cx.db)?;
    let next = before
        .zip(row.times().ok())
        .map(|(before, times)| heartbeat::next(&times, &row.timezone, hours, before, most));
    Ok(ScheduleDetail {
        schedule: row.entity(cx.db)?,
        next: next.unwrap_or_default(),
        fired: fired.collect::<Result<_>>()?,
    })
}
