//! Who may do what.

use super::{
    super::{
        speech::{Outcome, PermissionRequest, Update},
        wire::{Canceller, Client},
    },
    *,
};

fn call(value: Value) -> ToolCall {
    serde_json::from_value(value).unwrap()
}

fn names() -> Names {
    Names { servers: vec!["tickets".to_owned()] }
}

#[test]
fn it_is_known_whose_a_tool_is() {
    let daemon = || Owner::Daemon("my_inbox".to_owned());
    let shell = || Owner::Program(&[Tool::Shell]);
    for (told, owner) in [
        // As the real agents name them.
        (json!({ "name": "mcp__daemon__my_inbox", "kind": "other" }), daemon()),
        (json!({ "_meta": { "claudeCode": { "toolName": "mcp__daemon__my_inbox" } } }), daemon()),
        (json!({ "title": "daemon_my_inbox", "kind": "other" }), daemon()),
        (json!({ "title": "my_inbox (daemon MCP Server)", "kind": "other" }), daemon()),
        (
            json!({
                "title": "mcp.daemon.my_inbox", "kind": "execute",
                "rawInput": { "server": "daemon", "tool": "my_inbox", "arguments": {} },
                "_meta": { "is_mcp_tool_call": true },
            }),
            daemon(),
        ),
        (json!({ "name": "mcp__tickets__open", "kind": "other" }), Owner::Server),
        (json!({ "title": "open (tickets MCP Server)" }), Owner::Server),
        // What a model has made up to look like one.
        (json!({ "title": "daemon_my_inbox", "kind": "execute" }), shell()),
        (json!({ "title": "my_inbox (daemon MCP Server)", "kind": "execute" }), shell()),
        (json!({ "name": "Bash", "title": "mcp__daemon__my_inbox", "kind": "execute" }), shell()),
        // A tool of the program, beside a server that is called `tickets`.
        (json!({ "name": "tickets_run", "kind": "execute" }), shell()),
        (json!({ "name": "tickets_open", "kind": "other" }), Owner::Server),
        (json!({ "name": "Bash", "title": "daemon_my_inbox" }), Owner::Unknown),
        (json!({ "title": "daemon_my_inbox; rm -rf x", "kind": "other" }), Owner::Unknown),
        (json!({ "title": "my_inbox (evil MCP Server)", "kind": "other" }), Owner::Unknown),
        (
            json!({
                "kind": "execute", "rawInput": { "server": "evil", "tool": "my_inbox" },
                "_meta": { "is_mcp_tool_call": true },
            }),
            shell(),
        ),
        (
            json!({ "title": "Edit a.rs", "kind": "edit" }),
            Owner::Program(&[Tool::Edit, Tool::Write]),
        ),
        (json!({ "kind": "switch_mode" }), Owner::Unknown),
        (json!({}), Owner::Unknown),
    ] {
        assert_eq!(names().owner(&call(told.clone())), owner, "{told}");
    }
}

#[test]
fn the_agents_permissions_decide_about_tools_of_its_program() {
    let permissions = Permissions {
        allow: vec![Tool::Read],
        ask: vec![Tool::Shell, Tool::Write],
        deny: vec![Tool::Fetch],
    };
    let has = [Tool::Read, Tool::Edit, Tool::Shell, Tool::Fetch];
    for (kind, expected) in [
        ("read", "allow"),
        ("edit", "ask edit"),
        ("execute", "ask shell"),
        ("fetch", "deny this agent never uses `fetch` (`permissions: deny`)"),
        ("search", "deny this agent has no `grep` or `glob` (`tools:`)"),
        ("think", "deny it is none of the tools that a workflow file can allow"),
    ] {
        let owner = names().owner(&call(json!({ "kind": kind })));
        let told = match rule(&owner, &has, &permissions) {
            Rule::Allow => "allow".to_owned(),
            Rule::Ask(tool) => format!("ask {tool}"),
            Rule::Deny(why) => format!("deny {why}"),
        };
        assert_eq!(told, expected, "{kind}");
    }
}

const KINDS: [&str; 4] = ["allow_always", "allow_once", "reject_once", "reject_always"];

fn shell() -> Value {
    json!({
        "toolCallId": "c", "title": "cargo test", "kind": "execute", "status": "pending",
        "rawInput": { "command": "cargo test" },
    })
}

fn failed() -> Value {
    json!({ "sessionUpdate": "tool_call_update", "toolCallId": "c", "status": "failed" })
}

async fn decided(stage: &Stage, call: Value, kinds: &[&str]) -> (Value, Played) {
    let mut outcome = Value::Null;
    let played = stage
        .play(async |agent| {
            let prompt = agent.begin(json!({})).await;
            outcome = agent.permission(call, kinds).await;
            agent.end_turn(&prompt).await;
        })
        .await;
    (outcome, played)
}

