//! What a transaction knows: who calls, the one time, what it has announced and touched.

mod cx;
mod job;
mod store;

pub use cx::{Credential, Cx, Who};
pub use store::{Store, Surroundings};

#[cfg(test)]
mod tests;
