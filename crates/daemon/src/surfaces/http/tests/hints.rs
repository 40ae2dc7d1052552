use agent_worker_protocol::{GroupAdd, MessageHide, Op, RunList};
use serde_json::json;

use super::*;
use crate::context::run;

#[test]
fn fields_of_the_path_are_not_expected_beside_it() {
    fn told<O: Op>(fields: &Value) -> String {
        let misfit = run::read::<O>(fields.as_object().unwrap().clone()).unwrap_err();
        beside_path(misfit, O::ROUTE).to_string()
    }
    let hide = told::<MessageHide>(&json!({ "message": "msg_1", "hidden": true }));
    assert_eq!(hide, "unknown field `hidden`, there are no fields");
    let add = told::<GroupAdd>(&json!({ "group": "inner", "member": "alice" }));
    assert_eq!(add, "unknown field `member`, expected `members`");
}

#[test]
fn a_number_that_does_not_fit_is_told_its_range() {
    let fields = json!({ "limit": 99_999_999_999_u64 });
    let misfit = run::read::<RunList>(fields.as_object().unwrap().clone()).unwrap_err();
    assert_eq!(
        misfit.to_string(),
        "`limit`: invalid value: integer `99999999999`, expected a number from 0 to 4294967295"
    );
}

#[test]
fn a_place_in_a_body_belongs_into_the_query() {
    let schema = json!({ "properties": { "message": {}, "to": {} } });
    let hint = |fields: Value| misplaced(fields.as_object().unwrap(), &schema);
    let sent = json!({ "message": "hi", "target": "@news" });
    assert_eq!(hint(sent).unwrap(), "in the query: ?target=@news");
    assert_eq!(hint(json!({ "message": "hi", "as": "ivy" })).unwrap(), "in the query: ?as=ivy");
    assert_eq!(hint(json!({ "message": "hi" })), None);
    let schema = json!({ "properties": { "target": {}, "message": {} } });
    let hint = |fields: Value| misplaced(fields.as_object().unwrap(), &schema);
    let in_body = r#"in the body: {"target": "dave"}"#;
    assert_eq!(hint(json!({ "agent": "dave" })).unwrap(), in_body);
    assert_eq!(hint(json!({ "agent": "dave", "target": "@lab" })), None);
    assert_eq!(hint(json!({ "agent": 7 })), None);
    let scope = json!({ "scope": "@lab", "target": "dave" });
    assert_eq!(hint(scope).unwrap(), "in the query: ?target=@lab");
    let schema = json!({ "properties": { "source": {}, "mode": {} } });
    let fields = json!({ "workflow": "x.yaml" });
    assert!(misplaced(fields.as_object().unwrap(), &schema).unwrap().starts_with("`source`"));
}

#[test]
fn fields_of_a_body_are_told_as_a_query_if_it_may_have_them() {
    let schema = json!({ "properties": { "key": {}, "name": {}, "purge": {} } });
    let route = Some(Route::delete("/workflows/{key}"));
    let hint = |fields: Value| in_query(fields.as_object().unwrap(), &schema, route);
    let told = hint(json!({ "purge": true, "name": "a b" })).unwrap();
    assert_eq!(told, "in the query: ?purge=true&name=a+b");
    for fields in [json!({ "key": "@t" }), json!({ "nosuch": 1 }), json!({ "name": ["a"] })] {
        assert_eq!(hint(fields.clone()), None, "{fields}");
    }
}

#[test]
fn a_path_is_told_the_nearest_route_and_its_methods() {
    assert!(route("/agent").contains("`GET|POST /agents`"), "{}", route("/agent"));
    assert!(route("/workflow").contains("/workflows`"), "{}", route("/workflow"));
    assert!(route("/doc/@team/x").contains("/docs/@team/x`"), "{}", route("/doc/@team/x"));
    assert!(route("/run/run_1/cancel").contains("`POST /runs/run_1/cancel`"));
    assert!(route("/agents/").contains("`GET|POST /agents`"), "{}", route("/agents/"));
    assert!(route(&format!("/docs/{}", "a".repeat(60_000))).starts_with("GET"));
    assert_eq!(route("/xyz"), "GET /openapi.json lists all routes");
    assert_eq!(methods_of("/runs/run_1/cancel").unwrap(), "`POST /runs/run_1/cancel`");
    assert_eq!(methods_of("/runs/run_1/cancel/it"), None);
}
