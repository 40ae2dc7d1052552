use std::{fs, os::unix::fs::symlink};

use super::home;
use crate::{Home, HomeError, HomeFile, KEPT, Memory, cases::cases, one_line};
use proptest::prelude::*;

const DAY: &str = "memory/daily/2026-11-25.md";

fn day() -> HomeFile {
    DAY.parse().unwrap()
}

#[test]
fn a_link_out_of_the_home_is_neither_read_nor_written() {
    let (folder, home) = home();
    let secret = folder.path().join("secret");
    fs::write(&secret, "secret").unwrap();
    fs::remove_file(home.path.join("USER.md")).unwrap();
    symlink(&secret, home.path.join("USER.md")).unwrap();
    let refused = |error: HomeError| assert!(matches!(error, HomeError::Link { .. }), "{error}");
    refused(home.read(HomeFile::User, 100).unwrap_err());
    refused(home.replace(HomeFile::User, b"x").unwrap_err());
    refused(home.append(HomeFile::User, "x").unwrap_err());
    refused(home.remove(HomeFile::User).unwrap_err());
    assert_eq!(fs::read_to_string(&secret).unwrap(), "secret");
    // The others are there as before.
    assert!(home.read(HomeFile::Soul, 1 << 20).unwrap().is_some());
}

#[test]
fn a_link_in_place_of_a_folder_leads_nowhere() {
    let (folder, home) = home();
    let outside = folder.path().join("outside");
    fs::create_dir_all(outside.join("daily")).unwrap();
    fs::write(outside.join("long-term.md"), "secret").unwrap();
    fs::remove_dir_all(home.path.join("memory")).unwrap();
    symlink(&outside, home.path.join("memory")).unwrap();
    assert!(matches!(home.read(HomeFile::LongTerm, 9), Err(HomeError::Link { .. })));
    assert!(matches!(home.append(day(), "x"), Err(HomeError::Link { .. })));
    assert_eq!(fs::read_dir(outside.join("daily")).unwrap().count(), 0);
    let listed = Home::make(&home.path, "").unwrap().list().unwrap();
    assert_eq!(listed.len(), HomeFile::FIXED.len() - 1);
    assert!(listed.iter().all(|listed| listed.file != HomeFile::LongTerm));
}

#[test]
fn a_link_in_place_of_the_folder_of_days_hides_the_days_alone() {
    let (folder, home) = home();
    let outside = folder.path().join("outside");
    fs::create_dir(&outside).unwrap();
    fs::write(outside.join("2026-11-25.md"), "secret").unwrap();
    fs::remove_dir(home.path.join("memory/daily")).unwrap();
    symlink(&outside, home.path.join("memory/daily")).unwrap();
    home.replace(HomeFile::LongTerm, b"known").unwrap();
    let listed: Vec<_> = home.list().unwrap().into_iter().map(|listed| listed.file).collect();
    assert_eq!(listed, HomeFile::FIXED);
    let mut memory = Memory::default();
    memory.refresh(&home).unwrap();
    assert_eq!(memory.search("known", 9).hits.len(), 1);
    assert_eq!(memory.search("secret", 9).hits, []);
    assert!(matches!(home.append(day(), "x"), Err(HomeError::Link { .. })));
}

#[test]
fn a_home_that_is_a_link_to_nothing_is_not_a_folder_and_the_link_stays() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("alice");
    symlink("gone", &path).unwrap();
    let refused = Home::make(&path, "").unwrap_err();
    assert!(matches!(refused, HomeError::NotAFolder { .. }), "{refused}");
    assert_eq!(fs::read_link(&path).unwrap(), std::path::Path::new("gone"));
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1, "a draft is left");
}

#[test]
fn a_pipe_or_a_folder_in_place_of_a_file_is_refused_at_once() {
    let (_folder, home) = home();
    fs::remove_file(home.path.join("USER.md")).unwrap();
    fs::remove_file(home.path.join("SOUL.md")).unwrap();
    fs::create_dir(home.path.join("USER.md")).unwrap();
    let pipe = home.path.join("SOUL.md");
    assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    for file in [HomeFile::User, HomeFile::Soul] {
        let refused = home.read(file, 9).unwrap_err();
        assert!(matches!(refused, HomeError::NotAFile { .. }), "{refused}");
        let refused = home.append(file, "x").unwrap_err();
        assert!(matches!(refused, HomeError::NotAFile { .. }), "{refused}");
    }
}

#[test]
fn strange_names_among_the_versions_keep_nothing_from_being_written() {
    let (_folder, home) = home();
    let history = home.path.join(".history/USER.md");
    fs::create_dir_all(&history).unwrap();
    for name in ["18446744073709551615", "18446744073709551614", "007", "+8", "x"] {
        fs::write(history.join(name), name).unwrap();
    }
    fs::create_dir(history.join("0")).unwrap();
    for turn in 0..KEPT + 5 {
        home.replace(HomeFile::User, turn.to_string().as_bytes()).unwrap();
    }
    assert_eq!(home.version(HomeFile::User, 20).unwrap(), b"18");
    assert_eq!(home.versions(HomeFile::User).unwrap().len(), KEPT);
    assert_eq!(fs::read_to_string(history.join("007")).unwrap(), "007");
}

