//! How runs end, and what follows.

use agent_worker_client::AskStream;
use agent_worker_protocol::{
    AgentResume, AgentShow, AgentStop, Ask, AskEvent, ChannelSend, EventBody, FailureClass, Limits,
    LimitsSet, Mode, Peek, RunCancel, RunShow, RunState, Target, Wanted, WorkflowState,
};

use rusqlite::Connection;

use crate::support::{Home, Team, Watch, block_on, mock, wait_until, within};

fn target(text: &str) -> Target {
    text.parse().unwrap()
}

/// Delays so short that a test can wait for them.
const QUICK: &str =
    "[runs]\nretry_delay = \"20ms\"\nheartbeat = \"100ms\"\nunavailable_delay = \"50ms\"\n";

#[test]
fn each_way_to_fail_has_its_class() {
    let cases = [
        ("- fail: transient", FailureClass::Transient),
        ("- fail: permanent", FailureClass::Permanent),
        ("- fail: exit 3", FailureClass::Transient),
        ("- fail: crash", FailureClass::Transient),
        ("- fail: silent", FailureClass::Transient),
        ("- fail: garbage", FailureClass::Transient),
        ("- fail: flood 2MiB", FailureClass::Transient),
        ("- fail: rate_limited 50ms", FailureClass::Unavailable),
        ("- fail: overflow", FailureClass::Overflow),
    ];
    let home = Home::with_config(QUICK);
    let _daemon = home.daemon();
    block_on(async {
        let client = home.client();
        let mut watch = Watch::now(&client).await;
        for (index, (step, class)) in cases.into_iter().enumerate() {
            let script = format!(
                "- do: [ {} ]\n- do: [ {{ say: well }} ]\n",
                step.replace("- ", "{ ") + " }"
            );
            let name = format!("case-{index}");
            let team = Team::new(&name, "@alice go").agent("alice", &script);
            team.start(&home, &client, Mode::Run).await;
            let run = watch.run_ended(|_| true).await;
            assert_eq!(run.class, Some(class), "{step}: {run:?}");
            if class == FailureClass::Permanent {
                watch.workflow(WorkflowState::Stalled).await;
            } else {
                let again = watch.run_ended(|_| true).await;
                assert_eq!(again.state, RunState::Succeeded, "{step}: {again:?}");
                watch.workflow(WorkflowState::Completed).await;
            }
        }
    });
    home.assert_only_the_daemon_is_left();
}

#[test]
fn a_run_over_its_time_is_ended() {
    let limits = "idle = \"2s\"\nretry_delay = \"20ms\"\nkill_grace = \"500ms\"\n";
    let home = Home::with_config(&format!("[runs]\n{limits}"));
    let _daemon = home.daemon();
    block_on(async {
        let client = home.client();
        let script = "- do: [ { fail: hang } ]\n- do: [ { say: well } ]\n";
        let team = Team::new("team", "@alice go").agent("alice", script);
        let mut watch = team.watched(&home, &client, Mode::Run).await;
        let run = watch.run_ended(|_| true).await;
        assert_eq!(run.state, RunState::TimedOut, "{run:?}");
        assert!(run.error.unwrap().contains("no output"));
        watch.workflow(WorkflowState::Completed).await;
    });
}

#[test]
fn a_cancelled_run_ends_at_once_and_holds_its_mail() {
    let home = Home::new();
    let _daemon = home.daemon();
    block_on(async {
        let client = home.client();
        let team =
            Team::new("team", "@alice go").agent("alice", &mock("- think: hm\n- sleep: 10m"));
        let mut watch = team.watched(&home, &client, Mode::Run).await;
        let run = watch.run_works("alice").await;
        client.call(&RunCancel { id: run.id }).await.unwrap();
        let ended = watch.run_ended(|_| true).await;
        assert_eq!(ended.state, RunState::Cancelled);
        let workflow = watch.workflow(WorkflowState::Stalled).await;
        assert!(workflow.outcome_reason.unwrap().contains("cancelled"));
    });
    home.assert_only_the_daemon_is_left();
}

