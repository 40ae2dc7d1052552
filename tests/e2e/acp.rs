//! Agents that are programs of another kind: a stub that speaks the Agent Client Protocol.

use agent_worker_client::Client;
use agent_worker_protocol::{BlockKind, FailureClass, Mode, Run, RunShow, RunState, WorkflowState};
use serde_json::{Value, json};

use crate::support::{Home, Script, Step, Team, Watch, block_on, stub_agent, transcript};

/// Nothing is tried again by itself, so that what a first failure leaves can be looked at.
const ONCE: &str = "[runs]\nretry_delay = \"1h\"\nunavailable_delay = \"1h\"\n\
    heartbeat = \"100ms\"\n";

/// Text as a step.
fn say(text: &str) -> Step {
    Step::Say(text.to_owned())
}

/// What the session has cost so far in dollars, as an update.
fn cost(amount: f64) -> Value {
    let cost = json!({ "amount": amount, "currency": "USD" });
    json!({ "sessionUpdate": "usage_update", "cost": cost })
}

/// What the session has cost so far in dollars, as a step.
fn told(amount: f64) -> Step {
    Step::Update(cost(amount))
}

fn shell() -> Value {
    json!({
        "toolCallId": "c", "title": "cargo test", "kind": "execute", "status": "pending",
        "rawInput": { "command": "cargo test" },
    })
}

/// A team with an agent that plays a script, and further lines of the agent.
async fn begin(home: &Home, client: &Client, script: &Script, lines: &str) {
    begin_as("team", home, client, script, lines).await;
}

/// The same team by another name.
async fn begin_as(name: &str, home: &Home, client: &Client, script: &Script, lines: &str) {
    let program = stub_agent(home, "stub", script);
    let team = Team::new(name, "@alice please look")
        .with(&format!("  alice: {{ backend: acp, command: {{ program: {program} }}{lines} }}"));
    team.start(home, client, Mode::Start).await;
}

/// Plays a script in a team of this name until its first run has ended.
async fn play(name: &str, home: &Home, script: &Script) -> Run {
    let client = home.client();
    let mut watch = Watch::now(&client).await;
    begin_as(name, home, &client, script, "").await;
    watch.run_ended(|_| true).await
}

#[test]
fn an_agent_reads_its_mail_and_answers() {
    use BlockKind::{Prompt, System, Text, Thinking, ToolCall, ToolResult};

    let home = Home::new();
    let _daemon = home.daemon();
    block_on(async {
        let client = home.client();
        let mut watch = Watch::now(&client).await;
        let script = Script::of(vec![
            Step::Think("what is there?".to_owned()),
            Step::List,
            Step::Use("my_inbox".to_owned(), json!({})),
            say("It looks "),
            say("good."),
            Step::End(json!({
                "stopReason": "end_turn",
                "usage": { "inputTokens": 100, "outputTokens": 20, "totalTokens": 120 },
            })),
        ]);
        let program = stub_agent(&home, "stub", &script);
        let team = Team::new("team", "@alice please look").with(&format!(
            "  alice:\n    backend: acp\n    command: {{ program: {program} }}\n    system_prompt: You review."
        ));
        team.start(&home, &client, Mode::Run).await;
        let run = watch.run_ended(|_| true).await;
        assert_eq!((run.state, run.error.as_deref()), (RunState::Succeeded, None));
        assert_eq!((run.usage.input, run.usage.output, run.cost), (Some(100), Some(20), None));
        watch.workflow(WorkflowState::Completed).await;
        let blocks = transcript(&client, run.id).await;
        let kinds: Vec<_> = blocks.iter().map(|(kind, _)| *kind).collect();
        assert_eq!(kinds, [System, Prompt, Thinking, ToolCall, ToolResult, Text]);
        assert!(blocks[4].1.contains("please look"), "{}", blocks[4].1);
        let shown = client.call(&RunShow { id: run.id }).await.unwrap();
        assert_eq!(shown.result.as_deref(), Some("It looks good."));
        home.assert_promises_kept().await;
        home.assert_only_the_daemon_is_left();
    });
}

