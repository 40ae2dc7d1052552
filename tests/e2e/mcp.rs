//! What MCP clients see.

use std::{
    collections::{BTreeMap, BTreeSet},
    process::Command,
};

use agent_worker_protocol::{DocWrite, Mode, RunState, Target, WorkflowState};
use serde_json::{Value, json};

use crate::support::{Home, Team, Watch, block_on, mock, python_with, skip};

/// Speaks to the endpoint as a client without a session does, and gives the answer.
pub fn rpc(home: &Home, query: &str, method: &str, params: &Value) -> Value {
    let file = home.daemon_file().expect("a daemon runs");
    let url = format!("http://{}:{}/mcp{query}", file.host, file.port);
    let body = json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params });
    block_on(async {
        let http = agent_worker_http::client().no_proxy().build().unwrap();
        let answer = http
            .post(url)
            .bearer_auth(file.token)
            .header("accept", "application/json, text/event-stream")
            .header("mcp-protocol-version", "2025-11-25")
            .json(&body)
            .send()
            .await
            .unwrap();
        answer.json().await.unwrap()
    })
}

/// Calls a tool, and gives its result.
pub fn tool(home: &Home, query: &str, name: &str, arguments: &Value) -> Value {
    let answer = rpc(home, query, "tools/call", &json!({ "name": name, "arguments": arguments }));
    answer["result"].clone()
}

#[test]
fn every_tool_has_a_description_a_schema_and_annotations() {
    let home = Home::new();
    let _daemon = home.daemon();
    let answer = rpc(&home, "", "tools/list", &json!({}));
    let tools = answer["result"]["tools"].as_array().unwrap();
    let names: Vec<_> = tools.iter().map(|tool| tool["name"].as_str().unwrap()).collect();
    assert_eq!(
        names,
        [
            "channel_send",
            "channel_read",
            "my_inbox",
            "my_inbox_ack",
            "my_status_set",
            "team_members",
            "team_doc_read",
            "team_doc_write",
            "team_doc_append",
            "team_doc_create",
            "team_doc_list",
            "team_proposal_create",
            "team_vote",
            "team_proposal_status",
            "team_proposal_cancel",
            "resource_create",
            "resource_read",
            "group_create",
            "group_list",
            "group_members",
            "group_add",
            "group_leave",
            "team_search",
            "ask_person"
        ]
    );
    for tool in tools {
        assert!(tool["description"].as_str().unwrap().len() > 20, "{tool}");
        assert_eq!(tool["inputSchema"]["type"], "object", "{tool}");
        assert!(tool.get("outputSchema").is_none(), "{tool}");
        assert_eq!(tool["annotations"]["destructiveHint"], false, "{tool}");
        assert_eq!(tool["annotations"]["openWorldHint"], false, "{tool}");
        let properties = tool["inputSchema"]["properties"].as_object().unwrap();
        for (name, property) in properties {
            assert!(property["description"].is_string(), "{}.{name}", tool["name"]);
        }
    }
}

#[test]
fn a_refusal_is_an_answer_that_a_model_can_act_on() {
    let home = Home::new();
    let _daemon = home.daemon();
    let cases = [
        ("nothing", json!({}), "channel_send"),
        ("channel_send", json!({ "mesage": "hi" }), "message"),
        ("channel_send", json!({ "message": "hi", "to": ["nobody"] }), "nobody"),
        ("channel_send", json!({ "message": "hi", "reply_to": "msg_9999" }), "msg_9999"),
        ("channel_send", json!({ "message": "hi", "reply_to": "9999" }), "msg_12"),
        ("team_doc_read", json!({ "file": "absent.md" }), "team_doc_write"),
        ("my_inbox_ack", json!({ "until": "msg_5" }), "msg_5"),
    ];
    for (name, arguments, named) in cases {
        let answer = tool(&home, "", name, &arguments);
        assert_eq!(answer["isError"], true, "{name}: {answer}");
        let text = answer["content"][0]["text"].as_str().unwrap();
        assert!(text.contains(named), "{name}: {text}");
    }
}

