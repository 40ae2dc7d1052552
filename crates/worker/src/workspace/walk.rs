//! A way through all the files below a folder.

use std::{
    ffi::{OsStr, OsString},
    fmt::Write as _,
    ops::ControlFlow,
    os::unix::ffi::OsStrExt,
    path::Path,
    sync::Arc,
};

use rustix::{
    fs::{AtFlags, FileType, Mode, OFlags, openat, statat},
    io::Errno,
};

use super::{
    Ignored, Job, Refusal,
    root::{Place, file_type, list},
};

/// How deep folders are gone into: each keeps a file open.
const DEEPEST: usize = 64;

/// Handles a file of the walk. A break ends the walk.
pub type Visit<'v> = &'v mut dyn FnMut(Place) -> Result<ControlFlow<()>, Refusal>;

/// How a walk ended.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Walked {
    /// Whether there were too many files to look at all
    pub is_cut: bool,
    /// Whether folders were left out that lie too deep
    pub is_too_deep: bool,
}

impl Walked {
    pub fn note(self, text: &mut String) {
        if self.is_cut {
            text.push_str("[there are too many files to look at all of them: name a folder]\n");
        }
        if self.is_too_deep {
            let _ = writeln!(text, "[folders deeper than {DEEPEST} were left out]");
        }
    }
}

/// Goes through the files below a folder, each folder's in the order of their names. What
/// `.gitignore` leaves out is left out, and git's own folder; links are not followed.
pub fn walk(job: &Job, start: &Place, visit: Visit<'_>) -> Result<Walked, Refusal> {
    let mut walk = Walk { job, visit, left: job.desk.limits.walked, walked: Walked::default() };
    let ignored = around(job, start)?;
    // A break is as good an end as any.
    let _ = walk.folder(start, &ignored, 0)?;
    Ok(walk.walked)
}

/// The rules of the folders around the start.
fn around(job: &Job, start: &Place) -> Result<Ignored, Refusal> {
    let mut ignored = Ignored::default();
    let outer: Vec<_> = start.path.ancestors().skip(1).collect();
    for path in outer.into_iter().rev() {
        let path = Path::new(".").join(path);
        let Some(path) = path.to_str() else { continue };
        ignored = ignored.and(&job.find(path)?);
    }
    Ok(ignored)
}

struct Walk<'w> {
    job: &'w Job,
    visit: Visit<'w>,
    /// How many more entries are looked at
    left: usize,
    walked: Walked,
}

impl Walk<'_> {
    fn folder(
        &mut self,
        folder: &Place,
        ignored: &Ignored,
        depth: usize,
    ) -> Result<ControlFlow<()>, Refusal> {
        self.job.goes_on()?;
        let ignored = ignored.and(folder);
        for (name, kind) in self.entries(folder) {
            let is_folder = kind == FileType::Directory;
            let path = folder.path.join(&name);
            if ignored.has(&path, is_folder) || is_folder && name == ".git" {
                continue;
            }
            let flow = match kind {
                FileType::Directory => self.below(folder, &name, &ignored, depth)?,
                FileType::RegularFile => {
                    (self.visit)(Place { folder: Arc::clone(&folder.folder), name, path })?
                }
                _ => ControlFlow::Continue(()),
            };
            if flow.is_break() {
                return Ok(flow);
            }
        }
        let is_over = self.walked.is_cut;
        Ok(if is_over { ControlFlow::Break(()) } else { ControlFlow::Continue(()) })
    }

    fn below(
        &mut self,
        folder: &Place,
        name: &OsStr,
        ignored: &Ignored,
        depth: usize,
    ) -> Result<ControlFlow<()>, Refusal> {
        if depth == DEEPEST {
            self.walked.is_too_deep = true;
            return Ok(ControlFlow::Continue(()));
        }
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        match openat(&folder.folder, name, flags, Mode::empty()) {
            Ok(opened) => {
                let (folder, path) = (Arc::new(opened), folder.path.join(name));
                self.folder(&Place { folder, name: ".".into(), path }, ignored, depth + 1)
            }
            // It is gone, is a link by now, or is none of ours.
            Err(_) => Ok(ControlFlow::Continue(())),
        }
    }

    /// What is in a folder, by name. An unreadable folder counts as empty.
    fn entries(&mut self, folder: &Place) -> Vec<(OsString, FileType)> {
        let mut entries = Vec::new();
        let Ok(list) = list(&folder.folder) else { return entries };
        for entry in list.map_while(Result::ok) {
            let name = OsStr::from_bytes(entry.file_name().to_bytes());
            if name == "." || name == ".." {
                continue;
            }
            if self.left == 0 {
                self.walked.is_cut = true;
                break;
            }
            self.left -= 1;
            if let Ok(kind) = kind(folder, name, entry.file_type()) {
                entries.push((name.to_owned(), kind));
            }
        }
        entries.sort_unstable_by(|a, b| a.0.cmp(&b.0));
        entries
    }
}

/// Not every disk says at once what kind an entry is.
fn kind(folder: &Place, name: &OsStr, told: FileType) -> Result<FileType, Errno> {
    match told {
        FileType::Unknown => {
            Ok(file_type(&statat(&folder.folder, name, AtFlags::SYMLINK_NOFOLLOW)?))
        }
        told => Ok(told),
    }
}
