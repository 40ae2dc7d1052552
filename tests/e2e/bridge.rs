//! The daemon's tools on stdio: `agent-worker mcp`, as the clients that start it use it.

use std::{
    io::Write as _,
    process::{Child, ChildStdin, Command, Stdio},
};

use agent_worker_protocol::Mode;
use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};

use crate::support::{Home, Lines, Team, block_on, mock, python_with, skip, wait_until};

/// A client that has started the program and speaks to it line by line.
struct OnStdio {
    child: Child,
    input: Option<ChildStdin>,
    lines: Lines,
    next: u64,
}

impl OnStdio {
    fn start(home: &Home, args: &[&str]) -> Self {
        let mut command = home.command(args);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::inherit());
        let mut child = command.spawn().expect("the program starts");
        let (input, output) = (child.stdin.take(), child.stdout.take().unwrap());
        Self { child, input, lines: Lines::of(output), next: 0 }
    }

    /// A client that has shaken hands.
    fn open(home: &Home, args: &[&str]) -> Self {
        let mut client = Self::start(home, args);
        let answer = client.ask("initialize", &hello());
        assert_eq!(answer["result"]["serverInfo"]["name"], "agent-worker", "{answer}");
        client.say(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }));
        client
    }

    fn say(&mut self, message: &Value) {
        writeln!(self.input.as_mut().unwrap(), "{message}").unwrap();
    }

    fn send(&mut self, method: &str, params: &Value) -> u64 {
        self.next += 1;
        let id = self.next;
        self.say(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }));
        id
    }

    fn hear(&mut self) -> Value {
        let line = self.lines.next().expect("the program still answers");
        serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line}"))
    }

    fn ask(&mut self, method: &str, params: &Value) -> Value {
        let id = self.send(method, params);
        let answer = self.hear();
        assert_eq!(answer["id"], id, "{answer}");
        answer
    }

    /// Calls a tool that must do what it is asked for.
    fn call(&mut self, name: &str, arguments: &Value) -> Value {
        let answer = self.ask("tools/call", &json!({ "name": name, "arguments": arguments }));
        assert_eq!(answer["result"]["isError"], false, "{answer}");
        answer["result"]["structuredContent"].clone()
    }

    /// Closes its side, and waits for the end.
    fn close(mut self) -> Vec<Value> {
        drop(self.input.take());
        let rest = self.lines.map(|line| serde_json::from_str(&line).unwrap()).collect();
        assert!(self.child.wait().unwrap().success());
        rest
    }
}

fn hello() -> Value {
    json!({ "protocolVersion": "2025-11-25", "capabilities": {},
        "clientInfo": { "name": "test", "version": "1" } })
}

/// A team with a member outside.
fn home_with_team(config: &str) -> Home {
    let home = Home::with_config(config);
    home.ok(&["daemon", "start"]);
    block_on(async {
        let team = Team::new("team", "@ide please help")
            .agent("alice", &mock("- think: \"nothing to say\""))
            .with("  ide: { backend: external }");
        team.start(&home, &home.client(), Mode::Start).await;
    });
    home
}

const AS_IDE: [&str; 3] = ["mcp", "--as", "ide@team"];

/// Kills the daemon, and gives its process.
fn kill_daemon(home: &Home) -> u32 {
    let number = home.daemon_file().expect("a daemon runs").pid;
    let pid = Pid::from_raw(i32::try_from(number).unwrap()).unwrap();
    kill_process(pid, Signal::KILL).unwrap();
    number
}

/// How often a text was sent to the channel.
fn times_sent(home: &Home, text: &str) -> usize {
    home.ok(&["peek", "@team"]).matches(text).count()
}

#[test]
fn a_client_on_stdio_joins_a_team_and_starts_the_daemon() {
    let home = home_with_team("");
    home.ok(&["daemon", "stop"]);
    let mut client = OnStdio::open(&home, &AS_IDE);
    let listed = client.ask("tools/list", &json!({}));
    assert_eq!(listed["result"]["tools"].as_array().unwrap().len(), 14, "{listed}");
    let inbox = client.call("my_inbox", &json!({}));
    assert_eq!(inbox["messages"][0]["content"], "@ide please help", "{inbox}");
    client.call("channel_send", &json!({ "message": "on it" }));
    let acked = client.call("my_inbox_ack", &json!({ "until": inbox["messages"][0]["id"] }));
    assert_eq!(acked["marked"].as_array().unwrap().len(), 1, "{acked}");
    assert_eq!(client.ask("ping", &json!({}))["result"], json!({}));
    // What it asked for before it went is still answered.
    let id = client.send("tools/call", &json!({ "name": "team_members" }));
    let rest = client.close();
    assert_eq!((rest.len(), &rest[0]["id"]), (1, &json!(id)), "{rest:?}");
    assert_eq!(times_sent(&home, "on it"), 1);
    home.ok(&["daemon", "stop"]);
}

