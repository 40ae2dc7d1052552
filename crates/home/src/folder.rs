//! A home that is held open, and how its files are reached.

use std::{
    fs::File,
    os::fd::{AsFd, OwnedFd},
    path::{Path, PathBuf},
};

use rustix::{
    fs::{AtFlags, Dir, FileType, Mode, OFlags, Stat, fstat, mkdirat, open, openat, statat},
    io::Errno,
    process::geteuid,
};

use crate::{error::HomeError, file::HomeFile};

const FOLDER: OFlags = OFlags::RDONLY.union(OFlags::DIRECTORY).union(OFlags::CLOEXEC);

/// Never through a link, and never waiting for a pipe.
pub const CAREFUL: OFlags = OFlags::NOFOLLOW.union(OFlags::NONBLOCK).union(OFlags::CLOEXEC);

/// A home, held open: whatever becomes of its name, no file outside is reached.
#[derive(Debug)]
pub struct Home {
    pub path: PathBuf,
    pub folder: OwnedFd,
}

/// A file as a listing shows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Listed {
    pub file: HomeFile,
    /// Length in bytes
    pub bytes: u64,
    /// Time of the last change, in milliseconds since 1970
    pub modified: i64,
}

impl Home {
    /// Opens a home that exists. Refuses that of another user.
    pub fn open(path: &Path) -> Result<Self, HomeError> {
        let refused = |error: Errno| HomeError::of_home(path, error);
        let folder = open(path, FOLDER, Mode::empty()).map_err(refused)?;
        let (owner, me) = (fstat(&folder).map_err(refused)?.st_uid, geteuid().as_raw());
        if owner != me {
            return Err(HomeError::OtherOwner { path: path.display().to_string(), owner, me });
        }
        Ok(Self { path: path.to_owned(), folder })
    }

    /// Opens a folder below the home. `None` if it does not exist.
    pub fn folder(&self, names: &[&str]) -> Result<Option<OwnedFd>, HomeError> {
        let mut at: Option<OwnedFd> = None;
        for name in names {
            let here = at.as_ref().unwrap_or(&self.folder);
            match openat(here, *name, FOLDER | OFlags::NOFOLLOW, Mode::empty()) {
                Ok(folder) => at = Some(folder),
                Err(Errno::NOENT) => return Ok(None),
                Err(error) => return Err(HomeError::of(&names.join("/"), error)),
            }
        }
        match at {
            Some(folder) => Ok(Some(folder)),
            None => self.folder.try_clone().map(Some).map_err(|error| HomeError::of(".", error)),
        }
    }

    /// Opens a folder below the home, and creates it if it does not exist.
    pub fn folder_made(&self, names: &[&str]) -> Result<OwnedFd, HomeError> {
        let whole = names.join("/");
        for (depth, name) in names.iter().enumerate() {
            let missing = || HomeError::NoFile { file: whole.clone() };
            let here = self.folder(&names[..depth])?.ok_or_else(missing)?;
            match mkdirat(&here, *name, Mode::RWXU) {
                Ok(()) | Err(Errno::EXIST) => {}
                Err(error) => return Err(HomeError::of(&whole, error)),
            }
        }
        self.folder(names)?.ok_or(HomeError::NoFile { file: whole })
    }

    /// Opens a file to read it. `None` if it does not exist.
    pub fn file(&self, file: HomeFile) -> Result<Option<File>, HomeError> {
        let Some(folder) = self.folder(file.folders())? else { return Ok(None) };
        regular(&folder, &file.name(), &file.to_string(), OFlags::RDONLY)
    }

    /// Returns whether a name of a file is taken, by whatever it may be.
    pub fn has(&self, file: HomeFile) -> Result<bool, HomeError> {
        Ok(self.stat(file)?.is_some())
    }

    /// Returns what is known of a file. `None` if it does not exist.
    pub fn stat(&self, file: HomeFile) -> Result<Option<Stat>, HomeError> {
        let Some(folder) = self.folder(file.folders())? else { return Ok(None) };
        let stat = statat(&folder, file.name(), AtFlags::SYMLINK_NOFOLLOW);
        HomeError::if_there(&file.to_string(), stat)
    }

    /// Lists the files that exist, days newest first.
    pub fn list(&self) -> Result<Vec<Listed>, HomeError> {
        let mut files: Vec<_> = HomeFile::FIXED.to_vec();
        files.extend(self.days()?);
        let mut listed = Vec::new();
        for file in files {
            // A link where a folder should be hides what is behind it, not the rest.
            let Ok(Some(stat)) = self.stat(file) else { continue };
            let modified = stat.st_mtime * 1000 + millis(&stat);
            let bytes = u64::try_from(stat.st_size).unwrap_or_default();
            listed.push(Listed { file, bytes, modified });
        }
        Ok(listed)
    }

    /// Returns the days that have a file, newest first.
    pub fn days(&self) -> Result<Vec<HomeFile>, HomeError> {
        let folder = match self.folder(&["memory", "daily"]) {
            Ok(Some(folder)) => folder,
            // A link where a folder should be hides what is behind it, not the rest.
            Ok(None) | Err(HomeError::Link { .. }) => return Ok(Vec::new()),
            Err(error) => return Err(error),
        };
        let names = names(&folder).map_err(|error| HomeError::of("memory/daily", error))?;
        let mut days: Vec<_> = names.iter().filter_map(|name| HomeFile::day(name)).collect();
        days.sort_unstable_by(|one, other| other.cmp(one));
        Ok(days)
    }
}

/// Opens a regular file. `None` if it does not exist.
pub fn regular(
    folder: impl AsFd,
    name: &str,
    told: &str,
    flags: OFlags,
) -> Result<Option<File>, HomeError> {
    let opened = openat(folder, name, flags | CAREFUL, Mode::RUSR | Mode::WUSR);
    let Some(opened) = HomeError::if_there(told, opened)? else { return Ok(None) };
    let stat = fstat(&opened).map_err(|error| HomeError::of(told, error))?;
    if FileType::from_raw_mode(stat.st_mode) != FileType::RegularFile {
        return Err(HomeError::NotAFile { file: told.to_owned() });
    }
    Ok(Some(opened.into()))
}

/// Lists the names in a folder that are UTF-8.
pub fn names(folder: impl AsFd) -> Result<Vec<String>, Errno> {
    let mut found = Vec::new();
    for entry in Dir::new(openat(folder, ".", FOLDER, Mode::empty())?)? {
        found.extend(entry?.file_name().to_str().ok().map(ToOwned::to_owned));
    }
    Ok(found)
}

fn millis(stat: &Stat) -> i64 {
    i64::try_from(stat.st_mtime_nsec).unwrap_or_default() / 1_000_000
}
