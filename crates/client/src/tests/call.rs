use std::{future::ready, io::ErrorKind};

use agent_worker_protocol::{
    AgentList, AgentShow, AgentStop, ChannelSend, DocRead, DocWrite, ErrorCode, Peek, Status,
    Timestamp,
};
use serde_json::{Value, json};
use tokio::{net::TcpListener, sync::Notify, time::sleep};

use super::*;
use crate::{
    Revive,
    tests::fake::{Fake, Reply, Seen, within},
};

fn target(text: &str) -> Target {
    text.parse().unwrap()
}

fn refused() -> Reply {
    let hint = "agent-worker list";
    Reply::Json(404, json!({ "error": { "code": "not_found", "message": "no", "hint": hint } }))
}

fn unknown() -> Reply {
    Reply::Json(401, json!({ "error": { "code": "unauthorized", "message": "invalid token" } }))
}

fn revive_at(endpoint: Endpoint) -> Revive {
    Revive(Arc::new(move |_, _| Box::pin(ready(Ok(endpoint.clone())))))
}

/// What goes out for an operation, whatever comes back.
async fn sent<O: Op>(op: O, aim: impl FnOnce(Client) -> Client) -> Seen {
    let fake = Fake::start(vec![refused()]).await;
    let error = within(aim(fake.client()).call(&op)).await.err().unwrap();
    assert!(matches!(error, ClientError::Refused(_)), "{error}");
    let mut seen = fake.seen();
    assert_eq!(seen.len(), 1);
    seen.remove(0)
}

fn peek(find: &str) -> Peek {
    serde_json::from_value(json!({ "limit": 5, "find": find })).unwrap()
}

#[tokio::test]
async fn a_read_is_path_and_query() {
    let seen = sent(AgentShow { target: target("alice@review:pr-1") }, |client| client).await;
    assert_eq!(seen.line, "GET /agents/alice@review:pr-1 HTTP/1.1");
    assert!(seen.body.is_empty());
    assert_eq!(seen.header("authorization"), Some("Bearer secret"));
    assert_eq!(seen.header("agent-worker-api"), Some("1.0"));
    assert_eq!(seen.header("idempotency-key"), None);

    let seen = sent(peek("a&b c"), |client| client.at(target("@review"))).await;
    let (path, query) = seen.line.split_once('?').unwrap();
    assert_eq!(path, "GET /peek");
    assert!(query.starts_with("target=%40review&"), "{query}");
    assert!(query.contains("limit=5") && query.contains("find=a%26b+c"), "{query}");
}

#[tokio::test]
async fn a_target_keeps_its_scope_on_the_way_to_whoever_has_another() {
    let seen = sent(peek("x"), |client| client.at(target("alice@global"))).await;
    assert!(seen.line.contains("?target=alice%40global&"), "{}", seen.line);
    let seen = sent(AgentShow { target: target("alice@global") }, |client| client).await;
    assert_eq!(seen.line, "GET /agents/alice@global HTTP/1.1");
    let seen = sent(AgentShow { target: target("alice") }, |client| client).await;
    assert_eq!(seen.line, "GET /agents/alice HTTP/1.1");
}

#[tokio::test]
async fn a_write_is_a_body_and_a_key() {
    let op: ChannelSend = serde_json::from_value(json!({ "message": "hi" })).unwrap();
    let name: Name = "bob".parse().unwrap();
    let seen = sent(op, |client| client.acting_as(name).at(target("alice@review")).clone()).await;
    assert_eq!(seen.line, "POST /send?target=alice%40review&as=bob HTTP/1.1");
    assert_eq!(seen.json()["message"], "hi");
    let key = seen.header("idempotency-key").unwrap();
    assert_eq!(uuid::Uuid::parse_str(key).unwrap().get_version_num(), 7);

    let stop: AgentStop = serde_json::from_value(json!({ "target": "alice" })).unwrap();
    let seen = sent(stop, |client| client).await;
    assert_eq!(seen.line, "POST /agents/alice/stop HTTP/1.1");
    assert_eq!(seen.header("content-type"), Some("application/json"));
    assert!(seen.json().get("target").is_none());
}

