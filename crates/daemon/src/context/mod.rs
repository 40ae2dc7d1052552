//! What a transaction knows: its caller, its time, and what it announces.

pub mod credential;
pub mod cx;
pub mod job;
pub mod limit;
pub mod repeat;
pub mod run;
pub mod store;
pub mod surroundings;
#[cfg(test)]
mod tests;

pub use self::{
    credential::Credential,
    cx::{Cx, Who},
    run::{Operation, Run},
    store::Store,
    surroundings::Surroundings,
};
