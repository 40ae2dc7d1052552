//! Everything that is, in one read transaction, with the place of the feed it is true at.

use std::cmp::Reverse;

use agent_worker_protocol::{
    Group, Run as RunEntity, Snapshot, document::path_key, event::RUNS_OF_AGENT,
};

use crate::{
    context::Cx,
    entities::{attention, proposal, run, schedule},
    error::Result,
    rows::{
        AgentRow, ConversationRow, Db, QuestionRow, RunRow, WorkflowRow, daemon_state, document,
        event,
    },
};

/// All conversations that are not closed, or those of one scope.
pub fn groups(db: Db<'_>, scope: Option<i64>) -> Result<Vec<Group>> {
    ConversationRow::open(db, scope)?.iter().map(|group| group.entity(db)).collect()
}

/// The newest runs of these members, and the live ones whose member is gone, newest first. So the
/// runs of one member never depend on those of another, and a reader of the feed has the same.
pub fn runs(
    db: Db<'_>,
    members: &[AgentRow],
    forsaken: impl Fn(&RunRow) -> bool,
) -> Result<Vec<RunEntity>> {
    let live = RunRow::live(db)?;
    let is_forsaken = |run: &&RunRow| run.agent_removed && forsaken(run);
    let mut runs: Vec<_> = live.iter().filter(is_forsaken).map(RunRow::entity).collect();
    for member in members {
        runs.extend(run::newest_of_agent(db, member.id, RUNS_OF_AGENT)?);
    }
    runs.sort_by_key(|run| Reverse(run.id));
    Ok(runs)
}

/// Those of a snapshot's runs that are in one scope.
pub fn runs_of_scope(db: Db<'_>, scope: i64) -> Result<Vec<RunEntity>> {
    runs(db, &AgentRow::of_scope(db, scope)?, |run| run.scope_id == scope)
}

pub fn take(cx: &Cx<'_>) -> Result<Snapshot> {
    let db = cx.db;
    let agents = AgentRow::all(db)?;
    let workflows = WorkflowRow::all(db)?;
    let mut groups = groups(db, None)?;
    groups.sort_by(|one, other| (&one.scope, &one.name).cmp(&(&other.scope, &other.name)));
    let mut documents = document::list(db, None)?;
    documents.sort_by_cached_key(|one| (one.scope.clone(), path_key(&one.file)));
    let mut proposals = proposal::open(db)?;
    proposals.sort_by(|one, other| (&one.scope, one.id).cmp(&(&other.scope, other.id)));
    let mut questions = Vec::new();
    for scope in &workflows {
        questions.extend(QuestionRow::open_of_scope(db, scope.id)?);
    }
    questions.sort_by_key(|question: &QuestionRow| question.id);
    Ok(Snapshot {
        epoch: daemon_state::epoch(db)?,
        seq: event::range(db)?.1,
        workflows: workflows.iter().map(|row| row.entity(db)).collect::<Result<_, _>>()?,
        agents: agents.iter().map(|row| row.entity(db)).collect::<Result<_, _>>()?,
        groups,
        runs: runs(db, &agents, |_| true)?,
        documents,
        proposals,
        schedules: schedule::live(db)?,
        questions: questions.iter().map(QuestionRow::entity).collect(),
        attention: attention::list(db, None)?,
    })
}
