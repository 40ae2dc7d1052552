//! A new home, from templates.

use std::{
    fs::{self, DirBuilder},
    hash::{BuildHasher, Hasher, RandomState},
    io,
    os::unix::fs::DirBuilderExt,
    path::Path,
};

use rustix::io::Errno;

use crate::{
    error::{HomeError, errno},
    file::HomeFile,
    folder::Home,
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
        let home = Self::open(path)?;
        // What keeps this from being done is told when the file is written.
        drop(home.undo_unfinished());
        Ok(home)
    }

    /// Tries whether a home can be opened or created. Leaves nothing behind.
    pub fn try_make(path: &Path) -> Result<(), HomeError> {
        match Self::open(path) {
            Err(HomeError::Missing { .. }) => {}
            home => return home.map(drop),
        }
        let above = path.ancestors().skip(1).find(|above| above.exists());
        let draft = above.unwrap_or(path).join(draft_name(path));
        let made = DirBuilder::new().mode(0o700).create(&draft);
        drop(fs::remove_dir(&draft));
        made.map_err(|error| match errno(&error) {
            // It says that no folder can be made there: the one above exists.
            Errno::NOENT => {
                HomeError::System { file: path.display().to_string(), error: Errno::NOENT }
            }
            error => HomeError::of_home(path, error),
        })
    }

    /// Creates it under another name first, so that a home is whole or not there.
    fn make_new(path: &Path, tools: &str) -> Result<(), HomeError> {
        let refused = |error: io::Error| HomeError::of_home(path, error);
        if let Some(above) = path.parent() {
            DirBuilder::new().recursive(true).mode(0o700).create(above).map_err(refused)?;
            remove_drafts(above, path);
        }
        let new = path.with_file_name(draft_name(path));
        // Refuses a name that is taken: what is there may be the user's.
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
        if HomeFile::FIXED.into_iter().any(|file| self.has(file).unwrap_or(true)) {
            return Ok(());
        }
        for file in HomeFile::FIXED {
            self.create(file, file.template(tools).unwrap_or_default())?;
        }
        Ok(())
    }
}

/// A name for a draft of a home that is not taken.
fn draft_name(path: &Path) -> String {
    let random = RandomState::new().build_hasher().finish();
    format!("{}{random:016x}", draft_prefix(path))
}

/// How the names of drafts of a home begin; 16 hexadecimal digits follow.
fn draft_prefix(path: &Path) -> String {
    format!(".{}.new-", path.file_name().unwrap_or_default().display())
}

/// Removes drafts of a home that killed processes left.
fn remove_drafts(above: &Path, path: &Path) {
    let prefix = draft_prefix(path);
    for entry in fs::read_dir(above).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let digits = name.to_str().and_then(|name| name.strip_prefix(&prefix));
        let is_hex = |digit| matches!(digit, b'0'..=b'9' | b'a'..=b'f');
        if digits.is_some_and(|digits| digits.len() == 16 && digits.bytes().all(is_hex)) {
            // It takes room and stands in the way of nothing.
            drop(fs::remove_dir_all(entry.path()));
        }
    }
}
