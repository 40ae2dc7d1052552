//! `edit`.

use proptest::prelude::*;
use serde_json::{Value, json};

use super::{House, Limits};
use crate::cases::cases;

fn arguments(old: &str, new: &str, all: bool) -> Value {
    json!({ "path": "a.txt", "old": old, "new": new, "all": all })
}

#[test]
fn one_place_or_all_of_them_are_changed() {
    let house = House::new();
    for (content, old, new, all, made) in [
        ("one two\n", "two", "three", false, "one three\n"),
        ("a\nb\nc", "b\n", "", false, "a\nc"),
        ("a\nb\n", "b\n", "b\nc\n", false, "a\nb\nc\n"),
        ("no end", "end", "newline", false, "no newline"),
        ("a\r\nb\r\nc\r\n", "a\nb", "x\ny\nz", false, "x\r\ny\r\nz\r\nc\r\n"),
        ("a\r\nb\r\n", "a\r\nb", "x\r\ny", false, "x\r\ny\r\n"),
        ("a\r\nb\n", "b", "c\nd", false, "a\r\nc\nd\n"),
        ("x x x\n", "x", "y", true, "y y y\n"),
        ("aaaaa", "aa", "b", true, "bba"),
        ("only one", "one", "1", true, "only 1"),
        ("\u{feff}bom\n", "bom", "BOM", false, "\u{feff}BOM\n"),
        ("ä日本\n", "日", "月", false, "ä月本\n"),
    ] {
        house.put("a.txt", content);
        house.read("a.txt");
        let outcome = house.works("edit", arguments(old, new, all));
        assert_eq!(house.get("a.txt"), made, "{content:?}");
        assert!(outcome.diff.is_some());
    }
}

#[test]
fn what_was_changed_is_told() {
    let house = House::new();
    house.put("a.txt", "1\n2\n3\n4\n5\n6\n7\n8\n9\n");
    house.read("a.txt");
    let outcome = house.works("edit", arguments("5\n", "five\n", false));
    assert_eq!(outcome.text, "changed `a.txt` at line 5");
    assert_eq!(
        outcome.diff.unwrap(),
        "--- a/a.txt\n+++ b/a.txt\n@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+five\n 6\n 7\n 8\n"
    );
    let outcome = house.works("edit", arguments("\n", ";\n", true));
    assert_eq!(outcome.text, "changed `a.txt` in 9 places");
}

#[test]
fn an_edit_that_cannot_be_meant_is_refused() {
    let house = House::new();
    let content = "one\ntwo\none\n  spaced out\n";
    house.put("a.txt", content);
    house.read("a.txt");
    for (old, new, told) in [
        ("one", "1", "`old` is in `a.txt` 2 times: at line 1, 3\nhint: take more lines"),
        ("three", "3", "`old` is not in `a.txt`\nhint: it must be there character by"),
        ("spaced   out", "x", "hint: line 4 differs from it in blanks only"),
        ("two\n one", "x", "hint: line 2 differs from it in blanks only"),
        ("", "x", "`old` is empty"),
        ("two", "two", "`old` and `new` are the same"),
    ] {
        let text = house.refused("edit", arguments(old, new, false));
        assert!(text.contains(told), "{text}");
    }
    house.put("b.txt", "a\r\nb\r\n");
    house.read("b.txt");
    let ends = json!({ "path": "b.txt", "old": "\r\n", "new": "\n", "all": true });
    let text = house.refused("edit", ends);
    assert!(text.contains("an edit keeps the CR LF of `b.txt`"), "{text}");
    let nothing = house.refused("edit", arguments("three", "3", true));
    assert!(nothing.starts_with("`old` is not in `a.txt`"), "{nothing}");
    assert_eq!(house.get("a.txt"), content);
    house.put("a.txt", "aaa");
    house.read("a.txt");
    let text = house.refused("edit", arguments("aa", "b", false));
    assert!(text.starts_with("`old` is in `a.txt` 2 times"), "{text}");
    house.put("a.txt", "x\n".repeat(1000));
    house.read("a.txt");
    let text = house.refused("edit", arguments("x", "y", false));
    assert!(text.contains("100 times or more: at line 1, 2, 3, 4, 5, …"), "{text}");
}

#[test]
fn a_file_must_have_been_read_in_this_run() {
    let house = House::new();
    house.put("a.txt", "one\n");
    let text = house.refused("edit", arguments("one", "two", false));
    assert!(text.starts_with("`a.txt` was not read in this run"), "{text}");
    let text = house.refused("edit", json!({ "path": "b.txt", "old": "a", "new": "b" }));
    assert_eq!(text, "there is no `b.txt`\nhint: `write` makes a file");
    house.works("read", json!({ "path": "a.txt", "limit": 1 }));
    house.works("edit", arguments("one", "two", false));
    house.works("edit", arguments("two", "three", false));
    house.works("write", json!({ "path": "b.txt", "content": "new\n" }));
    house.works("edit", json!({ "path": "b.txt", "old": "new", "new": "newer" }));
}

