//! `glob` and `grep`.

use std::{
    fs::File,
    time::{Duration, SystemTime},
};

use proptest::prelude::*;
use serde_json::{Value, json};

use super::{House, Limits};
use crate::cases::cases;

/// Makes a file that was changed `seconds` seconds after a fixed time.
fn aged(house: &House, path: &str, seconds: u64) {
    house.put(path, "text\n");
    let time = SystemTime::UNIX_EPOCH + Duration::from_secs(1_000_000 + seconds);
    File::options().write(true).open(house.path(path)).unwrap().set_modified(time).unwrap();
}

fn found(house: &House, arguments: Value) -> Vec<String> {
    house.works("glob", arguments).text.lines().map(str::to_owned).collect()
}

#[test]
fn names_are_found_the_newest_first() {
    let house = House::new();
    for (seconds, path) in
        ["a.rs", "src/b.rs", "src/deep/c.rs", "src/deep/d.md", ".hidden/e.rs"].iter().enumerate()
    {
        aged(&house, path, seconds as u64);
    }
    let root = house.path(".").canonicalize().unwrap();
    let absolute = format!("{}/src/*.rs", root.display());
    for (asked, paths) in [
        (json!({ "pattern": "*.rs" }), &[".hidden/e.rs", "src/deep/c.rs", "src/b.rs", "a.rs"][..]),
        (json!({ "pattern": "**/*.rs" }), &[".hidden/e.rs", "src/deep/c.rs", "src/b.rs", "a.rs"]),
        (json!({ "pattern": "src/*.rs" }), &["src/b.rs"]),
        (json!({ "pattern": "./src/*.rs" }), &["src/b.rs"]),
        (json!({ "pattern": absolute }), &["src/b.rs"]),
        (json!({ "pattern": absolute, "path": "src" }), &["src/b.rs"]),
        (json!({ "pattern": absolute, "path": "src/deep" }), &["[no file has such a name]"]),
        (json!({ "pattern": "src/**" }), &["src/deep/d.md", "src/deep/c.rs", "src/b.rs"]),
        (json!({ "pattern": "{c,d}.*", "path": "src" }), &["src/deep/d.md", "src/deep/c.rs"]),
        (json!({ "pattern": "deep/[c]*", "path": "src" }), &["src/deep/c.rs"]),
        (json!({ "pattern": "*.py" }), &["[no file has such a name]"]),
    ] {
        assert_eq!(found(&house, asked.clone()), paths, "{asked}");
    }
}

#[test]
fn what_git_ignores_is_left_out() {
    let house = House::new();
    for path in [
        "kept.txt",
        "built/x.txt",
        "log.txt",
        "sub/log.txt",
        "sub/own.txt",
        "sub/built/y.txt",
        "other/own.txt",
        ".git/config.txt",
        "deep/er/only.txt",
    ] {
        house.put(path, "text\n");
    }
    house.put(".gitignore", "/built/\nlog.txt\n# a comment\ndeep/er/\n[\n");
    house.put("sub/.gitignore", "own.txt\n!log.txt\n");
    let mut paths = found(&house, json!({ "pattern": "*.txt" }));
    paths.sort();
    assert_eq!(paths, ["kept.txt", "other/own.txt", "sub/built/y.txt", "sub/log.txt"]);
    let text = house.works("grep", json!({ "pattern": "text", "path": "sub" })).text;
    assert_eq!(text, "sub/built/y.txt:1:text\nsub/log.txt:1:text\n");
    let named = house.works("grep", json!({ "pattern": "text", "path": "log.txt" })).text;
    assert_eq!(named, "log.txt:1:text\n", "what is named is looked at");
    assert_eq!(found(&house, json!({ "pattern": "*.txt", "path": "built" })), ["built/x.txt"]);
}

#[test]
fn links_are_not_followed() {
    let house = House::new();
    house.put("a/one.txt", "text\n");
    house.link(house.beside("outside"), "out");
    house.link("a", "again");
    house.link("a/one.txt", "two.txt");
    assert_eq!(found(&house, json!({ "pattern": "*.txt" })), ["a/one.txt"]);
    let text = house.works("grep", json!({ "pattern": "." })).text;
    assert_eq!(text, "a/one.txt:1:text\n");
}

