//! Creates and updates members.

use rusqlite::params;

use crate::{
    changes::message,
    context::cx::Cx,
    error::OpError,
    rows::{
        agent::{AgentRow, NewAgent},
        conversation,
        word::{Json, Word},
        workflow::ScopeRow,
    },
};

/// Makes a member and its place in the channel.
pub fn insert(cx: &mut Cx<'_>, scope: &ScopeRow, new: &NewAgent<'_>) -> Result<AgentRow, OpError> {
    conversation::check_is_no_group(cx.db, scope, new.name)?;
    let sql = "INSERT INTO agents (scope, name, kind, origin, model, backend, system, role,
                   display_name, config, created_at)
               VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)";
    cx.conn.prepare_cached(sql)?.execute(params![
        scope.id,
        new.name.as_str(),
        Word(new.kind),
        Word(new.origin),
        new.model,
        new.backend,
        new.system,
        new.role,
        new.display_name,
        Json(new.config),
        cx.now.0
    ])?;
    let id = cx.conn.last_insert_rowid();
    message::conversation::join_channel(cx, scope, id)?;
    cx.touch_agent(id);
    cx.touch_scope(scope.id);
    AgentRow::by_id(cx.db, id)
}

/// Gives a member of a workflow file what the file now says of it.
pub fn update(cx: &mut Cx<'_>, id: i64, new: &NewAgent<'_>) -> Result<(), OpError> {
    // What works outside is never started, so neither a wake nor a wait for its model can end.
    let sql = "UPDATE agents SET kind = ?2, origin = ?3, model = ?4, backend = ?5, system = ?6,
                   role = ?7, display_name = ?8, config = ?9,
                   woken = CASE ?2 WHEN 'external' THEN 0 ELSE woken END,
                   not_before = CASE ?2 WHEN 'external' THEN NULL ELSE not_before END
               WHERE id = ?1";
    cx.conn.prepare_cached(sql)?.execute(params![
        id,
        Word(new.kind),
        Word(new.origin),
        new.model,
        new.backend,
        new.system,
        new.role,
        new.display_name,
        Json(new.config)
    ])?;
    cx.touch_agent(id);
    Ok(())
}