#[test]
fn text_behind_the_answer_to_a_prompt_is_part_of_what_the_agent_answers() {
    let home = Home::new();
    let _daemon = home.daemon();
    block_on(async {
        let content = json!({ "type": "text", "text": " second part." });
        let last = json!({ "sessionUpdate": "agent_message_chunk", "content": content });
        let script = Script::of(vec![Step::List, say("first part,"), Step::EndBefore(last)]);
        let run = play("team", &home, &script).await;
        assert_eq!((run.state, run.error.as_deref()), (RunState::Succeeded, None));
        let shown = home.client().call(&RunShow { id: run.id }).await.unwrap();
        assert_eq!(shown.result.as_deref(), Some("first part, second part."));
    });
}

#[test]
fn a_session_is_gone_on_with_in_the_next_run() {
    let home = Home::new();
    let _daemon = home.daemon();
    block_on(async {
        let script = Script::of(vec![Step::List, Step::Remember]);
        begin(&home, &home.client(), &script, "").await;
        assert_eq!(home.ok(&["ask", "alice@team", "and now?"]).trim(), "prompt 2 of stub-0");
        // The daemon sends a program without its session the whole prompt again.
        std::fs::remove_file(home.work().join("stub.sessions/stub-0")).unwrap();
        assert_eq!(home.ok(&["ask", "alice@team", "and now?"]).trim(), "prompt 1 of stub-0");
    });
}

#[test]
fn a_session_that_goes_on_is_told_what_the_home_of_its_agent_says_now() {
    let home = Home::new();
    let _daemon = home.daemon();
    block_on(async {
        let script = Script::of(vec![Step::List, Step::Remember]);
        begin(&home, &home.client(), &script, ", home: true, cwd: .").await;
        home.ok(&["ask", "alice@team", "hello"]);
        let path = home.ok(&["home", "path", "alice@team"]);
        let soul = std::path::Path::new(path.trim_end()).join("SOUL.md");
        std::fs::write(soul, "Be quick.\n").unwrap();
        home.ok(&["ask", "alice@team", "and now?"]);
        let told = || std::fs::read_to_string(home.work().join("stub.prompt")).unwrap();
        assert!(told().contains("## Your Next Run"), "the session goes on: {}", told());
        assert!(told().contains("| Be quick.\n"), "{}", told());
        assert!(!told().contains("(IDENTITY.md)"), "what it knows: {}", told());
        home.ok(&["ask", "alice@team", "once more"]);
        assert!(told().contains("once more"), "{}", told());
        assert!(!told().contains("| Be quick.\n"), "{}", told());
    });
}

/// Has an agent do a second run after its home has changed. Returns what `context` has shown of it,
/// its transcript, and the prompt that its program was sent.
async fn second_run(home: &Home, script: &Script) -> (Value, Vec<(BlockKind, String)>, String) {
    let client = home.client();
    let mut watch = Watch::now(&client).await;
    begin(home, &client, script, ", home: true, cwd: .").await;
    watch.run_ended(|_| true).await;
    let path = home.ok(&["home", "path", "alice@team"]);
    let soul = std::path::Path::new(path.trim_end()).join("SOUL.md");
    std::fs::write(soul, "Be quick.\n").unwrap();
    home.ok(&["stop", "alice@team"]);
    home.ok(&["send", "alice@team", "second please"]);
    let shown = home.json(&["context", "alice@team"]);
    home.ok(&["resume", "alice@team"]);
    let run = watch.run_ended(|_| true).await;
    let sent = std::fs::read_to_string(home.work().join("stub.prompt")).unwrap();
    (shown, transcript(&client, run.id).await, sent)
}

/// Has it do another run. Returns its transcript, and the prompt that its program was sent.
async fn third_run(home: &Home) -> (Vec<(BlockKind, String)>, String) {
    let client = home.client();
    let mut watch = Watch::now(&client).await;
    home.ok(&["send", "alice@team", "third please"]);
    let run = watch.run_ended(|_| true).await;
    let sent = std::fs::read_to_string(home.work().join("stub.prompt")).unwrap();
    (transcript(&client, run.id).await, sent)
}

