use std::{fs, os::unix::fs::PermissionsExt as _};

use super::*;

#[test]
fn keys_are_for_their_owner_alone_and_replaced_whole() {
    let folder = tempfile::tempdir().unwrap();
    let file = KeysFile { path: folder.path().join("keys.env") };
    let (one, other): (Variable, Variable) = ("A".parse().unwrap(), "B".parse().unwrap());
    assert!(!file.change(&one, None).unwrap());
    assert!(file.change(&one, Some("x y")).unwrap());
    assert!(file.change(&other, Some("z")).unwrap());
    assert_eq!(fs::read_to_string(&file.path).unwrap(), "A='x y'\nB=z\n");
    let mode = fs::metadata(&file.path).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    assert!(file.change(&one, None).unwrap());
    assert_eq!(fs::read_to_string(&file.path).unwrap(), "B=z\n");
    let left = fs::read_dir(folder.path()).unwrap();
    let mut left: Vec<_> = left.map(|entry| entry.unwrap().file_name()).collect();
    left.sort();
    assert_eq!(left, ["keys.env", "keys.lock"]);
}

#[test]
fn a_linked_file_of_keys_stays_linked_and_a_failed_change_leaves_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let (path, kept) = (folder.path().join("keys.env"), folder.path().join("kept.env"));
    fs::write(&kept, "B=z\n").unwrap();
    std::os::unix::fs::symlink(&kept, &path).unwrap();
    let file = KeysFile { path: path.clone() };
    assert!(file.change(&"A".parse().unwrap(), Some("x")).unwrap());
    assert!(fs::symlink_metadata(&path).unwrap().is_symlink());
    assert_eq!(fs::read_to_string(&kept).unwrap(), "B=z\nA=x\n");

    let full = folder.path().join("full");
    fs::create_dir_all(full.join("more")).unwrap();
    assert!(files::replace(&full, "A=secret\n").is_err());
    assert!(!files::draft_of(&full).exists());
}

#[test]
fn a_link_to_a_file_of_keys_that_does_not_exist_yet_stays_one() {
    let folder = tempfile::tempdir().unwrap();
    let (path, more) = (folder.path().join("keys.env"), folder.path().join("more"));
    fs::create_dir(&more).unwrap();
    std::os::unix::fs::symlink("more/link.env", &path).unwrap();
    std::os::unix::fs::symlink("kept.env", more.join("link.env")).unwrap();
    let file = KeysFile { path: path.clone() };
    assert!(file.change(&"A".parse().unwrap(), Some("x")).unwrap());
    assert!(fs::symlink_metadata(&path).unwrap().is_symlink());
    assert_eq!(fs::read_to_string(more.join("kept.env")).unwrap(), "A=x\n");

    fs::remove_dir_all(&more).unwrap();
    assert!(file.change(&"A".parse().unwrap(), Some("x")).is_err());
    assert!(fs::symlink_metadata(&path).unwrap().is_symlink());
}

#[test]
fn a_value_is_one_line_and_is_never_repeated() {
    let name: Variable = "KEY".parse().unwrap();
    for typed in ["secret\r\n", " secret\t \n", "\nsecret"] {
        assert_eq!(checked(&name, typed).unwrap(), "secret");
    }
    for bad in ["", "\n", " \n", "secret\nsecret"] {
        let error = checked(&name, bad).unwrap_err().to_string();
        assert!(!error.contains("secret"), "{error}");
    }
}
