//! What a request says where nothing looks at it is refused, and nothing is done.

use super::wire::{Ask, Door};

#[test]
fn a_removal_whose_arguments_are_in_a_body_is_refused_and_removes_nothing() {
    let door = Door::open();
    let clear = || Ask::new("DELETE", "/agents/bob/schedule");
    let left = || door.ask(&Ask::get("/schedules")).json()["schedules"].as_array().unwrap().len();
    door.home.ok(&["new", "bob", "--backend", "mock"]);
    for name in ["a", "b"] {
        door.home.ok(&["schedule", "bob", "set", "30m", "--name", name]);
    }
    let answer = door.ask(&clear().json(r#"{"name":"a"}"#));
    assert_eq!(answer.refusal(400, "invalid"), "`DELETE /agents/bob/schedule` takes no body");
    assert_eq!(answer.json()["error"]["hint"], "in the query: ?name=a");
    for body in ["{nonsense", "[]", r#"{"nosuch":1}"#] {
        door.ask(&clear().json(body)).refusal(400, "invalid");
    }
    door.ask(&clear().body(r#"{"name":"a"}"#)).refusal(400, "invalid");
    assert_eq!(left(), 2);
    door.ask(&Ask::new("DELETE", "/agents/bob/schedule?name=a")).status_is(200);
    assert_eq!(left(), 1);
    door.ask(&clear().json("{}")).status_is(200);
    assert_eq!(left(), 0);
    door.home.ok(&["schedule", "bob", "set", "30m"]);
    door.ask(&clear().body(" \r\n")).status_is(200);
    assert_eq!(left(), 0);
    door.assert_calm();
}

#[test]
fn a_target_in_another_scope_than_the_path_is_refused_and_nothing_is_written() {
    let door = Door::open();
    let put = |target: &str| {
        let path = format!("/docs/@global/where.md?target={target}");
        door.ask(&Ask::new("PUT", &path).json(r#"{"content":"here"}"#))
    };
    for target in ["@lab", "bob@lab", "@lab:pr-1"] {
        let message = put(target).refusal(400, "invalid");
        assert!(message.ends_with("but the path is in @global"), "{message}");
    }
    door.ask(&Ask::get("/docs/@global/where.md")).refusal(404, "not_found");
    for target in ["@global", "user@global", "user"] {
        put(target).status_is(200);
    }
    door.assert_calm();
}

#[test]
fn a_query_is_read_where_there_is_nothing_to_ask_for() {
    let door = Door::open();
    for path in ["/snapshot", "/health", "/openapi.json"] {
        for query in ["nothing=1", "target=@@x", "target=%FF", "target=@a&target=@b"] {
            door.ask(&Ask::get(&format!("{path}?{query}"))).refusal(400, "invalid");
        }
    }
    door.ask(&Ask::get("/snapshot?target=@global&as=user")).status_is(200);
    door.ask(&Ask::post("/shutdown?nothing=1", "{}")).refusal(400, "invalid");
    for query in ["nothing=1", "target=@lab", "as=bob"] {
        let enter = Ask::post(&format!("/web/enter?{query}"), r#"{"code":"x"}"#);
        door.ask(&enter).refusal(400, "invalid");
    }
    door.ask(&Ask::post("/web/enter", r#"{"code":"x"}"#)).refusal(401, "unauthorized");
    door.assert_calm();
}
