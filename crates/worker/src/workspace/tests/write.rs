//! `write`.

use std::{
    fs,
    os::unix::fs::{MetadataExt, PermissionsExt},
};

use serde_json::json;

use super::{House, Limits};

#[test]
fn a_file_is_made_with_its_folders_and_told_as_a_diff() {
    let house = House::new();
    let outcome = house.works("write", json!({ "path": "a/b/c.txt", "content": "one\ntwo" }));
    assert_eq!(outcome.text, "made `a/b/c.txt`: 7 bytes");
    assert_eq!(house.get("a/b/c.txt"), "one\ntwo");
    assert_eq!(
        outcome.diff.unwrap(),
        "--- /dev/null\n+++ b/a/b/c.txt\n@@ -0,0 +1,2 @@\n+one\n+two\n\\ No newline at end of file\n"
    );
}

#[test]
fn a_file_is_replaced_whole_and_keeps_its_mode() {
    let house = House::new();
    house.put("run.sh", "old\n");
    fs::set_permissions(house.path("run.sh"), fs::Permissions::from_mode(0o751)).unwrap();
    let outcome = house.works("write", json!({ "path": "run.sh", "content": "new\n" }));
    assert_eq!(outcome.text, "replaced `run.sh`: 4 bytes");
    assert_eq!(outcome.diff.unwrap(), "--- a/run.sh\n+++ b/run.sh\n@@ -1 +1 @@\n-old\n+new\n");
    let metadata = fs::metadata(house.path("run.sh")).unwrap();
    assert_eq!(metadata.permissions().mode() & 0o7777, 0o751);
    assert_eq!(fs::read_dir(house.path(".")).unwrap().count(), 1, "a draft is left");
}

#[test]
fn a_write_that_changes_nothing_has_no_diff() {
    let house = House::new();
    house.put("a.txt", "same\n");
    let outcome = house.works("write", json!({ "path": "a.txt", "content": "same\n" }));
    assert_eq!(outcome.diff, None);
}

#[test]
fn the_other_name_of_a_file_keeps_what_was_in_it() {
    let house = House::new();
    fs::hard_link(house.beside("secret.txt"), house.path("hard.txt")).unwrap();
    house.works("write", json!({ "path": "hard.txt", "content": "mine\n" }));
    assert_eq!(fs::read_to_string(house.beside("secret.txt")).unwrap(), super::SECRET);
    assert_eq!(fs::metadata(house.path("hard.txt")).unwrap().nlink(), 1);
}

#[test]
fn a_link_is_not_written_over_and_what_it_stands_for_is_named_if_it_is_inside() {
    let house = House::new();
    house.put("real.txt", "real\n");
    house.link("real.txt", "link.txt");
    house.link("../secret.txt", "out.txt");
    let told = |path| house.refused("write", json!({ "path": path, "content": "x" }));
    assert_eq!(
        told("link.txt"),
        "`link.txt` is a symbolic link, which is not changed\nhint: it stands for `real.txt`"
    );
    assert_eq!(told("out.txt"), "`out.txt` is a symbolic link, which is not changed");
    assert_eq!(house.get("real.txt"), "real\n");
}

#[test]
fn a_file_that_was_read_and_has_changed_since_is_not_replaced() {
    let house = House::new();
    house.put("a.txt", "one\n");
    house.read("a.txt");
    house.put("a.txt", "two\n");
    let write = || house.call("write", json!({ "path": "a.txt", "content": "three\n" }));
    assert!(write().text.starts_with("`a.txt` has changed since this run read it"));
    assert_eq!(house.get("a.txt"), "two\n");
    house.read("a.txt");
    assert!(!write().is_error);
    assert!(!write().is_error, "its own change is one it knows");
}

#[test]
fn more_than_a_file_may_have_is_not_written() {
    let house = House::with(Limits { file_bytes: 10, ..Limits::default() });
    let text = house.refused("write", json!({ "path": "a", "content": "01234567890" }));
    assert_eq!(text, "11 bytes are more than the 10 of a file");
    house.works("write", json!({ "path": "a", "content": "0123456789" }));
}

#[test]
fn a_diff_is_bounded_and_says_what_it_leaves_out() {
    let house = House::with(Limits { diff_bytes: 200, ..Limits::default() });
    let content = "a line of twenty by\n".repeat(20_000);
    let diff = house.works("write", json!({ "path": "a", "content": content })).diff.unwrap();
    assert!(diff.len() < 260, "{diff}");
    assert!(diff.ends_with(" more lines of the diff]\n"), "{diff}");
    let other = (0..20_000).map(|line| format!("{line}\n")).collect::<Vec<_>>().concat();
    let diff = house.works("write", json!({ "path": "a", "content": other })).diff.unwrap();
    assert!(diff.starts_with("--- a/a\n+++ b/a\n@@ -1,20000 +1,20000 @@\n-a line"), "{diff}");
    let diff = house.works("write", json!({ "path": "a", "content": "a\0b" })).diff.unwrap();
    assert_eq!(diff, "--- a/a\n+++ b/a\n[binary: 108890 bytes became 3]\n");
}
