//! Functions that change rows and announce it, shared by operations and the engine.

pub mod agent;
pub mod daemon;
pub mod document;
pub mod message;
pub mod proposal;
pub mod question;
pub mod run;
pub mod schedule;
pub mod workflow;
