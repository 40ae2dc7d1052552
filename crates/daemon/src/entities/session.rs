//! Sessions as clients see them.

use agent_worker_protocol::{id::SessionId, session::Session};

use crate::{
    error::OpError,
    rows::{Db, agent::AgentRow, session},
    rules,
};

/// The session that an agent's next run would go on with, without what is said in it.
pub fn of_agent(db: Db<'_>, agent: &AgentRow, generation: i64) -> Result<Option<Session>, OpError> {
    let main = session::main(db, agent.id, rules::session::backend(agent), generation)?;
    main.map(|main| session::by_id(db, SessionId::new(main))).transpose()
}