#[test]
fn arguments_that_are_no_object_are_the_fault_and_not_the_method() {
    let home = Home::new();
    let _daemon = home.daemon();
    let call = json!({ "name": "channel_send", "arguments": "hi" });
    let error = &rpc(&home, "", "tools/call", &call)["error"];
    assert_eq!(error["code"], -32602, "{error}");
    assert!(error["message"].as_str().unwrap().contains("`arguments`, an object"), "{error}");
    assert_eq!(rpc(&home, "", "tools/cal", &json!({}))["error"]["code"], -32601);
}

#[test]
fn a_cursor_of_a_list_with_one_page_is_refused() {
    let home = Home::new();
    let _daemon = home.daemon();
    for method in ["tools/list", "resources/templates/list"] {
        let page = |params| rpc(&home, "?agent=user", method, &params);
        assert!(page(json!({}))["result"].is_object(), "{method}");
        let wrong = page(json!({ "cursor": "7" }));
        assert_eq!(wrong["error"]["code"], -32602, "{method}: {wrong}");
    }
}

#[test]
fn the_operator_chooses_whom_to_act_as() {
    let home = Home::new();
    let _daemon = home.daemon();
    block_on(async {
        let client = home.client();
        let team = Team::new("team", "@ide please help")
            .agent("alice", &mock("- think: \"nothing to say\""))
            .with("  ide: { backend: external }");
        team.start(&home, &client, Mode::Run).await;
    });
    let as_ide = "?agent=ide@team";
    let inbox = tool(&home, as_ide, "my_inbox", &json!({}));
    let message = &inbox["structuredContent"]["messages"][0];
    assert_eq!(message.get("private"), None, "the channel is not private: {inbox}");
    let id = message["id"].as_str().unwrap().to_owned();
    let sent = tool(&home, as_ide, "channel_send", &json!({ "message": "@alice over to you" }));
    assert_eq!(sent["structuredContent"]["delivered_to"][0]["state"], "woken");
    let reply = json!({ "message": "and this", "intent": "inform", "reply_to": id });
    let reply = tool(&home, as_ide, "channel_send", &reply);
    assert_ne!(reply["isError"], true, "{reply}");
    let said = home.json(&["peek", "@team"]);
    let is_reply = |message: &&Value| message["id"] == reply["structuredContent"]["id"];
    let stored = said["messages"].as_array().unwrap().iter().find(is_reply).unwrap();
    assert_eq!(stored["reply_to"], id.as_str(), "{said}");
    let acked = tool(&home, as_ide, "my_inbox_ack", &json!({ "until": id }));
    assert_eq!(acked["structuredContent"]["marked"][0], id.as_str());
    block_on(async {
        let mut watch = Watch::all(&home.client()).await;
        let run = watch.run_ended(|run| run.backend.as_deref() == Some("external")).await;
        assert_eq!(run.state, RunState::Succeeded);
        watch.workflow(WorkflowState::Completed).await;
    });
    let nobody = tool(&home, "?agent=nobody@team", "my_inbox", &json!({}));
    assert_eq!(nobody["isError"], true);
}

#[test]
fn a_member_whose_scope_is_not_named_is_not_its_namesake_elsewhere() {
    let home = Home::new();
    let _daemon = home.daemon();
    home.ok(&["new", "bob", "--backend", "external"]);
    block_on(async {
        let team = Team::new("review", "")
            .agent("alice", &mock("- think: \"nothing to say\""))
            .with("  bob: { backend: external }");
        team.start(&home, &home.client(), Mode::Start).await;
    });
    let asked = json!({ "type": "approval", "title": "merge?", "electors": ["bob"] });
    let made = tool(&home, "?agent=bob@review", "team_proposal_create", &asked);
    let vote = json!({ "proposal": made["structuredContent"]["id"], "choice": "approve" });
    let refused = tool(&home, "?agent=bob", "team_vote", &vote);
    assert_eq!(refused["isError"], true, "{refused}");
    let closed = tool(&home, "?agent=bob@review", "team_vote", &vote);
    assert_eq!(closed["structuredContent"]["status"], "resolved", "{closed}");
}