#[tokio::test]
async fn a_scope_in_a_path_is_the_targets() {
    let write: DocWrite =
        serde_json::from_value(json!({ "content": "x", "file": "a b/ü.md" })).unwrap();
    let seen = sent(write.clone(), |client| client.at(target("alice@review:pr-1"))).await;
    let path = "PUT /docs/@review:pr-1/a%20b/%C3%BC.md?target=alice%40review%3Apr-1 HTTP/1.1";
    assert_eq!(seen.line, path);
    assert_eq!(seen.json(), json!({ "content": "x" }));
    let seen = sent(write, |client| client).await;
    assert_eq!(seen.line, "PUT /docs/@global/a%20b/%C3%BC.md HTTP/1.1");
}

#[tokio::test]
async fn a_path_never_leads_to_another_route() {
    let fake = Fake::start(vec![refused()]).await;
    for file in ["../../status", "..", "a/./b", "a//b", "", "/a", "a/"] {
        let read: DocRead = serde_json::from_value(json!({ "file": file })).unwrap();
        match fake.client().call(&read).await {
            Err(ClientError::Refused(body)) => assert_eq!(body.code, ErrorCode::Invalid),
            other => panic!("{file}: {other:?}"),
        }
    }
    assert!(fake.seen().is_empty());
}

#[tokio::test]
async fn answers_are_typed() {
    let fake = Fake::start(vec![
        Reply::Json(200, json!({ "agents": [] })),
        Reply::Json(200, json!({ "agents": 5 })),
        Reply::Raw("HTTP/1.1 200 OK\r\nconnection: close\r\n\r\n<html>hello"),
        Reply::Raw("HTTP/1.1 502 X\r\nconnection: close\r\n\r\n<html>bad"),
        Reply::Raw("HTTP/1.1 307 X\r\nlocation: http://evil.example/\r\ncontent-length: 0\r\n\r\n"),
        refused(),
    ])
    .await;
    let client = fake.client();
    let list = async || within(client.call(&AgentList {})).await;
    assert_eq!(list().await.unwrap().agents, []);
    for part in ["invalid type", "expected value", "status 502, `<html>bad`", "status 307"] {
        let error = list().await.err().unwrap();
        let text = error.to_string();
        assert!(matches!(error, ClientError::Garbled { .. }), "{text}");
        assert!(text.starts_with("the answer to `agent_list` is invalid"), "{text}");
        assert!(text.contains(part), "{text}");
    }
    let error = list().await.err().unwrap();
    assert_eq!((error.to_string().as_str(), error.hint()), ("no", Some("agent-worker list")));
}

#[tokio::test]
async fn a_broken_connection_is_tried_again_under_the_same_key() {
    let fake = Fake::start(vec![Reply::Close, Reply::Close, refused()]).await;
    let op: ChannelSend = serde_json::from_value(json!({ "message": "hi" })).unwrap();
    let error = within(fake.client().call(&op)).await.err().unwrap();
    assert!(matches!(error, ClientError::Refused(_)), "{error}");
    let seen = fake.seen();
    let keys: Vec<_> = seen.iter().map(|seen| seen.header("idempotency-key").unwrap()).collect();
    assert_eq!(keys.len(), 3);
    assert!(keys.iter().all(|key| *key == keys[0]), "{keys:?}");

    let fake = Fake::start(vec![Reply::Close]).await;
    let error = within(fake.client().call_with_key(&op, "mine")).await.err().unwrap();
    assert!(matches!(error, ClientError::Unreachable { .. }), "{error}");
    assert_eq!(fake.seen().len(), 3);
    assert_eq!(fake.seen()[2].header("idempotency-key"), Some("mine"));

    // Nothing tells whether the first was done, and no key makes a second harmless.
    let fake = Fake::start(vec![Reply::Close]).await;
    within(fake.client().shutdown()).await.unwrap_err();
    assert_eq!(fake.seen().len(), 1);
}

