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
fn a_target_in_another_scope_than_the_member_in_the_path_is_refused_and_nothing_is_done() {
    let door = Door::open();
    door.home.ok(&["new", "bob", "--backend", "mock"]);
    for target in ["@lab", "bob@lab", "@lab:pr-1"] {
        for path in ["/agents/bob@global", "/why/bob@global", "/why/@global"] {
            let asked = door.ask(&Ask::get(&format!("{path}?target={target}")));
            let message = asked.refusal(400, "invalid");
            assert!(message.ends_with("but the path is in @global"), "{message}");
        }
        let stop = format!("/agents/bob@global/stop?target={target}");
        door.ask(&Ask::post(&stop, "{}")).refusal(400, "invalid");
    }
    let agent = |path: &str| door.ask(&Ask::get(path)).json()["agent"].clone();
    for path in ["/agents/bob", "/agents/bob@global?target=@global", "/agents/bob?target=@global"] {
        assert_eq!(agent(path)["wanted"], "active", "{path}");
    }
    door.assert_calm();
}

#[test]
fn a_query_is_read_where_there_is_nothing_to_ask_for() {
    let door = Door::open();
    for path in ["/snapshot", "/openapi.json"] {
        for query in ["nothing=1", "target=@@x", "target=%FF", "target=@a&target=@b"] {
            door.ask(&Ask::get(&format!("{path}?{query}"))).refusal(400, "invalid");
        }
    }
    door.ask(&Ask::get("/snapshot?target=@global&as=user")).status_is(200);
    door.ask(&Ask::get("/health?nothing=1")).status_is(200);
    for query in ["nothing=1", "target=@lab", "as=bob"] {
        let shutdown = door.ask(&Ask::post(&format!("/shutdown?{query}"), "{}"));
        if query == "as=bob" {
            shutdown.refusal(403, "denied");
        } else {
            shutdown.refusal(400, "invalid");
        }
        let enter = Ask::post(&format!("/web/enter?{query}"), r#"{"code":"x"}"#);
        door.ask(&enter).refusal(400, "invalid");
    }
    door.ask(&Ask::post("/web/enter", r#"{"code":"x"}"#)).refusal(401, "unauthorized");
    door.assert_calm();
}

#[test]
fn a_parameter_that_the_feed_does_not_have_is_refused_in_the_words_of_all_routes() {
    let door = Door::open();
    let told =
        |query: &str| door.ask(&Ask::get(&format!("/events?{query}"))).json()["error"].clone();
    let fields = "expected one of `scope`, `kind`, `after`";
    let error = told("target=@lab");
    assert_eq!(error["message"], format!("unknown field `target`, {fields}"));
    assert_eq!(error["hint"], "in the query: ?scope=@lab");
    assert_eq!(told("target=bob@lab")["hint"], "in the query: ?scope=@lab");
    assert_eq!(told("target=bob")["hint"], "in the query: ?scope=@WORKFLOW");
    let error = told("nothing=1");
    assert_eq!(error["message"], format!("unknown field `nothing`, {fields}"));
    assert!(error["hint"].is_null(), "{error}");
}

#[test]
fn a_request_with_two_idempotency_keys_is_refused_and_not_done() {
    let door = Door::open();
    let send = Ask::post("/send", r#"{"message":"hello"}"#).with("Idempotency-Key: one");
    let message = door.ask(&send.clone().with("Idempotency-Key: two")).refusal(400, "invalid");
    assert_eq!(message, "`idempotency-key` is given twice");
    let count = || door.ask(&Ask::get("/peek")).json()["messages"].as_array().unwrap().len();
    assert_eq!(count(), 0);
    door.ask(&send).status_is(200);
    assert_eq!(count(), 1);
    door.assert_calm();
}
