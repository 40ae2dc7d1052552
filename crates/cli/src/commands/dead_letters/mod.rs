//! Dead letters and held deliveries.

pub mod command;
pub mod text;
