//! Files of settings: changed by one at a time and replaced whole.

use std::{
    fs,
    io::{self, Write as _},
    os::unix::fs::OpenOptionsExt as _,
    path::{Path, PathBuf},
};

/// What was done with a file; `None` if it is not there.
pub fn if_there<T>(done: io::Result<T>) -> io::Result<Option<T>> {
    match done {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        done => done.map(Some),
    }
}

/// The file in which what will replace another is written, beside it.
pub fn draft_of(path: &Path) -> PathBuf {
    let mut draft = path.as_os_str().to_owned();
    draft.push(format!(".{}", std::process::id()));
    draft.into()
}

/// Writes a file that only the user can read, to the disk.
pub fn write(path: &Path, text: &str) -> io::Result<()> {
    let mut options = fs::OpenOptions::new();
    let mut file = options.write(true).create(true).truncate(true).mode(0o600).open(path)?;
    file.write_all(text.as_bytes())?;
    file.sync_all()
}

/// The file that is replaced: a link, for those who keep such files elsewhere, stays one, also
/// where its file does not exist yet.
pub fn target(path: &Path) -> io::Result<PathBuf> {
    if let Some(found) = if_there(fs::canonicalize(path))? {
        return Ok(found);
    }
    match (fs::read_link(path), path.parent()) {
        (Ok(to), Some(folder)) => target(&folder.join(to)),
        _ => Ok(path.to_owned()),
    }
}

/// Replaces a file whole, so that no one reads half of it.
pub fn replace(path: &Path, text: &str) -> io::Result<()> {
    let target = target(path)?;
    replace_by(&draft_of(&target), &target, text)
}

/// Writes a file under the name of its draft, and puts it in the place of another.
pub fn replace_by(draft: &Path, path: &Path, text: &str) -> io::Result<()> {
    let done = write(draft, text).and_then(|()| fs::rename(draft, path));
    if done.is_err() {
        // Its text may be secret. There may be none.
        let _ = fs::remove_file(draft);
    }
    done
}

/// A lock for changes of a file, held until it is dropped. A change replaces the file, so that the
/// file itself cannot carry the lock.
pub fn turn(path: &Path) -> io::Result<fs::File> {
    let mut options = fs::OpenOptions::new();
    let lock = options.append(true).create(true).mode(0o600).open(path.with_extension("lock"))?;
    lock.lock()?;
    Ok(lock)
}
