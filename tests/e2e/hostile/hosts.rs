//! Web pages that try to speak to the daemon through the user's browser (`semantics.md` §14: hosts,
//! origins).

use super::wire::{Ask, Door};

#[test]
fn a_host_is_one_of_this_machines_names_however_it_is_spelled() {
    let door = Door::open();
    let ours = [
        "127.0.0.1:$PORT",
        "127.0.0.1",
        "localhost:$PORT",
        "localhost:1",
        "LocalHost:$PORT",
        "[::1]:$PORT",
        "[::1]",
    ];
    for host in ours {
        let answer = door.ask(&Ask::get("/agents").instead(&format!("Host: {host}")));
        assert_eq!(answer.status, 200, "{host}: {answer:?}");
    }
    let foreign = [
        "evil.example",
        "evil.example:$PORT",
        "localhost.evil.example",
        "localhost.evil.example:$PORT",
        "127.0.0.1.evil.example",
        "127.0.0.1.",
        "localhost.",
        "evil@localhost",
        "localhost@evil.example",
        "localhost:$PORT@evil.example",
        "localhost:80:80",
        "localhost:evil",
        "localhost:-1",
        "localhost:99999",
        "127.1",
        "2130706433",
        "0x7f.0.0.1",
        "0.0.0.0:$PORT",
        "127.0.0.2",
        "::1",
        "[::ffff:127.0.0.1]",
        "[::1%25lo]",
        "[::1].evil.example",
        "[::1]evil",
        "localhost,evil.example",
        "localhost/evil",
        "localhost evil.example",
        "\"localhost\"",
        "",
        "ｌocalhost",
    ];
    for host in foreign {
        for path in ["/agents", "/health", "/mcp", "/nothing"] {
            let answer = door.ask(&Ask::get(path).instead(&format!("Host: {host}")));
            answer.refusal(403, "denied");
        }
    }
    door.ask(&Ask::get("/agents").without("Host")).refusal(403, "denied");
    door.assert_calm();
}

#[test]
fn a_request_for_two_hosts_is_for_none() {
    let door = Door::open();
    for second in ["127.0.0.1:$PORT", "evil.example"] {
        let twice = Ask::get("/agents").with(&format!("Host: {second}"));
        twice_is_refused(&door, &twice);
        let before = Ask::get("/agents").instead(&format!("Host: {second}"));
        twice_is_refused(&door, &before.with("Host: 127.0.0.1:$PORT"));
    }
    // A request line that names a host goes before the header: both must be ours.
    let absolute = |target: &str, host: &str| Ask::get(target).instead(&format!("Host: {host}"));
    let ours = absolute("http://127.0.0.1:$PORT/agents", "127.0.0.1:$PORT");
    assert_eq!(door.ask(&ours).status, 200);
    for (target, host) in [
        ("http://evil.example/agents", "127.0.0.1:$PORT"),
        ("http://127.0.0.1:$PORT/agents", "evil.example"),
        ("http://evil@127.0.0.1:$PORT/agents", "127.0.0.1:$PORT"),
        ("http://localhost/agents", "\u{e9}"),
    ] {
        door.ask(&absolute(target, host)).refusal(403, "denied");
    }
    door.assert_calm();
}

fn twice_is_refused(door: &Door, ask: &Ask) {
    door.ask(ask).refusal(403, "denied");
}

#[test]
fn a_page_of_another_origin_may_not_speak() {
    let door = Door::open();
    let from = |origin: &str| Ask::get("/agents").with(&format!("Origin: {origin}"));
    assert_eq!(door.ask(&from("http://127.0.0.1:$PORT")).status, 200);
    let foreign = [
        "null",
        "",
        "*",
        "http://evil.example",
        "https://127.0.0.1:$PORT",
        "http://127.0.0.1",
        "http://127.0.0.1:1",
        "http://localhost:$PORT",
        "http://127.0.0.1:$PORT.evil.example",
        "http://127.0.0.1:$PORT/",
        "http://evil@127.0.0.1:$PORT",
        "http://127.0.0.1:$PORT http://evil.example",
        "HTTP://127.0.0.1:$PORT",
        "file://",
        "chrome-extension://abcdef",
        "127.0.0.1:$PORT",
    ];
    for origin in foreign {
        for path in ["/agents", "/health", "/events", "/mcp", "/openapi.json"] {
            let ask = Ask::get(path).with(&format!("Origin: {origin}"));
            door.ask(&ask).refusal(403, "denied");
        }
    }
    let two = from("http://127.0.0.1:$PORT").with("Origin: http://evil.example");
    door.ask(&two).refusal(403, "denied");
    door.assert_calm();
}

#[test]
fn nobody_is_told_that_another_page_may_read_an_answer() {
    let door = Door::open();
    let preflight = |path: &str, origin: &str| {
        Ask::new("OPTIONS", path)
            .without("Authorization")
            .with(&format!("Origin: {origin}"))
            .with("Access-Control-Request-Method: POST")
            .with("Access-Control-Request-Headers: authorization, content-type")
            .with("Access-Control-Request-Private-Network: true")
    };
    for path in ["/send", "/agents", "/health", "/events", "/mcp", "/shutdown", "*", "/nothing"] {
        for origin in ["http://evil.example", "http://127.0.0.1:$PORT", "null"] {
            let answer = door.ask(&preflight(path, origin));
            assert!((400..500).contains(&answer.status), "{path} {origin}: {answer:?}");
            assert!(!answer.head.contains("access-control"), "{path} {origin}: {answer:?}");
        }
    }
    for ask in [Ask::get("/agents").with("Origin: http://127.0.0.1:$PORT"), Ask::get("/health")] {
        let answer = door.ask(&ask);
        assert_eq!(answer.status, 200);
        assert!(!answer.head.contains("access-control"), "{answer:?}");
    }
    door.assert_calm();
}

#[test]
fn what_a_page_can_post_without_asking_is_no_request() {
    let door = Door::open();
    let kinds = [
        "text/plain",
        "text/plain;charset=UTF-8",
        "text/plain; application/json",
        "application/x-www-form-urlencoded",
        "multipart/form-data; boundary=x",
        "application/jsonx",
        "application/json-patch+json",
        "text/json",
        "",
    ];
    for path in ["/send", "/agents", "/workflows", "/check", "/run", "/serve", "/shutdown", "/mcp"]
    {
        for kind in kinds {
            let ask = Ask::new("POST", path)
                .with(&format!("Content-Type: {kind}"))
                .with("Accept: application/json, text/event-stream")
                .body(r#"{"message":"hello"}"#);
            door.ask(&ask).refusal(415, "unsupported_media_type");
        }
        let twice = Ask::post(path, "{}").with("Content-Type: text/plain");
        door.ask(&twice).refusal(415, "unsupported_media_type");
        let unnamed = Ask::new("POST", path).body(r#"{"message":"hello"}"#);
        door.ask(&unnamed).refusal(415, "unsupported_media_type");
    }
    door.assert_calm();
}
