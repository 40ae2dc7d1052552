//! Providers of models and their prices.

pub mod command;
pub mod text;
