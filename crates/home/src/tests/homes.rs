use std::{fs, os::unix::fs::PermissionsExt};

use super::home;
use crate::{Home, HomeError, HomeFile, KEPT};

fn text(home: &Home, file: HomeFile) -> String {
    home.read(file, 1 << 20).unwrap().unwrap().text
}

#[test]
fn a_new_home_has_every_file_and_folder_for_its_owner_alone() {
    let (_folder, home) = home();
    let listed: Vec<_> = home.list().unwrap().into_iter().map(|listed| listed.file).collect();
    assert_eq!(listed, HomeFile::FIXED);
    assert!(home.path.join("memory/daily").is_dir() && home.path.join("workspace").is_dir());
    assert_eq!(text(&home, HomeFile::Tools), "# Your tools\n");
    let mode =
        |path: &str| fs::metadata(home.path.join(path)).unwrap().permissions().mode() & 0o777;
    assert_eq!((mode("."), mode("SOUL.md"), mode("memory")), (0o700, 0o600, 0o700));
}

#[test]
fn templates_are_short() {
    for file in HomeFile::FIXED {
        let template = file.template("").unwrap();
        assert!(template.len() < 1200, "{file}: {}", template.len());
        assert!(file == HomeFile::Tools || template.starts_with("# "), "{file}");
    }
}

#[test]
fn a_home_that_exists_is_not_written_again() {
    let (_folder, home) = home();
    fs::write(home.path.join("SOUL.md"), "mine").unwrap();
    fs::remove_file(home.path.join("BOOTSTRAP.md")).unwrap();
    let again = Home::make(&home.path, "other").unwrap();
    assert_eq!(text(&again, HomeFile::Soul), "mine");
    assert_eq!(text(&again, HomeFile::Tools), "# Your tools\n");
    assert!(!again.has(HomeFile::Bootstrap).unwrap());
}

#[test]
fn an_empty_folder_becomes_a_home_and_a_folder_with_one_file_of_it_stays() {
    let folder = tempfile::tempdir().unwrap();
    let home = Home::make(folder.path(), "tools").unwrap();
    assert_eq!(home.list().unwrap().len(), 8);
    let other = tempfile::tempdir().unwrap();
    fs::write(other.path().join("SOUL.md"), "mine").unwrap();
    let home = Home::make(other.path(), "tools").unwrap();
    assert_eq!(home.list().unwrap().len(), 1);
    assert!(other.path().join("workspace").is_dir());
}

#[test]
fn what_is_left_of_a_home_that_was_not_finished_is_removed() {
    let folder = tempfile::tempdir().unwrap();
    let left = folder.path().join(".alice.new-0123456789abcdef");
    fs::create_dir(&left).unwrap();
    fs::write(left.join("SOUL.md"), "half").unwrap();
    let home = Home::make(&folder.path().join("alice"), "tools").unwrap();
    assert_ne!(text(&home, HomeFile::Soul), "half");
    assert!(!left.exists());
}

#[test]
fn a_folder_of_the_user_beside_a_new_home_stays() {
    let folder = tempfile::tempdir().unwrap();
    let names = [".alice.new", ".alice.new-notes", ".bob.new-0123456789abcdef"];
    for name in names {
        fs::create_dir(folder.path().join(name)).unwrap();
        fs::write(folder.path().join(name).join("SOUL.md"), "mine").unwrap();
    }
    Home::make(&folder.path().join("alice"), "tools").unwrap();
    for name in names {
        let kept = fs::read_to_string(folder.path().join(name).join("SOUL.md")).unwrap();
        assert_eq!(kept, "mine");
    }
}

#[test]
fn names_lead_to_files_of_the_home_and_to_no_other() {
    for file in HomeFile::FIXED.into_iter().chain([HomeFile::Day("2026-11-25".parse().unwrap())]) {
        assert_eq!(file.to_string().parse(), Ok(file));
    }
    for name in [
        "",
        ".",
        "soul.md",
        "SOUL.md/",
        "./SOUL.md",
        "../SOUL.md",
        "/etc/passwd",
        "workspace/a.md",
        "memory",
        "memory/daily/",
        "memory/daily/2026-1-5.md",
        "memory/daily/20261105.md",
        "memory/daily/2026-13-01.md",
        "memory/daily/../../SOUL.md",
        "SOUL.md\0",
        ".history/SOUL.md/1",
    ] {
        assert!(name.parse::<HomeFile>().is_err(), "{name}");
    }
}

#[test]
fn what_a_file_was_before_is_a_version() {
    let (_folder, home) = home();
    let first = text(&home, HomeFile::User);
    home.replace(HomeFile::User, b"second").unwrap();
    fs::write(home.path.join("USER.md"), "by hand").unwrap();
    home.replace(HomeFile::User, b"third").unwrap();
    assert_eq!(text(&home, HomeFile::User), "third");
    let versions = home.versions(HomeFile::User).unwrap();
    assert_eq!(versions.iter().map(|kept| kept.version).collect::<Vec<_>>(), [2, 1]);
    assert_eq!(home.version(HomeFile::User, 1).unwrap(), first.as_bytes());
    assert_eq!(home.version(HomeFile::User, 2).unwrap(), b"by hand");
    let missing = home.version(HomeFile::User, 9).unwrap_err();
    assert_eq!(missing.to_string(), "`USER.md` has no version 9");
}

