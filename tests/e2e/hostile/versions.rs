//! Writers that do not know of each other (`semantics.md` §11).

use serde_json::json;

use super::wire::{Answer, Ask, Door};

const NOTES: &str = "/docs/@global/notes.md";

fn write(door: &Door, text: &str, header: &str) -> Answer {
    let ask = Ask::new("PUT", NOTES).json(json!({ "content": text }).to_string());
    door.ask(&if header.is_empty() { ask } else { ask.with(header) })
}

fn tag(answer: &Answer) -> Option<&str> {
    answer.head.lines().find_map(|line| line.strip_prefix("etag: "))
}

#[test]
fn what_came_in_between_is_not_written_over() {
    let door = Door::open();
    let first = write(&door, "first", "If-None-Match: *");
    assert_eq!((first.status, tag(&first)), (200, Some("\"1\"")));
    write(&door, "first again", "If-None-Match: *").refusal(412, "stale");
    let read = door.ask(&Ask::get(NOTES));
    assert_eq!((tag(&read), &read.json()["version"]), (Some("\"1\""), &json!(1)));
    let old = door.ask(&Ask::get(&format!("{NOTES}?version=1")));
    assert_eq!(tag(&old), Some("\"1\""));

    let second = write(&door, "second", "If-Match: \"1\"");
    assert_eq!((second.status, tag(&second)), (200, Some("\"2\"")));
    let message = write(&door, "lost", "If-Match: \"1\"").refusal(412, "stale");
    assert_eq!(message, "`notes.md` has changed: you expected version 1, it is 2 now");
    assert_eq!(door.ask(&Ask::get(NOTES)).json()["content"], "second");
    assert_eq!(write(&door, "whatever there is", "").status, 200);
    door.assert_calm();
}

#[test]
fn a_condition_that_is_not_understood_is_refused_and_nothing_is_written() {
    let door = Door::open();
    write(&door, "first", "");
    for header in [
        "If-Match: 1",
        "If-Match: *",
        "If-Match: W/\"1\"",
        "If-Match: \"1\", \"2\"",
        "If-Match: \"one\"",
        "If-Match: \"99999999999999999999\"",
        "If-Match:",
        "If-Match: \u{fc}",
        "If-None-Match: \"1\"",
        "If-Match: \"1\"\r\nIf-Match: \"1\"",
        "If-Match: \"1\"\r\nIf-None-Match: *",
    ] {
        write(&door, "lost", header).refusal(400, "invalid");
    }
    let twice = Ask::new("PUT", NOTES)
        .json(json!({ "content": "lost", "if_version": 1 }).to_string())
        .with("If-Match: \"1\"");
    let message = door.ask(&twice).refusal(400, "invalid");
    assert_eq!(message, "`if_version` is given twice");
    assert_eq!(door.ask(&Ask::get(NOTES)).json()["content"], "first");
    door.assert_calm();
}

#[test]
fn a_condition_on_what_looks_at_none_is_refused_and_nothing_is_written() {
    let door = Door::open();
    write(&door, "first", "");
    for header in ["If-Match: \"1\"", "If-Match: rubbish", "If-None-Match: *"] {
        let append = Ask::new("POST", NOTES).json(json!({ "content": "lost" }).to_string());
        door.ask(&append.with(header)).refusal(400, "invalid");
    }
    for method in ["GET", "HEAD"] {
        let read = Ask::new(method, NOTES).with("If-None-Match: \"1\"");
        assert_eq!(door.ask(&read).status, 200, "{method}");
    }
    assert_eq!(door.ask(&Ask::get(NOTES)).json()["content"], "first");
    door.assert_calm();
}

#[test]
fn a_write_that_is_sent_again_is_the_same_write() {
    let door = Door::open();
    write(&door, "first", "");
    for _ in 0..2 {
        let again = write(&door, "second", "If-Match: \"1\"\r\nIdempotency-Key: once");
        assert_eq!((again.status, tag(&again)), (200, Some("\"2\"")));
    }
    write(&door, "second", "If-Match: \"2\"\r\nIdempotency-Key: once").refusal(409, "conflict");
    door.assert_calm();
}

#[test]
fn a_home_that_is_changed_again_with_the_same_key_is_changed_once() {
    let door = Door::open();
    let alice = r#"{"name":"alice","backend":"mock","home":true}"#;
    door.ask(&Ask::post("/agents", alice)).status_is(200);
    let edit = |text: &str| {
        let fields = json!({ "file": "SOUL.md", "content": text });
        Ask::new("PUT", "/agents/alice/home").json(fields.to_string())
    };
    let reset = Ask::post("/agents/alice/home/reset", r#"{"file":"SOUL.md"}"#);
    let restore = r#"{"file":"SOUL.md","version":1}"#;
    let restore = Ask::post("/agents/alice/home/restore", restore);
    let now = || door.ask(&Ask::get("/agents/alice/home?file=SOUL.md")).json();
    for (key, change) in [("one", edit("mine")), ("two", reset), ("three", restore)] {
        let change = change.with(&format!("Idempotency-Key: {key}"));
        let first = door.ask(&change);
        first.status_is(200);
        door.ask(&edit(&format!("later than {key}"))).status_is(200);
        let again = door.ask(&change);
        again.status_is(200);
        assert_eq!(again.json(), first.json());
        assert_eq!(now()["text"]["content"], format!("later than {key}"));
    }
    door.ask(&edit("other").with("Idempotency-Key: one")).refusal(409, "conflict");
    door.assert_calm();
}

#[test]
fn a_token_that_is_asked_for_again_with_the_same_key_stays_as_it_is() {
    let door = Door::open();
    door.ask(&Ask::post("/agents", r#"{"name":"ide","backend":"external"}"#)).status_is(200);
    let ask = Ask::post("/agents/ide/token", "{}").with("Idempotency-Key: once");
    let made = door.ask(&ask).json();
    let message = door.ask(&ask).refusal(409, "conflict");
    assert!(message.contains("tokens are not stored"), "{message}");
    let token = made["token"].as_str().unwrap();
    door.ask(&Ask::get("/agents").token(token)).status_is(200);
    door.assert_calm();
}

#[test]
fn the_description_names_the_tag_and_the_condition() {
    let door = Door::open();
    let described = door.ask(&Ask::get("/openapi.json")).json();
    let document = &described["paths"]["/docs/{scope}/{file}"];
    for method in ["get", "put"] {
        assert!(document[method]["responses"]["200"]["headers"]["ETag"].is_object(), "{method}");
    }
    let named = |method: &str| {
        let parameters = document[method]["parameters"].as_array().unwrap();
        parameters.iter().any(|parameter| parameter["name"] == "If-Match")
    };
    assert!(named("put") && !named("get"));
}
