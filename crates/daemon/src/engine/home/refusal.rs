//! What is wrong with a home, and what mends it.

use std::path::{Path, PathBuf};

use agent_worker_home::HomeError;
use agent_worker_protocol::{error::ErrorCode, shell::quoted, target::Target};

use crate::error::OpError;

/// What is wrong with a home, as a refusal.
pub fn refused(error: &HomeError, target: &Target, path: &Path) -> OpError {
    let code = match error {
        HomeError::Missing { .. } | HomeError::NoFile { .. } | HomeError::NoVersion { .. } => {
            ErrorCode::NotFound
        }
        HomeError::OtherOwner { .. } => ErrorCode::Denied,
        HomeError::Full { .. } => ErrorCode::StorageFull,
        _ => ErrorCode::Conflict,
    };
    let hint = match error {
        HomeError::Missing { .. } | HomeError::NoFile { .. } => {
            format!("agent-worker home show {target}")
        }
        HomeError::NotAFolder { path } => aside(not_a_folder(Path::new(path))),
        HomeError::OtherOwner { path, me, .. } => format!("sudo chown -R {me} {}", quoted(path)),
        HomeError::Link { file } | HomeError::NotAFile { file } => aside(&in_the_way(path, file)),
        HomeError::NoVersion { file, .. } => format!("agent-worker home history {target} {file}"),
        HomeError::Full { .. } => "free disk space, then try again".to_owned(),
        HomeError::System { .. } => format!("ls -la {}", quoted(&path.to_string_lossy())),
    };
    OpError::refused(code, format!("home of `{target}`: {error}")).hint(hint)
}

/// What keeps a path from being a folder: a file or a link to nothing, of this name or above it.
fn not_a_folder(home: &Path) -> &Path {
    let exists = |path: &Path| path.symlink_metadata().is_ok();
    home.ancestors().find(|path| exists(path) && !path.is_dir()).unwrap_or(home)
}

/// What stands in the way of a file of a home: a folder on the way to it that is a link, or else
/// what has its name.
fn in_the_way(home: &Path, file: &str) -> PathBuf {
    let mut way = Path::new(file).components().scan(home.to_owned(), |path, part| {
        path.push(part);
        Some(path.clone())
    });
    let link = way.find(|path| path.is_symlink());
    link.unwrap_or_else(|| home.join(file))
}

fn aside(path: &Path) -> String {
    let path = path.to_string_lossy();
    format!("mv {} {}", quoted(&path), quoted(&format!("{path}.old")))
}

#[cfg(test)]
mod tests {
    use std::{fs, os::unix::fs::symlink};

    use agent_worker_home::Home;

    use super::*;

    /// What mends a home that cannot be created.
    fn hint(home: &Path) -> String {
        let error = Home::make(home, "").unwrap_err();
        let refusal = refused(&error, &"alice".parse().unwrap(), home).into_body();
        refusal.hint.expect("it has a hint")
    }

    #[test]
    fn a_home_that_is_a_link_to_nothing_is_moved_and_not_a_link_above_it() {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("real")).unwrap();
        symlink("real", folder.path().join("notes")).unwrap();
        let home = folder.path().join("notes/alice");
        symlink("gone", &home).unwrap();
        assert_eq!(hint(&home), format!("mv {0} {0}.old", home.display()));
    }

    #[test]
    fn a_file_above_a_home_is_moved_and_not_the_home_that_cannot_be() {
        let folder = tempfile::tempdir().unwrap();
        let notes = folder.path().join("notes");
        fs::write(&notes, "").unwrap();
        for home in ["notes", "notes/alice", "notes/alice/home"] {
            let hint = hint(&folder.path().join(home));
            assert_eq!(hint, format!("mv {0} {0}.old", notes.display()), "{home}");
        }
    }
}