#[tokio::test]
async fn the_daemon_in_the_place_of_a_dead_one_is_asked_under_the_same_key() {
    let (dead, next) = (Fake::start(vec![Reply::Close]).await, Fake::start(vec![refused()]).await);
    let revive = revive_at(next.client().endpoint());
    let client = dead.client().reviving(revive.clone());
    let op: ChannelSend = serde_json::from_value(json!({ "message": "hi" })).unwrap();
    let error = within(client.call(&op)).await.err().unwrap();
    assert!(matches!(error, ClientError::Refused(_)), "{error}");
    let key = |fake: &Fake| fake.seen()[0].header("idempotency-key").map(str::to_owned);
    assert!(key(&dead).is_some());
    assert_eq!(key(&dead), key(&next));

    within(dead.client().reviving(revive).shutdown()).await.unwrap_err();
    assert_eq!(next.seen().len(), 1, "what may not be repeated is not");
}

#[tokio::test]
async fn a_wait_for_the_end_of_a_daemon_that_takes_no_connections_is_told() {
    static TOLD: Notify = Notify::const_new();
    fn tell(silence: &ClientError) {
        assert!(matches!(silence, ClientError::Silent { .. }), "{silence}");
        TOLD.notify_one();
    }
    let (dead, next) = (Fake::start(vec![Reply::Close]).await, Fake::start(vec![refused()]).await);
    let endpoint = next.client().endpoint();
    let revive = Revive(Arc::new(move |_, _| {
        let endpoint = endpoint.clone();
        Box::pin(async move {
            TOLD.notified().await;
            Ok(endpoint)
        })
    }));
    let client = dead.client().of_process(std::process::id()).on_silence(tell).reviving(revive);
    let error = within(client.call(&AgentList {})).await.err().unwrap();
    assert!(matches!(error, ClientError::Refused(_)), "{error}");
}

#[tokio::test(start_paused = true)]
async fn a_short_wait_and_one_for_a_process_that_has_ended_are_not_told() {
    fn tell(silence: &ClientError) {
        panic!("{silence}");
    }
    let (base, token) = ("http://127.0.0.1:1".to_owned(), String::new());
    let client = Client::new(Endpoint { base, token }).on_silence(tell);
    let alive = client.of_process(std::process::id());
    alive.patient(sleep(Duration::from_millis(900))).await;
    client.patient(sleep(Duration::from_secs(5))).await;
    client.of_process(u32::MAX).patient(sleep(Duration::from_secs(5))).await;
}

#[test]
fn a_daemon_in_another_place_is_not_the_process_of_the_one_before_it() {
    let (base, token) = ("http://127.0.0.1:1".to_owned(), String::new());
    let endpoint = Endpoint { base, token };
    let client = Client::new(endpoint.clone()).of_process(std::process::id());
    assert_eq!(client.moved(endpoint.clone()).pid(), Some(std::process::id()));
    let next = Endpoint { token: "next".to_owned(), ..endpoint };
    assert_eq!(client.moved(next).pid(), None);
}

#[tokio::test]
async fn the_daemon_in_the_place_of_another_is_asked_with_its_own_token_from_then_on() {
    let fake = Fake::start(vec![unknown(), Reply::Json(200, json!({ "agents": [] }))]).await;
    let next = Endpoint { token: "next".to_owned(), ..fake.client().endpoint() };
    let client = fake.client().reviving(revive_at(next));
    let clone = client.as_oneself();
    for client in [client, clone] {
        within(client.call(&AgentList {})).await.unwrap();
    }
    let seen = fake.seen();
    let tokens: Vec<_> = seen.iter().map(|seen| seen.header("authorization").unwrap()).collect();
    assert_eq!(tokens, ["Bearer secret", "Bearer next", "Bearer next"]);
}

#[tokio::test]
async fn a_wrong_token_is_refused_after_one_look_for_another_daemon() {
    for (token, asked) in [("secret", 1), ("next", 2)] {
        let fake = Fake::start(vec![unknown()]).await;
        let found = Endpoint { token: token.to_owned(), ..fake.client().endpoint() };
        let client = fake.client().reviving(revive_at(found));
        let error = within(client.call(&AgentList {})).await.err().unwrap();
        assert_eq!(error.to_string(), "invalid token");
        assert_eq!(fake.seen().len(), asked, "{token}");
    }
    let fake = Fake::start(vec![unknown()]).await;
    let next = Endpoint { token: "next".to_owned(), ..fake.client().endpoint() };
    within(fake.client().reviving(revive_at(next)).shutdown()).await.unwrap_err();
    assert_eq!(fake.seen().len(), 1, "the next daemon is not the one to end");
}

