//! The feed's log, in pages.

use std::ops::ControlFlow;

use agent_worker_protocol::{EventList, EventPage, LoggedEvent};

use crate::{
    context::{Cx, Run, limit},
    entities::feed::Filter,
    error::{OpError, Result},
    rows::{EventRow, daemon_state, event},
};

/// At how many events one page looks at most: a filter may let none of them through.
const LOOKED_AT: usize = 5000;

/// An event as the log shows it.
fn logged(cx: &Cx<'_>, row: EventRow) -> Result<LoggedEvent> {
    let row = row.whole(cx.db)?;
    let body = serde_json::from_str(&row.body)
        .map_err(|error| OpError::Broken(format!("event {}: {error}", row.seq)))?;
    let EventRow { seq, scope, kind, subject, run, actor, at, .. } = row;
    Ok(LoggedEvent { seq, scope, kind, subject, run, actor, at, body })
}

impl Run for EventList {
    fn run(&self, cx: &mut Cx<'_>) -> Result<EventPage> {
        cx.operator_only("the feed's log")?;
        let limit = limit::at_most(self.limit, 50, 500)? as usize;
        let (from, is_older) = match (self.before, self.after) {
            (Some(_), Some(_)) => {
                return Err(OpError::invalid("only one of `before` and `after` is allowed"));
            }
            (None, Some(after)) => (after, false),
            (before, None) => (before.unwrap_or(i64::MAX), true),
        };
        let filter = Filter::new(self.scope.clone(), self.kind.as_deref())?;
        let (mut events, next) = look(cx, &filter, from, is_older, limit)?;
        if is_older {
            events.reverse();
        }
        let (oldest, newest) = event::range(cx.db)?;
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
) -> Result<(Vec<LoggedEvent>, Option<i64>)> {
    let sql = event::side(filter.scope.is_some(), is_older);
    let (mut rows, mut looked, mut seen, mut next) = (Vec::new(), 0, from, None);
    cx.db.each(sql, (from, filter.scope.as_ref()), |row: EventRow| {
        if looked == LOOKED_AT {
            next = Some(seen);
            return ControlFlow::Break(());
        }
        looked += 1;
        seen = row.seq;
        if filter.wants(&row.kind) {
            if rows.len() == limit {
                next = rows.last().map(|row: &EventRow| row.seq);
                return ControlFlow::Break(());
            }
            rows.push(row);
        }
        ControlFlow::Continue(())
    })?;
    let events = rows.into_iter().map(|row| logged(cx, row)).collect::<Result<_, _>>()?;
    Ok((events, next))
}