/// The names of the tools that a member is offered.
fn offered(home: &Home, query: &str) -> Vec<String> {
    let answer = rpc(home, query, "tools/list", &json!({}));
    let tools = answer["result"]["tools"].as_array().unwrap_or_else(|| panic!("{answer}"));
    tools.iter().map(|tool| tool["name"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn a_member_outside_writes_over_no_version_that_it_has_not_read() {
    let home = Home::new();
    let _daemon = home.daemon();
    home.ok(&["new", "ide", "--backend", "external"]);
    home.ok(&["doc", "write", "of the user", "--file", "plan.md"]);
    let call = |name: &str, arguments: Value| tool(&home, "?agent=ide", name, &arguments);
    let write = || call("team_doc_write", json!({ "file": "plan.md", "content": "of the IDE" }));
    let read = || call("team_doc_read", json!({ "file": "plan.md" }));
    let assert_refused = |known: &str| {
        let refused = write();
        assert_eq!(refused["isError"], true, "{refused}");
        assert!(refused["content"][0]["text"].as_str().unwrap().contains(known), "{refused}");
    };
    assert_refused("you have not read it");
    assert_eq!(read()["structuredContent"]["content"], "of the user");
    assert_eq!(write()["structuredContent"]["version"], 2);
    home.ok(&["doc", "write", "of the user again", "--file", "plan.md"]);
    assert_refused("you have read version 2");
    read();
    assert_eq!(write()["structuredContent"]["version"], 4);
}

#[test]
fn tools_for_votes_and_groups_are_offered_where_they_are_of_use() {
    let home = Home::new();
    let _daemon = home.daemon();
    let silent = mock("- think: \"nothing to say\"");
    let ide = "  ide: { backend: external }\n";
    block_on(async {
        let client = home.client();
        let voting = ("voting", "proposals: true\ngroups: true\n");
        for (name, keys) in [("plain", ""), voting, ("hiring", "hire: true\n")] {
            let team = Team::new(name, "").agent("alice", &silent).with(&format!("{ide}{keys}"));
            team.start(&home, &client, Mode::Start).await;
        }
    });
    let (votes, groups) = ("team_vote".to_owned(), "group_add".to_owned());
    let plain = offered(&home, "?agent=ide@plain");
    assert_eq!(plain.len(), 14, "{plain:?}");
    let voting = offered(&home, "?agent=ide@voting");
    assert!(voting.contains(&votes) && voting.contains(&groups), "{voting:?}");
    let all = offered(&home, "?agent=ide@plain&tools=all");
    assert_eq!(all.len(), 24, "{all:?}");
    assert_eq!(offered(&home, "?agent=user@plain"), all, "the user is offered all");

    let alice = offered(&home, "?agent=alice@hiring&tools=all");
    assert_eq!(alice.len(), 26, "who may hire keeps the tools for it: {alice:?}");
    assert_eq!(offered(&home, "?agent=ide@hiring"), plain, "who works outside cannot hire");

    // What is not offered can be called, and what is open is offered.
    let asked = json!({ "type": "approval", "title": "merge?", "electors": ["ide"] });
    let made = tool(&home, "?agent=ide@plain", "team_proposal_create", &asked);
    assert_eq!(made["isError"], false, "{made}");
    let now = offered(&home, "?agent=ide@plain");
    assert!(now.contains(&votes) && !now.contains(&groups), "{now:?}");
    let vote = json!({ "proposal": made["structuredContent"]["id"], "choice": "approve" });
    let closed = tool(&home, "?agent=ide@plain", "team_vote", &vote);
    assert_eq!(closed["structuredContent"]["status"], "resolved", "{closed}");
    assert_eq!(offered(&home, "?agent=ide@plain"), plain);

    let group = json!({ "name": "east", "members": ["alice"] });
    let made = tool(&home, "?agent=ide@plain", "group_create", &group);
    assert_eq!(made["isError"], false, "{made}");
    let now = offered(&home, "?agent=ide@plain");
    assert!(!now.contains(&votes) && now.contains(&groups), "{now:?}");
    tool(&home, "?agent=ide@plain", "group_leave", &json!({ "group": "east" }));
    assert_eq!(offered(&home, "?agent=ide@plain"), plain);
}

#[test]
fn a_client_that_is_no_member_is_refused_when_it_connects() {
    let home = Home::new();
    let _daemon = home.daemon();
    let begin = json!({ "protocolVersion": "2025-11-25", "capabilities": {},
        "clientInfo": { "name": "test", "version": "1" } });
    for query in ["?agent=nobody@ext", "?agent=nobody", "?agent=a&agent=b"] {
        for (method, params) in [("initialize", &begin), ("tools/list", &json!({}))] {
            let refused = rpc(&home, query, method, params);
            assert!(refused["error"]["message"].is_string(), "{query} {method}: {refused}");
        }
    }
    let refused = rpc(&home, "?agent=nobody@ext", "initialize", &begin);
    assert!(refused["error"]["message"].as_str().unwrap().contains("@ext"), "{refused}");
    assert_eq!(
        rpc(&home, "", "initialize", &begin)["result"]["serverInfo"]["name"],
        "agent-worker"
    );
    let file = home.daemon_file().unwrap();
    let meta = json!({ "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": { "name": "test", "version": "1" },
        "io.modelcontextprotocol/clientCapabilities": {} });
    let discover = |query: &str| {
        let url = format!("http://{}:{}/mcp{query}", file.host, file.port);
        let body = json!({ "jsonrpc": "2.0", "id": 1, "method": "server/discover",
            "params": { "_meta": meta } });
        block_on(async {
            let http = agent_worker_http::client().no_proxy().build().unwrap();
            let request = http.post(url).bearer_auth(&file.token).json(&body);
            let request = request.header("accept", "application/json, text/event-stream");
            let request = request.header("mcp-method", "server/discover");
            let answer = request.header("mcp-protocol-version", "2026-07-28").send().await;
            answer.unwrap().json::<Value>().await.unwrap()
        })
    };
    assert!(discover("")["result"]["supportedVersions"].is_array(), "{}", discover(""));
    let refused = discover("?agent=nobody@ext");
    assert!(refused["error"]["message"].as_str().unwrap().contains("@ext"), "{refused}");
}

#[test]
fn an_inbox_is_short_unless_all_is_asked_for() {
    let home = Home::new();
    home.ok(&["new", "ide", "--backend", "external"]);
    home.ok(&["send", "ide", &"x".repeat(48)]);
    let short = tool(&home, "?agent=ide", "my_inbox", &json!({}))["structuredContent"].clone();
    let expected = json!({ "id": "msg_1", "sender": "user", "group": "ide+user",
        "private": true, "content": "x".repeat(48) });
    assert_eq!(short["messages"], json!([expected]));
    assert!(short.to_string().len() < 200, "{short}");
    let full = tool(&home, "?agent=ide", "my_inbox", &json!({ "full": true }));
    let message = &full["structuredContent"]["messages"][0];
    assert_eq!(message["delivery"]["state"], "leased", "{full}");
    assert_eq!(message["intent"], "request", "{full}");
    home.ok(&["daemon", "stop"]);
}

#[test]
fn what_a_tool_reads_has_40000_characters_unless_more_is_asked_for() {
    let home = Home::new();
    home.ok(&["new", "ide", "--backend", "external"]);
    let long = "ü".repeat(50_000);
    let ide = "?agent=ide";
    let write = |name: &str, arguments: &Value| {
        let done = tool(&home, ide, name, arguments);
        assert_eq!(done["isError"], false, "{done}");
        done["structuredContent"].clone()
    };
    write("team_doc_create", &json!({ "content": long }));
    let resource = write("resource_create", &json!({ "content": long }));
    let id = resource["id"].clone();
    for (name, of) in [("team_doc_read", json!({})), ("resource_read", json!({ "id": id }))] {
        let read = |more: Value| {
            let mut arguments = of.clone();
            arguments.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
            let part = write(name, &arguments);
            let chars = part["content"].as_str().unwrap().chars().count();
            (chars, part["more"].clone())
        };
        assert_eq!(read(json!({})), (40_000, json!(true)), "{name}");
        assert_eq!(read(json!({ "offset": 40_000 })), (10_000, json!(false)), "{name}");
        assert_eq!(read(json!({ "limit": 45_000 })), (45_000, json!(true)), "{name}");
    }
    // Fifty messages, each with as much text as one shows.
    for n in 0..50 {
        let said = format!("{n} {}", "y".repeat(1_100));
        write("channel_send", &json!({ "message": said }));
    }
    let newest = write("channel_read", &json!({}));
    let messages = newest["messages"].as_array().unwrap();
    assert!(newest.to_string().len() < 42_000, "{}", newest.to_string().len());
    assert!(messages.len() < 50 && newest["more"] == true, "{}", messages.len());
    assert!(messages.last().unwrap()["content"].as_str().unwrap().starts_with("49 "));
    let first = write("channel_read", &json!({ "after": "msg_0" }));
    assert!(first["messages"][0]["content"].as_str().unwrap().starts_with("0 "), "{first}");
    assert!(first["messages"].as_array().unwrap().len() < 50 && first["more"] == true);
    let all = write("channel_read", &json!({ "limit": 50 }));
    assert_eq!(all["messages"].as_array().unwrap().len(), 50);
    home.ok(&["daemon", "stop"]);
}

#[test]
fn an_official_client_lists_sends_reads_and_acks() {
    let Some(python) = python_with("mcp") else {
        return skip(
            "an_official_client_lists_sends_reads_and_acks",
            "no Python with the package mcp",
        );
    };
    let home = Home::new();
    let _daemon = home.daemon();
    block_on(async {
        let team = Team::new("team", "@ide please help")
            .agent("alice", &mock("- think: \"nothing to say\""))
            .with("  ide: { backend: external }");
        team.start(&home, &home.client(), Mode::Run).await;
    });
    let file = home.daemon_file().unwrap();
    let url = format!("http://{}:{}/mcp?agent=ide@team", file.host, file.port);
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/clients/official.py");
    for era in ["2026-07-28", "legacy"] {
        let ended = Command::new(&python).args([script, &url, &file.token, era]).output().unwrap();
        let stderr = String::from_utf8_lossy(&ended.stderr);
        assert!(ended.status.success(), "{era}: {stderr}");
        let told: Value = serde_json::from_slice(&ended.stdout).expect(&stderr);
        assert!(told["tools"].as_array().unwrap().len() >= 11, "{told}");
        assert_eq!(told["sent"]["delivered_to"][0]["name"], "alice", "{told}");
        if era == "2026-07-28" {
            assert_eq!(told["inbox"]["count"], 1, "{told}");
            assert_eq!(told["acked"]["marked"].as_array().unwrap().len(), 1, "{told}");
        }
    }
}

#[test]
fn an_official_client_calls_every_tool_that_is_listed() {
    let Some(python) = python_with("mcp") else {
        return skip(
            "an_official_client_calls_every_tool_that_is_listed",
            "no Python with the package mcp",
        );
    };
    // Questions are not answered here.
    let home = Home::with_config("[questions]\nwait = \"10ms\"\n");
    let _daemon = home.daemon();
    block_on(async {
        let silent = mock("- think: \"nothing to say\"");
        let team = Team::new("team", "@ide please help")
            .agent("alice", &silent)
            .agent("bob", &silent)
            .agent("carol", &silent)
            .with("  ide: { backend: external }");
        team.start(&home, &home.client(), Mode::Start).await;
    });
    let file = home.daemon_file().unwrap();
    let url = format!("http://{}:{}/mcp?agent=ide@team&tools=all", file.host, file.port);
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/clients/every_tool.py");
    let ended = Command::new(&python).args([script, &url, &file.token]).output().unwrap();
    let stderr = String::from_utf8_lossy(&ended.stderr);
    assert!(ended.status.success(), "{stderr}");
    let told: Value = serde_json::from_slice(&ended.stdout).expect(&stderr);
    let listed: BTreeMap<String, Value> = serde_json::from_value(told["listed"].clone()).unwrap();
    assert!(listed.values().all(|schema| schema["type"] == "object"), "{listed:?}");
    let answers: BTreeMap<String, Vec<Value>> =
        serde_json::from_value(told["answers"].clone()).unwrap();
    let (called, offered): (BTreeSet<_>, BTreeSet<_>) =
        (answers.keys().collect(), listed.keys().collect());
    assert_eq!(called, offered);
    let last = |tool: &str| answers[tool].last().unwrap();
    assert_eq!(answers["my_inbox"][0]["messages"][0]["content"], "@ide please help");
    assert_eq!(answers["channel_read"][1]["messages"][0]["id"], told["sent"]);
    assert_eq!(answers["team_doc_read"][0]["content"], "one\ntwo");
    assert_eq!(last("team_doc_read")["content"], "two");
    assert_eq!(last("team_doc_write")["version"], 3);
    assert_eq!(last("team_doc_list")["documents"][0]["file"], "plan.md");
    assert_eq!(last("resource_read")["content"], "long");
    assert_eq!(answers["team_proposal_status"][0]["proposals"][0]["status"], "active");
    assert_eq!(last("team_proposal_status")["proposals"][0]["result"], "ide");
    assert_eq!(last("team_proposal_cancel")["status"], "cancelled");
    assert_eq!(last("group_leave")["members"], json!(["alice", "bob", "carol"]));
    assert_eq!(last("team_search")["hits"].as_array().unwrap().len(), 2, "{told}");
    assert_eq!(last("ask_person")["state"], "waiting");
    assert_eq!(last("my_inbox_ack")["marked"].as_array().unwrap().len(), 1, "{told}");
}

#[test]
fn the_lists_of_a_large_team_are_cut_where_a_client_would_cut_them_and_say_so() {
    let home = Home::new();
    let _daemon = home.daemon();
    let role = "r".repeat(400);
    let member = |n| format!("  a{n:03}: {{ backend: external, role: {role} }}\n");
    let members: String = (0..120).map(member).collect();
    block_on(async {
        let client = home.client();
        let started =
            Team::new("large", "").with(&members).start(&home, &client, Mode::Start).await;
        let place = client.at(Target::scope(started.workflow.scope));
        for n in 0..120 {
            let file = Some(format!("{n:03}{}.md", "d".repeat(240)));
            let write = DocWrite { content: "text".to_owned(), file, if_version: None };
            place.call(&write).await.unwrap();
        }
    });
    let listed = |name: &str| {
        let answer = tool(&home, "?agent=a119@large", name, &json!({}));
        assert!(answer["content"][0]["text"].as_str().unwrap().len() < 42_000, "{answer}");
        answer["structuredContent"].clone()
    };
    let team = listed("team_members");
    let members = team["members"].as_array().unwrap();
    assert_eq!(team["more"], 121 - members.len(), "with the user there are 121: {team}");
    assert!(members.iter().any(|member| member["you"] == true), "{team}");
    let documents = listed("team_doc_list");
    let left = 120 - documents["documents"].as_array().unwrap().len();
    assert_eq!(documents["more"], format!("{left} more: `team_search` finds them by their text"));
    let all = home.json(&["doc", "list", "@large"]);
    assert_eq!(all["documents"].as_array().unwrap().len(), 120);
    assert!(all.get("more").is_none());
}