#[test]
fn a_stopped_agent_ends_its_run_and_goes_on_when_it_is_resumed() {
    let home = Home::new();
    let _daemon = home.daemon();
    block_on(async {
        let client = home.client();
        let script = "- do: [ { think: hm }, { sleep: 10m } ]\n- do: [ { say: back } ]\n";
        let team = Team::new("team", "@alice go").agent("alice", script);
        let mut watch = team.watched(&home, &client, Mode::Run).await;
        watch.run_works("alice").await;
        let alice = target("alice@team");
        client.call(&AgentStop { target: alice.clone(), now: true }).await.unwrap();
        assert_eq!(watch.run_ended(|_| true).await.state, RunState::Cancelled);
        let shown = client.call(&AgentShow { target: alice.clone() }).await.unwrap();
        assert_eq!((shown.agent.wanted, shown.agent.unread), (Wanted::Stopped, 1));
        client.call(&AgentResume { target: alice }).await.unwrap();
        assert_eq!(watch.run_ended(|_| true).await.state, RunState::Succeeded);
        watch.workflow(WorkflowState::Completed).await;
    });
}

#[test]
fn a_budget_ends_the_run_that_passes_it() {
    let home = Home::new();
    let _daemon = home.daemon();
    block_on(async {
        let client = home.client();
        let script = "- do: [ { usage: { input: 900, output: 200, cost: 0.5 } }, { sleep: 10m } ]\n\
                      - do: [ { say: more } ]\n";
        let team =
            Team::new("team", "@alice go").agent("alice", script).with("limits: { tokens: 1000 }");
        let mut watch = team.watched(&home, &client, Mode::Run).await;
        let run = watch.run_ended(|_| true).await;
        assert_eq!(run.state, RunState::OverBudget);
        assert_eq!((run.usage.input, run.cost), (Some(900), Some(0.5)));
        watch.workflow(WorkflowState::Stalled).await;
        let limits = Limits { tokens: Some(5000), ..Limits::default() };
        let key = "team".parse().unwrap();
        client.call(&LimitsSet { key, limits, unset: Vec::new() }).await.unwrap();
        watch.workflow(WorkflowState::Completed).await;
    });
}

#[test]
fn a_workflow_ends_on_time_when_its_time_is_over() {
    let home = Home::with_config("[runs]\nsweep = \"1h\"\n");
    let _daemon = home.daemon();
    block_on(async {
        let client = home.client();
        let team = Team::new("team", "@alice go")
            .agent("alice", &mock("- think: hm\n- sleep: 10m"))
            .with("limits: { duration: 1s }");
        let mut watch = team.watched(&home, &client, Mode::Run).await;
        let run = watch.run_ended(|_| true).await;
        assert_eq!(run.state, RunState::OverBudget, "{run:?}");
        watch.workflow(WorkflowState::Stalled).await;
    });
}

#[test]
fn a_question_is_answered_as_it_grows() {
    let home = Home::new();
    let _daemon = home.daemon();
    block_on(async {
        let client = home.client();
        let script = mock(
            "- think: hm\n- say: I ask.\n- call: team_members\n- say: \"forty-two\"\n\
             - usage: { input: 7, output: 2 }",
        );
        let team = Team::new("team", "").agent("alice", &script);
        team.start(&home, &client, Mode::Start).await;
        let ask = Ask::new(target("alice@team"), "how much?".to_owned());
        let mut stream = AskStream::ask(&client, &ask);
        let (mut text, mut heard) = (String::new(), Vec::new());
        let answer = within("it is answered", async {
            loop {
                match stream.next().await.expect("it goes on").expect("it is read") {
                    AskEvent::Chunk { text: more, .. } => text.push_str(&more),
                    AskEvent::Done(answer) => return answer,
                    AskEvent::Error(error) => panic!("{error:?}"),
                    AskEvent::Thinking { .. } => heard.push("thinking"),
                    AskEvent::Tool { .. } => heard.push("tool"),
                    AskEvent::ToolResult { .. } => heard.push("tool_result"),
                    _ => {}
                }
            }
        })
        .await;
        heard.dedup();
        assert_eq!(text, "I ask.\nforty-two", "each text has lines of its own");
        assert_eq!(answer.content, text);
        assert_eq!(heard, ["thinking", "tool", "tool_result"]);
        assert_eq!((answer.usage.input, answer.cost), (Some(7), None));
        let whole = client.serve(&ask).await.unwrap();
        assert_eq!(whole.content, text);
        let shown = client.call(&RunShow { id: whole.run }).await.unwrap();
        assert_eq!(shown.mail.len(), 1, "a question has its run for itself");
    });
}

