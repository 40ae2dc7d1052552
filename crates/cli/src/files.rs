//! Files of settings: read where they are there, and replaced whole.

use std::{fs, io, path::Path};

use anyhow::Context as _;

pub use agent_worker_client::files::{draft_of, replace, target, turn, write};

/// Reads a text file; `None` if it does not exist.
pub fn read(path: &Path) -> anyhow::Result<Option<String>> {
    match fs::read_to_string(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        read => read.map(Some).with_context(|| format!("cannot read {}", path.display())),
    }
}
