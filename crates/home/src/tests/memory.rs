use std::fs;

use super::home;
use crate::{HomeFile, Memory, note};

fn day(date: &str) -> HomeFile {
    HomeFile::Day(date.parse().unwrap())
}

#[test]
fn a_search_finds_entries_with_all_words_newest_first() {
    let (_folder, home) = home();
    home.append(day("2026-11-23"), &note("09:00:00 note", "the key is under the Stone")).unwrap();
    home.append(day("2026-11-25"), &note("10:00:00 note", "the stone is gone")).unwrap();
    home.append(day("2026-11-25"), &note("11:00:00 note", "a key was found")).unwrap();
    home.replace(HomeFile::LongTerm, "# Facts\n\n- stone: grey\n".as_bytes()).unwrap();
    let mut memory = Memory::default();
    memory.refresh(&home).unwrap();
    let files = |query| {
        let found = memory.search(query, 10);
        found.hits.into_iter().map(|hit| (hit.file, hit.text)).collect::<Vec<_>>()
    };
    assert_eq!(
        files("STONE"),
        [
            (HomeFile::LongTerm, "- stone: grey".to_owned()),
            (day("2026-11-25"), "## 10:00:00 note the stone is gone".to_owned()),
            (day("2026-11-23"), "## 09:00:00 note the key is under the Stone".to_owned()),
        ]
    );
    assert_eq!(files("key stone").len(), 1);
    assert_eq!(files("key").len(), 2);
    assert_eq!(files("stone.*"), []);
    assert_eq!(files(" "), []);
}

#[test]
fn a_note_is_one_entry_whatever_its_lines_are() {
    let (_folder, home) = home();
    let text = "Falcon:\r\n\r\n- database: sqlite\n \n\n- deadline: March 3\n";
    home.append(day("2026-11-25"), &note("10:00", text)).unwrap();
    home.append(day("2026-11-25"), &note("11:00", "alpha\n\n## 09:00\nbeta")).unwrap();
    let mut memory = Memory::default();
    memory.refresh(&home).unwrap();
    let told = |query| {
        let hits = memory.search(query, 9).hits.into_iter();
        hits.map(|hit| hit.text).collect::<Vec<_>>()
    };
    let falcon = "## 10:00 Falcon: - database: sqlite - deadline: March 3";
    assert_eq!(told("falcon deadline"), [falcon]);
    assert_eq!(told("beta"), ["## 11:00 alpha \\## 09:00 beta"]);
}

#[test]
fn a_note_after_a_line_without_an_end_is_an_entry_of_its_own() {
    let (_folder, home) = home();
    home.replace(HomeFile::LongTerm, b"- stone: grey").unwrap();
    home.append(HomeFile::LongTerm, &note("10:00", "the sky is blue")).unwrap();
    let mut memory = Memory::default();
    memory.refresh(&home).unwrap();
    let hits = memory.search("sky", 9).hits.into_iter().map(|hit| hit.text);
    assert_eq!(hits.collect::<Vec<_>>(), ["## 10:00 the sky is blue"]);
    let whole = fs::read_to_string(home.path.join(HomeFile::LongTerm.to_string())).unwrap();
    assert_eq!(whole, "- stone: grey\n\n## 10:00\nthe sky is blue\n");
}

#[test]
fn entries_are_told_apart_whichever_way_lines_end() {
    let (_folder, home) = home();
    let text = "one blue\r\nstone\r\n\r\ntwo red\r\n\r\nthree blue\r\n";
    home.replace(HomeFile::LongTerm, text.as_bytes()).unwrap();
    let mut memory = Memory::default();
    memory.refresh(&home).unwrap();
    let told = |query| {
        let hits = memory.search(query, 9).hits.into_iter();
        hits.map(|hit| (hit.offset, hit.text)).collect::<Vec<_>>()
    };
    let three = (text.find("three").unwrap(), "three blue".to_owned());
    assert_eq!(told("blue"), [three, (0, "one blue stone".to_owned())]);
    assert_eq!(told("two"), [(text.find("two").unwrap(), "two red".to_owned())]);
    assert_eq!(told("red blue"), []);
}

