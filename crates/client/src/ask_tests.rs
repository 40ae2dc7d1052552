use agent_worker_protocol::name::Name;
use serde_json::json;

use super::*;
use crate::script::{Part, Reply, Script, client, event, within};

fn stream(script: &Script) -> AskStream {
    let ask = Ask { agent: "alice@review".parse().unwrap(), message: "why?".to_owned() };
    let name: Name = "bob".parse().unwrap();
    let mut stream = AskStream::ask(&client().acting_as(name), &ask);
    stream.dial = script.dial();
    stream
}

#[tokio::test(start_paused = true)]
async fn an_answer_grows_to_its_end() {
    let answer = json!({ "content": "42", "usage": {}, "cost": null, "run": "run_3" });
    let script = Script::new(vec![Reply::Stream(vec![
        event("queued", "", &json!({ "message": "msg_7" })),
        event("started", "", &json!({ "run": "run_3" })),
        Part::Wait(std::time::Duration::from_mins(15)),
        event("thinking", "", &json!({ "text": "hm" })),
        event("tool", "", &json!({ "name": "read", "args": "{}" })),
        event("tool_result", "", &json!({ "name": "read", "text": "x" })),
        event("notice", "", &json!({ "text": "again" })),
        event("weather", "", &json!({})),
        event("chunk", "", &json!({ "agent": "alice@review", "text": "42" })),
        event("done", "", &answer),
        Part::Silence,
    ])]);
    let mut stream = stream(&script);
    let mut events = Vec::new();
    while let Some(event) = within(stream.next()).await {
        events.push(event.unwrap());
    }
    assert_eq!(events.len(), 8);
    assert!(matches!(&events[0], AskEvent::Queued { message } if message.number() == 7));
    assert!(matches!(&events[6], AskEvent::Chunk { text, .. } if text == "42"));
    assert!(matches!(&events[7], AskEvent::Done(answer) if answer.run.number() == 3));

    let dialled = &script.dialled()[0];
    assert_eq!(
        (dialled.method.as_str(), dialled.uri.as_str()),
        ("POST", "http://127.0.0.1:1/run?as=bob")
    );
    assert_eq!(dialled.body, r#"{"agent":"alice@review","message":"why?"}"#);
    assert_eq!(dialled.header("content-type"), Some("application/json"));
    assert!(dialled.header("idempotency-key").is_some());
}

#[tokio::test(start_paused = true)]
async fn no_answer_is_said() {
    let refused = json!({ "code": "conflict", "message": "alice is stopped", "hint": null });
    let script = Script::new(vec![Reply::Stream(vec![event("error", "", &refused)])]);
    let mut asked = stream(&script);
    let last = within(asked.next()).await.unwrap().unwrap();
    assert!(matches!(&last, AskEvent::Error(body) if body.message == "alice is stopped"));
    assert!(within(asked.next()).await.is_none());

    let body = r#"{"error":{"code":"denied","message":"not in a run","hint":null}}"#;
    let script = Script::new(vec![Reply::Status(403, body)]);
    let mut asked = stream(&script);
    let error = within(asked.next()).await.unwrap().unwrap_err();
    assert_eq!(error.to_string(), "not in a run");
    assert!(within(asked.next()).await.is_none());

    let queued = event("queued", "", &json!({ "message": "msg_7" }));
    let script = Script::new(vec![Reply::Stream(vec![queued, Part::Broken])]);
    let mut asked = stream(&script);
    within(asked.next()).await.unwrap().unwrap();
    let error = within(asked.next()).await.unwrap().unwrap_err();
    assert!(matches!(error, ClientError::Unreachable { .. }), "{error}");
    assert!(within(asked.next()).await.is_none());
    assert_eq!(script.dialled().len(), 1);
}