#[test]
fn a_restart_of_the_daemon_is_not_noticed() {
    let home = home_with_team("");
    let mut client = OnStdio::open(&home, &AS_IDE);
    let until = client.call("my_inbox", &json!({}))["messages"][0]["id"].clone();
    home.ok(&["daemon", "restart"]);
    // What it was given before is still its own to be done with.
    let acked = client.call("my_inbox_ack", &json!({ "until": until }));
    assert_eq!(acked["marked"], json!([until]));
    client.call("channel_send", &json!({ "message": "after a restart" }));
    kill_daemon(&home);
    client.call("channel_send", &json!({ "message": "after a crash" }));
    // A call that waits when the daemon dies is made again.
    let waits = json!({ "name": "my_inbox", "arguments": { "wait": "60s" } });
    let id = client.send("tools/call", &waits);
    let killed = kill_daemon(&home);
    // The client that waits starts the next one.
    let is_next = |home: &Home| home.daemon_file().is_some_and(|file| file.pid != killed);
    wait_until("there is another daemon", || is_next(&home));
    home.ok(&["send", "ide@team", "still there?"]);
    let answer = client.hear();
    assert_eq!(answer["id"], id, "{answer}");
    let messages = &answer["result"]["structuredContent"]["messages"];
    assert_eq!(messages[0]["content"], "still there?", "{answer}");
    assert!(client.close().is_empty());
    for text in ["after a restart", "after a crash"] {
        assert_eq!(times_sent(&home, text), 1, "{text}");
    }
    home.ok(&["daemon", "stop"]);
}

#[test]
fn a_call_that_waits_holds_up_no_other() {
    let home = home_with_team("");
    let mut client = OnStdio::open(&home, &AS_IDE);
    let until = client.call("my_inbox", &json!({}))["messages"][0]["id"].clone();
    client.call("my_inbox_ack", &json!({ "until": until }));
    let waits = json!({ "name": "my_inbox", "arguments": { "wait": "60s" } });
    let id = client.send("tools/call", &waits);
    client.call("channel_send", &json!({ "message": "meanwhile" }));
    home.ok(&["send", "ide@team", "that is all"]);
    assert_eq!(client.hear()["id"], id);
    client.close();
    home.ok(&["daemon", "stop"]);
}

#[test]
fn a_call_whose_answer_died_with_the_daemon_acts_once() {
    let home = home_with_team("");
    home.ok(&["daemon", "stop"]);
    // The second write after its start is stored, and its answer is lost.
    let mut daemon = home.failing_daemon("call.committed=return");
    daemon.first_line();
    let mut client = OnStdio::open(&home, &AS_IDE);
    client.call("channel_send", &json!({ "message": "only once" }));
    daemon.wait();
    assert_eq!(times_sent(&home, "only once"), 1);
    // A key that the client chose itself goes for its own repeats.
    let params = json!({ "name": "channel_send", "arguments": { "message": "twice asked" },
        "_meta": { "idempotencyKey": "mine" } });
    let first = client.ask("tools/call", &params);
    let second = client.ask("tools/call", &params);
    let id = |answer: &Value| answer["result"]["structuredContent"]["id"].clone();
    assert_eq!(id(&first), id(&second));
    assert_eq!(times_sent(&home, "twice asked"), 1);
    client.close();
    home.ok(&["daemon", "stop"]);
}

#[test]
fn a_client_on_stdio_is_told_when_it_is_offered_other_tools() {
    let home = home_with_team("");
    let mut client = OnStdio::start(&home, &AS_IDE);
    let begun = client.ask("initialize", &hello());
    assert_eq!(begun["result"]["capabilities"]["tools"]["listChanged"], true, "{begun}");
    let before = client.ask("tools/list", &json!({}))["result"]["tools"].clone();
    home.ok(&["proposal", "create", "approval", "merge?", "--electors", "ide", "--in", "@team"]);
    let changed = json!({ "jsonrpc": "2.0", "method": "notifications/tools/list_changed" });
    assert_eq!(client.hear(), changed);
    let after = client.ask("tools/list", &json!({}))["result"]["tools"].clone();
    let has_vote = |tools: &Value| tools.to_string().contains("\"team_vote\"");
    assert!(!has_vote(&before) && has_vote(&after), "{after}");
    home.ok(&["daemon", "restart"]);
    home.ok(&["proposal", "cancel", "prop_1"]);
    assert_eq!(client.hear(), changed, "also after a restart");
    client.close();
    home.ok(&["daemon", "stop"]);
}

