//! Earlier contents of a home's files: `.history/<name>/<number>`.

use std::os::fd::OwnedFd;

use rustix::{
    fs::{AtFlags, FileType, Mode, OFlags, linkat, openat, statat, unlinkat},
    io::Errno,
};

use crate::{
    error::{HomeError, errno},
    excerpt::bytes,
    file::HomeFile,
    folder::{Home, names, regular},
};

/// How many versions of a file are kept.
pub const KEPT: usize = 50;

/// Earlier contents of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Version {
    /// Counts from 1 for each file
    pub version: u64,
    /// Length in bytes
    pub bytes: u64,
    /// Time at which these contents were written, in milliseconds since 1970
    pub written: i64,
}

impl Home {
    /// Lists the versions of a file, newest first.
    pub fn versions(&self, file: HomeFile) -> Result<Vec<Version>, HomeError> {
        let Some(folder) = self.folder(&[".history", &file.name()])? else {
            return Ok(Vec::new());
        };
        let mut found = Vec::new();
        for version in versions(&folder).map_err(|error| HomeError::of(&file.to_string(), error))? {
            let told = format!(".history/{}/{version}", file.name());
            let opened = regular(&folder, &version.to_string(), &told, OFlags::RDONLY)?;
            let Some(opened) = opened else { continue };
            let metadata = opened.metadata().map_err(|error| HomeError::of(&told, error))?;
            let written = metadata.modified().ok().and_then(|at| {
                i64::try_from(at.duration_since(std::time::UNIX_EPOCH).ok()?.as_millis()).ok()
            });
            let written = written.unwrap_or_default();
            found.push(Version { version, bytes: metadata.len(), written });
        }
        Ok(found)
    }

    /// Reads a version of a file, byte for byte.
    pub fn version(&self, file: HomeFile, version: u64) -> Result<Vec<u8>, HomeError> {
        let missing = || HomeError::NoVersion { file: file.to_string(), version };
        let folder = self.folder(&[".history", &file.name()])?.ok_or_else(missing)?;
        let told = format!(".history/{}/{version}", file.name());
        let opened = regular(&folder, &version.to_string(), &told, OFlags::RDONLY)?;
        bytes(&opened.ok_or_else(missing)?, u64::MAX).map_err(|error| HomeError::of(&told, error))
    }

    /// Makes the contents of a file a version: a second name for the same data, which takes no room,
    /// or a copy where the file system has no second names.
    /// The file itself must get other data, or go.
    pub fn keep_version(&self, file: HomeFile, folder: &OwnedFd) -> Result<(), HomeError> {
        let told = format!(".history/{}", file.name());
        let history = self.folder_made(&[".history", &file.name()])?;
        let refused = |error: Errno| HomeError::of(&told, error);
        let known = numbers(&history).map_err(refused)?;
        let kept = versions(&history).map_err(refused)?;
        // Another program may have left a file with the last number there is.
        let free = |number: &u64| number.checked_add(1).filter(|next| !known.contains(next));
        let next = known.iter().find_map(free).unwrap_or(1).to_string();
        match linkat(folder, file.name(), &history, &next, AtFlags::empty()) {
            // Not every file system has second names.
            Err(Errno::PERM | Errno::OPNOTSUPP | Errno::NOSYS | Errno::MLINK) => {
                copy(folder, file, &history, &next).map_err(refused)?;
            }
            linked => linked.map_err(refused)?,
        }
        for old in kept.iter().skip(KEPT - 1) {
            HomeError::if_there(&told, unlinkat(&history, old.to_string(), AtFlags::empty()))?;
        }
        Ok(())
    }

    /// Undoes replacements that were cut off before the file got other data: the version is still a
    /// name of the file's data, so what is added to the file would be added to the version too. Two
    /// callers must not do so at once. The first error comes after all other files are mended.
    pub fn undo_unfinished(&self) -> Result<(), HomeError> {
        let Some(folder) = self.folder(&[".history"])? else { return Ok(()) };
        let mut undone = Ok(());
        for name in names(&folder).map_err(|error| HomeError::of(".history", error))? {
            let fixed = HomeFile::FIXED.into_iter().find(|file| file.name() == name);
            if let Some(file) = fixed.or_else(|| HomeFile::day(&name)) {
                undone = undone.and(self.undo_unfinished_of(file));
            }
        }
        undone
    }

    fn undo_unfinished_of(&self, file: HomeFile) -> Result<(), HomeError> {
        let shared = self.stat(file)?.filter(|stat| stat.st_nlink > 1);
        let history = self.folder(&[".history", &file.name()])?;
        let (Some(shared), Some(history)) = (shared, history) else { return Ok(()) };
        let refused = |error: Errno| HomeError::of(&format!(".history/{}", file.name()), error);
        for version in versions(&history).map_err(refused)? {
            let name = version.to_string();
            let stat = statat(&history, &name, AtFlags::SYMLINK_NOFOLLOW).map_err(refused)?;
            if (stat.st_dev, stat.st_ino) == (shared.st_dev, shared.st_ino) {
                unlinkat(&history, &name, AtFlags::empty()).map_err(refused)?;
            }
        }
        Ok(())
    }
}

fn copy(folder: &OwnedFd, file: HomeFile, history: &OwnedFd, name: &str) -> Result<(), Errno> {
    let from = openat(folder, file.name(), OFlags::RDONLY | OFlags::NOFOLLOW, Mode::empty())?;
    let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL;
    let to = openat(history, name, flags, Mode::RUSR | Mode::WUSR)?;
    let (mut from, mut to) = (std::fs::File::from(from), std::fs::File::from(to));
    let copied = std::io::copy(&mut from, &mut to).and_then(|_| to.sync_all());
    copied.map_err(|error| {
        let _ = unlinkat(history, name, AtFlags::empty());
        errno(&error)
    })
}

/// The numbers of the versions in a folder, newest first. Folders with such a name do not count.
fn versions(folder: &OwnedFd) -> Result<Vec<u64>, Errno> {
    let mut versions = Vec::new();
    for number in numbers(folder)? {
        match statat(folder, number.to_string(), AtFlags::SYMLINK_NOFOLLOW) {
            Ok(stat) if FileType::from_raw_mode(stat.st_mode) == FileType::RegularFile => {
                versions.push(number);
            }
            Ok(_) | Err(Errno::NOENT) => {}
            Err(error) => return Err(error),
        }
    }
    Ok(versions)
}

/// The numbers that are names in a folder, largest first.
fn numbers(folder: &OwnedFd) -> Result<Vec<u64>, Errno> {
    // Only as they are written here: `007` is another file than `7`.
    let number =
        |name: &String| name.parse::<u64>().ok().filter(|number| number.to_string() == *name);
    let mut numbers: Vec<u64> = names(folder)?.iter().filter_map(number).collect();
    numbers.sort_unstable_by(|one, other| other.cmp(one));
    Ok(numbers)
}