#[test]
fn what_a_session_that_goes_on_is_given_is_shown_word_for_word() {
    use BlockKind::{Notice, Prompt, System, Text};

    let home = Home::new();
    let _daemon = home.daemon();
    block_on(async {
        let script = Script::of(vec![Step::List, Step::Remember]);
        let (shown, blocks, sent) = second_run(&home, &script).await;
        assert!(sent.contains("have changed since your last run"), "{sent}");
        assert!(sent.contains("| Be quick.\n"), "{sent}");
        assert_eq!((&shown["system"], &shown["prompt"]), (&Value::Null, &json!(sent)));
        assert_eq!(blocks, [(Prompt, sent), (Text, "prompt 2 of stub-0".to_owned())]);

        // A session that is lost is given all of it in the same run.
        std::fs::remove_file(home.work().join("stub.sessions/stub-0")).unwrap();
        let (blocks, sent) = third_run(&home).await;
        let kinds: Vec<_> = blocks.iter().map(|(kind, _)| *kind).collect();
        assert_eq!(kinds, [Prompt, Notice, System, Prompt, Text], "{blocks:?}");
        assert_eq!(format!("{}\n\n{}", blocks[2].1, blocks[3].1), sent);
    });
}

#[test]
fn a_system_prompt_that_a_session_takes_each_time_is_shown_each_time() {
    use BlockKind::{Prompt, System, Text};

    let home = Home::new();
    let _daemon = home.daemon();
    block_on(async {
        let mut script = Script::of(vec![Step::List, Step::Remember]);
        script.capabilities["sessionCapabilities"]["systemPrompt"] = json!({});
        let (shown, blocks, sent) = second_run(&home, &script).await;
        let kinds: Vec<_> = blocks.iter().map(|(kind, _)| *kind).collect();
        assert_eq!(kinds, [System, Prompt, Text], "{blocks:?}");
        assert!(blocks[0].1.contains("| Be quick.\n"), "{}", blocks[0].1);
        assert_eq!((&shown["system"], &shown["prompt"]), (&json!(blocks[0].1), &json!(sent)));
        assert_eq!(blocks[1].1, sent);

        // A program that does not take it any more is told what has changed before its prompt.
        stub_agent(&home, "stub", &Script::of(vec![Step::List, Step::Remember]));
        let (blocks, sent) = third_run(&home).await;
        let kinds: Vec<_> = blocks.iter().map(|(kind, _)| *kind).collect();
        assert_eq!(kinds, [System, Prompt, Prompt, Text], "{blocks:?}");
        assert!(sent.contains("have changed since your last run"), "{sent}");
        assert_eq!(blocks[2].1, sent);
    });
}

#[test]
fn a_session_that_becomes_too_long_in_a_run_that_has_acted_is_begun_anew_by_the_next_attempt() {
    let home = Home::with_config("[runs]\nretry_delay = \"10ms\"\n");
    let _daemon = home.daemon();
    block_on(async {
        let client = home.client();
        let mut watch = Watch::now(&client).await;
        let call = json!({
            "sessionUpdate": "tool_call", "toolCallId": "c", "title": "publish",
            "kind": "execute", "status": "completed", "rawInput": { "command": "publish" },
        });
        let overflow = Step::Refuse(-32_603, "prompt is too long".to_owned());
        let mut script = Script::of(vec![Step::List, Step::Remember]);
        script.turns.push(vec![Step::List, Step::Update(call), overflow]);
        script.turns.push(vec![Step::List, Step::Remember]);
        begin(&home, &client, &script, "").await;
        watch.run_ended(|run| run.state == RunState::Succeeded).await;
        home.ok(&["send", "alice@team", "and now?"]);
        let second = watch.run_ended(|_| true).await;
        let error = second.error.unwrap_or_default();
        assert_eq!(second.class, Some(FailureClass::Transient), "{error}");
        assert!(error.contains("the next attempt begins a new one"), "{error}");
        let third = watch.run_ended(|_| true).await;
        let shown = client.call(&RunShow { id: third.id }).await.unwrap();
        assert_eq!(shown.result.as_deref(), Some("prompt 1 of stub-1"));
        let blocks = transcript(&client, third.id).await;
        let prompt = blocks.iter().find(|(kind, _)| *kind == BlockKind::Prompt).unwrap();
        assert!(prompt.1.contains("What earlier attempts did"), "{prompt:?}");
    });
}

