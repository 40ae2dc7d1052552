//! Files for their owner alone. SQLite makes its own for everybody whom the umask lets, and the
//! files beside a database for those who may read the database.

use std::{
    fs::{self, OpenOptions, Permissions},
    io,
    os::unix::fs::{OpenOptionsExt, PermissionsExt},
    path::Path,
};

const OWNER_ALONE: u32 = 0o600;

/// Makes an empty database if there is none, and takes from others what they may do with one that
/// is there. It must not be open yet: closing a file drops all locks that the process has on it.
/// Where this fails, opening the database says why.
pub fn make(path: &Path) {
    let mut options = OpenOptions::new();
    let made = options.write(true).create_new(true).mode(OWNER_ALONE).open(path);
    if !made.is_err_and(|error| error.kind() == io::ErrorKind::AlreadyExists) {
        return;
    }
    for end in ["", "-wal", "-shm"] {
        let mut file = path.as_os_str().to_owned();
        file.push(end);
        let is_open_to_others =
            fs::metadata(&file).is_ok_and(|metadata| metadata.permissions().mode() & 0o77 != 0);
        if is_open_to_others
            && let Err(error) = fs::set_permissions(&file, Permissions::from_mode(OWNER_ALONE))
        {
            tracing::warn!(%error, ?file, "others may read this file");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_database_is_its_owners_whether_it_is_made_or_found() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.db");
        let mode = |end: &str| {
            let path = folder.path().join(format!("a.db{end}"));
            fs::metadata(path).unwrap().permissions().mode() & 0o777
        };
        make(&path);
        assert_eq!(mode(""), 0o600);
        for end in ["", "-wal"] {
            let path = folder.path().join(format!("a.db{end}"));
            fs::write(&path, "kept").unwrap();
            fs::set_permissions(&path, Permissions::from_mode(0o644)).unwrap();
        }
        make(&path);
        assert_eq!((mode(""), mode("-wal")), (0o600, 0o600));
        assert_eq!(fs::read_to_string(&path).unwrap(), "kept");
    }
}
