//! How types that others define are stored: as the text that they are elsewhere, or as JSON.

use std::ops::Not;

use agent_worker_protocol::{
    Mentioned, Name, agent, channel, conversation, home, inbox, name, proposal, question, resource,
    run, schedule, search, session, target, workflow,
};

use serde::{Deserialize, Serialize};

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
    Vec<String>, serde_json::Value, home::Home, workflow::Limits, run::ModelAway);

columns!(value => json(&Written(value)), of_json(value).map(|Found(mentioned)| mentioned); Mentioned);

#[derive(Serialize)]
struct Written<'a>(#[serde(serialize_with = "Mentions::serialize")] &'a Mentioned);

#[derive(Deserialize)]
struct Found(#[serde(deserialize_with = "Mentions::deserialize")] Mentioned);

/// [`Mentioned`] without what is empty, as most of it is in most messages.
#[derive(Serialize, Deserialize)]
#[serde(remote = "Mentioned")]
struct Mentions {
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    resolved: Vec<Name>,
    #[serde(default, skip_serializing_if = "Not::not")]
    all: bool,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    unresolved: Vec<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    ignored: Vec<String>,
}