#[test]
fn a_session_that_the_models_server_refuses_is_begun_anew_once() {
    let home = Home::new();
    let _daemon = home.daemon();
    block_on(async {
        let client = home.client();
        let mut watch = Watch::now(&client).await;
        let refusal = || Step::Refuse(400, "the number of parts is not equal".to_owned());
        let mut script = Script::of(vec![Step::List, Step::Remember]);
        script.turns.push(vec![Step::List, refusal()]);
        script.turns.push(vec![Step::List, Step::Remember]);
        script.turns.push(vec![Step::List, refusal()]);
        script.turns.push(vec![Step::List, refusal()]);
        script.turns.push(vec![Step::List, Step::Remember]);
        script.turns.push(vec![Step::List, say("Let me see."), refusal()]);
        begin(&home, &client, &script, "").await;
        watch.run_ended(|run| run.state == RunState::Succeeded).await;
        // Each run, its class, its result, and how many sessions it has begun beside the first.
        for (begins, class, result, count) in [
            ("send", None, Some("prompt 1 of stub-1"), 1),
            ("send", Some(FailureClass::Permanent), None, 1),
            ("resume", None, Some("prompt 3 of stub-1"), 0),
            // A session in which the model has answered in this run is not begun anew.
            ("send", Some(FailureClass::Permanent), None, 0),
        ] {
            match begins {
                "send" => home.ok(&["send", "alice@team", "and now?"]),
                _ => home.ok(&["resume", "alice@team"]),
            };
            let run = watch.run_ended(|_| true).await;
            let shown = client.call(&RunShow { id: run.id }).await.unwrap();
            assert_eq!((run.class, shown.result.as_deref()), (class, result), "{run:?}");
            let blocks = transcript(&client, run.id).await;
            let is_notice = |(kind, text): &&(_, String)| {
                let why = "refused the session (`session/prompt`: the number";
                *kind == BlockKind::Notice
                    && text.contains(why)
                    && text.ends_with("a new session begins")
            };
            assert_eq!(blocks.iter().filter(is_notice).count(), count, "{blocks:?}");
        }
    });
}

#[test]
fn a_turn_that_fails_costs_what_its_agent_told_and_the_next_one_does_not_pay_it_again() {
    let home = Home::with_config("[runs]\nretry_delay = \"10ms\"\nattempts = 5\n");
    let _daemon = home.daemon();
    block_on(async {
        let client = home.client();
        let mut watch = Watch::now(&client).await;
        let refusal = || Step::Refuse(-32_603, "Internal error".to_owned());
        let mut script = Script::of(vec![Step::List, told(3.0), refusal()]);
        // A session in which nothing was done yet is not gone on with.
        script.turns.push(vec![Step::List, say("Let me see."), told(2.0), Step::Exit(3)]);
        script.turns.push(vec![Step::List, told(2.5), refusal()]);
        script.turns.push(vec![Step::List, told(3.5), Step::Remember]);
        begin(&home, &client, &script, "").await;
        for cost in [3.0, 2.0, 0.5, 1.0] {
            let run = watch.run_ended(|_| true).await;
            assert_eq!(run.cost, Some(cost), "{run:?}");
            if run.state == RunState::Succeeded {
                let shown = client.call(&RunShow { id: run.id }).await.unwrap();
                assert_eq!(shown.result.as_deref(), Some("prompt 3 of stub-1"));
            }
        }
    });
}

#[test]
fn a_cost_behind_the_answer_to_a_prompt_is_that_of_the_run_that_is_answered() {
    let turn = |before, last| vec![Step::List, told(before), say("done"), last];
    let mut script = Script::of(turn(1.0, Step::EndBefore(cost(3.0))));
    script.turns.push(turn(3.5, Step::EndBefore(cost(5.0))));
    assert_costs_3_then_2(&script);
}

