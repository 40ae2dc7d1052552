//! Who reads an inbox: the user, a run, or an external member.

use agent_worker_protocol::{agent::MemberKind, run::RunKind};

use crate::{
    context::cx::{Cx, Who},
    error::OpError,
    rows::{agent::AgentRow, run::RunRow},
};

/// Who reads an inbox.
pub enum Reader {
    /// The person: reading leases nothing.
    Person(AgentRow),
    /// An agent in a run.
    Member(AgentRow, Box<RunRow>),
    /// A member outside that has no run open.
    Outside(AgentRow),
}

pub fn reader(cx: &Cx<'_>) -> Result<Reader, OpError> {
    let me = cx.member()?;
    match &cx.who {
        Who::Run(run) => Ok(Reader::Member(me, run.clone())),
        _ if me.kind == MemberKind::Person => Ok(Reader::Person(me)),
        _ => match RunRow::live_of(cx.db, me.id)? {
            None => Ok(Reader::Outside(me)),
            Some(id) => {
                let run = RunRow::by_id(cx.db, id)?;
                if run.kind == RunKind::External {
                    return Ok(Reader::Member(me, Box::new(run)));
                }
                Err(OpError::conflict(format!("`{}` is working ({id})", me.target()))
                    .hint(format!("agent-worker inbox {}", me.target())))
            }
        },
    }
}
