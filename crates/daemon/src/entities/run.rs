//! Runs as clients see them.

use agent_worker_protocol::{
    Answer, Block, EventBody, MessageId, Run as RunEntity, RunId, SessionId,
};

use crate::{
    context::Cx,
    error::Result,
    rows::{Db, RunRow, checking, cost, run, session, transcript},
};

impl RunRow {
    pub fn entity(&self) -> RunEntity {
        RunEntity {
            id: self.id,
            agent: self.target(),
            scope: self.scope.clone(),
            kind: self.kind,
            cause: self.cause.map(MessageId::new),
            attempt: self.attempt,
            state: self.state,
            class: self.class,
            error: self.error.clone(),
            activity: self.activity.clone(),
            away: self.away.clone(),
            spoke_at: self.spoke_at,
            model: self.model.clone(),
            backend: self.backend.clone(),
            usage: self.usage(),
            cost: self.cost.map(cost::dollars),
            started_at: self.started_at,
            ended_at: self.ended_at,
            exit: self.exit,
            signal: self.signal,
            end_by: self.end_by,
        }
    }
}

/// The answer of a run that has ended.
pub fn answer(db: Db<'_>, id: RunId) -> Result<Answer> {
    let row = RunRow::by_id(db, id)?;
    let result = run::left(db, id)?.result;
    let (usage, cost) = (row.usage(), row.cost.map(cost::dollars));
    let answered = result.is_some();
    let session = session::session_of(db, id.number())?.map(SessionId::new);
    Ok(Answer { content: result.unwrap_or_default(), answered, usage, cost, run: id, session })
}

/// The run of a number.
pub fn show(db: Db<'_>, id: RunId) -> Result<RunEntity> {
    Ok(RunRow::by_id(db, id)?.entity())
}

/// The blocks of a run's transcript from number `from` on.
pub fn blocks(db: Db<'_>, id: RunId, from: i64) -> Result<Vec<Block>> {
    transcript::blocks(db, id, from)
}

/// Announces a run as it now stands.
pub fn announce(cx: &mut Cx<'_>, id: RunId) -> Result<RunRow> {
    let row = RunRow::by_id(cx.db, id)?;
    announce_row(cx, &row)?;
    Ok(row)
}

/// Announces a run that stands in the tables as its row does.
pub fn announce_row(cx: &mut Cx<'_>, row: &RunRow) -> Result<()> {
    let run = row.entity();
    if cfg!(debug_assertions) {
        let stored = checking(|| RunRow::by_id(cx.db, row.id))?.entity();
        assert_eq!(run, stored, "announced, and in the tables");
    }
    cx.emit_of_run(&row.scope, Some(row.id), EventBody::RunChanged(Box::new(run)))
}

/// The newest runs of an agent, newest first.
pub fn newest_of_agent(db: Db<'_>, agent: i64, limit: usize) -> Result<Vec<RunEntity>> {
    let limit = u32::try_from(limit).unwrap_or(u32::MAX);
    Ok(run::of_agent(db, agent, i64::MAX, limit)?.iter().map(RunRow::entity).collect())
}
