//! The words that agent-worker's daemon, workers and clients share: requests and their answers,
//! events, reports, names, and the grammar of mentions. Types only; what they mean to the store is
//! in the daemon.

pub mod backup;
pub mod daemon;
pub mod doctor;
pub mod error;
pub mod event;
pub mod keys;
pub mod member_token;
pub mod op;
pub mod problem;
pub mod provider;
pub mod report;
pub mod state_dir;
pub mod web;

mod team;
mod terms;

pub use self::{
    backup::*, daemon::*, doctor::*, error::*, event::*, member_token::*, op::*, problem::*,
    provider::*, report::*, team::*, terms::*, web::*,
};

#[cfg(test)]
#[path = "../../../tests/cases.rs"]
mod cases;
