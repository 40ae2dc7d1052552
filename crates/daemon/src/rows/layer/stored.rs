//! How types that others define are stored: as the text that they are elsewhere, or as JSON.

use agent_worker_protocol::{
    agent::{MemberKind, Origin, Wanted},
    channel::{Intent, Mentioned, MessageType},
    conversation::{Conversation, Wake},
    home::Home,
    inbox::{DeliveryState, Reason},
    name::{Name, Tag},
    proposal::{Outcome, ProposalStatus, ProposalType, Resolution, TieBreak},
    question::QuestionKind,
    resource::ResourceType,
    run::{BlockKind, BlockState, FailureClass, ModelAway, RunKind, RunState},
    schedule::{Due, FireOutcome, Missed, Overlap, RunContext, ScheduleState, ZoneName},
    search::HitKind,
    session::{SessionKind, TurnRole},
    target::{Scope, Target},
    workflow::{Limits, Mode, WorkflowState},
};

use super::column::{columns, json, of_json, parsed};

// What is in a column the text that it is elsewhere.
columns!(value => Ok(value.as_str().into()), parsed(value);
    BlockKind,
    BlockState,
    DeliveryState,
    FailureClass,
    FireOutcome,
    HitKind,
    Intent,
    MemberKind,
    MessageType,
    Missed,
    Mode,
    Name,
    Origin,
    Outcome,
    Overlap,
    ProposalStatus,
    ProposalType,
    QuestionKind,
    Reason,
    Resolution,
    ResourceType,
    RunContext,
    RunKind,
    RunState,
    ScheduleState,
    SessionKind,
    Tag,
    TieBreak,
    TurnRole,
    Wake,
    Wanted,
    WorkflowState,
    ZoneName,
);

// What is in a column the text that it is shown as.
columns!(value => Ok(value.to_string().into()), parsed(value); Conversation, Due, Scope, Target);

columns!(value => json(value), of_json(value);
    Vec<String>, serde_json::Value, Home, Limits, Mentioned, ModelAway);