#[test]
fn lines_are_found_with_their_places() {
    let house = House::new();
    house.put("a.txt", "one\ntwo\nthree\r\nfour\nfive\nsix\nseven two\n");
    house.put("b/c.rs", "fn two() {}\nTWO");
    for (asked, lines) in [
        (json!({ "pattern": "two" }), "a.txt:2:two|a.txt:7:seven two|b/c.rs:1:fn two() {}"),
        (json!({ "pattern": "^two$" }), "a.txt:2:two"),
        (json!({ "pattern": "three$" }), "a.txt:3:three"),
        (json!({ "pattern": "two", "glob": "*.rs" }), "b/c.rs:1:fn two() {}"),
        (json!({ "pattern": "two", "glob": "b/*" }), "b/c.rs:1:fn two() {}"),
        (json!({ "pattern": "two", "path": "b", "glob": "*.txt" }), "[nothing was found]"),
        (
            json!({ "pattern": "TWO", "ignore_case": true, "path": "b/c.rs" }),
            "b/c.rs:1:fn two() {}|b/c.rs:2:TWO",
        ),
        (json!({ "pattern": "two", "files_only": true }), "a.txt|b/c.rs"),
        (
            json!({ "pattern": "two", "context": 1, "path": "a.txt" }),
            "a.txt-1-one|a.txt:2:two|a.txt-3-three|--|a.txt-6-six|a.txt:7:seven two",
        ),
        (
            json!({ "pattern": "t", "context": 1, "path": "a.txt" }),
            "a.txt-1-one|a.txt:2:two|a.txt:3:three|a.txt-4-four|--|a.txt-6-six|a.txt:7:seven two",
        ),
        (
            json!({ "pattern": "^(two|fn)", "context": 1, "glob": "*.{txt,rs}" }),
            "a.txt-1-one|a.txt:2:two|a.txt-3-three|--|b/c.rs:1:fn two() {}|b/c.rs-2-TWO",
        ),
    ] {
        let text = house.works("grep", asked.clone()).text;
        assert_eq!(text.lines().collect::<Vec<_>>().join("|"), lines, "{asked}");
    }
}

#[test]
fn what_cannot_be_looked_for_is_told() {
    let house = House::new();
    house.put("a.txt", "text\n");
    house.put("b.bin", "a\0b");
    for (tool, asked, told) in [
        ("grep", json!({ "pattern": "(" }), "`(` is not a regular expression: regex parse error"),
        (
            "grep",
            json!({ "pattern": "a{9999}{9999}" }),
            "is not a regular expression: Compiled regex",
        ),
        ("grep", json!({ "pattern": "a", "context": 21 }), "`context` is 20 at the most"),
        ("grep", json!({ "pattern": "a", "path": "b.bin" }), "`b.bin` is a binary file"),
        ("grep", json!({ "pattern": "a", "path": "none" }), "there is no `none`"),
        (
            "grep",
            json!({ "pattern": "a", "glob": "[" }),
            "`[` is not a pattern: unclosed character",
        ),
        ("glob", json!({ "pattern": "{a" }), "`{a` is not a pattern: unclosed alternate group"),
        ("glob", json!({ "pattern": "*", "path": "a.txt" }), "`a.txt` is not a folder"),
        ("glob", json!({ "pattern": "*", "path": "none" }), "`none`"),
        ("glob", json!({ "pattern": "../*" }), "is for files outside of the folder"),
        ("glob", json!({ "pattern": "/etc/*" }), "is for files outside of the folder"),
        ("glob", json!({ "pattern": "*".repeat(1001) }), "a pattern has 1000 bytes at the most"),
    ] {
        let text = house.refused(tool, asked);
        assert!(text.contains(told), "{text}");
    }
}

