//! Sessions as clients see them.

use agent_worker_protocol::session::Session;

use crate::{
    error::OpError,
    rows::{
        Db,
        agent::AgentRow,
        cost,
        session::{self, SessionRow},
    },
    rules,
};

/// The session that an agent's next run would go on with, without what is said in it.
pub fn of_agent(db: Db<'_>, agent: &AgentRow, generation: i64) -> Result<Option<Session>, OpError> {
    let Some(session) = session::main(db, agent.id, rules::session::backend(agent), generation)?
    else {
        return Ok(None);
    };
    let (turns, bytes, tokens) = session::size(db, session)?;
    let (runs, cost) = session::runs(db, agent.id, session)?;
    let SessionRow { kind, created_at, updated_at } = session::by_id(db, session)?;
    let cost = cost.map(cost::dollars);
    Ok(Some(Session { kind, turns, bytes, tokens, runs, cost, created_at, updated_at }))
}
