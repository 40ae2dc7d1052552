//! MCP clients that are wrong, or mean to be (`semantics.md` §§5, 14).

use serde_json::{Value, json};

use super::{
    tokens::Scene,
    wire::{Answer, Ask, Door},
};
use crate::support::{Home, Team, block_on, mock};
use agent_worker_protocol::Mode;

const LEGACY: &str = "MCP-Protocol-Version: 2025-11-25";

fn post(query: &str, body: impl AsRef<[u8]>) -> Ask {
    let ask = Ask::post(&format!("/mcp{query}"), body);
    ask.with("Accept: application/json, text/event-stream")
}

fn rpc(query: &str, method: &str, params: &Value) -> Ask {
    let body = json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params });
    post(query, body.to_string()).with(LEGACY)
}

fn call(query: &str, name: &str, arguments: &Value) -> Ask {
    rpc(query, "tools/call", &json!({ "name": name, "arguments": arguments }))
}

/// The text of a tool's refusal.
fn refused(answer: &Answer) -> String {
    let result = &answer.json()["result"];
    assert_eq!(result["isError"], true, "{answer:?}");
    result["content"][0]["text"].as_str().unwrap().to_owned()
}

/// A daemon with a member outside that tests can be.
fn outside() -> Door {
    // Questions are not answered here.
    let door = Door::open_in(Home::with_config("[questions]\nwait = \"10ms\"\n"));
    block_on(async {
        let team = Team::new("team", "")
            .agent("alice", &mock("- think: \"nothing to say\""))
            .with("  ide: { backend: external }");
        team.start(&door.home, &door.home.client(), Mode::Start).await;
    });
    door
}

const IDE: &str = "?agent=ide@team";

/// Values; at most one kind of them fits any argument.
fn misfits() -> Vec<Value> {
    let deep = (0..100).fold(json!(1), |inner, _| json!([inner]));
    vec![
        json!(null),
        json!(true),
        json!(-1),
        json!(1.5),
        json!(i64::MIN),
        json!(u64::MAX),
        json!(1e308),
        json!(""),
        json!(" "),
        json!("\u{0}"),
        json!("\u{1b}]0;x\u{7}\u{202e}\u{e0041}"),
        json!("'; DROP TABLE messages; --"),
        json!("../../etc/passwd"),
        json!("x".repeat(100_000)),
        json!([]),
        json!([null]),
        json!(vec!["x"; 5_000]),
        json!({}),
        json!({ "$ref": "#" }),
        deep,
    ]
}

/// Asserts that a tool answered, whatever it answered, and did not break.
fn assert_whole(what: &str, answer: &Answer) {
    let shown: String = answer.body.chars().take(300).collect();
    assert_eq!(answer.status, 200, "{what}: {shown}");
    let told = answer.json();
    assert!(told["result"].is_object() || told["error"].is_object(), "{what}: {shown}");
    assert!(!answer.body.contains("could not do this"), "{what}: {shown}");
    if told["result"]["isError"] == true {
        assert!(answer.body.len() < 20_000, "{what}: {} bytes", answer.body.len());
    }
}

#[test]
fn every_tool_takes_every_misfit_for_every_argument_and_breaks_at_none() {
    let door = outside();
    let listed = door.ask(&rpc("", "tools/list", &json!({}))).json();
    let tools = listed["result"]["tools"].as_array().unwrap().clone();
    assert!(tools.len() >= 11, "{tools:?}");
    for tool in &tools {
        let name = tool["name"].as_str().unwrap();
        let schema = &tool["inputSchema"];
        let required: Vec<_> = schema["required"].as_array().into_iter().flatten().collect();
        let ask = |arguments: &Value| door.ask(&call(IDE, name, arguments));
        let unknown = refused(&ask(&json!({ "no_such_argument": 1 })));
        assert!(unknown.contains("no_such_argument"), "{name}: {unknown}");
        if !required.is_empty() {
            let missing = refused(&ask(&json!({})));
            assert!(missing.contains(required[0].as_str().unwrap()), "{name}: {missing}");
        }
        for argument in schema["properties"].as_object().unwrap().keys() {
            for misfit in misfits() {
                let mut arguments: serde_json::Map<_, _> = required
                    .iter()
                    .map(|other| (other.as_str().unwrap().to_owned(), json!("a")))
                    .collect();
                arguments.insert(argument.clone(), misfit);
                assert_whole(&format!("{name} {argument}"), &ask(&arguments.into()));
            }
        }
        for arguments in [json!([]), json!("a"), json!(1), json!(null)] {
            let answer = ask(&arguments);
            assert!(matches!(answer.status, 200 | 400 | 415), "{name} {arguments}: {answer:?}");
        }
    }
    door.assert_calm();
}

