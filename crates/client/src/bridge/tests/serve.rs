use super::{
    super::answer::{IDEMPOTENCY_KEY, VERSION},
    *,
};
use crate::Home;
use crate::tests::fake::{Fake, Reply, within};

/// What a client that says these lines hears from a daemon that is this server.
async fn heard(fake: &Fake, agent: Option<&str>, lines: &[Value]) -> Vec<Value> {
    let folder = tempfile::tempdir().unwrap();
    let agent = agent.map(|agent| agent.parse().unwrap());
    let bridge = Bridge::new(fake.client(), Home::at(folder.path()), None, agent, placed);
    let input = lines.iter().map(Value::to_string).collect::<Vec<_>>().join("\n");
    let mut output = Vec::new();
    within(bridge.serve(input.as_bytes(), &mut output)).await.unwrap();
    let output = String::from_utf8(output).unwrap();
    output.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// A text with its commands for the daemon of another machine.
fn placed(text: &str) -> String {
    text.replace("agent-worker ", "agent-worker --host box ")
}

fn call(name: &str) -> Value {
    json!({ "jsonrpc": "2.0", "id": 7, "method": "tools/call",
        "params": { "name": name, "arguments": {} } })
}

fn done(text: &str) -> Value {
    json!({ "jsonrpc": "2.0", "id": 7, "result": {
        "content": [{ "type": "text", "text": text }], "isError": false } })
}

fn key(seen: &crate::tests::fake::Seen) -> String {
    seen.json()["params"]["_meta"]["idempotencyKey"].as_str().unwrap().to_owned()
}

#[tokio::test]
async fn a_call_whose_answer_is_lost_is_made_again_under_its_key() {
    let stops = json!({ "jsonrpc": "2.0", "id": 7, "result": {
        "content": [{ "type": "text", "text": "the daemon is stopping" }],
        "isError": true, "_meta": { "code": "shutting_down" } } });
    let fake = Fake::start(vec![
        Reply::Close,
        Reply::Json(200, stops),
        Reply::Json(503, json!({ "error": { "code": "shutting_down", "message": "stopping" } })),
        Reply::Json(200, done("ok")),
    ])
    .await;
    assert_eq!(heard(&fake, Some("ide@team"), &[call("my_inbox")]).await, [done("ok")]);
    let seen = fake.seen();
    assert!(seen.len() >= 4, "{seen:?}");
    assert!(seen.iter().all(|request| key(request) == key(&seen[0])), "{seen:?}");
    assert_eq!(seen[0].line, "POST /mcp?agent=ide@team HTTP/1.1");
    assert_eq!(seen[0].header("mcp-name"), Some("my_inbox"));
    assert_eq!(seen[0].header("authorization"), Some("Bearer secret"));
}

#[tokio::test]
async fn a_call_that_is_made_again_stays_before_those_after_it() {
    let fake = Fake::start(vec![Reply::Close, Reply::Json(200, done("ok"))]).await;
    let lines = ["first", "second", "third"].map(|key| {
        let mut line = call("channel_send");
        line["id"] = json!(key);
        line["params"]["_meta"] = json!({ (IDEMPOTENCY_KEY): key });
        line
    });
    assert_eq!(heard(&fake, None, &lines).await.len(), 3);
    let mut order: Vec<_> = fake.seen().iter().map(key).collect();
    order.dedup();
    assert_eq!(order, ["first", "second", "third"]);
}

#[tokio::test]
async fn a_refusal_of_the_daemon_is_the_answer() {
    let (message, hint) = ("too long", "agent-worker list");
    let refused = json!({ "error": { "code": "too_large", "message": message, "hint": hint } });
    let fake = Fake::start(vec![Reply::Json(413, refused)]).await;
    let listed = json!({ "jsonrpc": "2.0", "id": "a", "method": "tools/list" });
    let answers = heard(&fake, None, &[call("my_inbox"), listed]).await;
    let of = |id: Value| answers.iter().find(|answer| answer["id"] == id).unwrap();
    let result = &of(json!(7))["result"];
    assert_eq!(result["isError"], true, "{result}");
    assert_eq!(result["content"][0]["text"], "too long\nhint: agent-worker list", "{result}");
    let told = &of(json!("a"))["error"]["message"];
    assert_eq!(told, "too long\nhint: agent-worker --host box list");
    assert_eq!(fake.seen().len(), 2);
}

#[tokio::test]
async fn what_the_daemon_does_not_take_for_a_request_is_an_invalid_request() {
    for (status, code, wanted) in [(400, "invalid", -32600), (413, "too_large", -32603)] {
        let refused = json!({ "error": { "code": code, "message": "no", "hint": null } });
        let fake = Fake::start(vec![Reply::Json(status, refused)]).await;
        let ping = json!({ "id": 1, "method": "ping" });
        let answers = heard(&fake, None, &[ping]).await;
        assert_eq!(answers[0]["error"], json!({ "code": wanted, "message": "no" }));
    }
}

#[tokio::test]
async fn a_message_goes_in_the_version_that_was_agreed_on_or_that_it_names() {
    let agreed = json!({ "jsonrpc": "2.0", "id": 1, "result": {
        "protocolVersion": "2025-06-18", "capabilities": { "tools": {} } } });
    let fake = Fake::start(vec![Reply::Json(200, agreed), Reply::Json(200, done("ok"))]).await;
    let folder = tempfile::tempdir().unwrap();
    let bridge = Bridge::new(fake.client(), Home::at(folder.path()), None, None, placed);
    let initialize = json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {} });
    let mut named = call("b");
    named["params"]["_meta"] = json!({ (VERSION): "2026-07-28", (IDEMPOTENCY_KEY): "mine" });
    for line in [initialize, call("a"), named] {
        let mut output = Vec::new();
        let line = format!("{line}\n");
        within(bridge.serve(line.as_bytes(), &mut output)).await.unwrap();
    }
    let seen = fake.seen();
    let versions: Vec<_> = seen.iter().map(|one| one.header("mcp-protocol-version")).collect();
    assert_eq!(versions, [None, Some("2025-06-18"), Some("2026-07-28")]);
    assert_eq!(key(&seen[2]), "mine");
}

#[test]
fn a_line_is_a_request_a_cancellation_or_of_no_use() {
    let of = |line: &str| Message::of(line.as_bytes());
    let request = json!({ "id": 0, "method": "ping" });
    assert_eq!(of(&request.to_string()), Message::Request { id: json!(0), request });
    let cancel = r#"{"method":"notifications/cancelled","params":{"requestId":"a"}}"#;
    assert_eq!(of(cancel), Message::Cancel(json!("a")));
    for nothing in [r#"{"method":"notifications/initialized"}"#, r#"{"id":1,"result":{}}"#] {
        assert_eq!(of(nothing), Message::Nothing, "{nothing}");
    }
    for (wrong, id, code) in [
        ("", json!(null), -32700),
        ("{\"id\":1}", json!(1), -32600),
        ("{\"id\":{},\"method\":\"ping\"}", json!(null), -32600),
        ("[{\"id\":1,\"method\":\"ping\"}]", json!(null), -32600),
    ] {
        let Message::Wrong(refusal) = of(wrong) else { panic!("{wrong}") };
        assert_eq!((&refusal["id"], &refusal["error"]["code"]), (&id, &json!(code)), "{wrong}");
    }
}
