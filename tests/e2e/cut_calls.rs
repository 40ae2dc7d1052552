//! Calls of tools that end before they have an answer.

use std::thread;

use agent_worker_protocol::Mode;
use serde_json::{Value, json};

use crate::{
    mcp::tool,
    support::{Home, Team, block_on, mock, wait_until},
};

/// A team with a member outside, and that member's token.
fn team(home: &Home) -> String {
    block_on(async {
        let team = Team::new("team", "")
            .agent("alice", &mock("- think: \"nothing to say\""))
            .with("  ide: { backend: external }");
        team.start(home, &home.client(), Mode::Start).await;
    });
    token(home)
}

/// A new token of the member, which ends the one before.
fn token(home: &Home) -> String {
    home.ok(&["token", "ide@team"]).trim().to_owned()
}

/// Sends a message as the holder of a token; the status and the body of the answer.
fn post(home: &Home, token: &str, message: &Value) -> (u16, String) {
    let file = home.daemon_file().expect("a daemon runs");
    let url = format!("http://{}:{}/mcp", file.host, file.port);
    block_on(async {
        let http = agent_worker_http::client().no_proxy().build().unwrap();
        let sent = http
            .post(url)
            .bearer_auth(token)
            .header("accept", "application/json, text/event-stream")
            .json(message);
        let answer = sent.send().await.unwrap();
        (answer.status().as_u16(), answer.text().await.unwrap())
    })
}

fn asking(id: u32) -> Value {
    let call = json!({ "name": "ask_person", "arguments": { "question": format!("Which {id}?") } });
    json!({ "jsonrpc": "2.0", "id": id, "method": "tools/call", "params": call })
}

fn wait_for_questions(home: &Home, count: usize) {
    let open = || home.json(&["questions"])["questions"].as_array().unwrap().len();
    wait_until("all is asked", || open() == count);
}

fn wait_for_mail(home: &Home, text: &str) {
    let inbox = || tool(home, "?agent=ide@team", "my_inbox", &json!({})).to_string();
    wait_until("the answer is mail", || inbox().contains(text));
}

#[test]
fn an_answer_to_a_call_whose_token_was_replaced_comes_by_mail() {
    let home = Home::new();
    let _daemon = home.daemon();
    let old = team(&home);
    thread::scope(|scope| {
        scope.spawn(|| post(&home, &old, &asking(7)));
        wait_for_questions(&home, 1);
        token(&home);
        home.ok(&["answer", "q_1", "the blue one"]);
    });
    wait_for_mail(&home, "the blue one");
}

#[test]
fn an_answer_to_a_call_that_its_client_cancelled_comes_by_mail() {
    let home = Home::new();
    let _daemon = home.daemon();
    let token = team(&home);
    thread::scope(|scope| {
        let call = scope.spawn(|| post(&home, &token, &asking(7)));
        wait_for_questions(&home, 1);
        let cancel = json!({ "jsonrpc": "2.0", "method": "notifications/cancelled",
            "params": { "requestId": 7 } });
        assert_eq!(post(&home, &token, &cancel).0, 202);
        let (_, answer) = call.join().unwrap();
        assert!(answer.contains("the client cancelled the call"), "{answer}");
    });
    home.ok(&["answer", "q_1", "the blue one"]);
    wait_for_mail(&home, "the blue one");
}

#[test]
fn calls_that_wait_are_answered_when_the_daemon_stops() {
    let home = Home::new();
    let daemon = home.daemon();
    let token = team(&home);
    thread::scope(|scope| {
        let ask = |id| post(&home, &token, &asking(id));
        let calls: Vec<_> = (0..10).map(|id| scope.spawn(move || ask(id))).collect();
        wait_for_questions(&home, 10);
        daemon.stop();
        for call in calls {
            let (status, answer) = call.join().unwrap();
            assert!(status == 200 && answer.contains("waiting q_"), "{status}: {answer}");
        }
    });
}
