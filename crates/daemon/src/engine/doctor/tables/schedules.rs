//! Schedules: each due time is judged once, and the next one is what the spec says.

use agent_worker_protocol::{Case, Due, Finding, ScheduleId, Timestamp, ZoneName};
use rusqlite::Connection;

use crate::{
    engine::doctor::check::{Check, Found, Special},
    error::OpError,
    rows::Db,
    rules::schedule::due::Times,
};

pub const CHECKS: &[Check] = &[
    Check {
        name: "schedules.place",
        promise: "a schedule is of an agent that is there, and its name stands once",
        sql: "SELECT 'sched_' || s.id, CASE
                  WHEN m.kind = 'person' THEN 'it is of ' || m.target
                  WHEN m.removed_at IS NOT NULL THEN 'it is ' || s.state || ', and its agent is gone'
                  ELSE m.target || ' has another `' || s.name || '`' END
              FROM schedules AS s LEFT JOIN member AS m ON m.id = s.agent
              LEFT JOIN (SELECT agent, name, count(*) AS times FROM schedules
                         WHERE state <> 'completed' GROUP BY agent, name) AS c
                  ON c.agent = s.agent AND c.name = s.name
              WHERE m.kind = 'person'
                 OR (s.state <> 'completed' AND (m.removed_at IS NOT NULL OR c.times > 1))",
    },
    Check {
        name: "schedules.next",
        promise: "a schedule has a next time if it is active and its workflow runs, and it was not \
                  judged yet",
        sql: "SELECT 'sched_' || s.id, 'it is ' || s.state || ', its workflow ' || w.state
                  || coalesce(', its next time ' || s.next_due, ' and it has no next time')
              FROM schedules AS s JOIN workflows AS w ON w.id = s.scope
              WHERE (s.next_due IS NOT NULL) <> (s.state = 'active' AND w.state = 'running')
                 OR EXISTS (SELECT 1 FROM schedule_fires AS f
                            WHERE f.schedule = s.id AND f.due_at = s.next_due)",
    },
    Check {
        name: "schedules.fired",
        promise: "a time that ran has sent its agent a message, and the times that ran are counted",
        sql: "SELECT 'sched_' || s.id, 'its time ' || f.due_at || ' has sent ' || f.reason
              FROM schedule_fires AS f JOIN schedules AS s ON s.id = f.schedule
              LEFT JOIN deliveries AS d ON d.agent = s.agent
                  AND d.seq = CAST(substr(f.reason, 5) AS INTEGER)
              WHERE f.outcome = 'ran' AND (f.reason NOT LIKE 'msg_%' OR d.reason IS NOT
                  iif(s.name = 'heartbeat', 'heartbeat', 'schedule'))
              UNION ALL
              SELECT 'sched_' || s.id, 'it counts ' || s.fires || ', and ' || f.ran || ' ran'
              FROM schedules AS s
              JOIN (SELECT schedule, sum(outcome = 'ran') AS ran FROM schedule_fires
                    GROUP BY schedule) AS f ON f.schedule = s.id
              WHERE f.ran > s.fires",
    },
];

pub const SPECIAL: &[Special] = &[("schedules.times", times)];

pub fn times(conn: &Connection) -> rusqlite::Result<Option<Finding>> {
    let mut found =
        Found::new("schedules.times", "the next time of a schedule is one of its times");
    let astray = astray(conn).map_err(|error| match error {
        OpError::Storage(error) => error,
        other => rusqlite::Error::ToSqlConversionFailure(other.to_string().into()),
    })?;
    for (id, due) in astray {
        found.add(Case::new(id.to_string(), format!("{} is none of its times", due.0)));
    }
    Ok(found.finding)
}

/// Where the stored next time is none of the schedule's times: its id and the time.
fn astray(conn: &Connection) -> Result<Vec<(ScheduleId, Timestamp)>, OpError> {
    // No more columns than these: earlier schemas are examined too.
    let sql = "SELECT id, spec, timezone, anchor_at, next_due FROM schedules
               WHERE next_due IS NOT NULL ORDER BY id";
    let rows: Vec<(ScheduleId, Due, ZoneName, Timestamp, Timestamp)> =
        Db::new(conn).all(sql, ())?;
    let astray = rows.into_iter().filter_map(|(id, spec, zone, anchor, due)| {
        let is_one = Times::of(&spec, &zone, anchor).is_ok_and(|times| times.has(due));
        (!is_one).then_some((id, due))
    });
    Ok(astray.collect())
}
