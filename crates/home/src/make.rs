//! A new home, from templates.

use std::{
    fs::{self, DirBuilder},
    io,
    os::unix::fs::DirBuilderExt,
    path::{Path, PathBuf},
};

use crate::{
    error::HomeError,
    file::HomeFile,
    folder::{Home, system},
};

/// The folder that the agent works in, below its home.
pub const WORKSPACE: &str = "workspace";

impl HomeFile {
    /// Returns its first contents. `tools` is what TOOLS.md says; `None` for the file of a day.
    pub fn template(self, tools: &str) -> Option<&str> {
        Some(match self {
            Self::Agents => include_str!("../templates/AGENTS.md"),
            Self::Soul => include_str!("../templates/SOUL.md"),
            Self::Identity => include_str!("../templates/IDENTITY.md"),
            Self::User => include_str!("../templates/USER.md"),
            Self::Heartbeat => include_str!("../templates/HEARTBEAT.md"),
            Self::Bootstrap => include_str!("../templates/BOOTSTRAP.md"),
            Self::LongTerm => include_str!("../templates/long-term.md"),
            Self::Tools => tools,
            Self::Day(_) => return None,
        })
    }
}

impl Home {
    /// Opens a home, and creates it if it does not exist. A folder that has none of a home's files
    /// gets them; no file is overwritten. Two callers must not do so at once.
    pub fn make(path: &Path, tools: &str) -> Result<Self, HomeError> {
        match Self::open(path) {
            Err(HomeError::Missing { .. }) => Self::make_new(path, tools)?,
            home => home?.fill(tools)?,
        }
        Self::open(path)
    }

    /// Creates it under another name first, so that a home is whole or not there.
    fn make_new(path: &Path, tools: &str) -> Result<(), HomeError> {
        let refused = |error: io::Error| system(&path.display().to_string(), &error);
        let new = new_path(path);
        if let Some(above) = path.parent() {
            DirBuilder::new().recursive(true).mode(0o700).create(above).map_err(refused)?;
        }
        if new.symlink_metadata().is_ok() {
            fs::remove_dir_all(&new).map_err(refused)?;
        }
        DirBuilder::new().mode(0o700).create(&new).map_err(refused)?;
        let made = Self::open(&new).and_then(|home| home.fill(tools));
        let made = made.and_then(|()| fs::rename(&new, path).map_err(refused));
        if made.is_err() {
            drop(fs::remove_dir_all(&new));
        }
        made
    }

    /// Creates the folders, and all files if there are none.
    fn fill(&self, tools: &str) -> Result<(), HomeError> {
        for folders in [&["memory", "daily"][..], &[WORKSPACE]] {
            // A link in place of a folder is the user's; what is behind it is not used.
            match self.folder_made(folders) {
                Err(HomeError::Link { .. }) | Ok(_) => {}
                Err(error) => return Err(error),
            }
        }
        for file in HomeFile::FIXED {
            if self.has(file).unwrap_or(true) {
                return Ok(());
            }
        }
        for file in HomeFile::FIXED {
            self.create(file, file.template(tools).unwrap_or_default())?;
        }
        Ok(())
    }
}

fn new_path(path: &Path) -> PathBuf {
    let name = path.file_name().unwrap_or_default().display().to_string();
    path.with_file_name(format!(".{name}.new"))
}
