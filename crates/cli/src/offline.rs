//! What is done to a state directory while no daemon has it.

use std::path::Path;

use agent_worker_protocol::{backup::Restored, doctor::Examination};
use futures::future::BoxFuture;

/// Looks after a state directory that no daemon has, and sees to it that none gets it meanwhile.
/// The daemon's crate does it, and only `main` knows that crate.
pub trait Offline {
    /// Checks everything that must be so.
    fn examine<'a>(&'a self, home: &'a Path) -> BoxFuture<'a, anyhow::Result<Examination>>;

    /// The digest of the daemon's settings in this file, if the daemon and the control room take it;
    /// if not, why.
    fn check_settings(&self, path: &Path) -> Result<String, String>;

    /// The file of settings that a daemon writes if it is missing.
    fn default_settings(&self) -> &'static str;

    /// Every setting with its default, as TOML.
    fn all_settings(&self) -> String;

    /// Puts a backup in the database's place.
    fn restore<'a>(
        &'a self,
        home: &'a Path,
        file: &'a Path,
    ) -> BoxFuture<'a, anyhow::Result<Restored>>;
}
