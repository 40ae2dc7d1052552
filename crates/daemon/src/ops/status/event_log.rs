//! The feed's log, in pages.

use agent_worker_protocol::{
    event::{EventList, EventPage, LoggedEvent},
    id::RunId,
    target::Scope,
    time::Timestamp,
};
use rusqlite::{Row, params};

use crate::{
    context::{cx::Cx, limit, run::Run},
    entities::feed::Filter,
    error::OpError,
    rows::{
        daemon_state, event,
        word::{Json, Word},
    },
};

/// At how many events one page looks at most: a filter may let none of them through.
pub const LOOKED_AT: usize = 5000;

/// Events on one side of a place, the nearest first.
pub fn sql(is_scoped: bool, is_older: bool) -> String {
    let (sign, direction) = if is_older { ("<", "DESC") } else { (">", "ASC") };
    let scope = if is_scoped { "scope = ?2" } else { "?2 IS NULL" };
    format!(
        "SELECT seq, scope, kind, subject, run, actor, at, body FROM events
         WHERE {scope} AND seq {sign} ?1 ORDER BY seq {direction}"
    )
}

pub fn logged(row: &Row<'_>, seq: i64, kind: String) -> rusqlite::Result<LoggedEvent> {
    Ok(LoggedEvent {
        seq,
        scope: row.get::<_, Word<Scope>>("scope")?.0,
        kind,
        subject: row.get("subject")?,
        run: row.get::<_, Option<i64>>("run")?.map(RunId::new),
        actor: row.get("actor")?,
        at: Timestamp(row.get("at")?),
        body: row.get::<_, Json<serde_json::Value>>("body")?.0,
    })
}

impl Run for EventList {
    fn run(&self, cx: &mut Cx<'_>) -> Result<EventPage, OpError> {
        cx.operator_only("the feed's log")?;
        let limit = limit::at_most(self.limit, 50, 500)? as usize;
        let (from, is_older) = match (self.before, self.after) {
            (Some(_), Some(_)) => {
                return Err(OpError::invalid("only one of `before` and `after` is allowed"));
            }
            (None, Some(after)) => (after, false),
            (before, None) => (before.unwrap_or(i64::MAX), true),
        };
        let filter = Filter::new(self.scope.clone(), self.kind.as_deref());
        let (mut events, next) = look(cx, &filter, from, is_older, limit)?;
        if is_older {
            events.reverse();
        }
        let (oldest, newest) = event::range(cx.conn)?;
        let epoch = daemon_state::epoch(cx.db)?;
        Ok(EventPage { events, more: next.is_some(), next, epoch, oldest, newest })
    }
}

/// The nearest events that the filter lets through, and where to go on if that is not all.
pub fn look(
    cx: &Cx<'_>,
    filter: &Filter,
    from: i64,
    is_older: bool,
    limit: usize,
) -> Result<(Vec<LoggedEvent>, Option<i64>), OpError> {
    let scope = filter.scope.as_ref().map(ToString::to_string);
    let mut statement = cx.conn.prepare_cached(&sql(scope.is_some(), is_older))?;
    let mut rows = statement.query(params![from, scope])?;
    let (mut events, mut looked, mut seen) = (Vec::new(), 0, from);
    while let Some(row) = rows.next()? {
        if looked == LOOKED_AT {
            return Ok((events, Some(seen)));
        }
        looked += 1;
        let (seq, kind): (i64, String) = (row.get("seq")?, row.get("kind")?);
        if filter.wants(&kind) {
            if events.len() == limit {
                let last = events.last().map(|event: &LoggedEvent| event.seq);
                return Ok((events, last));
            }
            events.push(logged(row, seq, kind)?);
        }
        seen = seq;
    }
    Ok((events, None))
}