#[tokio::test]
async fn a_cut_answer_is_no_answer() {
    let half = "HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n{\"agents\": [";
    let fake = Fake::start(vec![Reply::Raw(half)]).await;
    let error = within(fake.client().call(&AgentList {})).await.err().unwrap();
    assert!(matches!(error, ClientError::Unreachable { .. }), "{error}");
}

#[tokio::test]
async fn nobody_there_is_said_with_the_place() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let base = format!("http://{}", listener.local_addr().unwrap());
    drop(listener);
    let client = Client::new(Endpoint { base: base.clone(), token: "secret".to_owned() });
    match within(client.call(&Status {})).await {
        Err(error @ ClientError::Unreachable { .. }) => {
            assert_eq!(error.to_string(), format!("no daemon answers at {base}"));
            let ClientError::Unreachable { source, .. } = &error else { unreachable!() };
            assert_eq!(source.kind(), ErrorKind::ConnectionRefused);
            assert!(error.hint().unwrap().contains("daemon status"));
        }
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn health_is_asked_without_a_token() {
    let answer = json!({ "status": "ok", "pid": 7, "version": "0.1.0", "api": "1.0", "uptime": 1 });
    let fake = Fake::start(vec![Reply::Json(200, answer)]).await;
    assert_eq!(within(fake.client().health()).await.unwrap().pid, 7);
    assert_eq!(fake.seen()[0].line, "GET /health HTTP/1.1");
    assert_eq!(fake.seen()[0].header("authorization"), None);
}

#[tokio::test]
async fn what_is_no_operation_has_its_own_call() {
    let answer = json!({
        "content": "42", "usage": {}, "cost": null, "run": "run_3", "answered": true
    });
    let fake = Fake::start(vec![
        Reply::Json(200, answer),
        Reply::Json(200, json!({ "pid": 9 })),
        Reply::Json(200, json!({ "a": 1 })),
    ])
    .await;
    let client = fake.client();
    let ask = Ask::new(target("alice"), "?".to_owned());
    assert_eq!(within(client.serve(&ask)).await.unwrap().content, "42");
    let named = client.acting_as(Name::person());
    assert_eq!(within(named.shutdown()).await.unwrap().pid, 9);
    let value: Value = within(client.get_json("/x/y?z=1")).await.unwrap();
    assert_eq!(value["a"], 1);
    let lines: Vec<_> = fake.seen().into_iter().map(|seen| seen.line).collect();
    let wanted = ["POST /serve HTTP/1.1", "POST /shutdown HTTP/1.1", "GET /x/y?z=1 HTTP/1.1"];
    assert_eq!(lines, wanted);
    assert_eq!(fake.seen()[0].json(), json!({ "agent": "alice", "message": "?", "new": false }));
    assert!(fake.seen()[0].header("idempotency-key").is_some());
}

#[tokio::test]
async fn a_token_that_no_header_can_hold_is_said() {
    let endpoint = Endpoint { base: "http://127.0.0.1:1".to_owned(), token: "a\nb".to_owned() };
    let error = within(Client::new(endpoint).call(&Status {})).await.err().unwrap();
    assert!(error.to_string().contains("token"), "{error}");
}

#[test]
fn a_token_is_in_no_log() {
    let client = Client::new(Endpoint { base: "http://x".to_owned(), token: "secret".to_owned() });
    assert!(!format!("{client:?}").contains("secret"));
}

#[test]
fn a_daemon_on_every_address_is_asked_on_the_loopback_one() {
    for (host, base) in [
        ("127.0.0.1", "http://127.0.0.1:80"),
        ("0.0.0.0", "http://127.0.0.1:80"),
        ("::", "http://[::1]:80"),
        ("::1", "http://[::1]:80"),
        ("[::1]", "http://[::1]:80"),
        ("box.example", "http://box.example:80"),
    ] {
        let file = DaemonFile {
            pid: 1,
            host: host.to_owned(),
            port: 80,
            token: "t".to_owned(),
            version: "0.1.0".to_owned(),
            started_at: Timestamp(0),
            settings: None,
            grace: None,
        };
        assert_eq!(Endpoint::from(&file).base, base);
    }
}
