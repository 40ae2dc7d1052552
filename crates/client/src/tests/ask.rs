use agent_worker_protocol::{Answer, Name};
use serde_json::json;

use super::*;
use crate::{
    Endpoint,
    tests::script::{Part, Reply, Script, broken_after, client, event, length, within},
};

fn stream(script: &Script) -> AskStream {
    let ask = Ask::new("alice@review".parse().unwrap(), "why?".to_owned());
    let name: Name = "bob".parse().unwrap();
    let mut stream = AskStream::ask(&client().acting_as(name), &ask);
    stream.link.dial = script.dial();
    stream
}

#[tokio::test(start_paused = true)]
async fn an_answer_grows_to_its_end() {
    let answer =
        json!({ "content": "42", "answered": true, "usage": {}, "cost": null, "run": "run_3" });
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
    assert!(matches!(&events[0], AskEvent::Queued { message, .. } if message.number() == 7));
    assert!(matches!(&events[6], AskEvent::Chunk { text, .. } if text == "42"));
    assert!(matches!(&events[7], AskEvent::Done(answer) if answer.run.number() == 3));

    let dialled = &script.dialled()[0];
    assert_eq!(
        (dialled.method.as_str(), dialled.uri.as_str()),
        ("POST", "http://127.0.0.1:1/run?as=bob")
    );
    assert_eq!(dialled.body, r#"{"agent":"alice@review","message":"why?","new":false}"#);
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
}

fn queued() -> Part {
    event("queued", "", &json!({ "message": "msg_7" }))
}

fn started(run: u32) -> Part {
    event("started", "", &json!({ "run": format!("run_{run}") }))
}

fn chunk(text: &str) -> Part {
    event("chunk", "", &json!({ "agent": "alice@review", "text": text }))
}

fn thinking(text: &str) -> Part {
    event("thinking", "", &json!({ "text": text }))
}

fn notice(text: &str) -> Part {
    event("notice", "", &json!({ "text": text }))
}

fn tool(name: &str) -> Part {
    event("tool", "", &json!({ "name": name, "args": "{}" }))
}

fn result(name: &str) -> Part {
    event("tool_result", "", &json!({ "name": name, "text": "x" }))
}

fn done(run: u32) -> Part {
    let run = format!("run_{run}");
    event(
        "done",
        "",
        &json!({ "content": "42", "answered": true, "usage": {}, "cost": null, "run": run }),
    )
}

/// What is told, in words, to the end; what follows each other in pieces is put together.
async fn told(stream: &mut AskStream) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    while let Some(event) = within(stream.next()).await {
        let (begin, text) = match event {
            Ok(AskEvent::Queued { message, .. }) => (format!("{message}"), String::new()),
            Ok(AskEvent::Started { run } | AskEvent::Done(Answer { run, .. })) => {
                (format!("{run}"), String::new())
            }
            Ok(AskEvent::Chunk { text, .. }) => ("says ".to_owned(), text),
            Ok(AskEvent::Thinking { text }) => ("thinks ".to_owned(), text),
            Ok(AskEvent::Notice { text }) => (format!("notice {text}"), String::new()),
            Ok(AskEvent::Tool { name, .. }) => (format!("calls {name}"), String::new()),
            Ok(AskEvent::ToolResult { name, .. }) => (format!("has {name}"), String::new()),
            Ok(AskEvent::Error(body)) => (format!("error {}", body.message), String::new()),
            Err(error) => (format!("failed: {error}"), String::new()),
        };
        match words.last_mut() {
            Some(last) if !text.is_empty() && last.starts_with(&begin) => last.push_str(&text),
            _ => words.push(begin + &text),
        }
    }
    words
}

#[tokio::test(start_paused = true)]
async fn an_answer_that_is_cut_after_any_byte_comes_whole_and_once() {
    let live = || {
        let begun = [queued(), started(3), thinking("hm, "), thinking("世界"), notice("slow")];
        let tools = [tool("read"), result("read"), tool("write"), tool("read"), result("read")];
        let said = [chunk("hé"), chunk("llo"), notice("slow"), chunk(" 42"), done(3)];
        begun.into_iter().chain(tools).chain(said).collect::<Vec<_>>()
    };
    let stored = || {
        let begun = vec![queued(), started(3), thinking("hm, 世界"), notice("slow")];
        let tools = [tool("read"), result("read"), tool("write"), tool("read"), result("read")];
        let said = [chunk("héllo"), notice("slow"), chunk(" 42"), done(3)];
        begun.into_iter().chain(tools).chain(said).collect::<Vec<_>>()
    };
    let wanted = [
        "msg_7",
        "run_3",
        "thinks hm, 世界",
        "notice slow",
        "calls read",
        "has read",
        "calls write",
        "calls read",
        "has read",
        "says héllo",
        "notice slow",
        "says  42",
        "run_3",
    ];
    for bytes in 0..length(&live()) {
        let script = Script::new(vec![broken_after(&live(), bytes).0, Reply::Stream(stored())]);
        assert_eq!(told(&mut stream(&script)).await, wanted, "after {bytes} bytes");
        let dialled = script.dialled();
        let key = |at: usize| dialled[at].header("idempotency-key").map(ToOwned::to_owned);
        assert_eq!(key(0), key(1), "it is the same question");
        assert_eq!(dialled[0].body, dialled[1].body);
    }
}

