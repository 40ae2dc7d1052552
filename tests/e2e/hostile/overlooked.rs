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
