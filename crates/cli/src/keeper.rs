//! What is done to a state directory while no daemon has it.

use std::path::Path;

use agent_worker_protocol::{backup::Restored, doctor::Examination};
use futures::future::BoxFuture;

/// Looks after a state directory that no daemon has, and sees to it that none gets it meanwhile.
/// The daemon's crate does it, and only `main` knows that crate.
pub trait Keeper {
    /// Checks everything that must be so.
    fn examine<'a>(&'a self, home: &'a Path) -> BoxFuture<'a, anyhow::Result<Examination>>;

    /// Puts a backup in the database's place.
    fn restore<'a>(
        &'a self,
        home: &'a Path,
        file: &'a Path,
    ) -> BoxFuture<'a, anyhow::Result<Restored>>;
}
