//! Fields to fill in: a workflow's file, a new agent, a group, a schedule, what is searched for.

mod fields;
mod group;
mod schedule;

pub use fields::Form;
