//! A file's new content, put in its place at once.

use std::{fs::File, io::Write, os::fd::OwnedFd};

use rustix::{
    fs::{AtFlags, Gid, Mode, OFlags, Stat, Uid, fchmod, fchown, openat, renameat, unlinkat},
    io::Errno,
};
use uuid::Uuid;

use super::{refusal::Refusal, root::Place};

/// Writes a file under another name and renames it, so that whoever reads sees the old content or
/// the new. It keeps the mode of what it replaces, and its owner where that is allowed. Other names
/// of the file it replaces, hard links, keep the old content.
pub fn replace(place: &Place, content: &[u8], old: Option<&Stat>) -> Result<(), Refusal> {
    let draft = Draft::new(place)?;
    let written = draft.write(content, old).and_then(|()| draft.put());
    written.map_err(|error| Refusal::system(&place.told(), error))
}

/// The file under its other name, which goes if nothing comes of it.
struct Draft<'p> {
    place: &'p Place,
    name: String,
    file: OwnedFd,
}

impl<'p> Draft<'p> {
    fn new(place: &'p Place) -> Result<Self, Refusal> {
        const FLAGS: OFlags = OFlags::WRONLY
            .union(OFlags::CREATE)
            .union(OFlags::EXCL)
            .union(OFlags::NOFOLLOW)
            .union(OFlags::CLOEXEC);
        let name = format!(".{}.draft", Uuid::new_v4());
        let file = openat(&place.folder, &name, FLAGS, Mode::from_raw_mode(0o666))
            .map_err(|error| Refusal::system(&place.told(), error))?;
        Ok(Self { place, name, file })
    }

    fn write(&self, content: &[u8], old: Option<&Stat>) -> Result<(), Errno> {
        let mut file = File::from(self.file.try_clone().map_err(|error| errno(&error))?);
        file.write_all(content).map_err(|error| errno(&error))?;
        let Some(old) = old else { return Ok(()) };
        let (owner, group) = (Uid::from_raw(old.st_uid), Gid::from_raw(old.st_gid));
        // A program that runs as its owner must not become one that runs as another.
        let is_kept = fchown(&self.file, Some(owner), Some(group)).is_ok();
        let kept = if is_kept { 0o7777 } else { 0o777 };
        fchmod(&self.file, Mode::from_raw_mode(old.st_mode & kept))
    }

    fn put(&self) -> Result<(), Errno> {
        renameat(&self.place.folder, &self.name, &self.place.folder, &self.place.name)
    }
}

impl Drop for Draft<'_> {
    fn drop(&mut self) {
        // After the renaming there is none by this name, which is as it should be.
        let _ = unlinkat(&self.place.folder, &self.name, AtFlags::empty());
    }
}

fn errno(error: &std::io::Error) -> Errno {
    Errno::from_io_error(error).unwrap_or(Errno::IO)
}
