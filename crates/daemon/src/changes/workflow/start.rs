//! The start of a workflow: its scope, its agents, its kickoff. The first message and `running`
//! are one transaction, so a start is whole or has failed.

use agent_worker_protocol::{
    Cursor, Limits, Origin, Problem, Scope, Started, Wanted, WorkflowState,
};

use crate::{
    changes::{
        agent::{member, remove, state::activate},
        document,
        message::delivery,
        proposal::close,
        question,
        run::budget,
        schedule::change,
        workflow::{fresh, hired, kickoff, new, state, warn},
    },
    context::Cx,
    error::{OpError, Result},
    rows::{
        AgentRow, ConversationRow, NewAgent, RunRow, WorkflowRow, daemon_state, event,
        member_token, message,
        workflow::{self, Description},
    },
    rules::{
        edges::STARTED_ANEW,
        start::{Begin, Launch},
    },
};

/// Starts a workflow, or lets a stopped or stalled one go on.
pub fn launch(cx: &mut Cx<'_>, launch: &Launch) -> Result<Started> {
    cx.operator_only("starting a workflow")?;
    let cursor = Cursor { epoch: Some(daemon_state::epoch(cx.db)?), seq: event::range(cx.db)?.1 };
    let known = WorkflowRow::find(cx.db, &launch.scope)?;
    if let Some(row) = &known {
        check_is_free(row)?;
        if launch.fresh {
            check_is_idle(cx, row)?;
        }
        check_room(cx, row, launch)?;
    }
    let taken_over = known.as_ref().map(|row| warn::taken_over(cx, row, launch)).transpose()?;
    let (mut warnings, mut archived) = (taken_over.unwrap_or_default(), None);
    let row = match &known {
        Some(old) if launch.fresh => {
            let (row, scope) = fresh::replace(cx, old, launch, &mut warnings)?;
            archived = Some(scope);
            row
        }
        Some(row) => row.clone(),
        None => new::insert(cx, &launch.scope, launch.mode)?,
    };
    let last_seq = ConversationRow::channel(cx.db, &row)?.said(cx.db)?.last_seq;
    let goes_on = matches!(row.state, WorkflowState::Stopped | WorkflowState::Stalled)
        && row.was_kicked_off()
        && row.generation > 0;
    if replaces_limits(&row, &launch.limits) && launch.last_limits != Some(row.limits) {
        let text = "the limits that it had were replaced by those of its file";
        let hint = format!("agent-worker limits {}", row.scope);
        warnings.push(Problem::warning(text).hint(hint));
    }
    warnings.extend(warn::replaced_schedules(cx, &row, launch)?);
    describe(cx, &row, launch)?;
    if goes_on {
        warnings.extend(warn::discarded(cx, &row, launch)?);
        sync_agents(cx, &row, launch, false)?;
        budget::release_allowed(cx, row.id)?;
        let row = WorkflowRow::by_id(cx.db, row.id)?;
        state::go_on(cx, &row)?;
    } else {
        begin(cx, &row, launch)?;
    }
    if goes_on || row.is_archived {
        warnings.extend(warn::stopped(cx, &row)?);
    }
    if archived.is_some()
        && let Some(old) = &known
    {
        member_token::hand_over(cx.db, old.id, row.id)?;
    }
    cx.judge_now()?;
    let row = WorkflowRow::by_id(cx.db, row.id)?;
    Ok(Started {
        workflow: row.entity(cx.db)?,
        continued: goes_on,
        archived,
        cursor: cursor.to_string(),
        last_seq,
        warnings,
    })
}

/// Whether a start gives a scope other limits than it had.
fn replaces_limits(row: &WorkflowRow, limits: &Limits) -> bool {
    row.generation > 0 && row.limits != *limits
}

/// The file whose limits a start with these would replace. It is read before the start: no other
/// change waits while a long one is read.
pub fn replaced_file(cx: &Cx<'_>, scope: &Scope, limits: &Limits) -> Result<Option<String>> {
    match WorkflowRow::find(cx.db, scope)? {
        Some(row) if replaces_limits(&row, limits) => row.file(cx.db),
        _ => Ok(None),
    }
}

/// Refuses to start what is live.
fn check_is_free(row: &WorkflowRow) -> Result<()> {
    if !row.state.is_live() {
        return Ok(());
    }
    let (state, scope) = (workflow::word(row.state), &row.scope);
    let text = format!(
        "{scope} is {state} already: `agent-worker stop {scope}` stops it, --tag starts another"
    );
    Err(OpError::conflict(text).hint(format!("agent-worker peek {scope} --follow")))
}

/// Refuses to archive what still has runs: they and those of the start would work in one folder.
fn check_is_idle(cx: &Cx<'_>, row: &WorkflowRow) -> Result<()> {
    if !RunRow::has_live(cx.db, row.id)? {
        return Ok(());
    }
    let text = format!(
        "{} is ending its runs: it can be started with --fresh when they have ended",
        row.scope
    );
    Err(OpError::conflict(text).hint(format!("agent-worker stop {} --now", row.scope)))
}

