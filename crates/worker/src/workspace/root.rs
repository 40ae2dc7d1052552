//! The folder that an agent works in, and no way out of it.

use std::{
    ffi::{OsStr, OsString},
    io,
    os::{
        fd::{AsFd, OwnedFd},
        unix::ffi::OsStrExt,
    },
    path::{Path, PathBuf},
    sync::Arc,
};

use rustix::{
    fs::{AtFlags, Dir, FileType, Mode, OFlags, Stat, mkdirat, open, openat, readlinkat, statat},
    io::Errno,
};

use super::Refusal;

/// How many symbolic links one path may lead through, as in the kernel.
const MOST_LINKS: usize = 40;

/// How a folder is opened on the way: never through a link.
const STEP: OFlags = FOLDER.union(OFlags::NOFOLLOW);

#[cfg(target_os = "linux")]
const FOLDER: OFlags = OFlags::PATH.union(OFlags::DIRECTORY).union(OFlags::CLOEXEC);
#[cfg(not(target_os = "linux"))]
const FOLDER: OFlags = OFlags::RDONLY.union(OFlags::DIRECTORY).union(OFlags::CLOEXEC);

/// The folder, held open: whatever becomes of its name, nothing outside of it is reached.
///
/// Paths are walked here name by name, each folder opened in the one before and never through a
/// link. Links are read and walked like any other path, so a link that stays inside leads where it
/// says, and a link placed meanwhile leads no one out. The kernel's own way to stay
/// beneath a folder is not used: it does not tell where a path has led, it is on Linux only, and
/// of two ways one would be wrong some day.
#[derive(Debug)]
pub struct Root {
    folder: Arc<OwnedFd>,
    /// The absolute paths that it is known by
    names: Vec<PathBuf>,
}

/// What a path names: an entry of a folder that is open, whether or not it is there.
#[derive(Debug)]
pub struct Place {
    pub folder: Arc<OwnedFd>,
    /// The name in it, which is `.` where the path names the folder itself
    pub name: OsString,
    /// The path from the root, without links
    pub path: PathBuf,
}

/// What becomes of a link at a path's end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    /// It is walked too.
    Follow,
    /// It is the place.
    Keep,
}

/// What becomes of folders that are not there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Missing {
    /// The path does not exist.
    Refuse,
    /// They are made.
    Make,
}

impl Root {
    pub fn open(path: &Path) -> io::Result<Self> {
        let folder = Arc::new(open(path, FOLDER, Mode::empty())?);
        let mut names = vec![std::path::absolute(path)?];
        names.extend(path.canonicalize().ok().filter(|real| *real != names[0]));
        Ok(Self { folder, names })
    }

    /// Where commands begin.
    pub fn path(&self) -> &Path {
        &self.names[0]
    }

    /// The place that a path names.
    pub fn find(&self, path: &str, end: End, missing: Missing) -> Result<Place, Refusal> {
        if path.contains('\0') {
            return Err(Refusal::new("a path has no NUL character in it"));
        }
        if path.is_empty() {
            return Err(Refusal::new("an empty path names nothing")
                .hint("`.` is the folder that you work in"));
        }
        Walk::new(self, path, end, missing)?.place()
    }

    /// What is left of an absolute path behind this folder's own.
    pub fn beneath(&self, path: &Path) -> Option<PathBuf> {
        // Only as it is spelled: what `..` means is found out on the way.
        self.names.iter().find_map(|name| path.strip_prefix(name).ok()).map(Path::to_owned)
    }
}

/// A path on its way.
struct Walk<'r> {
    root: &'r Root,
    /// As it was asked for
    asked: &'r str,
    end: End,
    missing: Missing,
    /// The folders below the root that lead to where it is now
    below: Vec<(Arc<OwnedFd>, OsString)>,
    /// The names that are still to come, the next one last
    to_come: Vec<OsString>,
    links: usize,
}

impl<'r> Walk<'r> {
    fn new(root: &'r Root, asked: &'r str, end: End, missing: Missing) -> Result<Self, Refusal> {
        let mut walk =
            Self { root, asked, end, missing, below: Vec::new(), to_come: Vec::new(), links: 0 };
        walk.go_by(Path::new(asked))?;
        Ok(walk)
    }

    fn place(mut self) -> Result<Place, Refusal> {
        while let Some(name) = self.to_come.pop() {
            if name == ".." {
                if self.below.pop().is_none() {
                    return Err(self.outside());
                }
            } else if self.to_come.is_empty() && self.end == End::Keep {
                return Ok(self.stop_at(name));
            } else if let Some(name) = self.step(name)? {
                return Ok(self.stop_at(name));
            }
        }
        Ok(self.stop_at(OsString::from(".")))
    }

    /// Goes on by one name. Anything but a folder is given back: the path ends there.
    fn step(&mut self, name: OsString) -> Result<Option<OsString>, Refusal> {
        match openat(self.here(), &name, STEP, Mode::empty()) {
            Ok(folder) => {
                self.below.push((Arc::new(folder), name));
                Ok(None)
            }
            Err(Errno::NOENT) if self.to_come.is_empty() => Ok(Some(name)),
            Err(Errno::NOENT) if self.missing == Missing::Make => self.make(name),
            Err(Errno::NOTDIR | Errno::LOOP | Errno::MLINK) => self.turn(name),
            Err(error) => Err(self.refused(error)),
        }
    }

