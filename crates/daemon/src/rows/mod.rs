//! The tables: a file for each kind of thing, with its rows and every statement on its tables.
//! `layer/row.rs` says how one is written.

pub mod agent;
pub mod browser;
pub mod candidate;
pub mod conversation;
pub mod daemon_state;
pub mod delivery;
pub mod document;
pub mod document_path;
pub mod event;
pub mod idempotency;
mod layer;
pub mod member_token;
pub mod message;
pub mod numbers;
pub mod proposal;
pub mod question;
pub mod resource;
pub mod run;
pub mod schedule;
pub mod search;
pub mod session;
pub mod transcript;
pub mod workflow;

pub use self::{
    agent::{AgentConfig, AgentRow, NewAgent},
    browser::NewBrowser,
    candidate::Candidate,
    conversation::{ConversationRow, PlaceRow},
    delivery::{DeliveryRow, NewRoot},
    document::NewVersion,
    document_path::DocPath,
    event::EventRow,
    idempotency::NewAnswer,
    message::NewMessage,
    proposal::{NewElector, NewProposal, ProposalRow},
    question::{NewQuestion, QuestionRow},
    resource::NewResource,
    run::{EndCause, NewRun, RunRow},
    schedule::{NewFire, NewRow, ScheduleRow},
    session::{NewChatMessage, NewSession, NewTurn},
    transcript::NewBlock,
    workflow::{NewWorkflow, WorkflowRow},
};

pub use layer::{
    cost,
    db::{Db, checking, statements},
    kept::Kept,
    row::Values,
    tables::Table,
};
pub(crate) use layer::{
    row::{row, sql, table},
    statement::statements,
};
