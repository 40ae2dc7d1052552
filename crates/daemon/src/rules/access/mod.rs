//! TODO

pub mod message;
pub mod question;
pub mod run;