#[test]
fn every_uri_is_read_or_refused_and_nothing_is_changed() {
    let door = outside();
    let made = door.ask(&call(IDE, "team_doc_create", &json!({ "content": "one" })));
    assert_eq!(made.json()["result"]["isError"], json!(false), "{made:?}");
    let before = door.ask(&Ask::get("/snapshot")).json()["seq"].clone();
    let uris = [
        "doc://notes.md",
        "doc://NOTES.md?version=1&offset=1&limit=1",
        "doc://notes.md?offset=99999999999999999999",
        "doc://notes.md?limit=0&limit=0",
        "doc://notes.md?%00=%ff",
        "doc://",
        "doc://%2e%2e/notes.md",
        "doc://%00%ff",
        "doc://'; DROP TABLE messages; --",
        "resource://res_99999999999999999999",
        "resource://res_1%00",
        "resource://\u{1b}[2J",
        "channel://main?after=msg_9223372036854775807",
        "channel://main?group=../main",
        "://",
        "?",
    ];
    for uri in uris.into_iter().map(Value::from).chain(misfits()) {
        let shown: String = uri.to_string().chars().take(80).collect();
        let answer = door.ask(&rpc(IDE, "resources/read", &json!({ "uri": uri })));
        assert_whole(&shown, &answer);
        assert!(answer.body.len() < 20_000, "{shown}: {} bytes", answer.body.len());
    }
    for cursor in misfits() {
        let shown: String = cursor.to_string().chars().take(80).collect();
        for method in ["resources/list", "resources/templates/list"] {
            assert_whole(&shown, &door.ask(&rpc(IDE, method, &json!({ "cursor": cursor }))));
        }
    }
    assert_eq!(door.ask(&Ask::get("/snapshot")).json()["seq"], before);
    door.assert_calm();
}

#[test]
fn an_envelope_that_is_none_is_refused() {
    let door = outside();
    let ping = json!({ "jsonrpc": "2.0", "id": 1, "method": "ping" });
    let bodies = [
        json!([ping, ping]).to_string(),
        "[]".to_owned(),
        "null".to_owned(),
        "\"ping\"".to_owned(),
        String::new(),
        "{".to_owned(),
        json!({ "id": 1, "method": "ping" }).to_string(),
        json!({ "jsonrpc": "1.0", "id": 1, "method": "ping" }).to_string(),
        json!({ "jsonrpc": "2.0", "id": 1 }).to_string(),
        json!({ "jsonrpc": "2.0", "id": 1, "method": 7 }).to_string(),
        json!({ "jsonrpc": "2.0", "id": {}, "method": "ping" }).to_string(),
        json!({ "jsonrpc": "2.0", "id": [1], "method": "ping" }).to_string(),
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"id\":2,\"method\":\"ping\"}".to_owned(),
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\",\"params\":".to_owned()
            + &"[".repeat(10_000)
            + &"]".repeat(10_000)
            + "}",
    ];
    for body in &bodies {
        let answer = door.ask(&post("", body).with(LEGACY));
        let shown: String = body.chars().take(80).collect();
        assert!((400..500).contains(&answer.status), "{shown}: {answer:?}");
        assert!(answer.json()["error"].is_object(), "{shown}: {answer:?}");
    }
    for (method, status) in
        [("GET", 405), ("DELETE", 405), ("PUT", 405), ("PATCH", 405), ("HEAD", 405)]
    {
        let ask = Ask::new(method, "/mcp").with("Accept: text/event-stream");
        door.ask(&ask.with("Mcp-Session-Id: of-a-stranger")).status_is(status);
    }
    for accept in ["application/json", "text/event-stream", "text/html", "", "image/*"] {
        let ask = rpc("", "ping", &json!({})).instead(&format!("Accept: {accept}"));
        door.ask(&ask).refusal(406, "invalid");
    }
    for version in ["2099-01-01", "1", "", "\u{fc}", "2025-11-25, 2026-07-28"] {
        let ask = rpc("", "ping", &json!({})).instead(&format!("MCP-Protocol-Version: {version}"));
        door.ask(&ask).refusal(400, "invalid");
    }
    door.assert_calm();
}