#[tokio::test]
async fn a_tool_that_is_asked_about_waits_for_the_user() {
    let mut stage = Stage::new();
    stage.tools = vec![Tool::Shell];
    stage.permissions.ask = vec![Tool::Shell];
    stage.decision = Some(Decision::Allowed);
    let (outcome, played) = decided(&stage, shell(), &KINDS).await;
    assert_eq!(outcome, json!({ "outcome": "selected", "optionId": "o-allow_once" }));
    let arguments = json!({ "command": "cargo test" });
    assert_eq!(played.asked, [("shell".to_owned(), arguments.as_object().unwrap().clone())]);
    assert_eq!(told(&played), ["ToolCall shell: {\"command\":\"cargo test\"}"]);
}

#[tokio::test]
async fn an_agent_that_asks_for_a_permission_is_at_work() {
    let (_, played) = decided(&Stage::new(), shell(), &KINDS).await;
    assert!(played.has_worked);
    let played = Stage::new()
        .play(async |agent| {
            let prompt = agent.begin(json!({})).await;
            agent.end_turn(&prompt).await;
        })
        .await;
    assert!(!played.has_worked, "it says nothing");
}

#[tokio::test]
async fn a_denial_of_the_user_says_why_in_the_transcript() {
    let mut stage = Stage::new();
    stage.tools = vec![Tool::Shell];
    stage.permissions.ask = vec![Tool::Shell];
    stage.decision = Some(Decision::Denied("nobody answered in time".to_owned()));
    let (outcome, played) = decided(&stage, shell(), &KINDS).await;
    assert_eq!(outcome, json!({ "outcome": "selected", "optionId": "o-reject_once" }));
    assert!(told(&played).contains(&"Notice: denied: `shell`: nobody answered in time".to_owned()));
}

#[tokio::test]
async fn a_call_that_fails_may_have_done_something_unless_it_was_denied() {
    let denied = Decision::Denied("no".to_owned());
    for (decision, has_acted) in [(Decision::Allowed, true), (denied, false)] {
        let mut stage = Stage::new();
        stage.tools = vec![Tool::Shell];
        stage.permissions.ask = vec![Tool::Shell];
        stage.decision = Some(decision);
        let played = stage
            .play(async |agent| {
                let prompt = agent.begin(json!({})).await;
                agent.permission(shell(), &KINDS).await;
                agent.update(failed()).await;
                agent.end_turn(&prompt).await;
            })
            .await;
        assert_eq!(played.acted, has_acted);
    }
}

#[tokio::test]
async fn a_change_of_a_file_that_fails_has_done_nothing() {
    for (kind, has_acted) in [("edit", false), ("delete", true), ("move", true)] {
        let played = Stage::new()
            .play(async |agent| {
                let prompt = agent.begin(json!({})).await;
                let begun = json!({
                    "sessionUpdate": "tool_call", "toolCallId": "c", "title": "a.rs", "kind": kind,
                });
                agent.update(begun).await;
                agent.update(failed()).await;
                agent.end_turn(&prompt).await;
            })
            .await;
        assert_eq!(played.acted, has_acted, "{kind}");
    }
}

#[tokio::test]
async fn a_change_of_several_files_that_fails_may_have_done_something() {
    let place = |path: &str, line: u32| json!({ "path": path, "line": line });
    let diff = |path: &str| json!({ "type": "diff", "path": path, "newText": "x" });
    for (told, has_acted) in [
        (json!({ "locations": [place("/w/a.rs", 1), place("/w/a.rs", 9)] }), false),
        (json!({ "locations": [place("/w/a.rs", 1)], "content": [diff("a.rs")] }), false),
        (json!({ "locations": [place("/w/a.rs", 1), place("/w/b.rs", 1)] }), true),
        (json!({ "content": [diff("a.rs"), diff("b.rs")] }), true),
    ] {
        let played = Stage::new()
            .play(async |agent| {
                let prompt = agent.begin(json!({})).await;
                let mut begun = told.clone();
                begun["sessionUpdate"] = json!("tool_call");
                begun["toolCallId"] = json!("c");
                begun["title"] = json!("several files");
                begun["kind"] = json!("edit");
                agent.update(begun).await;
                agent.update(failed()).await;
                agent.end_turn(&prompt).await;
            })
            .await;
        assert_eq!(played.acted, has_acted, "{told}");
    }
}

