//! A model server that says what a scenario says, in the words of each interface, so that a team
//! can be rehearsed without a key, with all that goes wrong in life.

mod answer;
mod asked;
mod counts;
mod director;
mod interface;
mod offered;
mod scenario;
mod server;
mod strict;
mod values;
mod wires;

#[cfg(test)]
mod tests;

pub use crate::{
    counts::{Counts, told},
    director::Director,
    scenario::Scenario,
    server::serve,
};