#[test]
fn an_argument_that_stands_twice_is_refused_however_the_content_type_is_written() {
    let door = Door::open();
    let body = r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"channel_send",
        "arguments":{"message":"a","message":"b"}}}"#;
    for kind in ["application/json", "APPLICATION/JSON", "Application/Json; charset=utf-8"] {
        let ask = post("", body).with(LEGACY).instead(&format!("Content-Type: {kind}"));
        let message = door.ask(&ask).refusal(400, "invalid");
        assert!(message.contains("`message` is given twice"), "{kind}: {message}");
    }
    door.assert_calm();
}

#[test]
fn an_id_comes_back_as_it_went() {
    let door = Door::open();
    let long = "x".repeat(500_000);
    for id in [json!(0), json!(-1), json!(i64::MAX), json!("a\u{1b}[2J"), json!(long)] {
        let body = json!({ "jsonrpc": "2.0", "id": id, "method": "ping" });
        let answer = door.ask(&post("", body.to_string()).with(LEGACY));
        assert_eq!((answer.status, &answer.json()["id"]), (200, &id));
    }
    for id in ["1.5", "1e999", "99999999999999999999999", "null"] {
        let body = format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"method\":\"ping\"}}");
        let answer = door.ask(&post("", body).with(LEGACY));
        assert!(answer.status < 500, "{id}: {answer:?}");
    }
    door.assert_calm();
}

#[test]
fn both_eras_are_spoken_and_no_session_is_known() {
    let door = outside();
    for version in ["2024-11-05", "2025-03-26", "2025-11-25", "2026-07-28", "9999-99-99", "x"] {
        let params = json!({ "protocolVersion": version, "capabilities": {},
            "clientInfo": { "name": "\u{1b}[2J", "version": "1" } });
        let ask = rpc("", "initialize", &params).without("MCP-Protocol-Version");
        let answer = door.ask(&ask);
        assert_eq!(answer.status, 200, "{version}: {answer:?}");
        assert!(!answer.head.contains("mcp-session-id"), "{answer:?}");
    }
    let meta = |version: &str| {
        json!({ "name": "team_members", "arguments": {}, "_meta": {
            "io.modelcontextprotocol/protocolVersion": version,
            "io.modelcontextprotocol/clientInfo": { "name": "test", "version": "1" },
            "io.modelcontextprotocol/clientCapabilities": {} } })
    };
    let new = |header: &str, version: &str| {
        rpc(IDE, "tools/call", &meta(version))
            .instead(&format!("MCP-Protocol-Version: {header}"))
            .with("Mcp-Method: tools/call")
            .with("Mcp-Name: team_members")
    };
    let answer = door.ask(&new("2026-07-28", "2026-07-28"));
    assert_eq!(answer.status, 200, "{answer:?}");
    assert!(answer.json()["result"]["structuredContent"].is_object(), "{answer:?}");
    for (header, version) in [("2025-11-25", "2026-07-28"), ("2026-07-28", "2025-11-25")] {
        assert_eq!(door.ask(&new(header, version)).status, 400);
    }
    let lies = new("2026-07-28", "2026-07-28").instead("Mcp-Name: channel_send");
    assert_eq!(door.ask(&lies).status, 400, "what the header says is what is called");
    let stranger = call(IDE, "team_members", &json!({})).with("Mcp-Session-Id: of-a-stranger");
    assert_eq!(door.ask(&stranger).status, 200, "there are no sessions to be taken over");
    door.assert_calm();
}

#[test]
fn a_flood_of_notifications_and_answers_to_nobody_changes_nothing() {
    let door = Door::open();
    let before = door.ask(&Ask::get("/snapshot")).json()["seq"].clone();
    let bodies = [
        json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }),
        json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": { "requestId": 1 } }),
        json!({ "jsonrpc": "2.0", "method": "notifications/progress",
            "params": { "progressToken": "x", "progress": 1 } }),
        json!({ "jsonrpc": "2.0", "method": "notifications/nothing", "params": {} }),
        json!({ "jsonrpc": "2.0", "id": 5, "result": {} }),
    ];
    let mut bytes = Vec::new();
    for n in 0..1000 {
        let ask = post("", bodies[n % bodies.len()].to_string()).with(LEGACY);
        bytes.extend(ask.without("Connection").bytes());
    }
    bytes.extend(Ask::get("/health").bytes());
    let answers = door.send(bytes);
    assert_eq!(answers.len(), 1001);
    assert!(
        answers[..1000].iter().all(|answer| matches!(answer.status, 202 | 400)),
        "{:?}",
        answers[0]
    );
    assert_eq!(door.ask(&Ask::get("/snapshot")).json()["seq"], before);
    door.assert_calm();
}

