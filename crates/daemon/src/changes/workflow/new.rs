//! Creates workflows.

use agent_worker_protocol::{
    agent::{MemberKind, Origin},
    name::Name,
    target::Scope,
    workflow::{Mode, WorkflowState},
};
use rusqlite::params;

use crate::{
    changes::{agent::member, message::conversation, workflow::state},
    context::cx::Cx,
    error::OpError,
    rows::{
        agent::{AgentConfig, NewAgent},
        word::Word,
        workflow::ScopeRow,
    },
};

/// Makes a scope with its channel and the person.
pub fn insert(cx: &mut Cx<'_>, scope: &Scope, mode: Mode) -> Result<ScopeRow, OpError> {
    let sql = "INSERT INTO workflows (name, tag, mode, state, created_at) VALUES (?1, ?2, ?3, 'created', ?4)";
    cx.conn.prepare_cached(sql)?.execute(params![
        scope.workflow.as_str(),
        scope.tag.as_str(),
        Word(mode),
        cx.now.0
    ])?;
    let id = cx.conn.last_insert_rowid();
    conversation::make_channel(cx, id)?;
    let row = ScopeRow::by_id(cx.db, id)?;
    let person = NewAgent {
        name: &Name::person(),
        kind: MemberKind::Person,
        origin: Origin::System,
        model: None,
        backend: None,
        system: None,
        role: None,
        display_name: None,
        config: &AgentConfig::default(),
    };
    member::insert(cx, &row, &person)?;
    Ok(row)
}

/// Makes the scope that always exists, if it does not yet.
pub fn ensure_global(cx: &mut Cx<'_>) -> Result<(), OpError> {
    if ScopeRow::find(cx.db, &Scope::global())?.is_some() {
        return Ok(());
    }
    let row = insert(cx, &Scope::global(), Mode::Start)?;
    cx.conn
        .prepare_cached("UPDATE workflows SET generation = 1, kicked_off = 1 WHERE id = ?1")?
        .execute([row.id])?;
    state::enter(cx, row.id, WorkflowState::Running, None)
}
