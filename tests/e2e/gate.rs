//! Who may come in over HTTP, and what the daemon says to the others.

use std::{
    io::{Read, Write},
    net::TcpStream,
    time::Duration,
};

use crate::support::{Home, mock};

/// Sends bytes as they are and gives the answer's status and text.
fn raw(home: &Home, request: &str) -> (u16, String) {
    let file = home.daemon_file().expect("a daemon runs");
    let mut stream = TcpStream::connect((file.host.as_str(), file.port)).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(30))).unwrap();
    let request = request.replace("$TOKEN", &file.token).replace("$PORT", &file.port.to_string());
    stream.write_all(request.as_bytes()).unwrap();
    let mut answer = String::new();
    drop(stream.read_to_string(&mut answer));
    let status = answer.split(' ').nth(1).and_then(|status| status.parse().ok()).unwrap_or(0);
    (status, answer)
}

fn get(path: &str, headers: &str) -> String {
    format!("GET {path} HTTP/1.1\r\nConnection: close\r\n{headers}\r\n")
}

fn post(path: &str, headers: &str, body: &str) -> String {
    let length = body.len();
    format!(
        "POST {path} HTTP/1.1\r\nConnection: close\r\nContent-Length: {length}\r\n{headers}\r\n{body}"
    )
}

const HOST: &str = "Host: 127.0.0.1:$PORT\r\n";
const AUTH: &str = "Authorization: Bearer $TOKEN\r\n";
const JSON: &str = "Content-Type: application/json\r\n";
const ACCEPT: &str = "Accept: application/json, text/event-stream\r\n";

#[test]
fn only_those_with_the_token_and_the_right_host_come_in() {
    let home = Home::new();
    let _daemon = home.daemon();
    let cases = [
        (get("/agents", &format!("{HOST}{AUTH}")), 200),
        (get("/health", HOST), 200),
        (get("/agents", &format!("Host: localhost:1234\r\n{AUTH}")), 200),
        (get("/agents", &format!("Host: [::1]:9\r\n{AUTH}")), 200),
        (get("/agents", HOST), 401),
        (get("/agents", &format!("{HOST}Authorization: Bearer wrong\r\n")), 401),
        (get("/agents", &format!("{HOST}Authorization: Basic $TOKEN\r\n")), 401),
        (get("/agents", &format!("{HOST}{AUTH}{AUTH}")), 401),
        (get("/health", "Host: evil.example\r\n"), 403),
        (get("/agents", &format!("Host: evil.example\r\n{AUTH}")), 403),
        (get("/agents", &format!("Host: 127.0.0.1.evil.example\r\n{AUTH}")), 403),
        (get("/agents", &format!("{HOST}{AUTH}Origin: http://evil.example\r\n")), 403),
        (get("/agents", &format!("{HOST}{AUTH}Origin: null\r\n")), 403),
        (get("/agents", &format!("{HOST}{AUTH}Origin: http://127.0.0.1:$PORT\r\n")), 200),
        (get("/nothing", &format!("{HOST}{AUTH}")), 404),
        (post("/agents/x", &format!("{HOST}{AUTH}{JSON}"), "{}"), 405),
        (get("/agents", &format!("{HOST}{AUTH}agent-worker-api: 2.0\r\n")), 426),
        (get("/agents", &format!("{HOST}{AUTH}agent-worker-api: 1.7\r\n")), 200),
    ];
    for (request, expected) in cases {
        let (status, answer) = raw(&home, &request);
        assert_eq!(status, expected, "{request}\n{answer}");
    }
}

/// Else the hint of the refusal, to restart the daemon, could not be followed.
#[test]
fn a_client_of_another_api_version_can_still_end_the_daemon() {
    let home = Home::new();
    let daemon = home.daemon();
    let newer = format!("{HOST}{AUTH}{JSON}agent-worker-api: 2.0\r\n");
    let (status, answer) = raw(&home, &get("/status", &newer));
    assert!(status == 426 && answer.contains("agent-worker daemon restart"), "{answer}");
    let (status, answer) = raw(&home, &post("/shutdown", &newer, "{}"));
    assert_eq!(status, 200, "{answer}");
    assert_eq!(daemon.finish().code, Some(0));
}

