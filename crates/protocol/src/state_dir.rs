//! Which state directory may be used. Anyone who can write in it can act as the daemon for all who
//! use it, and read what they say. So it belongs to its user, and no other user may write there.

use std::{
    fs::{self, Metadata},
    io,
    os::unix::fs::{FileTypeExt, MetadataExt},
    path::Path,
};

use crate::shell::quoted;

/// Files of a state directory that a daemon and its clients open.
const FILES: [&str; 9] = [
    "agent-worker.db",
    "config.toml",
    "daemon.json",
    "daemon.lock",
    "daemon.log",
    "keys.env",
    "port",
    "prices.json",
    "start.lock",
];

/// The longest path of a state directory, in bytes: SQLite opens only files whose path has at most
/// 512, and the draft of a backup in it has a long name.
const LONGEST: usize = 450;

/// Why a state directory is not used.
#[derive(Debug, thiserror::Error)]
pub enum Unusable {
    /// SQLite would not find the database in it.
    #[error(
        "the path of the state directory has {bytes} bytes, at most {most} are possible: {path}",
        most = LONGEST
    )]
    TooLong { path: String, bytes: usize },
    /// It is something else.
    #[error("the state directory {path} is not a directory")]
    NoDirectory { path: String },
    /// It is a link, and there is nothing where it points.
    #[error("the state directory {path} is a link to nothing")]
    Dangling { path: String },
    /// Another user owns it.
    #[error("the state directory {path} belongs to user {owner}, and this is user {user}")]
    Foreign { path: String, owner: u32, user: u32 },
    /// Others may write in it.
    #[error("others than its owner may write in the state directory {path}")]
    Open { path: String },
    /// A file in it is a pipe. Opening it would wait for another program, perhaps for ever.
    #[error("{path} is a named pipe and not a file")]
    Pipe { path: String },
    /// The system does not let us look.
    #[error("cannot read the state directory {path}")]
    Hidden { path: String, source: io::Error },
}

impl Unusable {
    /// What to do about it.
    pub fn hint(&self) -> String {
        match self {
            Self::Open { path } => format!("chmod go-w {}", quoted(path)),
            Self::Pipe { path } => format!("rm {}", quoted(path)),
            _ => "set `--state-dir` or AGENT_WORKER_HOME to a directory of your own".to_owned(),
        }
    }
}

/// Checks a state directory. A missing one is accepted.
pub fn check(path: &Path) -> Result<(), Unusable> {
    let (shown, bytes) = (path.display().to_string(), path.as_os_str().len());
    if bytes > LONGEST {
        return Err(Unusable::TooLong { path: shown, bytes });
    }
    match fs::metadata(path) {
        Ok(metadata) => {
            judge(shown, &metadata, rustix::process::geteuid().as_raw())?;
            refuse_pipes(path)
        }
        Err(error) if error.kind() != io::ErrorKind::NotFound => {
            Err(Unusable::Hidden { path: shown, source: error })
        }
        Err(_) if path.is_symlink() => Err(Unusable::Dangling { path: shown }),
        Err(_) => Ok(()),
    }
}

fn judge(path: String, metadata: &Metadata, user: u32) -> Result<(), Unusable> {
    const OTHERS_WRITE: u32 = 0o022;
    if !metadata.is_dir() {
        return Err(Unusable::NoDirectory { path });
    }
    let owner = metadata.uid();
    if owner != user {
        return Err(Unusable::Foreign { path, owner, user });
    }
    if metadata.mode() & OTHERS_WRITE != 0 {
        return Err(Unusable::Open { path });
    }
    Ok(())
}

fn refuse_pipes(path: &Path) -> Result<(), Unusable> {
    let is_pipe =
        |file: &Path| fs::metadata(file).is_ok_and(|metadata| metadata.file_type().is_fifo());
    match FILES.iter().map(|name| path.join(name)).find(|file| is_pipe(file)) {
        Some(pipe) => Err(Unusable::Pipe { path: pipe.display().to_string() }),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_state_directory_below_a_file_cannot_be_read() {
        let told = check(Path::new("/dev/null/state")).unwrap_err().to_string();
        assert_eq!(told, "cannot read the state directory /dev/null/state");
    }

    #[test]
    fn a_state_directory_whose_path_is_too_long_for_its_database_is_refused() {
        let path = |length: usize| format!("/{}", "a/".repeat(length)) + "a";
        check(Path::new(&path(224))).unwrap();
        let told = check(Path::new(&path(225))).unwrap_err().to_string();
        assert!(told.contains("has 452 bytes, at most 450 are possible: /a/a/"), "{told}");
    }
}
