//! Members that work outside, in clients of their own: a token with their rights and no more, a
//! port that stays, settings to paste, and mail that is waited for (§5, §14).

use agent_worker_protocol::{Run, RunState};
use serde_json::{Value, json};

use crate::support::{Home, Watch, block_on, within};

/// A home with a member outside.
fn home_of_ide() -> Home {
    let home = Home::new();
    home.ok(&["new", "ide", "--backend", "external"]);
    home
}

fn base(home: &Home) -> String {
    let file = home.daemon_file().expect("a daemon runs");
    format!("http://{}:{}", file.host, file.port)
}

/// Calls a tool as the client of `ide` does.
async fn call(base: &str, token: &str, name: &str, arguments: &Value) -> (u16, Value) {
    call_as("ide", base, token, name, arguments).await
}

/// Calls a tool as a client with a token of this member does.
async fn call_as(
    member: &str,
    base: &str,
    token: &str,
    name: &str,
    arguments: &Value,
) -> (u16, Value) {
    let http = agent_worker_http::client().no_proxy().build().unwrap();
    let to = http.post(format!("{base}/mcp?agent={member}"));
    call_by(to, token, name, arguments).await
}

/// Calls a tool over the connections of a client that goes on.
async fn call_by(
    to: reqwest::RequestBuilder,
    token: &str,
    name: &str,
    arguments: &Value,
) -> (u16, Value) {
    let params = json!({ "name": name, "arguments": arguments });
    let body = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params });
    let request = to.bearer_auth(token);
    let request = request.header("accept", "application/json, text/event-stream");
    let answer = request.header("mcp-protocol-version", "2025-11-25").json(&body).send().await;
    let answer = answer.unwrap();
    (answer.status().as_u16(), answer.json().await.unwrap_or_default())
}

fn texts(answer: &Value) -> Vec<&str> {
    let messages = answer["result"]["structuredContent"]["messages"].as_array();
    messages.into_iter().flatten().filter_map(|one| one["content"].as_str()).collect()
}

#[test]
fn a_token_of_a_member_is_kept_over_restarts_until_it_is_revoked() {
    let home = home_of_ide();
    let token = home.ok(&["token", "ide"]).trim().to_owned();
    home.ok(&["send", "ide", "please look at line 3"]);
    let place = base(&home);
    home.ok(&["daemon", "restart"]);
    assert_eq!(base(&home), place, "the port stays the same");
    block_on(async {
        let (_, answer) = call(&place, &token, "my_inbox", &json!({})).await;
        assert_eq!(texts(&answer), ["please look at line 3"], "{answer}");
        let ack = json!({ "until": "msg_1" });
        let (_, answer) = call(&place, &token, "my_inbox_ack", &ack).await;
        assert_eq!(answer["result"]["structuredContent"]["marked"], json!(["msg_1"]), "{answer}");
        let said = json!({ "message": "done", "to": ["user"] });
        let (_, answer) = call(&place, &token, "channel_send", &said).await;
        assert_eq!(answer["result"]["isError"], false, "{answer}");
    });
    assert!(home.ok(&["inbox"]).contains("done"));
    let database = std::fs::read(home.path().join("agent-worker.db")).unwrap();
    let is_stored = database.windows(token.len()).any(|part| part == token.as_bytes());
    assert!(!is_stored, "only its hash is stored");
    let second = home.ok(&["token", "ide"]).trim().to_owned();
    let status = |token: &str| block_on(call(&base(&home), token, "my_inbox", &json!({}))).0;
    assert_eq!((status(&token), status(&second)), (401, 200), "a new token ends the old one");
    home.ok(&["token", "ide", "--revoke"]);
    assert_eq!(status(&second), 401);
    let again = home.run(&["token", "ide", "--revoke"]);
    assert!(again.stderr.contains("`ide` has no token"), "{again:?}");
    home.ok(&["daemon", "stop"]);
}