#[tokio::test]
async fn a_call_whose_permission_is_cancelled_with_its_turn_has_done_nothing() {
    for asked in [Vec::new(), vec![Tool::Shell]] {
        let mut stage = Stage::new();
        stage.tools = vec![Tool::Shell];
        stage.permissions.ask = asked;
        stage.decision = Some(Decision::Allowed);
        stage.is_cancelled = true;
        let mut outcome = Value::Null;
        let played = stage
            .play(async |agent| {
                agent.introduce(json!({})).await;
                let id = agent.hear_request("session/new").await;
                agent.answer(&id, &json!({ "sessionId": "s" })).await;
                let heard = [agent.hear().await, agent.hear().await];
                let is_prompt = |message: &&Value| message["method"] == "session/prompt";
                let prompt = heard.iter().find(is_prompt).unwrap()["id"].clone();
                outcome = agent.permission(shell(), &KINDS).await;
                agent.update(failed()).await;
                agent.end_turn(&prompt).await;
            })
            .await;
        assert_eq!(outcome, json!({ "outcome": "cancelled" }));
        assert!(!played.acted);
    }
}

#[tokio::test]
async fn what_the_user_allows_once_is_not_allowed_for_ever() {
    let mut stage = Stage::new();
    stage.tools = vec![Tool::Shell];
    stage.permissions.ask = vec![Tool::Shell];
    stage.decision = Some(Decision::Allowed);
    let (outcome, _) = decided(&stage, shell(), &["allow_always", "reject_once"]).await;
    assert_eq!(outcome, json!({ "outcome": "cancelled" }));
}

#[tokio::test]
async fn tools_of_the_daemon_are_allowed_unasked() {
    let call = json!({ "toolCallId": "c", "name": "mcp__daemon__my_inbox", "rawInput": {} });
    for (kinds, option) in [(&KINDS[..], "o-allow_once"), (&["allow_always"], "o-allow_always")] {
        let (outcome, played) = decided(&Stage::new(), call.clone(), kinds).await;
        assert_eq!(outcome, json!({ "outcome": "selected", "optionId": option }));
        assert!(played.asked.is_empty());
    }
}

#[tokio::test]
async fn a_tool_that_the_agent_does_not_have_is_refused() {
    let (outcome, played) = decided(&Stage::new(), shell(), &["allow_once"]).await;
    assert_eq!(outcome, json!({ "outcome": "cancelled" }));
    let notice = "Notice: denied: `cargo test`: this agent has no `shell` (`tools:`)";
    assert_eq!(told(&played)[1], notice);
}

#[tokio::test]
async fn a_turn_that_ends_does_not_wait_for_a_decision() {
    let mut stage = Stage::new();
    stage.tools = vec![Tool::Shell];
    stage.permissions.ask = vec![Tool::Shell];
    let played = stage
        .play(async |agent| {
            let prompt = agent.begin(json!({})).await;
            let params = json!({ "sessionId": "s", "toolCall": shell(), "options": [] });
            let method = "session/request_permission";
            agent.say(&json!({ "id": 7, "method": method, "params": params })).await;
            agent.end_turn(&prompt).await;
        })
        .await;
    assert_eq!(played.prompted.unwrap().stop_reason, "end_turn");
}

/// A client whose turn is cancelled while the user is asked.
struct Leaving(Canceller);

impl Client<'static> for Leaving {
    fn update(&mut self, _: Update) {}

    fn permission(&mut self, _: PermissionRequest) -> LocalBoxFuture<'static, Outcome> {
        let canceller = self.0.clone();
        async move {
            canceller.cancel("s");
            std::future::pending().await
        }
        .boxed_local()
    }

    fn other_line(&mut self, _: &str, line: &str) {
        panic!("{line}");
    }
}

#[tokio::test]
async fn a_cancelled_turn_answers_all_permission_requests_as_cancelled() {
    let (ours, theirs) = duplex(64 << 10);
    let (from, to) = split(ours);
    let mut wire = Wire::new(Lines::of(from), to);
    let mut client = Leaving(wire.canceller());
    let mut agent = Agent::new(theirs);
    let playing = async {
        let prompt = agent.hear_request("session/prompt").await;
        let method = "session/request_permission";
        let asks = |id: i64| json!({ "id": id, "method": method, "params": {} });
        let answer = |id: i64| {
            let result = json!({ "outcome": { "outcome": "cancelled" } });
            json!({ "jsonrpc": "2.0", "id": id, "result": result })
        };
        agent.say(&asks(7)).await;
        assert_eq!(agent.hear().await["method"], "session/cancel");
        assert_eq!(agent.hear().await, answer(7));
        agent.say(&asks(8)).await;
        assert_eq!(agent.hear().await, answer(8), "and no second `session/cancel`");
        agent.answer(&prompt, &json!({ "stopReason": "cancelled" })).await;
    };
    let prompting = wire.call::<Value>("session/prompt", json!({}), &mut client);
    let (answered, ()) = tokio::join!(prompting, playing);
    assert_eq!(answered.unwrap()["stopReason"], "cancelled");
}
