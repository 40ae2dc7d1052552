//! Files of settings: read where they are there, and replaced whole.

use std::{fs, path::Path};

use anyhow::Context as _;

pub use agent_worker_client::files::{draft_of, if_there, replace, target, turn, write};

/// Reads a text file; `None` if it does not exist.
pub fn read(path: &Path) -> anyhow::Result<Option<String>> {
    if_there(fs::read_to_string(path)).with_context(|| format!("cannot read {}", path.display()))
}
