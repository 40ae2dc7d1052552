//! Which state directory may be used. Anyone who can write in it can act as the daemon for all who
//! use it, and read what they say. So it belongs to its user, and no other user may write there.

use std::{
    fs::{self, Metadata},
    io,
    os::unix::fs::MetadataExt,
    path::Path,
};

use crate::shell::quoted;

/// Why a state directory is not used.
#[derive(Debug, thiserror::Error)]
pub enum Unusable {
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
    /// The system does not let us look.
    #[error("cannot read the state directory {path}")]
    Hidden { path: String, source: io::Error },
}

impl Unusable {
    /// What to do about it.
    pub fn hint(&self) -> String {
        match self {
            Self::Open { path } => format!("chmod go-w {}", quoted(path)),
            _ => "set AGENT_WORKER_HOME to a directory of your own".to_owned(),
        }
    }
}

/// Checks a state directory. A missing one is accepted.
pub fn check(path: &Path) -> Result<(), Unusable> {
    let shown = path.display().to_string();
    match fs::metadata(path) {
        Ok(metadata) => judge(shown, &metadata, rustix::process::geteuid().as_raw()),
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_state_directory_below_a_file_cannot_be_read() {
        let told = check(Path::new("/dev/null/state")).unwrap_err().to_string();
        assert_eq!(told, "cannot read the state directory /dev/null/state");
    }
}
