//! Clients that reset their connection in the middle of an answer, again and again (§§12, 14).

use std::{net::TcpStream, os::unix::fs::PermissionsExt};

use agent_worker_protocol::{ChannelSend, EventBody, Mode, QuestionAnswer};
use serde_json::{Value, json};

use super::wire::{Answer, Ask, Door, answers, read_to_end};
use crate::support::{Home, Team, Watch, block_on, mock, wait_until};

const TIMES: usize = 300;

/// A daemon with few places for streams, whose agent is long at work, and a long feed. Also the
/// path of that run's transcript.
fn busy() -> (Door, String) {
    let door = Door::open_in(Home::with_config("[http]\nstreams = 4\n"));
    let run = block_on(async {
        let client = door.home.client();
        for n in 0..200 {
            let message = format!("{n} {}", "x".repeat(1_000));
            client
                .call(&ChannelSend { message, to: Vec::new(), intent: None, reply_to: None })
                .await
                .unwrap();
        }
        let script = mock(&format!("- think: \"{}\"\n- sleep: 10m", "hm ".repeat(1_000)));
        let mut watch = Watch::now(&client).await;
        let team = Team::new("team", "@alice go").agent("alice", &script);
        team.start(&door.home, &client, Mode::Start).await;
        watch.run_works("alice").await.id
    });
    (door, format!("/runs/{run}/output"))
}

/// The same question each time: it is stored once.
fn question(path: &str) -> Ask {
    let ask = json!({ "agent": "alice@team", "message": "how much?" });
    Ask::post(path, ask.to_string()).with(&format!("Idempotency-Key: {path}"))
}

fn tool() -> Ask {
    tool_call(&json!({ "name": "channel_read", "arguments": { "limit": 200 } }))
}

fn tool_call(call: &Value) -> Ask {
    let body = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": call });
    Ask::post("/mcp?agent=alice@team", body.to_string())
        .with("Accept: application/json, text/event-stream")
        .with("MCP-Protocol-Version: 2025-11-25")
}

fn half_a_tool() -> Ask {
    let head = Ask::new("POST", "/mcp").with("Content-Type: application/json");
    head.with("Content-Length: 100000").with("Accept: application/json, text/event-stream")
}

/// Begins a stream. A stream that was reset may have its place for a moment yet.
fn begin(door: &Door, ask: &Ask) -> TcpStream {
    let mut begun = None;
    wait_until("there is a place for a stream", || {
        let (status, stream) = door.begin(ask);
        assert!(status == 200 || status == 503, "{status}: {ask:?}");
        begun = (status == 200).then_some(stream);
        begun.is_some()
    });
    begun.expect("it has begun")
}

/// Resets the connection, as the end of a crashed process does.
fn reset(stream: TcpStream) {
    stream.set_nonblocking(true).unwrap();
    block_on(async {
        let stream = tokio::net::TcpStream::from_std(stream).unwrap();
        stream.set_zero_linger().unwrap();
    });
}

/// How many descriptors the daemon holds, beside those of its database: a reader opens it when it
/// gets work.
fn descriptors(door: &Door) -> usize {
    let pid = door.home.daemon_file().expect("a daemon runs").pid;
    let all = std::fs::read_dir(format!("/proc/{pid}/fd")).unwrap().flatten();
    let targets = all.filter_map(|entry| std::fs::read_link(entry.path()).ok());
    targets.filter(|target| !target.starts_with(door.home.path())).count()
}

#[test]
fn connections_that_are_reset_in_the_middle_leave_no_place_and_no_descriptor_taken() {
    let (door, output) = busy();
    let before = descriptors(&door);
    let streams = [
        Ask::get("/events?after=0"),
        Ask::get(&output),
        question("/run"),
        Ask::get("/events").instead("Connection: keep-alive"),
    ];
    for n in 0..TIMES {
        reset(begin(&door, &streams[n % streams.len()]));
        // Answers that do not come yet, or at once.
        reset(door.send_only(&[question("/serve"), tool(), half_a_tool()][n % 3]));
    }
    let all: Vec<_> = (0..4).map(|_| begin(&door, &Ask::get("/events"))).collect();
    drop(all);
    wait_until("their descriptors are closed", || descriptors(&door) <= before);
    door.assert_calm();
}

#[test]
fn a_permission_whose_call_is_gone_is_closed_and_a_repeat_asks_anew() {
    let door = Door::open();
    block_on(async {
        let client = door.home.client();
        let mut watch = Watch::now(&client).await;
        let steps = "- shell: \"printenv AGENT_WORKER_TOKEN >token\"\n- think: hm\n- sleep: 10m";
        let team = Team::new("team", "@alice go").agent("alice", &mock(steps));
        team.start(&door.home, &client, Mode::Start).await;
        watch.run_is("alice", "thinking").await;
        let token = std::fs::read_to_string(door.home.work().join("token")).unwrap();
        let ask = Ask::post("/permissions", r#"{"tool":"shell"}"#).token(token.trim());
        // A call may be gone at the moment when its question is asked.
        for turn in 0..20 {
            let ask = ask.clone().with(&format!("Idempotency-Key: once-{turn}"));
            let answer = asks_anew(&door, &mut watch, &ask).await;
            assert_eq!(answer.json()["allowed"], true, "{answer:?}");
        }
    });
    door.assert_calm();
}

#[test]
fn a_permission_over_mcp_whose_call_is_gone_is_closed_and_a_repeat_asks_anew() {
    let door = Door::open();
    let program = "#!/bin/sh\nprintenv AGENT_WORKER_TOKEN >draft\nmv draft token\nexec sleep 600\n";
    let path = door.home.write("stub-program", program);
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755)).unwrap();
    block_on(async {
        let client = door.home.client();
        let mut watch = Watch::now(&client).await;
        let agent = "  alice: { backend: claude, command: ./stub-program, tools: [read, shell], \
                     permissions: { ask: [shell] } }";
        let team = Team::new("team", "@alice go").with(agent);
        team.start(&door.home, &client, Mode::Start).await;
        let file = door.home.work().join("token");
        wait_until("the program runs", || file.exists());
        let token = std::fs::read_to_string(file).unwrap();
        let call = json!({
            "name": "permission_prompt",
            "arguments": { "tool_name": "Bash", "input": { "command": "ls" }, "tool_use_id": "t" },
            "_meta": { "idempotencyKey": "once" },
        });
        let ask = tool_call(&call).token(token.trim());
        let answer = asks_anew(&door, &mut watch, &ask).await;
        let body = answer.json();
        let decision = body["result"]["content"][0]["text"].as_str().unwrap_or_default();
        assert!(decision.contains(r#""behavior":"allow""#), "{answer:?}");
    });
    door.assert_calm();
}

/// Asks for a permission and goes away, then asks again, and is allowed it.
async fn asks_anew(door: &Door, watch: &mut Watch, ask: &Ask) -> Answer {
    let gone = door.send_only(ask);
    let first = watch.question_asked().await.id;
    drop(gone);
    let because = watch
        .wait("it is closed", |event| match &event.body {
            EventBody::QuestionChanged(question) => question.expired_because.clone(),
            _ => None,
        })
        .await;
    assert_eq!(because, "its call ended");
    let mut repeat = door.send_only(ask);
    let id = watch.question_asked().await.id;
    assert_ne!(id, first);
    let answer = QuestionAnswer { id, answer: "allow".to_owned() };
    door.home.client().call(&answer).await.unwrap();
    answers(&read_to_end(&mut repeat)).remove(0)
}