#[test]
fn a_home_of_another_owner_is_refused() {
    if rustix::process::geteuid().is_root() {
        let folder = tempfile::tempdir().unwrap();
        std::os::unix::fs::chown(folder.path(), Some(4711), None).unwrap();
        let refused = Home::open(folder.path()).unwrap_err();
        assert!(matches!(refused, HomeError::OtherOwner { owner: 4711, .. }), "{refused}");
        assert!(Home::make(folder.path(), "").is_err());
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
    } else {
        let refused = Home::open(std::path::Path::new("/")).unwrap_err();
        assert!(matches!(refused, HomeError::OtherOwner { owner: 0, .. }), "{refused}");
    }
}

#[test]
fn a_file_that_is_not_utf_8_is_shown_and_its_bytes_stay() {
    let (_folder, home) = home();
    let bytes = b"caf\xe9 au lait\n";
    fs::write(home.path.join("USER.md"), bytes).unwrap();
    let read = home.read(HomeFile::User, 100).unwrap().unwrap();
    assert_eq!((read.text.as_str(), read.is_utf8), ("caf\u{fffd} au lait\n", false));
    home.replace(HomeFile::User, "café".as_bytes()).unwrap();
    assert_eq!(home.version(HomeFile::User, 1).unwrap(), bytes);
}

#[test]
fn a_file_of_five_megabytes_is_shown_by_its_ends() {
    let (_folder, home) = home();
    let text = format!("begin {} end", "é".repeat(5 << 19));
    fs::write(home.path.join("memory/long-term.md"), &text).unwrap();
    let shown = home.excerpt(HomeFile::LongTerm, 20_000, 14_000, 4_000).unwrap().unwrap();
    let tail = shown.tail.unwrap();
    assert_eq!((shown.head.chars().count(), tail.chars().count()), (14_000, 4_000));
    assert!(shown.head.starts_with("begin é") && tail.ends_with("é end"));
    assert!(shown.is_utf8 && !shown.head.contains('\u{fffd}') && !tail.contains('\u{fffd}'));
    assert_eq!(shown.bytes, text.len() as u64);
    assert_eq!(shown.cut, (text.len() - shown.head.len() - tail.len()) as u64);
}

/// A folder on a disk with hardly any room. `None` without the right to mount one.
struct SmallDisk(tempfile::TempDir);

impl SmallDisk {
    fn new() -> Option<Self> {
        let folder = tempfile::tempdir().unwrap();
        let mounted = std::process::Command::new("mount")
            .args(["-t", "tmpfs", "-o", "size=256k", "tmpfs"])
            .arg(folder.path())
            .output();
        mounted.ok().filter(|mounted| mounted.status.success()).map(|_| Self(folder))
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        drop(std::process::Command::new("umount").arg(self.0.path()).output());
    }
}

#[test]
fn nothing_is_lost_when_the_disk_is_full() {
    let Some(disk) = SmallDisk::new() else {
        eprintln!("SKIPPED: a small disk cannot be mounted here");
        return;
    };
    let home = Home::make(&disk.0.path().join("alice"), "tools").unwrap();
    home.append(day(), "kept\n").unwrap();
    home.replace(HomeFile::LongTerm, b"kept").unwrap();
    let long = "x".repeat(1 << 20);
    let full = |error: HomeError| {
        assert!(matches!(error, HomeError::Full { .. }), "{error}");
        assert!(error.to_string().ends_with("disk full: nothing was saved"), "{error}");
    };
    full(home.append(day(), &long).unwrap_err());
    full(home.replace(HomeFile::LongTerm, long.as_bytes()).unwrap_err());
    let text = |file| home.read(file, 1 << 21).unwrap().unwrap().text;
    assert_eq!((text(day()), text(HomeFile::LongTerm)), ("kept\n".to_owned(), "kept".to_owned()));
    // There is room again.
    home.append(day(), "more\n").unwrap();
    assert_eq!(text(day()), "kept\nmore\n");
    assert!(!home.path.join("memory/.long-term.md.new").exists());
}

#[test]
fn a_text_in_one_line_has_no_line_ends() {
    for (text, most, line) in [
        ("one\ntwo\r\n three", 99, "one two three"),
        ("  ## x\u{85}y\u{2028}z ", 99, "## x y z"),
        ("abcdef", 3, "abc…"),
        ("é é é", 3, "é é…"),
        ("", 3, ""),
    ] {
        assert_eq!(one_line(text, most), line, "{text:?}");
    }
}

proptest! {
    #![proptest_config(cases(64))]

    #[test]
    fn an_excerpt_is_the_beginning_and_the_end_of_any_file(
        bytes in proptest::collection::vec(any::<u8>(), 0..300),
        most in 1..40_usize,
    ) {
        let (_folder, home) = home();
        fs::write(home.path.join("USER.md"), &bytes).unwrap();
        let (head, tail) = (most * 7 / 10, most * 2 / 10);
        let shown = home.excerpt(HomeFile::User, most, head, tail).unwrap().unwrap();
        let whole = String::from_utf8_lossy(&bytes).into_owned();
        prop_assert_eq!(shown.bytes, bytes.len() as u64);
        match &shown.tail {
            None => {
                prop_assert_eq!(&shown.head, &whole);
                prop_assert!(whole.chars().count() <= most);
            }
            Some(end) => {
                prop_assert!(whole.starts_with(&shown.head));
                prop_assert_eq!(shown.head.chars().count(), head);
                prop_assert!(end.chars().count() <= tail);
            }
        }
    }
}
