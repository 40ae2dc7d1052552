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
use rusqlite::types::{FromSqlResult, ToSqlOutput, ValueRef};

use super::column::{Bind, Column, jsons, parsed, texts};

texts!(
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

/// What is in a column the text that it is shown as.
macro_rules! shown {
    ($($kind:ty),* $(,)?) => {
        $(impl Bind for $kind {
            fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
                Ok(self.to_string().into())
            }
        }

        impl Column for $kind {
            fn from_sql(value: ValueRef<'_>) -> FromSqlResult<Self> {
                parsed(value)
            }
        })*
    };
}

shown!(Conversation, Due, Scope, Target);

jsons!(Vec<String>, serde_json::Value, Home, Limits, Mentioned, ModelAway);
