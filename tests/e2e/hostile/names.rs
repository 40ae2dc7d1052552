//! Names and paths that look like others, or lead elsewhere (`semantics.md` §§1, 11).

use serde_json::{Value, json};

use super::wire::{Ask, Door};

fn encoded(text: &str) -> String {
    text.bytes().fold(String::new(), |out, byte| format!("{out}%{byte:02X}"))
}

fn write(door: &Door, path: &str) -> super::wire::Answer {
    let body = json!({ "content": path }).to_string();
    door.ask(&Ask::new("PUT", &format!("/docs/@global/{}", encoded(path))).json(body))
}

#[test]
fn a_documents_path_is_a_name_in_a_scope_and_no_way_out_of_it() {
    let door = Door::open();
    let long = "x".repeat(256);
    let refused = [
        "..",
        ".",
        "../etc/passwd",
        "a/../b",
        "a/..",
        "a/./b",
        "./a",
        "/etc/passwd",
        "//a",
        "a//b",
        "a/",
        "~/x",
        "~root/x",
        "a\0b",
        "a\nb",
        "a\r",
        "\u{1b}[2J",
        "a\u{7f}",
        "a\u{85}b",
        "a\u{202e}b",
        "a\u{200b}b",
        "a\u{feff}",
        "a\u{e0041}",
        "a\u{2066}b",
        "a\u{3164}",
        "a\u{fe0f}",
        "a\u{e0100}",
        "a\u{fff9}b",
        &long,
        &"é".repeat(128),
    ];
    for path in refused {
        let message = write(&door, path).refusal(400, "invalid");
        assert!(!message.chars().any(|c| c.is_control() || c == '\u{202e}'), "{message:?}");
    }
    // They are all taken, and each is what it is: none is a way through a file system.
    let taken =
        ["a..b", "...", "a/...", "C:\\x", "..\\x", "a b", " a", "%2e%2e", "a%2fb", "$HOME", "*"];
    for path in taken {
        let answer = write(&door, path);
        assert_eq!((answer.status, &answer.json()["file"]), (200, &json!(path)), "{answer:?}");
    }
    assert_eq!(std::fs::read_dir(door.home.work()).unwrap().count(), 0);
    door.assert_calm();
}

#[test]
fn spellings_that_read_alike_are_one_document() {
    let door = Door::open();
    let alike = [
        ("Notes.md", "nOTES.MD"),
        ("caf\u{e9}.md", "cafe\u{301}.md"),
        ("caf\u{e9}.md", "CAFE\u{301}.MD"),
        ("stra\u{df}e", "STRASSE"),
        ("\u{3a3}\u{3c3}\u{3c2}", "\u{3c3}\u{3a3}\u{3a3}"),
        ("\u{212b}ngstr\u{f6}m", "\u{e5}ngstro\u{308}m"),
        ("\u{fb01}le", "FILE"),
    ];
    for (one, other) in alike {
        let first = write(&door, one).json()["version"].as_i64().unwrap();
        let second = write(&door, other).json();
        assert_eq!(second["version"], first + 1, "{one} {other}");
    }
    // Letters of another alphabet stay others: what is shown is what was written.
    assert_eq!(write(&door, "notes.md").json()["version"], 3);
    assert_eq!(write(&door, "n\u{43e}tes.md").json()["version"], 1);
    door.assert_calm();
}

#[test]
fn a_name_is_of_plain_letters_so_that_none_can_pass_for_another() {
    let door = Door::open();
    let long = "a".repeat(33);
    let refused = [
        "\u{430}lice",
        "ali\u{441}e",
        "\u{ff41}lice",
        "alice\u{200b}",
        "alice\u{202e}",
        "\u{1b}[2Jalice",
        "alice ",
        " alice",
        "Alice",
        "ALICE",
        "al ice",
        "alice\0",
        "alice\n",
        "@alice",
        "alice@team",
        "alice/../bob",
        "1alice",
        "-alice",
        "_alice",
        "",
        &long,
        "all",
        "system",
        "user",
        "daemon",
        "operator",
    ];
    for name in refused {
        let body = json!({ "name": name, "backend": "mock" }).to_string();
        let answer = door.ask(&Ask::post("/agents", body));
        let message = answer.refusal(400, "invalid");
        assert!(message.len() < 600, "{message}");
    }
    let scopes = [
        "@../x",
        "@review:..",
        "@review:a..b",
        "@review:",
        "@:x",
        "@global:..",
        "@\u{433}lobal",
        "@review:a/b",
        "@review:%2e%2e",
    ];
    for scope in scopes {
        let answer = door.ask(&Ask::get(&format!("/docs/{}", encoded(scope))));
        assert!(matches!(answer.status, 400 | 404), "{scope}: {answer:?}");
    }
    door.assert_calm();
}

#[test]
fn a_mention_that_only_looks_like_one_reaches_nobody() {
    let door = Door::open();
    for name in ["alice", "all-stars"] {
        let body = json!({ "name": name, "backend": "mock" }).to_string();
        assert_eq!(door.ask(&Ask::post("/agents", body)).status, 200);
    }
    for text in [
        "@\u{430}lice",
        "@ali\u{441}e",
        "@\u{200b}alice",
        "@al\u{ad}ice",
        "a@alice",
        "@alice@other",
        "`@alice`",
        "```\n@alice\n",
        "> @alice",
        "https://x.example/@alice",
        "\u{202e}ecila@",
    ] {
        let body = json!({ "message": text }).to_string();
        let answer = door.ask(&Ask::post("/send", body)).json();
        let reached: Vec<&Value> = answer["delivered_to"].as_array().unwrap().iter().collect();
        assert!(reached.is_empty(), "{text:?}: {answer}");
    }
    door.assert_calm();
}
