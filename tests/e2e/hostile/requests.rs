//! Requests that no honest client sends.

use std::fmt::Write as _;

use super::wire::{Ask, Door};

const BODY_BYTES: usize = 1_049_600;
/// What a body may have that carries a text: each of its bytes may take six in JSON.
const TEXT_BODY_BYTES: usize = BODY_BYTES + 5 * 1_048_576;

/// A message of this many bytes as a request's body.
fn message_of(bytes: usize) -> String {
    let empty = r#"{"message":""}"#.len();
    format!(r#"{{"message":"{}"}}"#, "x".repeat(bytes - empty))
}

#[test]
fn a_body_has_its_limit_whether_or_not_its_length_is_told() {
    let door = Door::open();
    let (long, longest) = (message_of(BODY_BYTES + 1), message_of(TEXT_BODY_BYTES + 1));
    for (path, big) in [
        ("/send", &longest),
        ("/mcp", &longest),
        ("/workflows", &longest),
        ("/shutdown", &long),
        ("/agents", &longest),
    ] {
        door.ask(&Ask::post(path, big)).refusal(413, "too_large");
        let chunks: Vec<String> =
            big.as_bytes().chunks(50_000).map(|c| chunk(std::str::from_utf8(c).unwrap())).collect();
        let mut chunked = Ask::new("POST", path)
            .with("Content-Type: application/json")
            .with("Transfer-Encoding: chunked")
            .bytes();
        chunked.extend_from_slice(format!("{}0\r\n\r\n", chunks.concat()).as_bytes());
        let mut answers = door.send(chunked);
        assert_eq!(answers.len(), 1, "{answers:?}");
        answers.remove(0).refusal(413, "too_large");
    }
    // What fits into a body may still be too long for a message.
    door.ask(&Ask::post("/send", message_of(BODY_BYTES))).refusal(413, "too_large");
    let fits = message_of(1_048_576 + r#"{"message":""}"#.len());
    assert_eq!(door.ask(&Ask::post("/send", fits)).status, 200);
    door.assert_calm();
}

fn chunk(text: &str) -> String {
    format!("{:x}\r\n{text}\r\n", text.len())
}

#[test]
fn headers_and_paths_have_their_limits() {
    let door = Door::open();
    let huge = Ask::get("/agents").with(&format!("X-Huge: {}", "x".repeat(2_000_000)));
    assert_eq!(door.ask(&huge).status, 431);
    let many = (0..2000).fold(Ask::get("/agents"), |ask, n| ask.with(&format!("X-{n}: x")));
    assert_eq!(door.ask(&many).status, 431);
    let some = Ask::get("/agents").with(&format!("X-Long: {}", "x".repeat(16_000)));
    assert_eq!(door.ask(&some).status, 200);
    let long = format!("/docs/@global/{}", "x".repeat(50_000));
    door.ask(&Ask::get(&long)).refusal(400, "invalid");
    let answer = door.ask(&Ask::get(&format!("/{}", "x".repeat(100_000))));
    assert!(matches!(answer.status, 414 | 431), "{answer:?}");
    door.assert_calm();
}

#[test]
fn what_is_no_right_json_is_told_so() {
    let door = Door::open();
    let deep = format!("{{\"message\":{}{}}}", "[".repeat(10_000), "]".repeat(10_000));
    let deep_objects = "{\"a\":".repeat(10_000) + "1" + &"}".repeat(10_000);
    let cases: &[(&[u8], &str)] = &[
        (deep.as_bytes(), "recursion limit"),
        (deep_objects.as_bytes(), "recursion limit"),
        (b"{\"message\":\"a\",\"message\":\"b\"}", "`message` is given twice"),
        (b"{\"message\":\"a\",\"mess\\u0061ge\":\"b\"}", "`message` is given twice"),
        (b"{\"message\":\"a\xff\"}", "unicode"),
        (b"{\"message\":\"a\xc0\x80\"}", "unicode"),
        (b"{\"message\":\"a\xed\xa0\x80\"}", "unicode"),
        (b"{\"message\":\"\\ud800\"}", "not JSON"),
        (b"{\"message\":\"a\0b\"}", "control character"),
        (b"{\"message\":\"a\nb\"}", "control character"),
        (b"\xef\xbb\xbf{\"message\":\"a\"}", "not JSON"),
        (b"{\"message\":\"a\"}{\"message\":\"b\"}", "trailing"),
        (b"{\"message\":\"a\",}", "not JSON"),
        (b"{'message':'a'}", "not JSON"),
        (b"{\"message\":NaN}", "not JSON"),
        (b"\0", "not JSON"),
        (b"null", "not a JSON object"),
        (b"\"message\"", "not a JSON object"),
        (b"{\"message\":null}", "message"),
        (b"{\"message\":{}}", "message"),
        (b"{\"message\":1e999}", "number out of range"),
        (b"{\"message\":\"a\",\"to\":[[\"bob\"]]}", "`to"),
        (b"{\"message\":\"a\",\"__proto__\":{}}", "__proto__"),
    ];
    for (body, named) in cases {
        let message = door.ask(&Ask::post("/send", body)).refusal(400, "invalid");
        assert!(message.contains(named), "{named}: {message}");
        assert!(message.len() < 1000, "{message}");
    }
    door.assert_calm();
}

#[test]
fn numbers_that_are_none_or_too_large_are_refused() {
    let door = Door::open();
    let numbers = [
        "-1",
        "4294967296",
        "18446744073709551616",
        "99999999999999999999999999",
        "1e3",
        "1.5",
        "0x10",
        "NaN",
        "",
        " 1",
        "true",
        "١",
    ];
    for number in numbers {
        let number = percent(number);
        for path in [
            "/peek?limit=",
            "/event-log?limit=",
            "/runs/run_1/blocks?from=",
            "/runs/run_1/blocks/0?off=",
        ] {
            door.ask(&Ask::get(&format!("{path}{number}"))).refusal(400, "invalid");
        }
    }
    for number in ["-1", "4294967296", "1.5", "x", "%201", "١"] {
        let number = if number.is_ascii() { number.to_owned() } else { percent(number) };
        door.ask(&Ask::get(&format!("/runs/run_1/blocks/{number}"))).refusal(400, "invalid");
    }
    for path in ["/peek?limit=4294967295", "/peek?limit=0", "/runs?limit=4294967295"] {
        let answer = door.ask(&Ask::get(path));
        assert!(matches!(answer.status, 200 | 400), "{path}: {answer:?}");
    }
    let ids = ["run_0", "run_-1", "run_9223372036854775807", "run_9223372036854775808", "run_1e1"];
    for id in ids.iter().chain(&["run_", "run_٣", "msg_1", "%00", "run_1%00"]) {
        let answer = door.ask(&Ask::get(&format!("/runs/{id}")));
        assert!(matches!(answer.status, 400 | 404), "{id}: {answer:?}");
        answer.refusal(answer.status, if answer.status == 400 { "invalid" } else { "not_found" });
    }
    for (name, value) in [
        ("hops", "-1"),
        ("hops", "1e99"),
        ("tokens", "1e999"),
        ("cost", "-0.01"),
        ("runs", "4294967296"),
    ] {
        let body = format!("{{\"limits\":{{\"{name}\":{value}}}}}");
        let answer = door.ask(&Ask::new("PUT", "/workflows/global:main/limits").json(body));
        answer.refusal(400, "invalid");
    }
    door.assert_calm();
}

fn percent(text: &str) -> String {
    text.bytes().fold(String::new(), |mut out, byte| {
        write!(out, "%{byte:02X}").unwrap();
        out
    })
}

#[test]
fn a_query_says_a_thing_once_and_nothing_beside() {
    let door = Door::open();
    let cases = [
        ("/peek?limit=1&limit=2", "`limit` is given twice"),
        ("/peek?target=@global&target=@other", "`target` is given twice"),
        ("/peek?as=user&as=alice", "`as` is given twice"),
        ("/peek?nothing=1", "nothing"),
        ("/agents?target=@%00", "target"),
        ("/agents?as=%1b%5b2J", "as"),
        ("/docs/@global/notes.md?file=other.md", "`file` is given twice"),
        ("/events?kind=message.sent&kind=run.changed", "`kind` is given twice"),
        ("/events?scope=@global&scope=@other", "`scope` is given twice"),
        ("/events?after=1&after=2", "`after` is given twice"),
        ("/events?after=1&nothing=1", "nothing"),
        ("/event-log?after=1&nothing=1", "nothing"),
        ("/event-log?after=1&before=2", "only one of `before` and `after`"),
        ("/event-log?scope=@global&scope=@other", "`scope` is given twice"),
        ("/event-log?scope=%1b", "scope"),
        ("/event-log?before=9223372036854775808", "before"),
        ("/events?after=%ff", "invalid feed position"),
        ("/events?after=-1", "-1"),
        ("/events?after=9223372036854775808", "invalid feed position"),
    ];
    for (path, named) in cases {
        let message = door.ask(&Ask::get(path)).refusal(400, "invalid");
        assert!(message.contains(named), "{path}: {message}");
    }
    let twice = Ask::get("/events").with("Last-Event-ID: 1").with("Last-Event-ID: 2");
    door.ask(&twice).refusal(400, "invalid");
    door.assert_calm();
}

#[test]
fn a_path_that_is_not_utf_8_names_no_other_document() {
    let door = Door::open();
    let put = |path: &str, text: &str| {
        door.ask(&Ask::new("PUT", path).json(format!("{{\"content\":\"{text}\"}}")))
    };
    put("/docs/@global/notes.md", "as it was").status_is(200);
    for path in ["/docs/@review/M%E4rz.md", "/docs/@re%ffview/notes.md", "/docs/%ff/%ff"] {
        let message = put(path, "of another scope").refusal(400, "invalid");
        assert!(message.contains("UTF-8"), "{path}: {message}");
        door.ask(&Ask::get(path)).refusal(400, "invalid");
    }
    for path in ["/runs/%ff", "/runs/%ff/output"] {
        let message = door.ask(&Ask::get(path)).refusal(400, "invalid");
        assert!(message.contains("UTF-8"), "{path}: {message}");
    }
    let notes = door.ask(&Ask::get("/docs/@global/notes.md")).json();
    assert_eq!((&notes["content"], &notes["version"]), (&"as it was".into(), &1.into()));
    door.assert_calm();
}

#[test]
fn only_a_kind_that_is_given_twice_is_told_how_to_name_several() {
    let door = Door::open();
    let hint = "several kinds are one value: kind=message.sent,run.changed";
    for (query, hint) in [
        ("kind=message.sent&kind=run.changed", Some(hint)),
        ("scope=@global&scope=@other", None),
        ("after=1&after=2", None),
    ] {
        let error = door.ask(&Ask::get(&format!("/events?{query}"))).json()["error"].clone();
        assert_eq!(error["hint"].as_str(), hint, "{error}");
    }
}

#[test]
fn a_request_has_one_end_on_which_everybody_agrees() {
    let door = Door::open();
    let hidden = "GET /shutdown HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n";
    let head = "POST /send HTTP/1.1\r\nHost: 127.0.0.1:$PORT\r\nAuthorization: Bearer $TOKEN\r\nContent-Type: application/json\r\n";
    let body = r#"{"message":"hello"}"#;
    let length = body.len();
    let shapes = [
        format!("Content-Length: {length}\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n{hidden}"),
        format!("Transfer-Encoding: chunked\r\nContent-Length: {length}\r\n\r\n{body}{hidden}"),
        format!("Content-Length: {length}\r\nContent-Length: 0\r\n\r\n{body}{hidden}"),
        format!("Content-Length: {length}, 0\r\n\r\n{body}{hidden}"),
        format!("Content-Length: +{length}\r\n\r\n{body}{hidden}"),
        format!("Content-Length: -1\r\n\r\n{body}{hidden}"),
        format!("Content-Length: 0x13\r\n\r\n{body}{hidden}"),
        format!("Content-Length: 99999999999999999999999\r\n\r\n{body}{hidden}"),
        format!("Content-Length : {length}\r\n\r\n{body}{hidden}"),
        format!("Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n{hidden}"),
        format!("Transfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n{hidden}"),
        format!("Transfer-Encoding: chunked\r\n\r\nzz\r\n{body}\r\n0\r\n\r\n{hidden}"),
        format!("Transfer-Encoding: chunked\r\n\r\nffffffffffffffffff\r\n{body}{hidden}"),
        format!(
            "X: a\r\n Transfer-Encoding: chunked\r\nContent-Length: {length}\r\n\r\n{body}{hidden}"
        ),
        format!(
            "X: a\rTransfer-Encoding: chunked\r\nContent-Length: {length}\r\n\r\n{body}{hidden}"
        ),
        format!("X\0: a\r\nContent-Length: {length}\r\n\r\n{body}{hidden}"),
    ];
    for shape in shapes {
        let answers = door.send(format!("{head}{shape}"));
        assert_eq!(answers.len(), 1, "{shape}: {answers:?}");
        assert!((400..500).contains(&answers[0].status), "{shape}: {answers:?}");
    }
    let sent = door.ask(&Ask::get("/peek")).json();
    assert_eq!(sent["messages"].as_array().unwrap().len(), 0, "{sent}");
    door.assert_calm();
}

#[test]
fn requests_in_one_connection_are_answered_in_order() {
    let door = Door::open();
    let keep = |ask: Ask| ask.without("Connection").bytes();
    let mut bytes = Vec::new();
    for n in 0..50 {
        bytes.extend(keep(Ask::post("/send", format!("{{\"message\":\"number {n}\"}}"))));
        bytes.extend(keep(Ask::get("/nothing")));
    }
    bytes.extend(Ask::get("/peek?limit=1").bytes());
    let answers = door.send(bytes);
    let statuses: Vec<_> = answers.iter().map(|answer| answer.status).collect();
    let mut expected = [200, 404].repeat(50);
    expected.push(200);
    assert_eq!(statuses, expected);
    assert!(answers[100].body.contains("number 49"), "{:?}", answers[100]);
    door.assert_calm();
}

#[test]
fn a_method_or_a_version_that_is_not_spoken_is_refused() {
    let door = Door::open();
    for method in ["PATCH", "TRACE", "OPTIONS", "PROPFIND", "XYZZY", "get"] {
        let answer = door.ask(&Ask::new(method, "/agents"));
        answer.refusal(405, "method_not_allowed");
    }
    let head = door.ask(&Ask::new("HEAD", "/agents"));
    assert_eq!((head.status, head.body.as_str()), (200, ""));
    door.ask(&Ask::new("HEAD", "/agents").without("Authorization")).status_is(401);
    door.ask(&Ask::new("HEAD", "/events")).status_is(200);
    // A client of the first version has no host to name, unless it does.
    let old =
        |host: &str| format!("GET /agents HTTP/1.0\r\nAuthorization: Bearer $TOKEN\r\n{host}\r\n");
    door.send(old("")).remove(0).refusal(403, "denied");
    assert_eq!(door.send(old("Host: localhost\r\n")).remove(0).status, 200);
    for line in [
        "GET /agents HTTP/2.0",
        "GET /agents HTTP/9.9",
        "GET /agents",
        "GET  /agents HTTP/1.1",
        "GET /age nts HTTP/1.1",
        "PRI * HTTP/2.0",
        "\0\0\0\0",
        "\x16\x03\x01\x02\0\x01\0\x01\u{fc}\x03\x03",
        "CONNECT evil.example:443 HTTP/1.1",
    ] {
        let request = format!(
            "{line}\r\nHost: 127.0.0.1:$PORT\r\nAuthorization: Bearer $TOKEN\r\nConnection: close\r\n\r\n"
        );
        let answers = door.send(request);
        let is_refused = answers.iter().all(|answer| (400..600).contains(&answer.status));
        assert!(is_refused, "{line:?}: {answers:?}");
    }
    door.assert_calm();
}

#[test]
fn a_path_leads_where_it_says_or_nowhere() {
    let door = Door::open();
    let nowhere = [
        "/health/../agents",
        "/health/..%2fagents",
        "/health/%2e%2e/agents",
        "//agents",
        "/agents/",
        "/agents//",
        "/./agents",
        "/AGENTS",
        "/agents%00",
        "/agents%20",
        "/agents;x=1",
        "/%61gents%2f",
        "/mcp/",
        "/mcp/x",
        "/mcp/../agents",
        "/openapi.json/",
        "/\\agents",
    ];
    for path in nowhere {
        let answer = door.ask(&Ask::get(path));
        assert!(matches!(answer.status, 400 | 404), "{path}: {answer:?}");
        answer.refusal(answer.status, if answer.status == 400 { "invalid" } else { "not_found" });
        // A client without access is not told what exists.
        let answer = door.ask(&Ask::get(path).without("Authorization"));
        answer.refusal(401, "unauthorized");
    }
    for path in ["/health/", "/health%00", "/Health", "//health", "/health/x", "/health;/agents"] {
        door.ask(&Ask::get(path).without("Authorization")).refusal(401, "unauthorized");
    }
    let message = door.ask(&Ask::get("/%1b%5b2J%0d%0aX:%20y")).refusal(404, "not_found");
    assert!(!message.contains('\u{1b}'), "{message}");
    door.assert_calm();
}
