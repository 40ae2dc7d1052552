//! What MCP clients read as resources.

use agent_worker_protocol::Mode;
use serde_json::{Value, json};

use crate::{
    mcp::{rpc, tool},
    support::{Home, Team, block_on, mock},
};

const IDE: &str = "?agent=ide@team";

/// Starts a workflow of `alice` and `ide`, a member outside.
fn start(home: &Home, name: &str) {
    block_on(async {
        let team = Team::new(name, "")
            .agent("alice", &mock("- think: \"nothing to say\""))
            .with("  ide: { backend: external }");
        team.start(home, &home.client(), Mode::Start).await;
    });
}

/// Calls a tool that must do what it is asked for.
fn done(home: &Home, query: &str, name: &str, arguments: &Value) -> Value {
    let answer = tool(home, query, name, arguments);
    assert_eq!(answer["isError"], false, "{name}: {answer}");
    answer["structuredContent"].clone()
}

/// A page of the list, and the URIs in it.
fn listed(home: &Home, query: &str, params: &Value) -> (Value, Vec<String>) {
    let answer = rpc(home, query, "resources/list", params);
    let all = answer["result"]["resources"].as_array().unwrap_or_else(|| panic!("{answer}"));
    let uris = all.iter().map(|one| one["uri"].as_str().unwrap().to_owned()).collect();
    (answer["result"].clone(), uris)
}

fn read(home: &Home, query: &str, uri: &str) -> Value {
    rpc(home, query, "resources/read", &json!({ "uri": uri }))
}

