use super::*;

#[test]
fn arguments_are_told_in_one_line() {
    for (raw, line) in [
        (r#"{"limit":50}"#, "(limit=50)"),
        (r#"{"file":"notes.md"}"#, "(notes.md)"),
        (r#"{"file":"notes.md","n":2}"#, "(file=notes.md, n=2)"),
        (r#"{"command":"cargo test"}"#, "  cargo test"),
        (r#"{"cmd":["ls","-l"]}"#, "  ls -l"),
        ("{}", "()"),
        ("not json", "(not json)"),
        ("", ""),
    ] {
        assert_eq!(brief(raw), line);
    }
    let long = r#"{"content":"a text that is longer than forty characters","file":"a.md"}"#;
    assert!(brief(long).starts_with("(file=a.md, content=a text"), "{}", brief(long));
    let long = format!(r#"{{"content":"{}"}}"#, "x".repeat(100_000));
    assert_eq!(brief(&long).chars().count(), MOST);
}

#[test]
fn arguments_are_read_line_by_line() {
    assert_eq!(
        pretty(r#"{"content":"two\nlines","file":"notes.md","n":1}"#).as_deref(),
        Some("content:\ntwo\nlines\nfile: notes.md\nn: 1")
    );
    assert_eq!(pretty("[1]"), None);
}

#[test]
fn a_tool_that_failed_says_so_in_words() {
    for (text, told) in [
        ("all is well", None),
        ("running 3 tests\nexit 0", None),
        ("no such file\nexit 101", Some("failed, exit 101")),
        ("signal: 9 (SIGKILL)", Some("killed, signal: 9 (SIGKILL)")),
        ("Denied by the person", Some("denied")),
        ("timed out after 120 s", Some("timed out")),
        ("one test\ntimed out after 120 s: it was ended", Some("timed out")),
        ("changed `a.sh`\n\n-exit 0\n+exit 1\n", None),
        ("changed `a.sh`\n\n-true\n exit 1\n", None),
        ("Error: no such file", Some("failed")),
        ("error:", Some("failed")),
        ("error: it is locked", Some("failed")),
        ("error: an old log\nexit 0", None),
        ("error: denied: it was not decided", Some("denied")),
        ("error: no document x.md\nhint: agent-worker doc list", Some("refused")),
        ("running 3 tests\n(exit code 101)", Some("failed, exit 101")),
        ("running 3 tests\n-(exit code 101)", None),
        ("there is no document x.md\nhint: agent-worker doc list", Some("refused")),
        ("an error occurred to me: none", None),
        ("", None),
    ] {
        assert_eq!(failure(text).as_deref(), told, "{text}");
    }
}

#[test]
fn a_call_that_replaces_a_text_is_a_change_of_a_file() {
    for (old, new) in [("old", "new"), ("old_string", "new_string"), ("oldText", "newText")] {
        let raw = serde_json::json!({ "path": "src/a.rs", old: "a\nb", new: "a\nc\n" }).to_string();
        let edit = edit(&raw).unwrap();
        assert_eq!(edit.about, "path: src/a.rs");
        assert_eq!((edit.old.as_str(), edit.new.as_str()), ("a\nb\n", "a\nc\n"));
    }
    assert_eq!(edit(r#"{"old": "a"}"#), None);
    assert_eq!(edit(r#"{"old": 1, "new": "a"}"#), None);
}