#[test]
fn the_newest_versions_are_kept() {
    let (_folder, home) = home();
    for turn in 0..KEPT + 5 {
        home.replace(HomeFile::LongTerm, turn.to_string().as_bytes()).unwrap();
    }
    let versions = home.versions(HomeFile::LongTerm).unwrap();
    assert_eq!(versions.len(), KEPT);
    let newest = home.version(HomeFile::LongTerm, versions[0].version).unwrap();
    assert_eq!(newest, (KEPT + 3).to_string().as_bytes());
}

#[test]
fn a_file_that_is_removed_can_be_had_back() {
    let (_folder, home) = home();
    let was = text(&home, HomeFile::Bootstrap);
    assert!(home.remove(HomeFile::Bootstrap).unwrap());
    assert!(!home.remove(HomeFile::Bootstrap).unwrap());
    assert_eq!(home.version(HomeFile::Bootstrap, 1).unwrap(), was.as_bytes());
}

#[test]
fn what_is_added_after_a_replacement_that_was_cut_off_is_in_no_version() {
    let (folder, home) = home();
    let day = HomeFile::Day("2026-11-25".parse().unwrap());
    home.append(day, "first\n").unwrap();
    home.replace(day, b"second\n").unwrap();
    // A backup of the user's is not a version.
    let (of_day, backup) =
        (home.path.join("memory/daily/2026-11-25.md"), folder.path().join("day"));
    fs::hard_link(&of_day, &backup).unwrap();
    for file in [day, HomeFile::User] {
        let versions = home.path.join(".history").join(file.name());
        fs::create_dir_all(&versions).unwrap();
        fs::hard_link(home.path.join(file.to_string()), versions.join("2")).unwrap();
    }
    let home = Home::make(&home.path, "").unwrap();
    home.append(day, "third\n").unwrap();
    assert_eq!(text(&home, day), "second\nthird\n");
    let versions = home.versions(day).unwrap();
    assert_eq!(versions.iter().map(|kept| kept.version).collect::<Vec<_>>(), [1]);
    assert_eq!(home.version(day, 1).unwrap(), b"first\n");
    assert_eq!(home.versions(HomeFile::User).unwrap(), []);
    assert!(backup.exists());
    home.replace(day, b"fourth\n").unwrap();
    assert_eq!(home.version(day, 2).unwrap(), b"second\nthird\n");
}

#[test]
fn a_file_whose_versions_cannot_be_read_keeps_no_other_file_from_being_mended() {
    // The order in which a folder is read differs, so each file is the odd one once.
    for odd in HomeFile::FIXED {
        let (_folder, home) = home();
        let history = home.path.join(".history");
        let others = || HomeFile::FIXED.into_iter().filter(move |file| *file != odd);
        for file in others() {
            let versions = history.join(file.name());
            fs::create_dir_all(&versions).unwrap();
            fs::hard_link(home.path.join(file.to_string()), versions.join("1")).unwrap();
        }
        fs::write(history.join(odd.name()), "").unwrap();
        let home = Home::make(&home.path, "").unwrap();
        for file in others() {
            assert_eq!(home.versions(file).unwrap(), [], "{file} beside {odd}");
        }
        assert!(home.undo_unfinished().is_err(), "it is told");
    }
}

#[test]
fn appended_texts_come_one_after_the_other() {
    let (_folder, home) = home();
    let day = HomeFile::Day("2026-11-25".parse().unwrap());
    home.append(day, "one\n").unwrap();
    home.append(day, "two\n").unwrap();
    assert_eq!(text(&home, day), "one\ntwo\n");
    assert_eq!(home.days().unwrap(), [day]);
}

#[test]
fn nothing_that_several_append_at_once_is_lost() {
    let (_folder, home) = home();
    let day = HomeFile::Day("2026-11-25".parse().unwrap());
    std::thread::scope(|scope| {
        for writer in 0..8 {
            let home = &home;
            scope.spawn(move || {
                let home = Home::open(&home.path).unwrap();
                for line in 0..50 {
                    home.append(day, &format!("{writer}-{line}\n")).unwrap();
                }
            });
        }
    });
    let mut lines: Vec<_> = text(&home, day).lines().map(ToOwned::to_owned).collect();
    lines.sort_unstable();
    lines.dedup();
    assert_eq!(lines.len(), 400);
}

#[test]
fn a_home_that_is_missing_or_a_file_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let missing = Home::open(&folder.path().join("gone")).unwrap_err();
    assert!(matches!(missing, HomeError::Missing { .. }), "{missing}");
    fs::write(folder.path().join("file"), "").unwrap();
    let file = Home::open(&folder.path().join("file")).unwrap_err();
    assert!(matches!(file, HomeError::NotAFolder { .. }), "{file}");
}