#[test]
fn a_cost_behind_the_refusal_of_a_prompt_is_that_of_the_run_that_fails() {
    let home = Home::with_config("[runs]\nretry_delay = \"10ms\"\n");
    let _daemon = home.daemon();
    block_on(async {
        let client = home.client();
        let mut watch = Watch::now(&client).await;
        let refusal = Step::RefuseBefore(-32_603, "Internal error".to_owned(), cost(3.0));
        let mut script = Script::of(vec![Step::List, say("Let me see."), refusal]);
        script.turns.push(vec![Step::List, told(5.0), say("done")]);
        begin(&home, &client, &script, "").await;
        for (state, cost) in [(RunState::Failed, 3.0), (RunState::Succeeded, 2.0)] {
            let run = watch.run_ended(|_| true).await;
            assert_eq!((run.state, run.cost), (state, Some(cost)), "{run:?}");
        }
    });
}

#[test]
fn words_behind_the_answer_to_a_prompt_do_not_take_back_what_was_paid() {
    let content = json!({ "type": "text", "text": "done" });
    let words = json!({ "sessionUpdate": "agent_message_chunk", "content": content });
    let mut script = Script::of(vec![Step::List, told(3.0), Step::EndBefore(words)]);
    script.turns.push(vec![Step::List, told(5.0), say("done")]);
    assert_costs_3_then_2(&script);
}

/// Two runs of a session cost 3 and 2 dollars.
fn assert_costs_3_then_2(script: &Script) {
    let home = Home::new();
    let _daemon = home.daemon();
    block_on(async {
        let client = home.client();
        let mut watch = Watch::now(&client).await;
        begin(&home, &client, script, "").await;
        for cost in [3.0, 2.0] {
            let run = watch.run_ended(|_| true).await;
            assert_eq!(run.cost, Some(cost), "{run:?}");
            home.ok(&["send", "alice@team", "and now?"]);
        }
    });
}

#[test]
fn a_session_that_is_begun_anew_in_the_same_run_costs_what_both_have_cost() {
    let home = Home::new();
    let _daemon = home.daemon();
    block_on(async {
        let client = home.client();
        let mut watch = Watch::now(&client).await;
        let refusal = Step::Refuse(400, "the number of parts is not equal".to_owned());
        let mut script = Script::of(vec![Step::List, told(1.0), Step::Remember]);
        script.turns.push(vec![Step::List, told(1.5), refusal]);
        script.turns.push(vec![Step::List, told(0.25), Step::Remember]);
        script.turns.push(vec![Step::List, told(0.75), Step::Remember]);
        begin(&home, &client, &script, "").await;
        for (cost, result) in
            [(1.0, "prompt 1 of stub-0"), (0.75, "prompt 1 of stub-1"), (0.5, "prompt 2 of stub-1")]
        {
            let run = watch.run_ended(|_| true).await;
            let shown = client.call(&RunShow { id: run.id }).await.unwrap();
            assert_eq!((run.cost, shown.result.as_deref()), (Some(cost), Some(result)), "{run:?}");
            home.ok(&["send", "alice@team", "and now?"]);
        }
    });
}

#[test]
fn a_permission_is_asked_for_and_answered_from_another_terminal() {
    let home = Home::new();
    let _daemon = home.daemon();
    block_on(async {
        let client = home.client();
        let mut watch = Watch::now(&client).await;
        let script = Script::of(vec![Step::List, Step::Permission(shell())]);
        begin(&home, &client, &script, ", tools: [shell], permissions: { ask: [shell] }").await;
        let question = watch.question_asked().await;
        assert_eq!(question.text, "shell\ncommand: cargo test");
        home.ok(&["answer", &question.id.to_string(), "allow"]);
        let run = watch.run_ended(|_| true).await;
        let shown = client.call(&RunShow { id: run.id }).await.unwrap();
        assert_eq!(shown.result.as_deref(), Some("allow_once"));
    });
}