#[test]
fn a_token_of_a_member_opens_no_other_place() {
    let home = home_of_ide();
    home.ok(&["send", "@global", "hello"]);
    let token = home.ok(&["token", "ide"]).trim().to_owned();
    let base = base(&home);
    block_on(async {
        let http = agent_worker_http::client().no_proxy().build().unwrap();
        // Another scope, and another member, are not its own.
        for query in ["?target=@review", "?as=user", "?as=bob"] {
            let request = http.get(format!("{base}/peek{query}")).bearer_auth(&token);
            let status = request.send().await.unwrap().status().as_u16();
            assert_eq!(status, 403, "{query}");
        }
        let peek = http.get(format!("{base}/peek")).bearer_auth(&token);
        assert_eq!(peek.send().await.unwrap().status().as_u16(), 200);
    });
    let refused = home.run(&["token", "user"]);
    assert!(
        refused.stderr.contains("`user` has no token: it is not an external member"),
        "{refused:?}"
    );
    home.ok(&["daemon", "stop"]);
}

#[test]
fn an_unknown_tool_is_answered_with_those_that_are_offered() {
    let home = home_of_ide();
    let token = home.ok(&["token", "ide"]).trim().to_owned();
    let base = base(&home);
    block_on(async {
        let (_, answer) = call(&base, &token, "fly_away", &json!({})).await;
        let told = answer["result"]["content"][0]["text"].as_str().unwrap();
        assert!(told.starts_with("unknown tool `fly_away`\nhint: tools: "), "{told}");
        assert!(told.contains("channel_send"), "{told}");
        for other in ["memory_add", "agent_create", "team_doc_create"] {
            assert!(!told.contains(other), "{told}");
        }
    });
    home.ok(&["daemon", "stop"]);
}

#[test]
fn an_inbox_that_is_waited_for_answers_as_soon_as_there_is_mail() {
    let home = home_of_ide();
    let token = home.ok(&["token", "ide"]).trim().to_owned();
    let base = base(&home);
    block_on(async {
        let short = json!({ "wait": "50ms" });
        let (_, answer) = call(&base, &token, "my_inbox", &short).await;
        assert_eq!(texts(&answer), [""; 0], "{answer}");
        let long = json!({ "wait": "61s" });
        let (_, answer) = call(&base, &token, "my_inbox", &long).await;
        assert!(answer.to_string().contains("`wait` must be at most 60s"), "{answer}");
        let waits = json!({ "wait": "60s" });
        let waiting = call(&base, &token, "my_inbox", &waits);
        let sending = async {
            home.ok(&["send", "@global", "not for the client"]);
            home.ok(&["send", "ide", "for the client"]);
        };
        let ((_, answer), ()) =
            within("the mail comes", async { tokio::join!(waiting, sending) }).await;
        assert_eq!(texts(&answer), ["for the client"], "{answer}");
    });
    home.ok(&["daemon", "stop"]);
}

#[test]
fn a_client_that_closes_without_an_ack_frees_its_member_soon() {
    let home = Home::with_config("[runs]\nexternal_gone = \"50ms\"\n");
    home.ok(&["new", "ide", "--backend", "external"]);
    let token = home.ok(&["token", "ide"]).trim().to_owned();
    home.ok(&["send", "ide", "please look at line 3"]);
    let base = base(&home);
    block_on(async {
        let mut watch = Watch::all(&home.client()).await;
        // Its connection is closed with the client that `call` makes.
        let (_, answer) = call(&base, &token, "my_inbox", &json!({})).await;
        assert_eq!(texts(&answer), ["please look at line 3"], "{answer}");
        let run = watch.run_ended(|_| true).await;
        assert_eq!(run.state, RunState::Lost, "{run:?}");
        // A client that took longer can still acknowledge what it was given.
        let ack = json!({ "until": "msg_1" });
        let (_, answer) = call(&base, &token, "my_inbox_ack", &ack).await;
        assert_eq!(answer["result"]["structuredContent"]["marked"], json!(["msg_1"]), "{answer}");
        let run = watch.run_ended(|run| run.state == RunState::Succeeded).await;
        assert_eq!(run.attempt, 1, "it is not counted: {run:?}");
    });
    home.ok(&["daemon", "stop"]);
}

