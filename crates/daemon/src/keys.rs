//! Keys for workers: `keys.env` in the state directory, then the daemon's own environment.

use std::{
    collections::BTreeMap,
    io,
    path::{Path, PathBuf},
};

use agent_worker_protocol::{
    ErrorCode,
    keys::{self, Mistake},
    shell::quoted,
};

use crate::{
    error::OpError,
    fault::{if_there, reopening},
};

/// Where values are looked up by name. The file is read at each look, so a key that was set a
/// moment ago is found.
#[derive(Debug, Clone)]
pub struct Keys {
    file: PathBuf,
}

/// What a look gave.
#[derive(Debug, Default)]
pub struct Found {
    pub values: BTreeMap<String, String>,
    /// Names without a value
    pub missing: Vec<String>,
    /// Lines of the file that are not understood, where one of them may be what is missing
    pub mistakes: Vec<Mistake>,
}

impl Keys {
    /// The keys of a state directory.
    pub fn of(home: &Path) -> Self {
        Self { file: home.join("keys.env") }
    }

    /// The state directory that the keys are of.
    pub fn state(&self) -> &Path {
        self.file.parent().unwrap_or(&self.file)
    }

    /// The values of these names.
    pub fn look_up(&self, names: &[String]) -> io::Result<Found> {
        let mut found = Found::default();
        if names.is_empty() {
            return Ok(found);
        }
        let stored = self.stored()?;
        for name in names {
            let value = stored.values.get(name).cloned().or_else(|| std::env::var(name).ok());
            match value {
                Some(value) => drop(found.values.insert(name.clone(), value)),
                None => found.missing.push(name.clone()),
            }
        }
        if !found.missing.is_empty() {
            found.mistakes = stored.mistakes;
        }
        Ok(found)
    }

    /// Lines of the file that are not understood.
    pub fn mistakes(&self) -> io::Result<Vec<Mistake>> {
        Ok(self.stored()?.mistakes)
    }

    /// Refusal of what needs a file that cannot be read.
    pub fn unread(&self, error: &io::Error) -> OpError {
        let what = format!("keys.env cannot be read: {error}");
        OpError::refused(ErrorCode::Internal, what).hint(self.remedy(error))
    }

    /// What to do about a file that cannot be read.
    pub fn remedy(&self, error: &io::Error) -> String {
        if error.kind() == io::ErrorKind::PermissionDenied {
            return reopening(&self.file);
        }
        let path = quoted(&self.file.display().to_string());
        let aside = self.free_name().display().to_string();
        format!("mv -n {path} {} && agent-worker keys set NAME", quoted(&aside))
    }

    /// A path beside the file that nothing has yet: `mv -n` moves nothing onto a file.
    fn free_name(&self) -> PathBuf {
        let mut aside = self.file.with_file_name("unread-keys");
        let mut number = 2;
        while aside.symlink_metadata().is_ok() {
            aside.set_file_name(format!("unread-keys-{number}"));
            number += 1;
        }
        aside
    }

    fn stored(&self) -> io::Result<keys::Keys> {
        let text = if_there(std::fs::read_to_string(&self.file))?;
        Ok(text.map_or_else(keys::Keys::default, |text| keys::parse(&text)))
    }
}
