//! States in a word or two, coloured by what they mean. The word alone says it.

use agent_worker_protocol::{
    agent::AgentState,
    channel::DeliveredState,
    inbox::DeliveryState,
    run::{FailureClass, RunKind, RunState},
    workflow::{Mode, WorkflowState},
};
use owo_colors::OwoColorize as _;

fn good(word: &str) -> String {
    word.green().to_string()
}

fn bad(word: &str) -> String {
    word.red().to_string()
}

fn waits(word: &str) -> String {
    word.yellow().to_string()
}

/// What an agent is doing.
pub fn agent(state: AgentState) -> &'static str {
    match state {
        AgentState::Idle => "idle",
        AgentState::Queued => "queued",
        AgentState::Running => "running",
        AgentState::Waiting => "waiting",
        AgentState::Backoff => "backoff",
        AgentState::Paused => "paused",
        AgentState::Stopped => "stopped",
    }
}

/// Where a workflow is.
pub fn workflow(state: WorkflowState) -> &'static str {
    match state {
        WorkflowState::Created => "created",
        WorkflowState::SettingUp => "setting up",
        WorkflowState::Running => "running",
        WorkflowState::Completed => "completed",
        WorkflowState::Failed => "failed",
        WorkflowState::Stopped => "stopped",
        WorkflowState::Stalled => "stalled",
    }
}

/// Where a workflow is, in the colour of what it means.
pub fn coloured_workflow(state: WorkflowState) -> String {
    let word = workflow(state);
    match state {
        WorkflowState::Completed => good(word),
        WorkflowState::Failed => bad(word),
        WorkflowState::Stalled | WorkflowState::Stopped => waits(word),
        WorkflowState::Created | WorkflowState::SettingUp | WorkflowState::Running => {
            word.to_owned()
        }
    }
}

/// Whether a workflow ends by itself.
pub fn mode(mode: Mode) -> &'static str {
    match mode {
        Mode::Run => "ends when nothing is left to do",
        Mode::Start => "stays until it is stopped",
    }
}

/// Where a run is.
pub fn run(state: RunState) -> &'static str {
    match state {
        RunState::Starting => "starting",
        RunState::Running => "running",
        RunState::Ending => "ending",
        RunState::Succeeded => "succeeded",
        RunState::Failed => "failed",
        RunState::TimedOut => "timed out",
        RunState::Cancelled => "cancelled",
        RunState::Lost => "lost",
        RunState::OverBudget => "over budget",
    }
}

/// What a run was made for.
pub fn kind(kind: RunKind) -> &'static str {
    match kind {
        RunKind::Mention => "mention",
        RunKind::Direct => "direct",
        RunKind::Ask => "ask",
        RunKind::Scheduled => "scheduled",
        RunKind::Heartbeat => "heartbeat",
        RunKind::Wake => "wake",
        RunKind::External => "external",
    }
}

/// How a run failed.
pub fn class(class: FailureClass) -> &'static str {
    match class {
        FailureClass::Transient => "transient",
        FailureClass::TimedOut => "timed out",
        FailureClass::Unavailable => "unavailable",
        FailureClass::Overflow => "overflow",
        FailureClass::Permanent => "permanent",
        FailureClass::Lost => "lost",
        FailureClass::OverBudget => "over budget",
        FailureClass::Cancelled => "cancelled",
    }
}

/// Where a delivery is on its way.
pub fn delivery(state: DeliveryState) -> &'static str {
    match state {
        DeliveryState::Pending => "pending",
        DeliveryState::Leased => "in a run",
        DeliveryState::Waiting => "waiting",
        DeliveryState::Held => "held",
        DeliveryState::Dead => "given up",
        DeliveryState::Acked => "done",
        DeliveryState::Dropped => "dropped",
    }
}

/// What became of a message for one recipient, in a workflow that is in this state, if that is
/// known.
pub fn delivered(state: DeliveredState, workflow: Option<WorkflowState>) -> &'static str {
    match state {
        DeliveredState::Woken => "woken",
        DeliveredState::Stopped => match workflow {
            Some(WorkflowState::Created | WorkflowState::SettingUp) => {
                "its workflow is being set up: it waits"
            }
            Some(WorkflowState::Failed | WorkflowState::Completed) => {
                "its workflow is over: it waits for the next start"
            }
            _ => "stopped: it waits",
        },
        DeliveredState::Paused => "paused: it waits",
        DeliveredState::Held => "held by the loop guard",
        DeliveredState::Inform => "waits for its next run",
        DeliveredState::Stored => "stored",
    }
}