#[test]
fn a_permission_that_nobody_answers_is_denied_and_says_why() {
    let home = Home::with_config("[questions]\nexpires = \"1s\"\nshortest = \"1s\"\n");
    let _daemon = home.daemon();
    block_on(async {
        let client = home.client();
        let mut watch = Watch::now(&client).await;
        let script = Script::of(vec![Step::List, Step::Permission(shell())]);
        begin(&home, &client, &script, ", tools: [shell], permissions: { ask: [shell] }").await;
        let run = watch.run_ended(|_| true).await;
        assert_eq!(run.state, RunState::Succeeded);
        let shown = client.call(&RunShow { id: run.id }).await.unwrap();
        assert_eq!(shown.result.as_deref(), Some("reject_once"));
        let blocks = transcript(&client, run.id).await;
        let notice = blocks.iter().find(|(kind, _)| *kind == BlockKind::Notice).unwrap();
        assert!(notice.1.starts_with("denied: `shell`: no answer"), "{notice:?}");
    });
}

#[test]
fn an_agent_that_is_stopped_is_told_so_before_it_ends() {
    let home = Home::with_config(ONCE);
    let _daemon = home.daemon();
    block_on(async {
        let client = home.client();
        let mut watch = Watch::now(&client).await;
        let command = "exec sleep 600".to_owned();
        let end = json!({
            "stopReason": "cancelled", "usage": { "inputTokens": 700, "outputTokens": 70 },
        });
        let (spawn, more) = (Step::Spawn(command), say(" and more"));
        let turn = vec![Step::List, spawn, say("hm"), Step::Wait, more, Step::End(end)];
        let script = Script::of(turn);
        begin(&home, &client, &script, "").await;
        watch.run_is("alice", "writing").await;
        home.ok(&["stop", "alice@team", "--now"]);
        let run = watch.run_ended(|_| true).await;
        assert_eq!(run.state, RunState::Cancelled);
        assert!(home.work().join("stub.cancelled").exists());
        assert_eq!((run.usage.input, run.usage.output), (Some(700), Some(70)), "{run:?}");
        let blocks = transcript(&client, run.id).await;
        assert!(blocks.contains(&(BlockKind::Text, "hm and more".to_owned())), "{blocks:?}");
        home.assert_only_the_daemon_is_left();
    });
}

#[test]
fn what_an_agent_leaves_behind_ends_with_its_run() {
    let home = Home::new();
    let _daemon = home.daemon();
    block_on(async {
        let mut script =
            Script::of(vec![Step::List, Step::Spawn("exec sleep 600".to_owned()), say("done")]);
        script.is_stubborn = true;
        let run = play("team", &home, &script).await;
        assert_eq!(run.state, RunState::Succeeded);
        home.assert_only_the_daemon_is_left();
        let left = std::fs::read_dir(home.path().parent().unwrap()).unwrap();
        let names: Vec<_> = left.map(|entry| entry.unwrap().file_name()).collect();
        assert!(!names.iter().any(|name| name.to_string_lossy().starts_with("agent-worker-")));
    });
}

#[test]
fn each_way_to_fail_ends_as_it_should() {
    let (transient, permanent) = (FailureClass::Transient, FailureClass::Permanent);
    let unavailable = FailureClass::Unavailable;
    let refuse = |text: &str| Step::Refuse(-32_603, text.to_owned());
    let end = |reason: &str| Step::End(json!({ "stopReason": reason }));
    let cases = [
        (vec![say("done")], transient, "never asked the daemon for its tools"),
        (
            vec![Step::List, Step::Complain("out of luck".to_owned()), Step::Exit(3)],
            transient,
            "exited with 3 without a result: out of luck",
        ),
        (vec![Step::List, Step::Exit(0)], transient, "exited with 0 without a result"),
        (vec![Step::List, refuse("API error: status 401")], permanent, "refused the key or log-in"),
        (vec![Step::List, refuse("status code 529: overloaded")], unavailable, "529"),
        (vec![Step::List, refuse("Internal error")], transient, "Internal error"),
        (vec![Step::List, Step::Refuse(429, "slow down".to_owned())], unavailable, "slow down"),
        (vec![Step::List, Step::Refuse(500, "terminated".to_owned())], transient, "terminated"),
        (
            vec![Step::List, Step::Refuse(-32_000, "log in".to_owned())],
            permanent,
            "not logged in (log in): log in with `./bin/stub`, then",
        ),
        (vec![Step::List, refuse("prompt is too long")], permanent, "prompt is too long"),
        (vec![Step::List, end("max_turn_requests")], permanent, "request limit"),
        (vec![Step::List, end("max_tokens")], permanent, "too_long: its model"),
        (
            vec![
                Step::List,
                say("We are experiencing high demand."),
                Step::End(json!({
                    "stopReason": "end_turn", "usage": null,
                    "_meta": { "quota": { "token_count": null, "model_usage": [] } },
                })),
            ],
            unavailable,
            "high demand",
        ),
        (vec![Step::List, Step::Huge(33 << 20)], transient, "a line of"),
    ];
    let home = Home::with_config(ONCE);
    let _daemon = home.daemon();
    for (number, (turn, class, told)) in cases.into_iter().enumerate() {
        let team = format!("team-{number}");
        block_on(async {
            let run = play(&team, &home, &Script::of(turn.clone())).await;
            let error = run.error.clone().unwrap_or_default();
            assert!(error.contains(told), "{turn:?}: {error}");
            assert_eq!(run.class, Some(class), "{turn:?}: {error}");
            if class == permanent {
                let hint = format!("agent-worker resume alice@{team}");
                assert!(error.contains(&hint), "{error}");
            }
            home.assert_only_the_daemon_is_left();
        });
    }
}

