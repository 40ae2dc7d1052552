//! Creates workflows.

use agent_worker_protocol::{MemberKind, Mode, Name, Origin, Scope, WorkflowState};

use crate::{
    changes::{agent::member, message::conversation, workflow::state},
    context::Cx,
    error::Result,
    rows::{AgentConfig, NewAgent, NewWorkflow, WorkflowRow},
};

/// Makes a scope with its channel and the person.
pub fn insert(cx: &mut Cx<'_>, scope: &Scope, mode: Mode) -> Result<WorkflowRow> {
    let id = cx.db.insert(&NewWorkflow {
        name: &scope.workflow,
        tag: &scope.tag,
        mode,
        state: WorkflowState::Created,
        created_at: cx.now,
    })?;
    conversation::make_channel(cx, id)?;
    let row = WorkflowRow::by_id(cx.db, id)?;
    let (name, config) = (Name::person(), AgentConfig::default());
    let of_system = (MemberKind::Person, Origin::System);
    member::insert(cx, &row, &NewAgent::new(id, &name, of_system, &config, cx.now))?;
    Ok(row)
}

/// Makes the scope that always exists, if it does not yet.
pub fn ensure_global(cx: &mut Cx<'_>) -> Result<()> {
    if WorkflowRow::find(cx.db, &Scope::global())?.is_some() {
        return Ok(());
    }
    let row = insert(cx, &Scope::global(), Mode::Start)?;
    row.make_global(cx.db)?;
    state::enter(cx, row.id, WorkflowState::Running, None)
}
