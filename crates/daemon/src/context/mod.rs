//! What a transaction knows: the caller, its one time, the events and entities it has touched.

mod cx;
mod job;
mod store;

pub use cx::{Credential, Cx, Who};
pub use store::{Store, Surroundings};

#[cfg(test)]
mod tests;