/// The texts that a URI has.
fn texts(home: &Home, query: &str, uri: &str) -> Vec<String> {
    let answer = read(home, query, uri);
    let all = answer["result"]["contents"].as_array().unwrap_or_else(|| panic!("{uri}: {answer}"));
    assert!(all.iter().all(|one| one["uri"] == uri), "{answer}");
    all.iter().map(|one| one["text"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn a_client_finds_and_reads_the_channel_documents_and_long_texts_of_its_team() {
    let home = Home::new();
    let _daemon = home.daemon();
    start(&home, "team");
    let hello = json!({ "protocolVersion": "2025-11-25", "capabilities": {},
        "clientInfo": { "name": "test", "version": "1" } });
    let begun = rpc(&home, IDE, "initialize", &hello);
    assert_eq!(begun["result"]["capabilities"]["resources"], json!({}), "{begun}");

    for (file, content) in [("notes.md", "notes"), ("plans/caf\u{e9} 1.txt", "plan")] {
        done(&home, IDE, "team_doc_create", &json!({ "file": file, "content": content }));
    }
    let stored = json!({ "content": "+1", "type": "diff" });
    let stored = done(&home, IDE, "resource_create", &stored)["id"].clone();
    let sent = done(&home, IDE, "channel_send", &json!({ "message": "hello all" }));

    let (page, uris) = listed(&home, IDE, &json!({}));
    let resource = format!("resource://{}", stored.as_str().unwrap());
    let plan = "doc://plans/caf%C3%A9%201.txt";
    assert_eq!(uris, ["channel://main", "doc://notes.md", plan, &*resource], "{page}");
    assert_eq!(page.get("nextCursor"), None, "{page}");
    let all = page["resources"].as_array().unwrap().iter();
    let kinds: Vec<_> = all.map(|one| one["mimeType"].as_str().unwrap()).collect();
    assert_eq!(kinds, ["application/json", "text/markdown", "text/plain", "text/x-diff"]);

    assert_eq!(texts(&home, IDE, "doc://notes.md"), ["notes"]);
    assert_eq!(texts(&home, IDE, plan), ["plan"]);
    assert_eq!(texts(&home, IDE, "doc://plans/caf\u{e9} 1.txt"), ["plan"]);
    assert_eq!(texts(&home, IDE, &resource), ["+1"]);
    let said: Value = serde_json::from_str(&texts(&home, IDE, "channel://main")[0]).unwrap();
    assert_eq!(said, done(&home, IDE, "channel_read", &json!({})));
    assert_eq!(said["messages"].as_array().unwrap().last().unwrap()["id"], sent["id"]);

    let forms = rpc(&home, IDE, "resources/templates/list", &json!({}));
    let forms = forms["result"]["resourceTemplates"].as_array().unwrap().clone();
    let forms: Vec<_> = forms.iter().map(|one| one["uriTemplate"].as_str().unwrap()).collect();
    assert_eq!(forms.len(), 3, "{forms:?}");
    assert!(forms[1].starts_with("doc://"), "{forms:?}");
}

#[test]
fn a_resource_is_read_in_the_parts_that_its_tool_gives() {
    let home = Home::new();
    let _daemon = home.daemon();
    start(&home, "team");
    let long = "x".repeat(50_000);
    let written = home.run_with(&["doc", "write", "-", "--in", "@team"], &long);
    assert_eq!(written.code, Some(0), "{written:?}");
    let write = || tool(&home, IDE, "team_doc_write", &json!({ "content": "mine" }));
    let next = "doc://notes.md?version=1&offset=40000";
    let parts = texts(&home, IDE, "doc://notes.md");
    assert_eq!((parts.len(), parts[0].len()), (2, 40_000));
    assert!(parts[1].ends_with(next), "{}", parts[1]);
    assert_eq!(write()["isError"], true, "a part of it is not read");
    assert_eq!(texts(&home, IDE, next), ["x".repeat(10_000)]);
    assert_eq!(write()["structuredContent"]["version"], 2, "all of it is read");

    let stored = done(&home, IDE, "resource_create", &json!({ "content": long }));
    let place = format!("resource://{}", stored["id"].as_str().unwrap());
    let parts = texts(&home, IDE, &place);
    assert_eq!((parts.len(), parts[0].len()), (2, 40_000));
    assert!(parts[1].ends_with(&format!("{place}?offset=40000")), "{}", parts[1]);
    assert_eq!(texts(&home, IDE, &format!("{place}?limit=50000")), [long]);

    let small = texts(&home, IDE, &format!("{place}?limit=10"));
    assert!(small[1].ends_with(&format!("{place}?offset=10&limit=10")), "{}", small[1]);

    for n in 0..2 {
        done(&home, IDE, "channel_send", &json!({ "message": format!("number {n}") }));
    }
    let first = &texts(&home, IDE, "channel://main?after=msg_0&limit=1")[0];
    let first: Value = serde_json::from_str(first).unwrap();
    assert_eq!(first["messages"].as_array().unwrap().len(), 1, "{first}");
    assert_eq!(first["more"], true, "{first}");

    home.ok(&["send", "ide@team", "between us"]);
    let own = &texts(&home, IDE, "channel://main?group=ide+user")[0];
    assert!(own.contains("between us"), "{own}");
}

#[test]
fn a_list_of_more_than_50_long_texts_has_pages() {
    let home = Home::new();
    let _daemon = home.daemon();
    start(&home, "team");
    for n in 0..52 {
        done(&home, IDE, "resource_create", &json!({ "content": format!("number {n}") }));
    }
    let (first, uris) = listed(&home, IDE, &json!({}));
    assert_eq!((uris.len(), &*uris[0]), (51, "channel://main"), "{first}");
    let (last, rest) = listed(&home, IDE, &json!({ "cursor": first["nextCursor"] }));
    assert_eq!(rest.len(), 2, "{last}");
    assert!(rest.iter().all(|uri| !uris.contains(uri)), "{last}");
    assert_eq!(last.get("nextCursor"), None, "{last}");
    for cursor in ["7", "resource://7", "file:///notes.md"] {
        let wrong = rpc(&home, IDE, "resources/list", &json!({ "cursor": cursor }));
        assert_eq!(wrong["error"]["code"], -32602, "{wrong}");
        assert!(wrong["error"]["message"].as_str().unwrap().contains("nextCursor"), "{wrong}");
    }
}

#[test]
fn a_list_of_more_than_100_documents_has_pages_and_long_texts_follow_them() {
    let home = Home::new();
    let _daemon = home.daemon();
    start(&home, "team");
    for n in 0..101 {
        let file = format!("Plans/caf\u{e9} {n:03}.md");
        done(&home, IDE, "team_doc_create", &json!({ "file": file, "content": "plan" }));
    }
    let stored = done(&home, IDE, "resource_create", &json!({ "content": "text" }));
    let (first, uris) = listed(&home, IDE, &json!({}));
    let ends = (uris.len(), &*uris[0], &*uris[100]);
    assert_eq!(ends, (101, "channel://main", "doc://Plans/caf%C3%A9%20099.md"), "{first}");
    let (last, rest) = listed(&home, IDE, &json!({ "cursor": first["nextCursor"] }));
    let text = format!("resource://{}", stored["id"].as_str().unwrap());
    assert_eq!(rest, ["doc://Plans/caf%C3%A9%20100.md", &*text], "{last}");
    assert_eq!(last.get("nextCursor"), None, "{last}");
    let wrong = rpc(&home, IDE, "resources/list", &json!({ "cursor": "doc://../notes.md" }));
    assert_eq!(wrong["error"]["code"], -32602, "{wrong}");
}

#[test]
fn what_a_member_may_not_read_is_not_found_as_what_does_not_exist() {
    let home = Home::new();
    let _daemon = home.daemon();
    start(&home, "team");
    start(&home, "other");
    let theirs = done(&home, "?agent=ide@other", "resource_create", &json!({ "content": "far" }));
    let theirs = format!("resource://{}", theirs["id"].as_str().unwrap());
    // A long direct message is stored as a text of these two.
    home.ok(&["send", "alice@team", &"y".repeat(5_000)]);
    let (page, uris) = listed(&home, "?agent=alice@team", &json!({}));
    let [_, private] = &uris[..] else { panic!("{page}") };
    assert_eq!(texts(&home, "?agent=alice@team", private), ["y".repeat(5_000)]);
    assert_eq!(listed(&home, IDE, &json!({})).1, ["channel://main"]);

    let cases = [
        (theirs.as_str(), "hint: "),
        (private.as_str(), "hint: "),
        ("resource://res_999", "`res_999` not found"),
        ("doc://absent.md", "team_doc_list"),
        ("channel://east", "resources/list"),
        ("file:///etc/passwd", "resources/list"),
        ("notes.md", "unknown resource `notes.md`"),
    ];
    for (uri, named) in cases {
        let refused = read(&home, IDE, uri)["error"].clone();
        assert_eq!(refused["code"], -32002, "{uri}: {refused}");
        assert!(refused["message"].as_str().unwrap().contains(named), "{uri}: {refused}");
    }
    for (uri, named) in [
        ("resource://7", "res_12"),
        ("doc://../notes.md", "invalid document path"),
        ("doc://notes.md?ofset=1", "team_doc_read takes file"),
        ("doc://notes.md?file=plan.md", "`file` is given twice"),
    ] {
        let refused = read(&home, IDE, uri)["error"].clone();
        assert_eq!(refused["code"], -32602, "{uri}: {refused}");
        assert!(refused["message"].as_str().unwrap().contains(named), "{uri}: {refused}");
    }
    let uri = json!({ "uri": "channel://main" });
    for method in ["resources/list", "resources/templates/list", "resources/read"] {
        let refused = rpc(&home, "?agent=stranger@team", method, &uri);
        assert_eq!(refused["error"]["code"], -32600, "{method}: {refused}");
    }
    let unnamed = rpc(&home, IDE, "resources/read", &json!({}));
    assert!(unnamed["error"]["message"].as_str().unwrap().contains("`uri`"), "{unnamed}");
}