#[tokio::test(start_paused = true)]
async fn a_further_attempt_is_told_whole_also_when_the_connection_broke_before_it() {
    let again = || notice("an attempt failed: trying again");
    let script = Script::new(vec![
        Reply::Stream(vec![queued(), started(3), chunk("fort"), again(), Part::Broken]),
        Reply::Stream(vec![queued(), again(), Part::Broken]),
        Reply::Stream(vec![queued(), again(), started(4), chunk("forty"), Part::Broken]),
        Reply::Stream(vec![queued(), started(4), chunk("forty-two"), done(4)]),
    ]);
    let wanted = [
        "msg_7",
        "run_3",
        "says fort",
        "notice an attempt failed: trying again",
        "run_4",
        "says forty-two",
        "run_4",
    ];
    assert_eq!(told(&mut stream(&script)).await, wanted);
}

#[tokio::test(start_paused = true)]
async fn a_daemon_that_is_gone_is_asked_a_few_times_more() {
    let script = Script::new(vec![
        Reply::Stream(vec![queued(), Part::Broken]),
        Reply::Refused,
        Reply::Refused,
        Reply::Refused,
        Reply::Refused,
    ]);
    let words = told(&mut stream(&script)).await;
    assert_eq!(words, ["msg_7", "failed: no daemon answers at http://127.0.0.1:1"]);
    assert_eq!(script.dialled().len(), 5);
}

/// Where the next daemon is.
fn next_daemon() -> Relocate {
    let (base, token) = ("http://127.0.0.1:2".to_owned(), "next".to_owned());
    let endpoint = Endpoint { base, token };
    Box::new(move || Box::pin(std::future::ready(Ok(endpoint.clone()))))
}

#[tokio::test(start_paused = true)]
async fn the_next_daemon_is_asked_the_same_question() {
    let unknown = r#"{"error":{"code":"unauthorized","message":"invalid token","hint":null}}"#;
    let ending = r#"{"error":{"code":"shutting_down","message":"stopping","hint":null}}"#;
    for lost in [
        Reply::Refused,
        Reply::Stream(vec![Part::Broken]),
        Reply::Stream(vec![queued(), Part::Broken]),
        Reply::Status(401, unknown),
        Reply::Status(503, ending),
    ] {
        let answer = Reply::Stream(vec![queued(), started(3), chunk("42"), done(3)]);
        let script = Script::new(vec![lost, answer]);
        let mut stream = stream(&script).relocate(next_daemon());
        assert_eq!(told(&mut stream).await, ["msg_7", "run_3", "says 42", "run_3"]);
        let dialled = script.dialled();
        assert_eq!(dialled[1].uri, "http://127.0.0.1:2/run?as=bob");
        assert_eq!(dialled[1].header("authorization"), Some("Bearer next"));
        let key = |at: usize| dialled[at].header("idempotency-key").map(ToOwned::to_owned);
        assert_eq!((key(0), &dialled[0].body), (key(1), &dialled[1].body));
    }
}

#[tokio::test(start_paused = true)]
async fn a_refusal_of_the_next_daemon_is_said() {
    let body = r#"{"error":{"code":"conflict","message":"alice is stopped","hint":null}}"#;
    let script = Script::new(vec![Reply::Refused, Reply::Status(409, body)]);
    let words = told(&mut stream(&script).relocate(next_daemon())).await;
    assert_eq!(words, ["failed: alice is stopped"]);
}

#[tokio::test(start_paused = true)]
async fn another_daemon_in_its_place_is_none_that_answers() {
    let body = r#"{"error":{"code":"unauthorized","message":"invalid token","hint":null}}"#;
    let broken = Reply::Stream(vec![queued(), Part::Broken]);
    let script = Script::new(vec![broken, Reply::Status(401, body)]);
    let words = told(&mut stream(&script)).await;
    assert_eq!(words, ["msg_7", "failed: no daemon answers at http://127.0.0.1:1"]);
}
