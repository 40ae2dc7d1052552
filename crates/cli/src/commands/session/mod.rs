//! Sessions: the conversations that runs go on with.

pub mod command;
pub mod text;
