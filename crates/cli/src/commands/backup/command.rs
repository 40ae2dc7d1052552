//! `agent-worker backup` and `restore`

use std::{
    fs,
    io::{self, Read as _},
    os::unix::fs::OpenOptionsExt as _,
    path::{Path, PathBuf},
};

use agent_worker_protocol::{Backup, BackupMade, shell::quoted};
use clap::{Args, ValueHint};
use rustix::{
    fs::{CWD, RenameFlags, renameat_with},
    io::Errno,
};

use super::text as rendered;
use crate::{
    again,
    exit::{Exit, Refusal},
    files,
    session::Session,
    source,
};

/// `agent-worker backup`
#[derive(Debug, Args)]
pub struct Backing {
    /// File of the backup
    #[arg(value_hint = ValueHint::FilePath)]
    pub file: PathBuf,
    /// Replace an existing file
    #[arg(long)]
    pub force: bool,
}

/// `agent-worker restore`
#[derive(Debug, Args)]
pub struct Restoring {
    /// The backup
    #[arg(value_hint = ValueHint::FilePath)]
    pub file: PathBuf,
}

/// Has the daemon copy the database, and moves the copy to where it is wanted.
pub async fn backup(session: &Session, args: &Backing) -> anyhow::Result<Exit> {
    session.person_only("a backup")?;
    if args.file == Path::new("-") {
        let refusal = Refusal::usage("cannot write a backup to standard output");
        return Err(refusal.hint(again_to(Path::new("backup.db"))).into());
    }
    let file = source::absolute(&args.file)?;
    check_target(&file, session.home()?.path(), args.force)?;
    let made = session.client().await?.call(&Backup {}).await?;
    let draft = PathBuf::from(&made.file);
    let moved = put(&draft, &file, args.force);
    if moved.is_err() {
        // The copy is no longer needed.
        drop(fs::remove_file(&draft));
    }
    moved.map_err(|error| unwritten(&file, error))?;
    let made = BackupMade { file: file.display().to_string(), ..made };
    session.show(&made, rendered::made)
}

/// Puts a backup in the database's place.
pub async fn restore(session: &Session, args: &Restoring) -> anyhow::Result<Exit> {
    session.person_only("restoring a backup")?;
    let file = source::absolute(&args.file)?;
    let restored = session.offline.restore(session.home()?.path(), &file).await?;
    session.show(&restored, rendered::restored)
}

/// The command that makes the backup in another file.
fn again_to(file: &Path) -> String {
    again::line(&["backup".to_owned(), file.display().to_string()])
}

/// Refuses at once what could not be written in the end.
fn check_target(file: &Path, home: &Path, force: bool) -> anyhow::Result<()> {
    if file.is_dir() {
        return Err(Refusal::new(format!("{} is a directory", file.display()))
            .hint(again_to(&file.join("backup.db")))
            .into());
    }
    if is_special(file) {
        let text = format!("{} is not a regular file, and is not replaced", file.display());
        return Err(Refusal::new(text).hint(again_to(Path::new("backup.db"))).into());
    }
    if is_of_daemon(file, home) {
        let text =
            format!("{} belongs to the daemon: a backup does not replace it", file.display());
        let other = file.with_file_name("backup.db");
        return Err(Refusal::new(text).hint(again_to(&other)).into());
    }
    if !force && file.symlink_metadata().is_ok() {
        return Err(taken(file));
    }
    match file.parent() {
        Some(folder) if !folder.is_dir() => {
            let (shown, hint) = (folder.display(), quoted(&folder.display().to_string()));
            let refusal = Refusal::new(format!("directory not found: {shown}"));
            Err(refusal.hint(format!("mkdir -p {hint}")).into())
        }
        _ => Ok(()),
    }
}

/// Whether a path leads to something else than a file or a folder: a device, a pipe, a socket. A
/// rename would put a file in its place.
fn is_special(path: &Path) -> bool {
    path.metadata().is_ok_and(|found| !found.is_file() && !found.is_dir())
}

/// Whether a file is one by which the daemon lives: the database, what SQLite keeps beside it, or
/// any file of the state directory but a backup. What is not there yet may be one: only `.db` is
/// the name of none.
fn is_of_daemon(file: &Path, home: &Path) -> bool {
    let folder = file.parent().and_then(|folder| folder.canonicalize().ok());
    if folder.is_none() || folder != home.canonicalize().ok() {
        return false;
    }
    let name = file.file_name().unwrap_or_default().as_encoded_bytes();
    let is_other = match file.symlink_metadata() {
        Ok(_) => !is_database(file),
        Err(_) => file.extension().is_none_or(|extension| extension != "db"),
    };
    name.starts_with(DATABASE) || is_other
}

/// How the database and what SQLite keeps beside it are called.
const DATABASE: &[u8] = b"agent-worker.db";

/// Whether a file begins as SQLite's do. <https://www.sqlite.org/fileformat2.html>
fn is_database(file: &Path) -> bool {
    let mut head = [0; 16];
    let read = fs::File::open(file).and_then(|mut file| file.read_exact(&mut head));
    read.is_ok() && head == *b"SQLite format 3\0"
}

fn taken(file: &Path) -> anyhow::Error {
    Refusal::new(format!("{} already exists", file.display()))
        .hint(again::behind("backup", "--force"))
        .into()
}

fn unwritten(file: &Path, error: io::Error) -> anyhow::Error {
    match error.kind() {
        io::ErrorKind::AlreadyExists => taken(file),
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => {
            Refusal::new(format!("disk full: {} was not written", file.display()))
                .hint("free some space, or choose another disk")
                .into()
        }
        _ => anyhow::Error::new(error).context(format!("cannot write {}", file.display())),
    }
}

/// Moves a copy to its place, whole or not at all; to another disk by way of a draft beside it.
fn put(from: &Path, to: &Path, force: bool) -> io::Result<()> {
    match rename(from, to, force) {
        Err(error) if error.kind() == io::ErrorKind::CrossesDevices => {
            let draft = files::draft_of(to);
            let written = copy(from, &draft).and_then(|()| rename(&draft, to, force));
            if written.is_err() {
                drop(fs::remove_file(&draft));
            }
            written.and_then(|()| fs::remove_file(from))
        }
        renamed => renamed,
    }
}

fn rename(from: &Path, to: &Path, force: bool) -> io::Result<()> {
    if force {
        return fs::rename(from, to);
    }
    match renameat_with(CWD, from, CWD, to, RenameFlags::NOREPLACE) {
        // Not every file system can refuse by itself.
        Err(Errno::INVAL | Errno::NOSYS | Errno::NOTSUP) if to.symlink_metadata().is_err() => {
            fs::rename(from, to)
        }
        renamed => Ok(renamed?),
    }
}

fn copy(from: &Path, to: &Path) -> io::Result<()> {
    let mut options = fs::OpenOptions::new();
    let mut file = options.write(true).create_new(true).mode(0o600).open(to)?;
    io::copy(&mut fs::File::open(from)?, &mut file)?;
    file.sync_all()
}

#[cfg(test)]
#[path = "tests/command.rs"]
mod tests;