#[test]
fn an_agent_that_is_changed_in_its_file_works_as_its_error_has_said() {
    let home = Home::new();
    let _daemon = home.daemon();
    block_on(async {
        let client = home.client();
        let mut watch = Watch::now(&client).await;
        let program = stub_agent(&home, "stub", &Script::of(vec![Step::List, Step::Remember]));
        let write = |mode: &str| {
            let command = format!("{{ program: {program}{mode} }}");
            let agent = format!("  alice: {{ backend: acp, command: {command} }}");
            Team::new("team", "@alice please look").with(&agent).write(&home)
        };
        home.ok(&["start", &write(", mode: fast"), "--detach"]);
        let run = watch.run_ended(|_| true).await;
        let error = run.error.unwrap_or_default();
        assert_eq!(run.class, Some(FailureClass::Permanent), "{error}");
        let hint = "`fast` is asked for: change the agent in its workflow file, then \
                    agent-worker stop @team and agent-worker start (or run) with that file";
        assert!(error.ends_with(hint), "{error}");
        let file = write("");
        home.ok(&["stop", "@team"]);
        home.ok(&["start", &file, "--detach"]);
        let run = watch.run_ended(|_| true).await;
        assert_eq!(run.state, RunState::Succeeded, "{:?}", run.error);
    });
}

#[test]
fn strange_lines_are_noted_and_the_work_goes_on() {
    let home = Home::new();
    let _daemon = home.daemon();
    block_on(async {
        let script = Script::of(vec![
            Step::List,
            Step::Line("Loading...".to_owned()),
            Step::Line("{\"half\":".to_owned()),
            Step::Update(json!({ "sessionUpdate": "of_the_future" })),
            say("done"),
        ]);
        let run = play("team", &home, &script).await;
        assert_eq!(run.state, RunState::Succeeded, "{:?}", run.error);
        let blocks = transcript(&home.client(), run.id).await;
        let notices = blocks.iter().filter(|(kind, _)| *kind == BlockKind::Notice);
        let notices: Vec<_> = notices.map(|(_, text)| text.as_str()).collect();
        assert_eq!(notices, ["not a message: Loading...", "not a message: {\"half\":"]);
    });
}

#[test]
fn a_program_that_is_not_there_pauses_its_agent() {
    let home = Home::new();
    let _daemon = home.daemon();
    block_on(async {
        let client = home.client();
        let mut watch = Watch::now(&client).await;
        begin(&home, &client, &Script::of(vec![say("hi")]), "").await;
        watch.run_ended(|_| true).await;
        std::fs::remove_file(home.work().join("bin/stub")).unwrap();
        home.ok(&["send", "alice@team", "again"]);
        let run = watch.run_ended(|run| run.class == Some(FailureClass::Permanent)).await;
        let error = run.error.unwrap();
        assert!(error.contains("program `./bin/stub` not found"), "{error}");
    });
}
