use std::os::unix::fs::PermissionsExt as _;

use super::*;
use crate::fault::FEW_INODES;

#[test]
fn a_folder_that_cannot_be_written_is_broken_with_what_mends_it() {
    let home = tempfile::tempdir().unwrap();
    let path = home.path();
    let metadata = fs::metadata(path).unwrap();
    assert_eq!(writable(path, &metadata), None);
    let read_only = unwritable(path, &metadata, Errno::ROFS);
    assert_eq!((read_only.check.as_str(), read_only.grade), ("files.writable", Grade::Broken));
    assert!(read_only.hint.unwrap().contains("mount"));
    let closed = unwritable(path, &metadata, Errno::ACCESS);
    assert_eq!(closed.hint, Some(format!("chmod 700 {}", path.display())));
    if !rustix::process::geteuid().is_root() {
        fs::set_permissions(path, fs::Permissions::from_mode(0o500)).unwrap();
        let found = findings(path, false);
        fs::set_permissions(path, fs::Permissions::from_mode(0o700)).unwrap();
        assert!(found.iter().any(|finding| finding.check == "files.writable"), "{found:?}");
    }
}

#[test]
fn a_disk_that_is_short_of_bytes_or_of_inodes_is_told() {
    let what = |bytes, inodes, free| shortage(bytes, inodes, free).map(|(what, _)| what);
    assert_eq!(what(LITTLE_ROOM, 1000, FEW_INODES), None);
    assert_eq!(what(LITTLE_ROOM, 0, 0), None, "it has no fixed number of inodes");
    assert_eq!(what(3 << 20, 1000, FEW_INODES).as_deref(), Some("3 MiB are left"));
    assert_eq!(what(LITTLE_ROOM, 1000, 15).as_deref(), Some("free inodes left: 15"));
    let (both, hint) = shortage(3 << 20, 1000, 15).unwrap();
    assert_eq!(both, "3 MiB are left; free inodes left: 15");
    assert!(hint.starts_with("remove files"), "it frees both: {hint}");
}

#[test]
fn broken_prices_are_no_fault_of_the_settings() {
    let home = tempfile::tempdir().unwrap();
    fs::write(home.path().join(prices::FILE), "{").unwrap();
    let finding = settings(home.path()).unwrap();
    assert_eq!(
        (finding.check.as_str(), finding.cases[0].subject.as_str()),
        ("files.prices", "prices.json")
    );
    assert_eq!(finding.hint.as_deref(), Some("agent-worker providers update FILE"));
    fs::write(home.path().join("config.toml"), "[runs").unwrap();
    assert_eq!(settings(home.path()).unwrap().check, "files.settings");
}

#[test]
fn keys_that_cannot_be_read_are_told_with_what_mends_them() {
    let home = tempfile::tempdir().unwrap();
    let path = home.path().join("keys.env");
    fs::write(&path, b"NAME=\xff\n").unwrap();
    let mut found = Vec::new();
    keys(home.path(), &mut found);
    let [unread] = found.as_slice() else { panic!("{found:?}") };
    assert_eq!(unread.check, "files.readable");
    let (path, aside) = (path.display(), home.path().join("unread-keys"));
    let hint = format!("mv -n {path} {} && agent-worker keys set NAME", aside.display());
    assert_eq!(unread.hint.as_ref(), Some(&hint));
    // A file that was moved away before stays.
    for name in ["unread-keys", "unread-keys-2"] {
        fs::write(home.path().join(name), "").unwrap();
    }
    let mut found = Vec::new();
    keys(home.path(), &mut found);
    let hint = hint.replace("unread-keys", "unread-keys-3");
    assert_eq!(found[0].hint.as_ref(), Some(&hint));
    let denied = std::io::Error::from(std::io::ErrorKind::PermissionDenied);
    assert_eq!(Keys::of(home.path()).remedy(&denied), format!("chmod 600 {path}"));
    if rustix::process::geteuid().is_root() {
        std::os::unix::fs::chown(home.path().join("keys.env"), Some(1), None).unwrap();
        let hint = format!(r#"sudo chown "$(id -un)" {path}"#);
        assert_eq!(Keys::of(home.path()).remedy(&denied), hint);
    }
}

#[test]
fn a_line_of_keys_that_is_not_understood_is_told_with_what_opens_it() {
    let home = tempfile::tempdir().unwrap();
    fs::write(home.path().join("keys.env"), "NAME\n").unwrap();
    let mut found = Vec::new();
    keys(home.path(), &mut found);
    let [unread] = found.as_slice() else { panic!("{found:?}") };
    let hint = format!("${{EDITOR:-vi}} {}", home.path().join("keys.env").display());
    assert_eq!((unread.check.as_str(), unread.hint.as_ref()), ("files.keys", Some(&hint)));
}

#[test]
fn keys_behind_a_link_that_others_can_read_are_named() {
    let (home, elsewhere) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let keys = elsewhere.path().join("my-keys");
    fs::write(&keys, "").unwrap();
    std::os::unix::fs::symlink(&keys, home.path().join("keys.env")).unwrap();
    std::os::unix::fs::symlink("nothing", home.path().join("daemon.log")).unwrap();
    for (mode, count) in [(0o600, 0), (0o644, 1)] {
        fs::set_permissions(&keys, fs::Permissions::from_mode(mode)).unwrap();
        let mut found = Vec::new();
        for entry in fs::read_dir(home.path()).unwrap() {
            file(&entry.unwrap(), true, &mut found);
        }
        assert_eq!(found.len(), count, "{found:?}");
        assert!(found.iter().all(|finding| finding.check == "files.closed"));
    }
}

#[test]
fn one_command_closes_all_files_that_others_can_read() {
    let home = tempfile::tempdir().unwrap();
    let paths = ["keys.env", "daemon.log"].map(|name| home.path().join(name));
    for path in &paths {
        fs::write(path, "").unwrap();
        fs::set_permissions(path, fs::Permissions::from_mode(0o644)).unwrap();
    }
    let mut found = Vec::new();
    for entry in fs::read_dir(home.path()).unwrap() {
        file(&entry.unwrap(), true, &mut found);
    }
    let hint = found[0].hint.as_deref().unwrap();
    assert_eq!((found.len(), hint.matches("chmod 600").count()), (1, 1), "{found:?}");
    assert!(paths.iter().all(|path| hint.contains(path.to_str().unwrap())), "{hint}");
}

#[test]
fn a_path_in_a_command_is_quoted_for_a_shell() {
    let above = tempfile::tempdir().unwrap();
    let home = above.path().join("it's $(x)");
    fs::create_dir(&home).unwrap();
    fs::set_permissions(&home, fs::Permissions::from_mode(0o755)).unwrap();
    let keys = home.join("keys.env");
    fs::write(&keys, "").unwrap();
    fs::set_permissions(&keys, fs::Permissions::from_mode(0o644)).unwrap();
    let mut found = Vec::new();
    folder(&home, &fs::metadata(&home).unwrap(), &mut found);
    for entry in fs::read_dir(&home).unwrap() {
        file(&entry.unwrap(), true, &mut found);
    }
    let shown = above.path().display().to_string();
    let hints: Vec<_> = found.into_iter().filter_map(|finding| finding.hint).collect();
    assert_eq!(
        hints,
        [
            format!(r"chmod 700 '{shown}/it'\''s $(x)'"),
            format!(r"chmod 600 '{shown}/it'\''s $(x)/keys.env'"),
        ]
    );
}