#[test]
fn words_of_any_script_are_found() {
    let (_folder, home) = home();
    home.replace(HomeFile::LongTerm, "用户喜欢简短的回答\n\nÄPFEL und Birnen".as_bytes()).unwrap();
    let mut memory = Memory::default();
    memory.refresh(&home).unwrap();
    assert_eq!(memory.search("简短", 9).hits[0].text, "用户喜欢简短的回答");
    assert_eq!(memory.search("äpfel", 9).hits[0].offset, 11);
}

#[test]
fn what_has_changed_is_found_at_the_next_search() {
    let (_folder, home) = home();
    let mut memory = Memory::default();
    memory.refresh(&home).unwrap();
    assert_eq!(memory.search("blue", 9).hits, []);
    home.append(day("2026-11-25"), "\nblue\n").unwrap();
    memory.refresh(&home).unwrap();
    assert_eq!(memory.search("blue", 9).hits.len(), 1);
    fs::remove_file(home.path.join("memory/daily/2026-11-25.md")).unwrap();
    memory.refresh(&home).unwrap();
    assert_eq!(memory.search("blue", 9).hits, []);
}

#[test]
fn a_memory_that_grows_leaves_out_its_oldest_days() {
    let (_folder, home) = home();
    let long = |day: u8| {
        let path = home.path.join(format!("memory/daily/2026-11-0{day}.md"));
        fs::File::create(path).unwrap().set_len(16 << 20).unwrap();
    };
    let mut memory = Memory::default();
    for day in 1..5 {
        long(day);
    }
    memory.refresh(&home).unwrap();
    assert_eq!(memory.search("", 9).left_out, 0);
    for day in 5..7 {
        long(day);
        memory.refresh(&home).unwrap();
    }
    assert_eq!(memory.search("", 9).left_out, 2);
}

#[test]
fn a_search_shows_so_many_and_the_part_around_the_word() {
    let (_folder, home) = home();
    let long = format!("{} needle {}", "a ".repeat(3000), "b ".repeat(3000));
    home.append(day("2026-11-24"), &note("09:00:00 note", &long)).unwrap();
    home.append(day("2026-11-25"), &note("09:00:00 note", "needle")).unwrap();
    let mut memory = Memory::default();
    memory.refresh(&home).unwrap();
    let found = memory.search("needle", 1);
    assert_eq!((found.hits.len(), found.more), (1, true));
    let found = memory.search("needle", 2);
    let text = &found.hits[1].text;
    assert!(!found.more && text.starts_with("…a") && text.contains("needle b"), "{text}");
    assert!(text.chars().count() < 500);
}

#[test]
fn a_memory_that_is_no_text_or_a_link_hides_no_other() {
    let (_folder, home) = home();
    fs::write(home.path.join("memory/long-term.md"), b"\xff\xfe blue \xff").unwrap();
    std::os::unix::fs::symlink("/etc/passwd", home.path.join("memory/daily/2026-11-24.md"))
        .unwrap();
    home.append(day("2026-11-25"), "\nblue\n").unwrap();
    let mut memory = Memory::default();
    memory.refresh(&home).unwrap();
    assert_eq!(memory.search("blue", 9).hits.len(), 2);
    assert_eq!(memory.search("root", 9).hits, []);
}

#[test]
fn entries_of_a_long_text_are_found_from_its_end_with_their_place() {
    let (_folder, home) = home();
    let entries: Vec<_> = (0..20_000).map(|n| format!("é {n} needle\n\n")).collect();
    let text = entries.concat();
    home.replace(HomeFile::LongTerm, text.as_bytes()).unwrap();
    let mut memory = Memory::default();
    memory.refresh(&home).unwrap();
    let found = memory.search("needle", 3);
    let told: Vec<_> = found.hits.iter().map(|hit| hit.text.as_str()).collect();
    assert_eq!(told, ["é 19999 needle", "é 19998 needle", "é 19997 needle"]);
    assert!(found.more);
    let all = memory.search("needle", usize::MAX);
    assert_eq!((all.hits.len(), all.more), (20_000, false));
    let entry = memory.search("é 12345 needle", 1).hits.remove(0);
    let there: String = text.chars().skip(entry.offset).take(14).collect();
    assert_eq!(there, "é 12345 needle");
}
