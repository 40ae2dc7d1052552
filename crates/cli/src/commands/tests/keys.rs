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
fn a_value_is_one_line_and_is_never_repeated() {
    let name: Variable = "KEY".parse().unwrap();
    assert_eq!(checked(&name, "secret\r\n").unwrap(), "secret");
    for bad in ["", "\n", "secret\nsecret"] {
        let error = checked(&name, bad).unwrap_err().to_string();
        assert!(!error.contains("secret"), "{error}");
    }
}