#[test]
fn a_client_that_waited_for_its_mail_and_closes_frees_its_member_soon_too() {
    let home = Home::with_config("[runs]\nexternal_gone = \"50ms\"\n");
    for member in ["ide", "vim"] {
        home.ok(&["new", member, "--backend", "external"]);
    }
    let [ide, vim] = ["ide", "vim"].map(|name| home.ok(&["token", name]).trim().to_owned());
    let base = base(&home);
    block_on(async {
        let mut watch = Watch::all(&home.client()).await;
        let long = json!({ "wait": "60s" });
        let waiting = call(&base, &ide, "my_inbox", &long);
        let sending = async {
            // An answer in vain, which comes when a call of the other is no longer a recent one.
            let wait = json!({ "wait": "4s" });
            let (_, answer) = call_as("vim", &base, &vim, "my_inbox", &wait).await;
            assert_eq!(texts(&answer), [""; 0], "{answer}");
            home.ok(&["send", "ide", "please look at line 3"]);
        };
        let ((_, answer), ()) =
            within("the mail comes", async { tokio::join!(waiting, sending) }).await;
        assert_eq!(texts(&answer), ["please look at line 3"], "{answer}");
        let is_ide = |run: &Run| run.agent.name.as_ref().is_some_and(|name| name.as_str() == "ide");
        let run = watch.run_ended(is_ide).await;
        assert_eq!(run.state, RunState::Lost, "{run:?}");
    });
    home.ok(&["daemon", "stop"]);
}

#[test]
fn a_member_is_free_when_the_last_of_its_clients_is_gone_whatever_token_each_has() {
    let home = Home::with_config("[runs]\nexternal_gone = \"50ms\"\n");
    for member in ["ide", "vim"] {
        home.ok(&["new", member, "--backend", "external"]);
        home.ok(&["send", member, "please look at line 3"]);
    }
    let [ide, vim] = ["ide", "vim"].map(|name| home.ok(&["token", name]).trim().to_owned());
    let user = home.daemon_file().expect("a daemon runs").token;
    let base = base(&home);
    block_on(async {
        let mut watch = Watch::all(&home.client()).await;
        let stays = agent_worker_http::client().no_proxy().build().unwrap();
        let to = || stays.post(format!("{base}/mcp?agent=ide"));
        let (_, answer) = call_by(to(), &ide, "my_inbox", &json!({})).await;
        assert_eq!(texts(&answer), ["please look at line 3"], "{answer}");
        // The connections of these end with their one call, that of `ide` first.
        call_as("ide", &base, &user, "team_members", &json!({})).await;
        call_as("vim", &base, &vim, "my_inbox", &json!({})).await;
        let ended = watch.run_ended(|_| true).await;
        assert_eq!(ended.agent.to_string(), "vim", "{ended:?}");
        call_by(to(), &ide, "team_members", &json!({})).await;
        drop(stays);
        let ended = watch.run_ended(|run| run.agent.to_string() == "ide").await;
        assert_eq!(ended.state, RunState::Lost, "{ended:?}");
    });
    home.ok(&["daemon", "stop"]);
}

#[test]
fn settings_of_a_client_are_printed_to_be_pasted() {
    let home = home_of_ide();
    let url = format!("{}/mcp?agent=ide", base(&home));
    let all = home.ok(&["mcp-config", "ide"]);
    for client in ["claude", "codex", "cursor", "opencode", "gemini", "vscode"] {
        assert!(all.contains(&format!("# {client} (")), "{client}: {all}");
        let printed = home.ok(&["mcp-config", "ide", "--client", client]);
        assert!(printed.contains(&url) && printed.contains("Bearer TOKEN"), "{printed}");
        match client {
            "claude" => {
                assert!(printed.starts_with("claude mcp add --transport http"), "{printed}");
            }
            "codex" => assert!(printed.starts_with("[mcp_servers.agent-worker]\n"), "{printed}"),
            _ => drop(serde_json::from_str::<Value>(&printed).expect("it is JSON")),
        }
    }
    let printed = home.json(&["mcp-config", "ide", "--client", "cursor", "--new-token"]);
    let text: Value =
        serde_json::from_str(printed["clients"][0]["text"].as_str().unwrap()).unwrap();
    let server = &text["mcpServers"]["agent-worker"];
    let bearer = server["headers"]["Authorization"].as_str().unwrap();
    let token = bearer.strip_prefix("Bearer ").unwrap();
    assert_eq!(block_on(call(&base(&home), token, "my_inbox", &json!({}))).0, 200);
    let refused = home.run(&["mcp-config", "user"]);
    assert!(refused.stderr.contains("is not external"), "{refused:?}");
    home.ok(&["daemon", "stop"]);
}

#[test]
fn a_port_in_the_settings_is_taken() {
    let free = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = free.local_addr().unwrap().port();
    drop(free);
    let home = Home::with_config(&format!("[http]\nport = {port}\n"));
    let daemon = home.daemon();
    assert_eq!(home.daemon_file().unwrap().port, port);
    daemon.stop();
}
