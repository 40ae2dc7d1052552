//! What MCP clients see.

use std::{
    collections::{BTreeMap, BTreeSet},
    process::Command,
};

use agent_worker_protocol::{
    run::RunState,
    workflow::{Mode, WorkflowState},
};
use serde_json::{Value, json};

use crate::support::{Home, Team, Watch, block_on, mock, python_with, skip};

/// Speaks to the endpoint as a client without a session does, and gives the answer.
fn rpc(home: &Home, query: &str, method: &str, params: &Value) -> Value {
    let file = home.daemon_file().expect("a daemon runs");
    let url = format!("http://{}:{}/mcp{query}", file.host, file.port);
    let body = json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params });
    block_on(async {
        let http = reqwest::Client::builder().no_proxy().build().unwrap();
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

fn tool(home: &Home, query: &str, name: &str, arguments: &Value) -> Value {
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
        for schema in ["inputSchema", "outputSchema"] {
            assert_eq!(tool[schema]["type"], "object", "{tool}");
        }
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
    let id = inbox["structuredContent"]["messages"][0]["id"].as_str().unwrap().to_owned();
    let sent = tool(&home, as_ide, "channel_send", &json!({ "message": "@alice over to you" }));
    assert_eq!(sent["structuredContent"]["delivered_to"][0]["state"], "woken");
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
    // Nobody answers what is asked here.
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
    let url = format!("http://{}:{}/mcp?agent=ide@team", file.host, file.port);
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/clients/every_tool.py");
    let ended = Command::new(&python).args([script, &url, &file.token]).output().unwrap();
    let stderr = String::from_utf8_lossy(&ended.stderr);
    assert!(ended.status.success(), "{stderr}");
    let told: Value = serde_json::from_slice(&ended.stdout).expect(&stderr);
    let listed: BTreeMap<String, [Value; 2]> =
        serde_json::from_value(told["listed"].clone()).unwrap();
    for (name, schemas) in &listed {
        assert!(schemas.iter().all(|schema| schema["type"] == "object"), "{name}: {schemas:?}");
    }
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
