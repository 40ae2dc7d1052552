//! What is done to a state directory while no daemon has it.

use std::{fmt, path::Path};

use agent_worker_protocol::{Examination, Restored};
use agent_worker_workflow_file::prices;
use futures::future::BoxFuture;

/// Why the settings of a state directory are not taken.
#[derive(Debug)]
pub struct Broken {
    /// Whether the prices are at fault, which are beside `config.toml`
    pub is_of_prices: bool,
    /// Where and why
    pub why: String,
    /// The command that mends the file at fault
    pub hint: String,
}

impl Broken {
    /// The file at fault, and what is wrong with it.
    pub fn told(&self) -> String {
        let file = if self.is_of_prices { prices::FILE } else { "config.toml" };
        format!("{file} is broken: {}", self.why.trim_end())
    }
}

/// Looks after a state directory that no daemon has, and sees to it that none gets it meanwhile.
/// The daemon's crate does it, and only `main` knows that crate.
pub trait Offline: fmt::Debug + Sync {
    /// Checks everything that must be so.
    fn examine<'a>(&'a self, home: &'a Path) -> BoxFuture<'a, anyhow::Result<Examination>>;

    /// The digest of the daemon's settings in this file, if the daemon and the control room take it;
    /// if not, why.
    fn check_settings(&self, path: &Path) -> Result<String, Broken>;

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