    fn make(&mut self, name: OsString) -> Result<Option<OsString>, Refusal> {
        match mkdirat(self.here(), &name, Mode::from_raw_mode(0o777)) {
            // Another process may just have made this folder, or something else with this name.
            Ok(()) | Err(Errno::EXIST) => self.again(name),
            Err(error) => Err(self.refused(error)),
        }
    }

    /// Goes where a link says.
    fn turn(&mut self, name: OsString) -> Result<Option<OsString>, Refusal> {
        match readlinkat(self.here(), &name, Vec::new()) {
            Ok(target) => {
                self.count()?;
                self.go_by(Path::new(OsStr::from_bytes(target.as_bytes())))?;
                Ok(None)
            }
            Err(Errno::INVAL) => self.end_at_no_folder(name),
            // It was a link a moment ago.
            Err(Errno::NOENT) => self.again(name),
            Err(error) => Err(self.refused(error)),
        }
    }

    fn end_at_no_folder(&mut self, name: OsString) -> Result<Option<OsString>, Refusal> {
        if self.to_come.is_empty() {
            return Ok(Some(name));
        }
        match statat(self.here(), &name, AtFlags::SYMLINK_NOFOLLOW) {
            // It has become one since.
            Ok(stat) if file_type(&stat) == FileType::Directory => self.again(name),
            _ => {
                let asked = self.asked;
                let file = self.path_to(&name);
                Err(Refusal::new(format!("no `{asked}`: `{file}` is not a folder")))
            }
        }
    }

    /// Tries a name once more, but not for ever.
    fn again(&mut self, name: OsString) -> Result<Option<OsString>, Refusal> {
        self.count()?;
        self.to_come.push(name);
        Ok(None)
    }

    fn count(&mut self) -> Result<(), Refusal> {
        self.links += 1;
        if self.links <= MOST_LINKS {
            return Ok(());
        }
        let asked = self.asked;
        Err(Refusal::new(format!("`{asked}` leads through too many symbolic links")))
    }

    /// Puts the names of a path before those to come.
    fn go_by(&mut self, path: &Path) -> Result<(), Refusal> {
        let rest;
        let mut path = path;
        if path.is_absolute() {
            rest = self.root.beneath(path).ok_or_else(|| self.outside())?;
            self.below.clear();
            path = &rest;
        }
        let names = path.as_os_str().as_bytes().split(|byte| *byte == b'/');
        let names = names.filter(|name| !name.is_empty() && *name != b".");
        self.to_come.extend(names.rev().map(|name| OsStr::from_bytes(name).to_owned()));
        Ok(())
    }

    fn here(&self) -> &Arc<OwnedFd> {
        self.below.last().map_or(&self.root.folder, |(folder, _)| folder)
    }

    fn stop_at(self, name: OsString) -> Place {
        let mut path: PathBuf = self.below.iter().map(|(_, name)| name.as_os_str()).collect();
        if name != "." {
            path.push(&name);
        }
        let folder = Arc::clone(self.here());
        Place { folder, name, path }
    }

    fn path_to(&self, name: &OsStr) -> String {
        let names = self.below.iter().map(|(_, name)| name.as_os_str()).chain([name]);
        names.collect::<PathBuf>().display().to_string()
    }

    fn refused(&self, error: Errno) -> Refusal {
        Refusal::system(self.asked, error)
    }

    fn outside(&self) -> Refusal {
        let asked = self.asked;
        let how = if self.links > 0 { "leads by a symbolic link" } else { "is" };
        Refusal::new(format!("`{asked}` {how} outside of the folder that you work in")).hint(
            "only what is in that folder can be reached; name it from there, as in `src/a.rs`",
        )
    }
}

impl Place {
    /// What is there, links not followed.
    pub fn stat(&self) -> Result<Stat, Errno> {
        statat(&self.folder, &self.name, AtFlags::SYMLINK_NOFOLLOW)
    }

    /// Refuses everything but folders.
    pub fn folder(&self) -> Result<(), Refusal> {
        match self.stat() {
            Ok(stat) if file_type(&stat) == FileType::Directory => Ok(()),
            Ok(_) => Err(Refusal::new(format!("`{}` is not a folder", self.told()))),
            Err(error) => Err(Refusal::system(&self.told(), error)),
        }
    }

    /// The path, as it is told.
    pub fn told(&self) -> String {
        if self.path.as_os_str().is_empty() {
            ".".to_owned()
        } else {
            self.path.display().to_string()
        }
    }
}

/// What kind of thing it is.
pub fn file_type(stat: &Stat) -> FileType {
    FileType::from_raw_mode(stat.st_mode)
}

/// What is in a folder.
pub fn list(folder: impl AsFd) -> Result<Dir, Errno> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
    Dir::new(openat(folder, ".", flags, Mode::empty())?)
}