#[test]
fn errors_on_stdio_are_answers() {
    let home = home_with_team("");
    let mut nobody = OnStdio::start(&home, &["mcp", "--as", "nobody@team"]);
    let refused = nobody.ask("initialize", &hello());
    assert!(refused["error"]["message"].as_str().unwrap().contains("nobody"), "{refused}");
    nobody.close();

    let mut client = OnStdio::open(&home, &AS_IDE);
    let answer = client.ask("tools/call", &json!({ "name": "read_inbox" }));
    assert_eq!(answer["result"]["isError"], true, "{answer}");
    assert!(answer.to_string().contains("did you mean `my_inbox`?"), "{answer}");
    let answer = client.ask("no/such", &json!({}));
    assert_eq!(answer["error"]["code"], -32601, "{answer}");
    for (line, code) in [("{", -32700), ("[]", -32600), ("{\"id\":1}", -32600), ("7", -32600)] {
        writeln!(client.input.as_mut().unwrap(), "{line}").unwrap();
        let answer = client.hear();
        assert_eq!(answer["error"]["code"], code, "{line}: {answer}");
    }
    // A name that no header may hold.
    let answer = client.ask("tools/call", &json!({ "name": "a\nb", "arguments": {} }));
    assert!(answer["error"].is_object(), "{answer}");
    // A request that is cancelled gets no answer, and the others do.
    let id = client.send("tools/call", &json!({ "name": "my_inbox", "arguments": {} }));
    assert_eq!(client.hear()["id"], id);
    client.call("my_inbox_ack", &json!({ "until": "msg_1" }));
    let waits = json!({ "name": "my_inbox", "arguments": { "wait": "60s" } });
    let id = client.send("tools/call", &waits);
    let cancel = json!({ "requestId": id, "reason": "enough" });
    client.say(&json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": cancel }));
    assert_eq!(client.ask("ping", &json!({}))["result"], json!({}));
    assert!(client.close().is_empty());

    let refused = home.run(&["peek", "@team", "--as", "ide@team"]);
    assert_eq!(refused.code, Some(2), "{refused:?}");
    assert!(refused.stderr.contains("`--as` takes a member's name alone here"), "{refused:?}");
    home.ok(&["daemon", "stop"]);
}

#[test]
fn resources_are_read_on_stdio_in_both_eras() {
    let home = home_with_team("");
    home.ok(&["doc", "write", "a plan", "--file", "caf\u{e9}.md", "--in", "@team"]);
    let mut client = OnStdio::open(&home, &AS_IDE);
    let listed = client.ask("resources/list", &json!({}));
    let uri = "doc://caf%C3%A9.md";
    assert_eq!(listed["result"]["resources"][1]["uri"], uri, "{listed}");
    let newest = json!({ "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": { "name": "test", "version": "1" },
        "io.modelcontextprotocol/clientCapabilities": {} });
    for params in [
        json!({ "uri": uri }),
        json!({ "uri": "doc://caf\u{e9}.md" }),
        json!({ "uri": uri, "_meta": newest }),
    ] {
        let read = client.ask("resources/read", &params);
        assert_eq!(read["result"]["contents"][0]["text"], "a plan", "{params}: {read}");
    }
    assert!(client.close().is_empty());
    home.ok(&["daemon", "stop"]);
}

#[test]
fn in_a_run_the_tools_on_stdio_are_those_of_the_run() {
    let home = Home::new();
    home.ok(&["daemon", "start"]);
    let call = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {
        "name": "channel_send", "arguments": { "message": "from the shell of a run" } } });
    home.write("call.json", &format!("{call}\n"));
    let program = crate::support::PROGRAM;
    let step = format!("- shell: \"{program} mcp <call.json >answer.json\"\n- say: done");
    let team = Team::new("team", "@alice go").agent("alice", &mock(&step));
    let file = team.write(&home);
    home.ok(&["run", &file]);
    let answer = std::fs::read_to_string(home.work().join("answer.json")).unwrap();
    assert!(answer.contains("\"delivered_to\""), "{answer}");
    let peeked = home.json(&["peek", "@team"]);
    let messages = peeked["messages"].as_array().unwrap();
    let sent = messages.iter().find(|one| one["content"] == "from the shell of a run").unwrap();
    assert_eq!((&sent["sender"], &sent["run"]), (&json!("alice"), &json!("run_1")), "{sent}");
    home.ok(&["daemon", "stop"]);
}

#[test]
fn an_official_client_on_stdio_sends_reads_and_acks_over_a_restart() {
    let test = "an_official_client_on_stdio_sends_reads_and_acks_over_a_restart";
    let Some(python) = python_with("mcp") else {
        return skip(test, "no Python with the package mcp");
    };
    for era in ["auto", "legacy"] {
        let home = home_with_team("");
        let script = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/clients/stdio.py");
        let program = crate::support::PROGRAM;
        let mut command = Command::new(&python);
        command.args([script, era, program]).args(AS_IDE);
        command.env("AGENT_WORKER_HOME", home.path());
        let ended = command.output().unwrap();
        let stderr = String::from_utf8_lossy(&ended.stderr);
        assert!(ended.status.success(), "{era}: {stderr}");
        let told: Value = serde_json::from_slice(&ended.stdout).expect(&stderr);
        assert_eq!(told["tools"].as_array().unwrap().len(), 14, "{told}");
        assert_eq!(told["inbox"]["count"], 1, "{told}");
        assert_eq!(told["sent"]["delivered_to"][0]["name"], "alice", "{told}");
        assert_eq!(told["acked"]["marked"].as_array().unwrap().len(), 1, "{told}");
        assert_eq!(times_sent(&home, "hello from outside"), 1);
        home.ok(&["daemon", "stop"]);
    }
}
