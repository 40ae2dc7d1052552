//! A file's new content, put in its place at once.

use std::{
    cell::Cell,
    fs::File,
    io::Write,
    os::fd::{AsRawFd, OwnedFd},
};

use rustix::{
    fs::{
        AtFlags, CWD, Gid, Mode, OFlags, Stat, Uid, fchmod, fchown, linkat, openat, renameat,
        unlinkat,
    },
    io::Errno,
};
use uuid::Uuid;

use super::{Refusal, root::Place};

/// Writes a file under another name and renames it, so that a reader sees the old content or
/// the new. It keeps the mode of what it replaces, and its owner where that is allowed. Other names
/// of the file it replaces, hard links, keep the old content.
pub fn replace(place: &Place, content: &[u8], old: Option<&Stat>) -> Result<(), Refusal> {
    let draft = Draft::new(place)?;
    let written = draft.write(content, old).and_then(|()| draft.put());
    written.map_err(|error| Refusal::system(&place.told(), error))
}

/// The new file, which goes if nothing comes of it. Where the file system can, it has no name until
/// it is whole, so that nothing is left of it when the worker is killed meanwhile.
struct Draft<'p> {
    place: &'p Place,
    name: String,
    file: File,
    has_name: Cell<bool>,
}

impl<'p> Draft<'p> {
    fn new(place: &'p Place) -> Result<Self, Refusal> {
        let name = format!(".{}.draft", Uuid::new_v4());
        let (file, has_name) = match nameless(place) {
            Some(file) => (file, false),
            None => (named(place, &name)?, true),
        };
        Ok(Self { place, name, file: file.into(), has_name: Cell::new(has_name) })
    }

    fn write(&self, content: &[u8], old: Option<&Stat>) -> Result<(), Errno> {
        let written = (&self.file).write_all(content);
        written.map_err(|error| Errno::from_io_error(&error).unwrap_or(Errno::IO))?;
        let Some(old) = old else { return Ok(()) };
        let (owner, group) = (Uid::from_raw(old.st_uid), Gid::from_raw(old.st_gid));
        // A program that runs as its owner must not then run as another user.
        let is_kept = fchown(&self.file, Some(owner), Some(group)).is_ok();
        let kept = if is_kept { 0o7777 } else { 0o777 };
        fchmod(&self.file, Mode::from_raw_mode(old.st_mode & kept))
    }

    fn put(&self) -> Result<(), Errno> {
        if !self.has_name.get() {
            let itself = format!("/proc/self/fd/{}", self.file.as_raw_fd());
            linkat(CWD, itself, &self.place.folder, &self.name, AtFlags::SYMLINK_FOLLOW)?;
            self.has_name.set(true);
        }
        renameat(&self.place.folder, &self.name, &self.place.folder, &self.place.name)
    }
}

impl Drop for Draft<'_> {
    fn drop(&mut self) {
        // After the renaming this name is free, which is as it should be.
        let _ = unlinkat(&self.place.folder, &self.name, AtFlags::empty());
    }
}

/// A file of the folder that has no name in it; none where that cannot be, or it could not be
/// given one later.
#[cfg(target_os = "linux")]
fn nameless(place: &Place) -> Option<OwnedFd> {
    let flags = OFlags::TMPFILE.union(OFlags::WRONLY).union(OFlags::CLOEXEC);
    let file = openat(&place.folder, ".", flags, Mode::from_raw_mode(0o666)).ok()?;
    let itself = format!("/proc/self/fd/{}", file.as_raw_fd());
    std::path::Path::new(&itself).is_symlink().then_some(file)
}

#[cfg(not(target_os = "linux"))]
fn nameless(_: &Place) -> Option<OwnedFd> {
    None
}

fn named(place: &Place, name: &str) -> Result<OwnedFd, Refusal> {
    const FLAGS: OFlags = OFlags::WRONLY
        .union(OFlags::CREATE)
        .union(OFlags::EXCL)
        .union(OFlags::NOFOLLOW)
        .union(OFlags::CLOEXEC);
    openat(&place.folder, name, FLAGS, Mode::from_raw_mode(0o666))
        .map_err(|error| Refusal::system(&place.told(), error))
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use std::{fs, path::Path};

    use super::*;
    use crate::workspace::root::{End, Missing, Root};

    #[test]
    fn what_is_not_whole_yet_has_no_name_that_could_be_left() {
        let folder = tempfile::tempdir().unwrap();
        let root = Root::open(Path::new(folder.path())).unwrap();
        let place = root.find("notes.md", End::Keep, Missing::Refuse).unwrap();
        let names = || fs::read_dir(folder.path()).unwrap().count();
        let draft = Draft::new(&place).unwrap();
        draft.write(b"half", None).unwrap();
        if !draft.has_name.get() {
            assert_eq!(names(), 0, "a worker that is killed here leaves nothing");
        }
        drop(draft);
        assert_eq!(names(), 0);
        replace(&place, b"whole", None).unwrap();
        replace(&place, b"anew", Some(&place.stat().unwrap())).unwrap();
        assert_eq!(
            (names(), fs::read(folder.path().join("notes.md")).unwrap()),
            (1, b"anew".to_vec())
        );
    }
}