/// Refuses more agents than the scope may have: those that stay count beside those of the file.
fn check_room(cx: &Cx<'_>, row: &WorkflowRow, launch: &Launch) -> Result<()> {
    let Some(most) = launch.limits.agents else { return Ok(()) };
    let most = usize::try_from(most).unwrap_or(usize::MAX);
    let mut staying = AgentRow::of_scope(cx.db, row.id)?;
    staying.retain(|member| launch.keeps(member));
    let agents = launch.agents.len() + staying.len();
    if agents <= most {
        return Ok(());
    }
    let scope = &row.scope;
    let surplus = staying.iter().take(agents - most).map(|member| format!(" {}", member.target()));
    Err(OpError::conflict(format!(
        "cannot start {scope}: it would have {agents} agents with those that were created or \
         hired, and its limit is {most}"
    ))
    .hint(format!("raise `agents` in its file, or agent-worker rm{}", surplus.collect::<String>())))
}

/// Notes what the file says of the scope itself.
fn describe(cx: &mut Cx<'_>, row: &WorkflowRow, launch: &Launch) -> Result<()> {
    let file = Description {
        mode: launch.mode,
        yaml: &launch.yaml,
        folder: &launch.folder,
        path_env: launch.path_env.as_deref(),
        home: launch.home.as_deref(),
        limits: &launch.limits,
        document_owner: launch.document_owner.as_ref(),
    };
    row.describe(cx.db, &file)?;
    cx.touch_scope(row.id);
    if row.document_owner != launch.document_owner {
        document::announce_all(cx, row)?;
    }
    Ok(())
}

/// Begins a new generation: open mail of earlier ones is dropped, what was used counts no more.
pub fn begin(cx: &mut Cx<'_>, row: &WorkflowRow, launch: &Launch) -> Result<()> {
    for member in AgentRow::of_scope(cx.db, row.id)?.iter().filter(|member| member.works()) {
        if row.was_kicked_off() {
            delivery::drop_open(cx, member.id, STARTED_ANEW)?;
        } else {
            carry_over(cx, row, member.id)?;
        }
    }
    if row.was_kicked_off() {
        question::close_of_scope(cx, row.id, STARTED_ANEW)?;
    }
    row.begin(cx.db, cx.now)?;
    sync_agents(cx, row, launch, true)?;
    match &launch.begin {
        Begin::Setup => state::enter(cx, row.id, WorkflowState::SettingUp, None),
        Begin::Kickoff(kickoff) => kickoff::kick_off(cx, row.id, kickoff.as_ref()),
    }
}

/// Mail of a generation that never got past its setup was told to wait: it is the next one's.
fn carry_over(cx: &mut Cx<'_>, row: &WorkflowRow, agent: i64) -> Result<()> {
    for mail in delivery::not_ended(cx, agent)? {
        message::set_generation(cx.db, mail.seq, row.generation + 1)?;
    }
    Ok(())
}

/// Makes the scope's agents those of the file, and active in a new generation, like hired ones, which
/// are part of the work. Agents made with `new` stay as they are.
fn sync_agents(
    cx: &mut Cx<'_>,
    row: &WorkflowRow,
    launch: &Launch,
    is_new_generation: bool,
) -> Result<()> {
    let (before, mut removed) = (AgentRow::of_scope(cx.db, row.id)?, Vec::new());
    for member in &before {
        let is_part = launch.names(&member.name) || member.depth > 0;
        if launch.leaves_out(member) {
            remove::remove(cx, member)?;
            removed.push(member.id);
        } else if is_new_generation && is_part && member.wanted != Wanted::Active {
            activate(cx, member)?;
        }
    }
    close::go_on_without(cx, row.id, &removed)?;
    for spec in &launch.agents {
        let new = NewAgent {
            model: spec.model.as_deref(),
            backend: Some(&spec.backend),
            system: spec.system.as_deref(),
            role: spec.role.as_deref(),
            display_name: spec.display_name.as_deref(),
            home: spec.home.as_ref(),
            ..NewAgent::new(row.id, &spec.name, (spec.kind, Origin::File), &spec.config, cx.now)
        };
        let member = match AgentRow::find(cx.db, row.id, spec.name.as_str())? {
            None => member::insert(cx, row, &new)?,
            Some(member) => {
                if member.home.is_some() && new.home.is_none() {
                    change::complete_tasks(cx, &member)?;
                }
                member.update(cx.db, &new)?;
                cx.touch_agent(member.id);
                member
            }
        };
        change::sync(cx, &member, &spec.schedules, is_new_generation)?;
    }
    hired::follow(cx, &before, launch)
}
