//! How a question stands that a client waits for (`ask`).

use agent_worker_protocol::{
    DeliveryState, ErrorBody, ErrorCode, MessageId, RunId, Target, Wanted,
};

use crate::{
    context::Cx,
    error::{OpError, Result},
    rows::{AgentRow, DeliveryRow, WorkflowRow, delivery, workflow},
    rules::{budget, edges::DROPPED, hint},
};

/// How a question stands.
pub enum Standing {
    /// It waits, with what there is to say of that.
    Waits(Option<String>),
    /// A run has it.
    Leased(RunId),
    /// It was answered by this run.
    Answered(RunId),
    /// It will not be answered.
    Over(ErrorBody),
}

/// How the question of a message to `target` stands.
pub fn of_question(cx: &Cx<'_>, target: &Target, message: MessageId) -> Result<Standing> {
    let agent = cx.locate_member(target)?;
    match delivery::find(cx.db, agent.id, message.number())? {
        Some(row) => Ok(stands(&agent, &WorkflowRow::by_id(cx.db, agent.scope_id)?, &row)),
        None => Err(OpError::not_found(format!("the question {message} is gone"))),
    }
}

fn stands(agent: &AgentRow, scope: &WorkflowRow, row: &DeliveryRow) -> Standing {
    let run = RunId::new(row.run.unwrap_or_default());
    let error = row.last_error.clone();
    let over = |message: String, hint: Option<String>| {
        Standing::Over(ErrorBody { code: ErrorCode::Conflict, message, hint })
    };
    let target = agent.target();
    match row.state {
        DeliveryState::Leased => Standing::Leased(run),
        DeliveryState::Acked => Standing::Answered(run),
        DeliveryState::Dead => over(
            format!("`{target}` gave up: {}", error.unwrap_or_default()),
            Some(format!("agent-worker logs {run}")),
        ),
        DeliveryState::Held => over(
            format!("the question is held: {}", row.held_reason.clone().unwrap_or_default()),
            Some(hint::of_kept(scope, &format!("msg_{}", row.seq), row)),
        ),
        DeliveryState::Dropped => {
            let reason = error.unwrap_or_else(|| DROPPED.to_owned());
            let hint = budget::has_held(&reason).then(|| budget::remedy(scope, &reason));
            over(format!("the question was dropped: {reason}"), hint)
        }
        DeliveryState::Pending | DeliveryState::Waiting => match agent.wanted {
            Wanted::Paused => over(
                format!(
                    "`{target}` is paused: {}",
                    agent.paused_reason.clone().unwrap_or_default()
                ),
                Some(hint::of_rest(scope, agent)),
            ),
            Wanted::Stopped => over(
                format!("`{target}` was stopped"),
                Some(format!("agent-worker resume {target}")),
            ),
            Wanted::Active if !scope.takes_work() => over(
                format!(
                    "{} is {}, and the question waits in the inbox of `{target}`",
                    scope.scope,
                    workflow::word(scope.state)
                ),
                Some(hint::of_state(scope)),
            ),
            Wanted::Active => Standing::Waits(
                error.map(|error| format!("an attempt failed ({error}): trying again")),
            ),
        },
    }
}
