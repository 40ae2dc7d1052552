//! How types that others define are stored: as the text that they are elsewhere, or as JSON.

use agent_worker_protocol::{
    agent, channel, conversation, home, inbox, name, proposal, question, resource, run, schedule,
    search, session, target, workflow,
};

use super::column::{columns, json, of_json, parsed};

// What is in a column the text that it is elsewhere.
columns!(value => Ok(value.as_str().into()), parsed(value);
    agent::MemberKind,
    agent::Origin,
    agent::Wanted,
    channel::Intent,
    channel::MessageType,
    conversation::Wake,
    inbox::DeliveryState,
    inbox::Reason,
    name::Name,
    name::Tag,
    proposal::Outcome,
    proposal::ProposalStatus,
    proposal::ProposalType,
    proposal::Resolution,
    proposal::TieBreak,
    question::QuestionKind,
    resource::ResourceType,
    run::BlockKind,
    run::BlockState,
    run::FailureClass,
    run::RunKind,
    run::RunState,
    schedule::FireOutcome,
    schedule::Missed,
    schedule::Overlap,
    schedule::RunContext,
    schedule::ScheduleState,
    schedule::ZoneName,
    search::HitKind,
    session::SessionKind,
    session::TurnRole,
    workflow::Mode,
    workflow::WorkflowState,
);

// What is in a column the text that it is shown as.
columns!(value => Ok(value.to_string().into()), parsed(value);
    conversation::Conversation, schedule::Due, target::Scope, target::Target);

columns!(value => json(value), of_json(value);
    Vec<String>, serde_json::Value, home::Home, workflow::Limits, channel::Mentioned,
    run::ModelAway);