/// All of 127.0.0.0/8 is this machine, on Linux.
#[test]
#[cfg(target_os = "linux")]
fn a_daemon_is_reached_by_the_address_that_it_is_told_to_listen_on() {
    let home = Home::new();
    let daemon = Home::ready(home.command(&["daemon", "--host", "127.0.0.2"]));
    assert_eq!(raw(&home, &get("/agents", &format!("Host: 127.0.0.2:$PORT\r\n{AUTH}"))).0, 200);
    assert_eq!(raw(&home, &get("/agents", &format!("Host: 127.0.0.3:$PORT\r\n{AUTH}"))).0, 403);
    home.write("script.yaml", &mock("- say: done"));
    home.ok(&["new", "alice", "--backend", "mock", "--script", "script.yaml"]);
    assert_eq!(home.ok(&["ask", "alice", "go"]).trim(), "done");
    daemon.stop();
}

#[test]
fn a_refusal_says_what_was_asked_and_what_is_the_case() {
    let home = Home::new();
    let _daemon = home.daemon();
    let headers = format!("{HOST}{AUTH}{JSON}");
    let cases = [
        ("/send", headers.clone(), "{\"mesage\":\"hi\"}", 400, "mesage"),
        ("/send", headers.clone(), "{\"message\":7}", 400, "`message`"),
        ("/send", headers.clone(), "[]", 400, "not a JSON object"),
        ("/send", headers.clone(), "{", 400, "not JSON"),
        ("/mcp", headers.clone(), "[{\"jsonrpc\":\"2.0\"}]", 400, "not a JSON-RPC message"),
        ("/mcp", headers.clone(), "[]", 400, "send each message of a batch"),
        ("/mcp", headers.clone(), "7", 400, "not a JSON-RPC message"),
        ("/mcp", format!("{headers}{ACCEPT}"), "{\"method\":\"ping\"}", 400, "needs `\\\"jsonrpc"),
        ("/send", headers.clone(), "{\"message\":\" \"}", 400, "empty"),
        ("/send?target=@nowhere", headers.clone(), "{\"message\":\"hi\"}", 404, "@nowhere"),
        ("/send?target=@", headers.clone(), "{\"message\":\"hi\"}", 400, "invalid target"),
        ("/send?x=1", headers.clone(), "{\"message\":\"hi\"}", 400, "`x`"),
        ("/send", format!("{HOST}{AUTH}Content-Type: text/plain\r\n"), "{}", 415, "JSON"),
        ("/send", format!("{HOST}{AUTH}"), "{}", 415, "JSON"),
    ];
    for (path, headers, body, expected, named) in cases {
        let (status, answer) = raw(&home, &post(path, &headers, body));
        assert_eq!(status, expected, "{path} {body}\n{answer}");
        assert!(answer.contains(named), "{path} {body}\n{answer}");
        assert!(answer.contains("\"code\""), "{answer}");
    }
    let big = format!("{{\"source\":\"{}\"}}", "x".repeat(1_100_000));
    let (status, _) = raw(&home, &post("/workflows", &headers, &big));
    assert_eq!(status, 413);
}

