//! Files that get other contents. What was there becomes a version.

use std::{fs::File, io::Write, os::fd::OwnedFd};

use rustix::fs::{AtFlags, OFlags, fsync, renameat, unlinkat};

use crate::{
    error::HomeError,
    file::HomeFile,
    folder::{Home, regular},
};

impl Home {
    /// Gives a file other contents, whole or not at all, and returns when they are on the disk.
    /// Its earlier contents become a version. Two callers must not do so at once.
    pub fn replace(&self, file: HomeFile, contents: &[u8]) -> Result<(), HomeError> {
        let told = file.to_string();
        let folder = self.folder_made(file.folders())?;
        // Refuses a link, or whatever else is not a file.
        let known = regular(&folder, &file.name(), &told, OFlags::RDONLY)?;
        let new = new_name(file);
        let written = write_new(&folder, &new, &told, contents);
        let result = written.and_then(|()| {
            if known.is_some() {
                self.keep_version(file, &folder)?;
            }
            renameat(&folder, &new, &folder, file.name())
                .and_then(|()| fsync(&folder))
                .map_err(|error| HomeError::of(&told, error))
        });
        if result.is_err() {
            // The refusal counts; the next write removes what is left.
            let _ = unlinkat(&folder, &new, AtFlags::empty());
        }
        result
    }

    /// Creates a file, if nothing has its name.
    pub fn create(&self, file: HomeFile, contents: &str) -> Result<(), HomeError> {
        if self.has(file)? { Ok(()) } else { self.replace(file, contents.as_bytes()) }
    }

    /// Removes a file; its contents become a version. Returns whether it was there.
    pub fn remove(&self, file: HomeFile) -> Result<bool, HomeError> {
        if self.file(file)?.is_none() {
            return Ok(false);
        }
        let missing = || HomeError::NoFile { file: file.to_string() };
        let folder = self.folder(file.folders())?.ok_or_else(missing)?;
        self.keep_version(file, &folder)?;
        unlinkat(&folder, file.name(), AtFlags::empty())
            .and_then(|()| fsync(&folder))
            .map_err(|error| HomeError::of(&file.to_string(), error))?;
        Ok(true)
    }
}

fn new_name(file: HomeFile) -> String {
    format!(".{}.new", file.name())
}

fn write_new(folder: &OwnedFd, new: &str, told: &str, contents: &[u8]) -> Result<(), HomeError> {
    // What is there is left from a process that was killed.
    HomeError::if_there(told, unlinkat(folder, new, AtFlags::empty()))?;
    let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL;
    let missing = || HomeError::NoFile { file: told.to_owned() };
    let mut file: File = regular(folder, new, told, flags)?.ok_or_else(missing)?;
    let written = file.write_all(contents).and_then(|()| file.sync_all());
    written.map_err(|error| HomeError::of(told, error))
}
