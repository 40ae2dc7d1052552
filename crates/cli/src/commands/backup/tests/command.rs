use super::*;

#[test]
fn a_copy_never_takes_the_place_of_a_file_unless_it_is_asked_to() {
    let folder = tempfile::tempdir().unwrap();
    let (from, to) = (folder.path().join("draft"), folder.path().join("kept"));
    fs::write(&from, "new").unwrap();
    fs::write(&to, "old").unwrap();
    assert_eq!(put(&from, &to, false).unwrap_err().kind(), io::ErrorKind::AlreadyExists);
    assert_eq!(fs::read_to_string(&to).unwrap(), "old");
    put(&from, &to, true).unwrap();
    assert_eq!(fs::read_to_string(&to).unwrap(), "new");
    assert!(!from.exists());
}

#[test]
fn a_backup_replaces_neither_a_pipe_nor_a_link_to_one() {
    let (folder, home) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let (pipe, link) = (folder.path().join("pipe"), folder.path().join("link"));
    assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    std::os::unix::fs::symlink(&pipe, &link).unwrap();
    for (path, force) in [(&pipe, false), (&pipe, true), (&link, true)] {
        let error = check_target(path, home.path(), force).unwrap_err();
        assert!(error.to_string().contains("is not a regular file"), "{error}");
        let told = format!("{:?}", error.downcast_ref::<Refusal>().unwrap());
        assert!(told.contains("backup.db") && !told.contains("--force"), "{told}");
    }
    let file = folder.path().join("file");
    fs::write(&file, "old").unwrap();
    check_target(&file, home.path(), true).unwrap();
}

#[test]
fn a_copy_on_another_disk_is_whole_and_its_owners_alone() {
    use std::os::unix::fs::PermissionsExt as _;
    let folder = tempfile::tempdir().unwrap();
    let (from, to) = (folder.path().join("draft"), folder.path().join("copy"));
    fs::write(&from, "all of it").unwrap();
    copy(&from, &to).unwrap();
    assert_eq!(fs::read_to_string(&to).unwrap(), "all of it");
    assert_eq!(fs::metadata(&to).unwrap().permissions().mode() & 0o777, 0o600);
}

#[test]
fn a_backup_takes_the_name_of_nothing_that_the_daemon_may_come_to_need() {
    let folder = tempfile::tempdir().unwrap();
    let home = folder.path();
    for name in ["keys.env", "agents", "config.toml", "agent-worker.db-wal"] {
        assert!(is_of_daemon(&home.join(name), home), "{name}");
    }
    assert!(!is_of_daemon(&home.join("backup.db"), home));
    let elsewhere = tempfile::tempdir().unwrap();
    assert!(!is_of_daemon(&elsewhere.path().join("keys.env"), home));
}