#[test]
fn a_call_whose_caller_has_gone_happens_once_or_not_at_all() {
    let door = outside();
    for n in 0..50 {
        let ask = call(IDE, "channel_send", &json!({ "message": format!("number {n}") }));
        // Closed before any answer can have come.
        drop(door.send_only(&ask));
    }
    let last = door.ask(&call(IDE, "channel_send", &json!({ "message": "the last" })));
    assert_eq!(last.json()["result"]["isError"], json!(false), "{last:?}");
    let peeked = door.ask(&Ask::get("/peek?target=@team&limit=200")).json();
    let mut texts: Vec<_> = peeked["messages"]
        .as_array()
        .unwrap()
        .iter()
        .map(|message| message["content"].as_str().unwrap().to_owned())
        .collect();
    let all = texts.len();
    texts.sort();
    texts.dedup();
    assert_eq!(texts.len(), all, "{texts:?}");
    door.assert_calm();
}

#[test]
fn a_parameter_that_is_not_known_is_refused_by_name() {
    let door = outside();
    for (query, unknown) in [("?agent=ide@team&tool=all", "tool"), ("?agnet=ide@team", "agnet")] {
        let told = refused(&door.ask(&call(query, "team_members", &json!({}))));
        assert!(told.contains(&format!("unknown query parameter `{unknown}`")), "{told}");
    }
    door.assert_calm();
}

#[test]
fn a_tool_does_for_a_run_what_its_own_agent_may() {
    let scene = Scene::set();
    let door = &scene.door;
    block_on(async {
        let client = door.home.client();
        let bob = client.at("bob@team".parse().unwrap());
        bob.call(&agent_worker_protocol::ChannelSend {
            message: "between us two".to_owned(),
            to: Vec::new(),
            intent: None,
            reply_to: None,
        })
        .await
        .unwrap();
    });
    let tool = |token: &str, query: &str, name: &str, arguments: &Value| {
        door.ask(&call(query, name, arguments).token(token))
    };
    let own = tool(&scene.live, "?agent=alice@team", "team_members", &json!({}));
    assert_eq!(own.json()["result"]["isError"], json!(false), "{own:?}");
    for foreign in
        ["?agent=bob@team", "?agent=alice@other", "?agent=user@team", "?agent=alice@team:x"]
    {
        let told = refused(&tool(&scene.live, foreign, "team_members", &json!({})));
        assert!(told.contains("this token is of `alice@team`"), "{foreign}: {told}");
    }
    for unclear in ["?agent=", "?agent=@@", "?agent=alice@team&agent=bob@team", "?agent=%00"] {
        let told = refused(&tool(&scene.live, unclear, "team_members", &json!({})));
        assert!(told.contains("?agent="), "{unclear}: {told}");
    }
    for (name, arguments) in [
        ("channel_read", json!({ "group": "bob+user" })),
        ("channel_read", json!({ "group": "user+bob" })),
        ("channel_send", json!({ "message": "hi", "to": ["alice@other"] })),
        ("channel_send", json!({ "message": "hi", "reply_to": "msg_9999" })),
        ("resource_read", json!({ "id": "res_99" })),
        ("my_inbox_ack", json!({ "until": "msg_9999" })),
        ("no_such_tool", json!({})),
        ("agent_stop", json!({ "target": "bob" })),
        ("question_answer", json!({ "id": "q_1", "answer": "allow" })),
        ("permission_request", json!({ "tool": "shell" })),
        ("\u{1b}[2J", json!({})),
    ] {
        let told = refused(&tool(&scene.live, "", name, &arguments));
        assert!(!told.contains("between us two"), "{name} {arguments}: {told}");
    }
    for name in ["channel_send", "team_members", "my_inbox", "team_doc_write"] {
        let arguments = match name {
            "channel_send" => json!({ "message": "from beyond" }),
            "team_doc_write" => json!({ "content": "from beyond" }),
            _ => json!({}),
        };
        let told = refused(&tool(&scene.ended, "", name, &arguments));
        assert!(told.contains(&format!("{} has ended", scene.ended_run)), "{name}: {told}");
    }
    let peeked = door.ask(&Ask::get("/peek?target=@team"));
    assert!(!peeked.body.contains("from beyond"), "{peeked:?}");
    door.assert_calm();
}