#[test]
fn a_text_is_measured_as_it_is_and_not_as_json_writes_it() {
    let home = Home::new();
    let _daemon = home.daemon();
    let headers = format!("{HOST}{AUTH}{JSON}");
    let most = 1_048_576;
    let body = |field: &str, bytes: usize| {
        let escaped = "\\u0041".repeat(bytes);
        format!("{{\"{field}\":\"{escaped}\"}}")
    };
    let (status, answer) = raw(&home, &post("/send", &headers, &body("message", most)));
    assert_eq!(status, 200, "{answer}");
    let put = post("/docs/@global/a.md", &headers, &body("content", most));
    let (status, answer) = raw(&home, &put.replacen("POST", "PUT", 1));
    assert_eq!(status, 200, "{answer}");
    let (status, answer) = raw(&home, &post("/send", &headers, &body("message", most + 1)));
    assert_eq!(status, 413);
    assert!(answer.contains("a message has at most 1048576"), "{answer}");
    let tool = |bytes: usize| {
        let arguments = body("message", bytes);
        let headers = format!("{headers}Accept: application/json, text/event-stream\r\n");
        let call = format!(
            "{{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":\
             {{\"name\":\"channel_send\",\"arguments\":{arguments}}}}}"
        );
        raw(&home, &post("/mcp", &headers, &call)).1
    };
    let answer = tool(most);
    assert!(answer.contains("delivered_to"), "{answer}");
    let answer = tool(most + 1);
    assert!(answer.contains("a message has at most 1048576"), "{answer}");
}

#[test]
fn the_described_interface_names_every_route() {
    let home = Home::new();
    let _daemon = home.daemon();
    let (status, answer) = raw(&home, &get("/openapi.json", &format!("{HOST}{AUTH}")));
    assert_eq!(status, 200);
    for path in ["/send", "/agents/{target}/stop", "/docs/{scope}/{file}", "/events", "/workflows"]
    {
        assert!(answer.contains(&format!("\"{path}\"")), "{path}");
    }
}

#[test]
fn the_described_interface_asks_for_nothing_twice_and_describes_all() {
    let home = Home::new();
    let _daemon = home.daemon();
    let (_, answer) = raw(&home, &get("/openapi.json", &format!("{HOST}{AUTH}")));
    let (_, body) = answer.split_once("\r\n\r\n").unwrap();
    let described: serde_json::Value = serde_json::from_str(body).unwrap();
    for (path, methods) in described["paths"].as_object().unwrap() {
        for (method, operation) in methods.as_object().unwrap() {
            let of = format!("{method} {path}");
            assert!(operation["description"].as_str().is_some_and(|text| !text.is_empty()), "{of}");
            let parameters = operation["parameters"].as_array().unwrap();
            let in_path: Vec<_> = parameters.iter().filter(|one| one["in"] == "path").collect();
            assert_eq!(in_path.len(), path.matches('{').count(), "{of}");
            let body = &operation["requestBody"]["content"]["application/json"]["schema"];
            for parameter in in_path {
                let name = parameter["name"].as_str().unwrap();
                assert!(path.contains(&format!("{{{name}}}")), "{of}: {name}");
                assert!(body["properties"][name].is_null(), "{of}: {name}");
                let required = body["required"].as_array().into_iter().flatten();
                assert!(!required.into_iter().any(|field| field == name), "{of}: {name}");
            }
        }
    }
    assert!(described["paths"]["/run"]["post"]["requestBody"].is_object());
    let limits = &described["paths"]["/workflows/{key}/limits"]["put"]["requestBody"];
    let fields = &limits["content"]["application/json"]["schema"]["properties"];
    assert!(fields["limits"].is_object(), "{fields}");
}

#[test]
fn a_reader_of_an_unknown_kind_of_event_is_told() {
    let home = Home::new();
    let _daemon = home.daemon();
    for path in ["/events?kind=message.send", "/event-log?kind=message.send"] {
        let (status, answer) = raw(&home, &get(path, &format!("{HOST}{AUTH}")));
        assert_eq!(status, 400, "{answer}");
        assert!(answer.contains("did you mean `message.sent`?"), "{answer}");
    }
}

#[test]
fn headers_that_do_not_come_are_not_waited_for() {
    let home = Home::with_config("[http]\nheader_timeout = \"200ms\"\n");
    let _daemon = home.daemon();
    let (status, _) = raw(&home, "GET /health HTTP/1.1\r\nHost: 127");
    assert!(matches!(status, 0 | 408), "{status}: the connection is closed");
}
