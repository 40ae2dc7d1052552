//! Who reads an inbox: the user, a run, or an external member.

use agent_worker_protocol::{MemberKind, RunKind, Wanted, WorkflowState};

use crate::{
    context::{Cx, Who},
    error::{OpError, Result},
    rows::{AgentRow, RunRow, WorkflowRow, workflow},
    rules::hint,
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

pub fn reader(cx: &Cx<'_>) -> Result<Reader> {
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

/// The scope of an external member, if a run of it may open there.
pub fn open_scope(cx: &Cx<'_>, me: &AgentRow) -> Result<WorkflowRow> {
    let scope = WorkflowRow::by_id(cx.db, me.scope_id)?;
    let wait = match (me.wanted, scope.state) {
        (Wanted::Active, _) if scope.takes_work() => return Ok(scope),
        (Wanted::Active, WorkflowState::Created | WorkflowState::SettingUp) => {
            "wait until its setup is over"
        }
        (Wanted::Active, _) => "wait until the user starts it",
        (Wanted::Paused | Wanted::Stopped, _) => "wait until the user resumes it",
    };
    let (why, command) = if me.wanted == Wanted::Active {
        (format!("{} is {}", scope.scope, workflow::word(scope.state)), hint::of_state(&scope))
    } else {
        (format!("it is {}", me.wanted.as_str()), hint::of_rest(&scope, me))
    };
    let text = format!("cannot open a run for `{}`: {why}", me.target());
    Err(OpError::conflict(text).hint(cx.either(wait, &command)))
}
