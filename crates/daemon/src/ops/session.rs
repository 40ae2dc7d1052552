//! Operations on sessions.

use agent_worker_protocol::{
    RunId, Session, SessionDetail, SessionId, SessionList, SessionShow, Sessions,
};

use crate::{
    context::{Cx, Run, limit},
    error::{OpError, Result},
    rows::{
        AgentRow,
        session::{self, missing},
    },
};

const MOST: u32 = 500;

/// Whether the caller may read an agent's sessions: they are the agent's own, and the user's.
fn is_of_caller(cx: &Cx<'_>, agent: &AgentRow) -> Result<bool> {
    let is_own = |member: AgentRow| member.id == agent.id;
    Ok(cx.is_person() || cx.member_in(agent.scope_id)?.is_some_and(is_own))
}

impl Run for SessionList {
    fn run(&self, cx: &mut Cx<'_>) -> Result<Sessions> {
        let agent = cx.locate_member(&self.target)?;
        if !is_of_caller(cx, &agent)? {
            let text = format!("only `{}` and the user can read these sessions", agent.target());
            return Err(OpError::denied(text));
        }
        let limit = limit::at_most(self.limit, 50, MOST)?;
        let before = self.before.map_or(i64::MAX, SessionId::number);
        let sessions = session::of_agent(cx.db, agent.id, self.all, before, limit + 1)?;
        let (mut sessions, more) = limit::cut(sessions, limit);
        for session in &mut sessions {
            untitle_hidden(cx, session)?;
        }
        Ok(Sessions { sessions, more })
    }
}

/// Takes the title from a chat that has it from a hidden question, which only the user reads.
fn untitle_hidden(cx: &Cx<'_>, session: &mut Session) -> Result<()> {
    if !cx.is_person() && session::has_hidden_title(cx.db, session.id)? {
        session.title = None;
    }
    Ok(())
}

impl Run for SessionShow {
    fn run(&self, cx: &mut Cx<'_>) -> Result<SessionDetail> {
        let agent = session::agent_of(cx.db, self.id)?.ok_or_else(|| missing(self.id))?;
        if !is_of_caller(cx, &AgentRow::by_id(cx.db, agent)?)? {
            return Err(missing(self.id));
        }
        let limit = limit::at_most(self.limit, 50, MOST)?;
        let before = self.before.map_or(i64::MAX, RunId::number);
        let exchanges = session::exchanges(cx.db, self.id, before, limit + 1, cx.is_person())?;
        let (mut exchanges, more) = limit::cut(exchanges, limit);
        exchanges.reverse();
        let mut session = session::by_id(cx.db, self.id)?;
        untitle_hidden(cx, &mut session)?;
        Ok(SessionDetail {
            session,
            by_hand: session::by_hand(cx.db, self.id.number())?,
            exchanges,
            more,
        })
    }
}
