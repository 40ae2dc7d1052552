//! Operations on sessions.

use agent_worker_protocol::{RunId, SessionDetail, SessionId, SessionList, SessionShow, Sessions};

use crate::{
    context::{Cx, Run, limit},
    error::{OpError, Result},
    rows::session::{self, missing},
};

const MOST: u32 = 500;

impl Run for SessionList {
    fn run(&self, cx: &mut Cx<'_>) -> Result<Sessions> {
        let agent = cx.locate_member(&self.target)?;
        if !cx.is_person() && cx.member()?.id != agent.id {
            let text = format!("only `{}` and the user can read these sessions", agent.target());
            return Err(OpError::denied(text));
        }
        let limit = limit::at_most(self.limit, 50, MOST)?;
        let before = self.before.map_or(i64::MAX, SessionId::number);
        let sessions = session::of_agent(cx.db, agent.id, self.all, before, limit + 1)?;
        let (sessions, more) = limit::cut(sessions, limit);
        Ok(Sessions { sessions, more })
    }
}

impl Run for SessionShow {
    fn run(&self, cx: &mut Cx<'_>) -> Result<SessionDetail> {
        let agent = session::agent_of(cx.db, self.id)?.ok_or_else(|| missing(self.id))?;
        if !cx.is_person() && cx.member()?.id != agent {
            return Err(missing(self.id));
        }
        let limit = limit::at_most(self.limit, 50, MOST)?;
        let before = self.before.map_or(i64::MAX, RunId::number);
        let exchanges = session::exchanges(cx.db, self.id, before, limit + 1)?;
        let (mut exchanges, more) = limit::cut(exchanges, limit);
        exchanges.reverse();
        Ok(SessionDetail {
            session: session::by_id(cx.db, self.id)?,
            by_hand: session::by_hand(cx.db, self.id.number())?,
            exchanges,
            more,
        })
    }
}