#[test]
fn an_agent_acts_in_its_own_name_from_its_shell() {
    let mut home = Home::new();
    let program = env!("CARGO_BIN_EXE_agent-worker");
    home.set("AGENT_WORKER_PROGRAM", program);
    let _daemon = home.daemon();
    block_on(async {
        let client = home.client();
        let script =
            mock(&format!("- shell: \"{program} send @team 'hello from a shell'\"\n- say: done"));
        let team = Team::new("team", "@alice go").agent("alice", &script);
        let mut watch = team.watched(&home, &client, Mode::Run).await;
        let message = watch
            .wait("the shell's message", |event| match &event.body {
                EventBody::MessageSent { message, .. } if message.content.contains("shell") => {
                    Some((**message).clone())
                }
                _ => None,
            })
            .await;
        assert_eq!(message.sender.as_str(), "alice");
        assert!(message.run.is_some());
        watch.workflow(WorkflowState::Completed).await;
        let channel = client.at(target("@team")).call(&Peek::default()).await.unwrap();
        assert_eq!(channel.messages.len(), 3, "its final text is posted too");
    });
}

#[test]
fn a_start_that_needs_a_later_version_is_refused_by_name() {
    let home = Home::new();
    let _daemon = home.daemon();
    block_on(async {
        let client = home.client();
        let team = Team::new("team", "@alice go")
            .agent("alice", &mock("- say: hi"))
            .with("  carol: { backend: mock, heartbeat: 30m }");
        let refused = team.try_start(&home, &client, Mode::Run).await.unwrap_err().to_string();
        assert!(refused.contains("`heartbeat` of `carol`"), "{refused}");
        let hello = ChannelSend {
            message: "hello?".to_owned(),
            to: Vec::new(),
            intent: None,
            reply_to: None,
        };
        let sent = client.at(target("@team")).call(&hello).await;
        assert!(sent.is_err(), "nothing was started");
    });
}

#[test]
fn the_folder_of_a_program_goes_with_its_agent() {
    let home = Home::new();
    let folder = |id: i64| home.path().join("programs").join(format!("agent_{id}"));
    let has = |id: i64| folder(id).exists();
    std::fs::create_dir_all(folder(99).join("codex")).unwrap();
    let _daemon = home.daemon();
    wait_until("the folder of an unknown agent is removed", || !has(99));
    let team = Team::new("team", "").agent("alice", &mock("- say: done"));
    let team = team.agent("bob", &mock("- say: done"));
    block_on(async { team.start(&home, &home.client(), Mode::Start).await });
    let database = Connection::open(home.path().join("agent-worker.db")).unwrap();
    let id = |name: &str| {
        let sql = "SELECT id FROM agents WHERE name = ?1";
        database.query_row(sql, [name], |row| row.get::<_, i64>(0)).unwrap()
    };
    let (alice, bob) = (id("alice"), id("bob"));
    for id in [alice, bob] {
        std::fs::create_dir_all(folder(id).join("codex")).unwrap();
    }
    home.ok(&["rm", "alice@team"]);
    wait_until("the folder of alice is removed", || !has(alice));
    assert!(has(bob), "bob is still there");
    home.ok(&["stop", "@team"]);
    home.ok(&["rm", "@team"]);
    wait_until("the folder of bob is removed", || !has(bob));
}
