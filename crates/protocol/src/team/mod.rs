//! What a team is made of, an entity a file: its types, and the operations on it.

pub mod agent;
pub mod attention;
pub mod backend;
pub mod channel;
pub mod context;
pub mod conversation;
pub mod document;
pub mod hire;
pub mod home;
pub mod inbox;
pub mod memory;
pub mod message;
pub mod proposal;
pub mod question;
pub mod queue;
pub mod resource;
pub mod run;
pub mod schedule;
pub mod search;
pub mod session;
pub mod tool_set;
pub mod transcript;
pub mod workflow;

pub use self::{
    agent::*, attention::*, backend::*, channel::*, context::*, conversation::*, document::*,
    hire::*, home::*, inbox::*, memory::*, message::*, proposal::*, queue::*, resource::*, run::*,
    schedule::*, search::*, session::*, tool_set::*, transcript::*, workflow::*,
};
// `Asked` is what `Ask` answers: that of `AskPerson` is named with its module.
pub use question::{
    AskPerson, Permission, PermissionPrompt, PermissionRequest, Question, QuestionAnswer,
    QuestionKind, QuestionList, QuestionShow, Questions,
};
