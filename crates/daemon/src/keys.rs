//! Keys for workers: `keys.env` in the state directory, then the daemon's own environment.

use std::{collections::BTreeMap, io, path::PathBuf};

/// Where values are looked up by name. The file is read at each look, so a key that was set a
/// moment ago is found.
#[derive(Debug, Clone)]
pub struct Keys {
    file: PathBuf,
}

impl Keys {
    /// The keys of a state directory.
    pub fn of(home: &std::path::Path) -> Self {
        Self { file: home.join("keys.env") }
    }

    /// The values of these names, and the names that have none.
    pub fn look_up(&self, names: &[String]) -> io::Result<(BTreeMap<String, String>, Vec<String>)> {
        if names.is_empty() {
            return Ok((BTreeMap::new(), Vec::new()));
        }
        let stored = self.stored()?;
        let (mut found, mut missing) = (BTreeMap::new(), Vec::new());
        for name in names {
            let value = stored.get(name).cloned().or_else(|| std::env::var(name).ok());
            match value {
                Some(value) => drop(found.insert(name.clone(), value)),
                None => missing.push(name.clone()),
            }
        }
        Ok((found, missing))
    }

    fn stored(&self) -> io::Result<BTreeMap<String, String>> {
        match std::fs::read_to_string(&self.file) {
            Ok(text) => Ok(agent_worker_protocol::keys::parse(&text)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(BTreeMap::new()),
            Err(error) => Err(error),
        }
    }
}