#[test]
fn long_lines_are_cut_around_what_was_found() {
    let house = House::new();
    let long = format!("{}needle{}", "é".repeat(300), "x".repeat(100_000));
    house.put(
        "a.txt",
        format!("{long}\nneedle {}\n{}needle\n", "y".repeat(500), "z".repeat(70_000)),
    );
    let text = house.works("grep", json!({ "pattern": "needle" })).text;
    let lines: Vec<_> = text.lines().collect();
    assert_eq!(lines.len(), 2, "what comes very late in a line is not looked at");
    assert!(lines[0].starts_with("a.txt:1:…éé") && lines[0].contains("éneedlexx"), "{text}");
    assert!(lines[1].starts_with("a.txt:2:needle yy") && lines[1].ends_with("y…"), "{text}");
    assert!(lines.iter().all(|line| line.len() < 450), "{text}");
}

#[test]
fn a_search_ends_where_there_is_too_much() {
    let limits = Limits { found: 3, found_bytes: 100, walked: 50, ..Limits::default() };
    let house = House::with(limits);
    for number in 0..10 {
        aged(&house, &format!("a/{number}.txt"), number);
    }
    let paths = found(&house, json!({ "pattern": "*" }));
    assert_eq!(paths, ["a/9.txt", "a/8.txt", "a/7.txt", "[7 more, changed before these]"]);
    let text = house.works("grep", json!({ "pattern": "text" })).text;
    let lines: Vec<_> = text.lines().collect();
    assert_eq!(
        (lines.len(), lines[3]),
        (4, "[there is more: look for something rarer, or in fewer files]")
    );
    house.put("a/0.txt", "text 0123456789 0123456789\n".repeat(5));
    let text = house.works("grep", json!({ "pattern": "text" })).text;
    assert!(text.len() < 180 && text.contains("[there is more"), "{text}");
    for number in 0..60 {
        house.put(&format!("b/{number}.rs"), "");
    }
    let text = house.works("glob", json!({ "pattern": "*.rs" })).text;
    assert!(text.contains("[there are too many files to look at all of them"), "{text}");
}

#[test]
fn folders_are_gone_into_only_so_deep() {
    let house = House::new();
    let deep = "d/".repeat(70);
    house.put(&format!("{deep}a.txt"), "text\n");
    house.put("d/b.txt", "text\n");
    let text = house.works("glob", json!({ "pattern": "*.txt" })).text;
    assert_eq!(text, "d/b.txt\n[folders deeper than 64 were left out]\n");
    house.read(&format!("{deep}a.txt"));
}

#[test]
fn a_long_text_is_looked_at_only_so_far() {
    let house = House::with(Limits { scanned: 10_000, ..Limits::default() });
    house.put("a.txt", format!("{}needle\n", "hay\n".repeat(5000)));
    let text = house.works("grep", json!({ "pattern": "needle" })).text;
    assert_eq!(
        text,
        "[nothing was found]\n[there is too much text to look at all of it: name a folder]\n"
    );
}

proptest! {
    #![proptest_config(cases(60))]

    #[test]
    fn whatever_is_looked_for_the_answer_is_bounded(
        names in prop::collection::vec("[ab]{1,2}(/[ab]{1,2}){0,2}\\.[xy]", 0..12),
        text in "([ab \n]|xyz|\u{0}|é){0,60}",
        pattern in "[ab.*x\\[(|]{0,4}",
        glob in "[ab*?x.{,}\\[/]{0,6}",
        context in 0..3,
    ) {
        let limits = Limits { found: 4, found_bytes: 200, ..Limits::default() };
        let house = House::with(limits);
        for name in &names {
            house.put(name, &text);
        }
        let asked = json!({ "pattern": pattern, "glob": glob, "context": context });
        for outcome in [house.call("grep", asked), house.call("glob", json!({ "pattern": glob }))] {
            prop_assert!(outcome.text.len() < 700, "{}", outcome.text);
            prop_assert!(outcome.text.lines().count() < 60, "{}", outcome.text);
        }
    }

    #[test]
    fn every_line_that_matches_is_found(lines in prop::collection::vec("[ab]{0,3}", 1..20)) {
        let house = House::new();
        house.put("t", lines.join("\n"));
        let text = house.works("grep", json!({ "pattern": "ab" })).text;
        let found: Vec<_> = text.lines().filter(|line| line.starts_with("t:")).collect();
        let expected: Vec<_> = lines.iter().enumerate().filter(|(_, line)| line.contains("ab"))
            .map(|(at, line)| format!("t:{}:{line}", at + 1)).collect();
        prop_assert_eq!(found, expected);
    }
}