#[test]
fn d_3_a_file_that_was_changed_meanwhile_is_not_changed_again() {
    let house = House::new();
    house.put("a.txt", "one\ntwo\n");
    house.read("a.txt");
    house.put("a.txt", "one\nTWO\n");
    let text = house.refused("edit", arguments("one", "1", false));
    assert_eq!(
        text,
        "`a.txt` has changed since this run read it\nhint: `read` it again, then make the change"
    );
    assert_eq!(house.get("a.txt"), "one\nTWO\n");
    std::fs::remove_file(house.path("a.txt")).unwrap();
    let text = house.refused("edit", arguments("one", "1", false));
    assert!(text.starts_with("there is no `a.txt`"), "{text}");
}

#[test]
fn of_changes_at_once_each_sees_the_one_before() {
    let house = House::new();
    let lines = |open: &str, close: &str| {
        let lines = (0..20).map(|line| format!("{open}{line}{close}\n"));
        lines.collect::<Vec<_>>().concat()
    };
    house.put("a.txt", lines("<", ">"));
    house.read("a.txt");
    let calls = (0..20).map(|line| {
        let arguments = arguments(&format!("<{line}>"), &format!("[{line}]"), false);
        let Value::Object(arguments) = arguments else { panic!() };
        async { house.workspace.call("edit", arguments, &mut |_| {}).await }
    });
    let done = house.runtime.block_on(futures::future::join_all(calls));
    assert!(done.iter().all(|outcome| !outcome.is_error), "{done:?}");
    assert_eq!(house.get("a.txt"), lines("[", "]"));
}

#[test]
fn a_binary_file_and_one_that_would_be_too_long_are_left_alone() {
    let house = House::with(Limits { file_bytes: 10, ..Limits::default() });
    house.put("a.txt", "01234\n");
    house.read("a.txt");
    let text = house.refused("edit", arguments("0", "0123456789", false));
    assert_eq!(text, "`a.txt` would have more than 10 bytes");
    house.works("write", json!({ "path": "a.txt", "content": "a\0b" }));
    let text = house.refused("edit", arguments("a", "b", false));
    assert_eq!(text, "`a.txt` is a binary file");
}

#[test]
fn a_file_that_would_be_too_long_is_not_made() {
    let house = House::new();
    house.put("a.txt", "x\n".repeat(1 << 18));
    house.read("a.txt");
    // All of it would be a tebibyte.
    let text = house.refused("edit", arguments("x", &"y".repeat(4 << 20), true));
    assert_eq!(text, format!("`a.txt` would have more than {} bytes", 4 << 20));
}

proptest! {
    #![proptest_config(cases(100))]

    #[test]
    fn an_edit_is_a_plain_replacement(
        content in "[ab\n]{0,30}",
        old in "[ab\n]{1,3}",
        new in "[abc\n]{0,4}",
        all in any::<bool>(),
    ) {
        let house = House::new();
        house.put("a.txt", &content);
        house.read("a.txt");
        let starts = content.char_indices().filter(|(at, _)| content[*at..].starts_with(&old));
        let count = starts.count();
        let outcome = house.call("edit", arguments(&old, &new, all));
        let is_fine = old != new && (count == 1 || all && count > 0);
        prop_assert_eq!(outcome.is_error, !is_fine, "{}", outcome.text);
        let expected = if is_fine { content.replace(&old, &new) } else { content };
        prop_assert_eq!(house.get("a.txt"), expected);
    }

    #[test]
    fn the_ends_of_lines_stay_what_they_are(
        lines in prop::collection::vec("[ab]{0,4}", 1..8),
        is_ended in any::<bool>(),
        new in "[xyz\n]{0,6}",
    ) {
        let plain = lines.join("\n") + if is_ended { "\n" } else { "" };
        let content = plain.replace('\n', "\r\n");
        let house = House::new();
        house.put("a.txt", &content);
        house.read("a.txt");
        let outcome = house.call("edit", arguments("a\nb", &new, true));
        let made = house.get("a.txt");
        let is_there = plain.contains("a\nb");
        prop_assert_eq!(outcome.is_error, !is_there, "{}", outcome.text);
        prop_assert_eq!(made, plain.replace("a\nb", &new).replace('\n', "\r\n"));
    }
}
