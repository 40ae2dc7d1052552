//! `read`.

use serde_json::json;

use super::{House, Limits};
use crate::workspace::outcome::Picture;

#[test]
fn lines_are_numbered_and_the_end_says_what_is_left() {
    let house = House::with(Limits { read_lines: 3, line_bytes: 8, ..Limits::default() });
    let text = "one\ntwo\nthree\nfour\nfive\n";
    for (content, asked, told) in [
        (text, json!({}), "1\tone|2\ttwo|3\tthree|[lines 1 to 3 of 5; `offset` 4 goes on]"),
        (text, json!({ "offset": 4 }), "4\tfour|5\tfive|"),
        (
            text,
            json!({ "offset": 2, "limit": 1 }),
            "2\ttwo|[lines 2 to 2 of 5; `offset` 3 goes on]",
        ),
        (text, json!({ "limit": 9 }), "1\tone|2\ttwo|3\tthree|4\tfour|5\tfive|"),
        ("a\nb", json!({}), "1\ta|2\tb|[no newline at the end]"),
        ("", json!({}), "[the file is empty]|"),
        ("\n", json!({}), "1\t|"),
        ("a\r\nb\r\n", json!({}), "1\ta|2\tb|[lines end in CR LF]"),
        ("a\rb\n", json!({}), "1\ta\rb|"),
        ("12345678\n", json!({}), "1\t12345678|"),
        ("12345678\r\n", json!({}), "1\t12345678|[lines end in CR LF]"),
        ("123456789\n", json!({}), "1\t12345678… [1 bytes more]|"),
        ("1234567é9\n", json!({}), "1\t1234567… [3 bytes more]|"),
        ("日本語だ\n", json!({}), "1\t日本… [6 bytes more]|"),
    ] {
        house.put("a.txt", content);
        let mut arguments = asked.clone();
        arguments["path"] = json!("a.txt");
        let got = house.works("read", arguments).text;
        let got: Vec<_> = got.lines().map(str::trim_start).collect();
        assert_eq!(got.join("|"), told.trim_end_matches('|'), "{content:?} {asked}");
    }
    house.put("a.txt", text);
    let far = house.refused("read", json!({ "path": "a.txt", "offset": 7 }));
    assert_eq!(far, "`a.txt` has 5 lines, so none begins there");
}

#[test]
fn what_a_long_file_has_more_is_counted_in_bytes() {
    let limits = Limits { read_bytes: 30, file_bytes: 100, scanned: 300_000, ..Limits::default() };
    let house = House::with(limits);
    house.put("long.txt", "0123456789\n".repeat(20_000));
    let text = house.read("long.txt");
    assert!(text.ends_with("[lines 1 to 1; 219989 bytes follow; `offset` 2 goes on]\n"), "{text}");
    house.put("longer.txt", "0123456789\n".repeat(40_000));
    let text = house.works("read", json!({ "path": "longer.txt", "offset": 39_000 })).text;
    assert!(text.contains("bytes follow that this tool does not reach]"), "{text}");
}

#[test]
fn bytes_that_are_no_text_are_told() {
    let house = House::new();
    house.put("latin.txt", b"caf\xe9\n");
    assert_eq!(house.read("latin.txt"), "     1\tcaf\u{fffd}\n[not all of it is UTF-8]\n");
    for (content, told) in [
        (&b"a\0b"[..], "is a binary file of 3 bytes"),
        (b"\x7fELF\x02\x01\0", "is a binary file of 7 bytes"),
    ] {
        house.put("a", content);
        let text = house.refused("read", json!({ "path": "a" }));
        assert!(text.contains(told), "{text}");
    }
}

#[test]
fn a_picture_is_shown() {
    let house = House::with(Limits { picture_bytes: 12, ..Limits::default() });
    for (content, media_type) in [
        (&b"\x89PNG\r\n\x1a\n\0"[..], "image/png"),
        (b"\xff\xd8\xff\xe0", "image/jpeg"),
        (b"GIF89a", "image/gif"),
        (b"RIFF\0\0\0\0WEBP", "image/webp"),
    ] {
        house.put("a", content);
        let outcome = house.works("read", json!({ "path": "a" }));
        assert_eq!(outcome.text, format!("`a`: {media_type}, {} bytes", content.len()));
        assert_eq!(outcome.picture, Some(Picture { media_type, content: content.to_vec() }));
    }
    house.put("a", b"GIF89a0123456");
    let text = house.refused("read", json!({ "path": "a" }));
    assert_eq!(text, "`a` is a picture (image/gif) of 13 bytes, and none of more than 12 is shown");
}

/// How much memory this process has taken at the most so far, in KiB.
#[cfg(target_os = "linux")]
fn peak() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    line.trim().trim_end_matches(" kB").parse().unwrap()
}

#[test]
#[cfg(target_os = "linux")]
fn d_3_a_file_of_two_gigabytes_takes_no_memory() {
    use std::fs::File;

    const GIANT: u64 = 2 << 30;
    let house = House::new();
    // One is holes alone, the other begins like a text and has no end of a line.
    File::create(house.path("holes")).unwrap().set_len(GIANT).unwrap();
    house.put("line", "x".repeat(10 << 10));
    File::options().write(true).open(house.path("line")).unwrap().set_len(GIANT).unwrap();
    let before = peak();
    let text = house.refused("read", json!({ "path": "holes" }));
    assert!(text.contains("a binary file of 2147483648 bytes"), "{text}");
    let text = house.read("line");
    assert!(text.contains("[1879048192 bytes follow that this tool does not reach]"), "{text}");
    for (tool, arguments) in [
        ("edit", json!({ "path": "line", "old": "x", "new": "y" })),
        ("write", json!({ "path": "line", "content": "y" })),
    ] {
        let text = house.refused(tool, arguments);
        assert!(text.contains("has 2147483648 bytes"), "{text}");
    }
    house.works("grep", json!({ "pattern": "y" }));
    house.works("glob", json!({ "pattern": "*" }));
    assert!(peak() - before < 64 << 10, "{} KiB more", peak() - before);
}

#[test]
fn a_name_that_is_nearly_right_is_told() {
    let house = House::new();
    house.put("src/main.rs", "");
    let text = house.refused("read", json!({ "path": "src/mian.rs" }));
    assert_eq!(text, "there is no `src/mian.rs`\nhint: did you mean `src/main.rs`?");
    let text = house.refused("read", json!({ "path": "src/main.rs/more" }));
    assert_eq!(text, "no `src/main.rs/more`: `src/main.rs` is not a folder");
    let text = house.refused("read", json!({ "path": "nowhere/main.rs" }));
    assert_eq!(text, "there is no `nowhere/main.rs`");
    let text = house.refused("read", json!({ "path": "x".repeat(300) }));
    assert!(text.ends_with("is too long for a path"), "{text}");
}
