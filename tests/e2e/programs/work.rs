//! A team with an agent program does its work.

use std::process::Command;

use agent_worker_protocol::{
    AgentShow, DeliveryState, Event, EventBody, FailureClass, Peek, RunState,
    run::BlockKind::{self, Notice, Prompt, System, Text, ToolCall, ToolResult},
};

use super::stage::Stage;
use crate::{
    grammar::in_shell,
    support::{Home, PROGRAM, Watch, block_on, transcript},
};

/// What a program does that reads its mail and answers.
const WORK: &str = "tools; begins s-1; says Reading; call my_inbox '{}'\n\
    echo '{\"type\":\"assistant\",\"message\":{\"content\":[{\"type\":\"tool_use\",\"id\":\"t1\",\"name\":\"mcp__daemon__my_inbox\",\"input\":{}}]}}'\n\
    echo '{\"type\":\"user\",\"message\":{\"content\":[{\"type\":\"tool_result\",\"tool_use_id\":\"t1\",\"content\":\"go\"}]}}'\n\
    ends 'It is good.'";

#[test]
fn a_run_of_a_program_is_like_any_other() {
    let stage = Stage::new("");
    block_on(async {
        let outcome = stage.play("claude", WORK).await;
        let run = outcome.run;
        assert_eq!(run.state, RunState::Succeeded, "{run:?}");
        assert_eq!((run.usage.input, run.usage.output), (Some(100), Some(20)));
        assert_eq!(run.cost, Some(0.5), "not what the session has cost so far");
        let blocks = transcript(&stage.client(), run.id).await;
        let kinds: Vec<_> = blocks.iter().map(|(kind, _)| *kind).collect();
        assert_eq!(kinds, [Prompt, Text, ToolCall, ToolResult]);
        assert!(blocks[0].1.contains("`mcp__daemon__my_inbox`"), "{}", blocks[0].1);
        let read = Peek { limit: Some(10), ..Peek::default() };
        let client = stage.client().at("@team".parse().unwrap());
        let said = client.call(&read).await.unwrap().messages;
        assert_eq!(said.last().unwrap().content, "It is good.");
        assert_eq!(said.last().unwrap().sender.as_str(), "alice");
        assert_eq!(stage.left(), [""; 0]);
    });
}

#[test]
fn the_next_run_goes_on_with_the_programs_session() {
    let stage = Stage::new("");
    block_on(async {
        let mut watch = Watch::now(&stage.client()).await;
        let alice = stage.begin("claude", WORK, "").await;
        stage.outcome(&mut watch, &alice).await;
        assert!(!stage.noted("args-1").contains("--resume"));
        let sent = stage.home.ok(&["send", "alice@team", "and now?"]);
        assert!(!sent.is_empty());
        let second = stage.outcome(&mut watch, &alice).await.run;
        assert_eq!(second.state, RunState::Succeeded, "{second:?}");
        assert!(stage.noted("args-2").contains("--resume\ns-1\n"), "{}", stage.noted("args-2"));
        let (first, news) = (stage.noted("stdin-1"), stage.noted("stdin-2"));
        assert!(first.contains("## Your Identity") && !news.contains("## Your Identity"));
        assert!(news.contains("and now?"), "{news}");
        let shown = stage.client().call(&AgentShow { target: alice.clone() }).await.unwrap();
        let session = shown.session.unwrap();
        assert_eq!((session.turns, session.runs, session.cost), (1, 2, Some(1.0)));
        let told = stage.home.ok(&["sessions", "show", &session.id.to_string()]);
        let by_hand = format!("agent-worker resume-in-terminal {} --exec\n", second.id);
        assert!(told.contains(&by_hand), "{told}");

        stage.home.ok(&["resume", "alice@team", "--new-session"]);
        stage.home.ok(&["send", "alice@team", "from the beginning"]);
        stage.outcome(&mut watch, &alice).await;
        assert!(!stage.noted("args-3").contains("--resume"), "the user has ended the session");
        assert!(stage.noted("stdin-3").contains("## Your Identity"));
    });
}

#[test]
fn a_session_is_resumed_in_the_folder_of_its_run() {
    let stage = Stage::new("");
    block_on(async {
        let run = stage.play("claude", WORK).await.run.id;
        let line = stage.home.ok(&["resume-in-terminal", &run.to_string()]);
        let cd = format!("cd {} && ", stage.home.work().display());
        assert!(line.starts_with(&cd), "{line}");
    });
}

#[test]
fn a_session_that_a_run_uses_is_not_resumed_beside_it() {
    let stage = Stage::new("");
    block_on(async {
        let mut watch = Watch::now(&stage.client()).await;
        let alice = stage.begin("claude", WORK, "").await;
        let first = stage.outcome(&mut watch, &alice).await.run.id;
        stage.program("mkfifo go; cat go");
        stage.home.ok(&["send", "alice@team", "and now?"]);
        let begins = |event: &Event| match &event.body {
            EventBody::RunChanged(run) if run.state.is_live() && run.id != first => Some(run.id),
            _ => None,
        };
        let second = watch.wait("the second run begins", begins).await.to_string();
        let resume = ["resume-in-terminal", &first.to_string(), "--exec"];
        let refused = stage.home.run(&resume);
        assert!(refused.stderr.contains(&format!("{second} uses its session\n")), "{refused:?}");
        assert!(refused.stderr.contains("hint: agent-worker stop alice@team\n"), "{refused:?}");
        stage.home.ok(&["cancel", &second]);
        stage.outcome(&mut watch, &alice).await;
    });
}

#[test]
fn a_program_that_has_lost_its_session_begins_anew() {
    let stage = Stage::new("");
    let script = "if grep -q -e --resume stub/args-$n; then\n\
        echo '{\"type\":\"result\",\"subtype\":\"error_during_execution\",\"is_error\":true,\"errors\":[\"No conversation found with session ID: s-1\"]}'; exit 1\n\
        fi\ntools; begins s-$n; says hello; ends done";
    block_on(async {
        let mut watch = Watch::now(&stage.client()).await;
        let alice = stage.begin("claude", script, "").await;
        stage.outcome(&mut watch, &alice).await;
        stage.home.ok(&["send", "alice@team", "and now?"]);
        let second = stage.outcome(&mut watch, &alice).await.run;
        assert_eq!(second.state, RunState::Succeeded, "{second:?}");
        assert!(stage.noted("args-2").contains("--resume\ns-1\n"));
        assert!(stage.noted("stdin-3").contains("## Your Identity"), "it is told everything");
        let blocks = transcript(&stage.client(), second.id).await;
        let notice = blocks.iter().find(|(kind, _)| *kind == BlockKind::Notice);
        assert!(notice.unwrap().1.contains("the session was not found"), "{notice:?}");
        stage.home.ok(&["send", "alice@team", "once more"]);
        stage.outcome(&mut watch, &alice).await;
        assert!(stage.noted("args-4").contains("--resume\ns-3\n"), "{}", stage.noted("args-4"));
    });
}

#[test]
fn a_session_that_the_models_server_refuses_is_begun_anew() {
    let stage = Stage::new("");
    let refusal = "echo '{\"type\":\"result\",\"subtype\":\"success\",\"is_error\":true,\
        \"api_error_status\":400,\"result\":\"tool_use ids were found without tool_result\",\
        \"usage\":{}}'; exit 1";
    let script = format!(
        "tools; begins s-$n\nif [ $n = 2 ]; then {refusal}; fi\nsays hello\n\
         if [ $n = 4 ]; then {refusal}; fi\nends done"
    );
    block_on(async {
        let mut watch = Watch::now(&stage.client()).await;
        let alice = stage.begin("claude", &script, "").await;
        stage.outcome(&mut watch, &alice).await;
        stage.home.ok(&["send", "alice@team", "and now?"]);
        let second = stage.outcome(&mut watch, &alice).await.run;
        assert_eq!(second.state, RunState::Succeeded, "{second:?}");
        assert!(!stage.noted("args-3").contains("--resume"), "{}", stage.noted("args-3"));
        let blocks = transcript(&stage.client(), second.id).await;
        let notice = blocks.iter().find(|(kind, _)| *kind == BlockKind::Notice).unwrap();
        assert!(notice.1.contains("refused the session (tool_use ids"), "{notice:?}");
        // The model has answered in this run: a new session could do its work twice.
        stage.home.ok(&["send", "alice@team", "once more"]);
        let third = stage.outcome(&mut watch, &alice).await.run;
        assert_eq!(third.class, Some(FailureClass::Permanent), "{third:?}");
    });
}

#[test]
fn a_session_that_becomes_too_long_in_a_run_that_has_acted_is_begun_anew_by_the_next_attempt() {
    let stage = Stage::new("[runs]\nretry_delay = \"10ms\"\n");
    let script = "tools; begins s-$n\nif [ $n = 2 ]; then\n\
        echo '{\"type\":\"assistant\",\"message\":{\"content\":[{\"type\":\"tool_use\",\"id\":\"t1\",\"name\":\"Bash\",\"input\":{\"command\":\"publish\"}}]}}'\n\
        echo '{\"type\":\"user\",\"message\":{\"content\":[{\"type\":\"tool_result\",\"tool_use_id\":\"t1\",\"content\":\"done\"}]}}'\n\
        echo '{\"type\":\"result\",\"subtype\":\"success\",\"is_error\":true,\"api_error_status\":400,\"result\":\"Prompt is too long\",\"usage\":{}}'; exit 1\n\
        fi\nsays hello; ends done";
    block_on(async {
        let mut watch = Watch::now(&stage.client()).await;
        let alice = stage.begin("claude", script, "").await;
        stage.outcome(&mut watch, &alice).await;
        stage.home.ok(&["send", "alice@team", "and now?"]);
        let second = stage.outcome(&mut watch, &alice).await.run;
        assert_eq!(second.class, Some(FailureClass::Transient), "{second:?}");
        let error = second.error.unwrap_or_default();
        assert!(error.contains("the next attempt begins a new one"), "{error}");
        let third = stage.outcome(&mut watch, &alice).await.run;
        assert_eq!(third.state, RunState::Succeeded, "{third:?}");
        assert!(!stage.noted("args-3").contains("--resume"), "{}", stage.noted("args-3"));
        let told = stage.noted("stdin-3");
        assert!(told.contains("What earlier attempts did") && told.contains("publish"), "{told}");
    });
}

#[test]
fn a_limit_that_the_last_word_of_a_program_reaches_takes_no_answer_back() {
    let stage = Stage::new("");
    block_on(async {
        let mut watch = Watch::now(&stage.client()).await;
        // It takes a while to end after its last word.
        let script = "tools; begins s-1; says hello; ends done; sleep 0.3";
        let alice = stage.begin("claude", script, "").await;
        stage.outcome(&mut watch, &alice).await;
        stage.home.ok(&["limits", "@team", "cost=0.6"]);
        stage.home.ok(&["send", "alice@team", "and now?"]);
        let second = stage.outcome(&mut watch, &alice).await;
        assert_eq!(second.run.state, RunState::Succeeded, "{:?}", second.run);
        assert_eq!((second.run.cost, second.mail.state), (Some(0.5), DeliveryState::Acked));
        // The next run is held.
        stage.home.ok(&["send", "alice@team", "once more"]);
        let status = stage.home.ok(&["status"]);
        assert!(status.contains("agent-worker limits @team cost="), "{status}");
    });
}

/// What a program does that starts the server that it is given, and has its tools listed.
const OVER_STDIO: &str = r#"
    servers=$(grep -A 1 -e '^--mcp-config$' "stub/args-$n" | tail -n 1)
    bridge=$(grep -o '"command":"[^"]*"' "$servers" | cut -d '"' -f 4)
    coproc "$bridge" mcp
    tell() { echo "{\"jsonrpc\":\"2.0\",$1}" >&"${COPROC[1]}"; }
    tell '"id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"stub","version":"1"}}'
    read -r answer <&"${COPROC[0]}"
    tell '"method":"notifications/initialized"'
    tell '"id":2,"method":"tools/list","params":{}'
    read -r answer <&"${COPROC[0]}"
    echo "$answer" >"stub/tools"
    begins s-1; ends done"#;

#[test]
fn a_program_reaches_the_daemons_tools_over_stdio_too() {
    assert_reaches_over_stdio(&Stage::new(""));
}

#[test]
fn a_program_reaches_the_daemons_tools_when_the_daemons_file_was_removed() {
    let home = Home::new();
    let own = home.work().join("own");
    // Written by another process: a file that this one has open for writing cannot be started.
    let linked = format!("ln {PROGRAM} own 2>/dev/null || cp {PROGRAM} own");
    in_shell(&home, &linked);
    let mut daemon = Command::new(&own);
    let like = home.command(&[]);
    daemon.arg("daemon").current_dir(home.work()).env_clear();
    daemon.envs(like.get_envs().filter_map(|(name, value)| Some((name, value?))));
    let daemon = Home::ready(daemon);
    std::fs::remove_file(own).unwrap();
    assert_reaches_over_stdio(&Stage::of(home, daemon));
}

fn assert_reaches_over_stdio(stage: &Stage) {
    block_on(async {
        let mut watch = Watch::now(&stage.client()).await;
        let alice = stage.begin("claude", OVER_STDIO, ", mcp: stdio").await;
        let run = stage.outcome(&mut watch, &alice).await.run;
        assert_eq!(run.state, RunState::Succeeded, "{run:?}");
        assert!(stage.noted("tools").contains("my_inbox"), "{}", stage.noted("tools"));
        assert_eq!(stage.left(), [""; 0]);
    });
}

#[test]
fn a_program_gets_what_its_agent_declares_and_little_else() {
    let mut home = Home::new();
    home.set("DECLARED_KEY", "declared");
    home.set("ANTHROPIC_API_KEY", "not for this agent");
    home.set("CLAUDECODE", "1");
    let stage = Stage::at(home);
    block_on(async {
        let mut watch = Watch::now(&stage.client()).await;
        let lines = ", env: [DECLARED_KEY], model: anthropic/m-1, system_prompt: \"Be kind.\"";
        let alice = stage.begin("claude", WORK, lines).await;
        let run = stage.outcome(&mut watch, &alice).await.run;
        assert_eq!(run.state, RunState::Succeeded, "{run:?}");
        let environment = stage.noted("env-1");
        assert_eq!(stage.variable(1, "DECLARED_KEY").as_deref(), Some("declared"));
        assert!(stage.variable(1, "AGENT_WORKER_TOKEN").is_some());
        for name in ["ANTHROPIC_API_KEY", "CLAUDECODE"] {
            assert_eq!(stage.variable(1, name), None, "{environment}");
        }
        let arguments = stage.noted("args-1");
        let token = stage.variable(1, "AGENT_WORKER_TOKEN").unwrap();
        assert!(!arguments.contains(&token), "arguments are for all to read");
        assert!(arguments.contains("--system-prompt-file\n"), "{arguments}");
        assert!(!arguments.contains("Be kind."), "{arguments}");
        assert!(arguments.contains("--model\nm-1\n"), "{arguments}");
    });
}

#[test]
fn what_codex_is_given_is_in_its_transcript_word_for_word() {
    let stage = Stage::new("");
    let script = "if [ $n = 3 ]; then echo 'no rollout found for thread id t-1' >&2; exit 1; fi\n\
        tools; total=$((n * 100))\n\
        echo '{\"type\":\"thread.started\",\"thread_id\":\"t-1\"}'\n\
        echo '{\"type\":\"item.completed\",\"item\":{\"id\":\"i0\",\"type\":\"agent_message\",\"text\":\"done\"}}'\n\
        echo '{\"type\":\"turn.completed\",\"usage\":{\"input_tokens\":'$total',\"output_tokens\":'$((n * 20))'}}'";
    block_on(async {
        let client = stage.client();
        let mut watch = Watch::now(&client).await;
        let alice = stage.begin("codex", script, ", home: true, cwd: .").await;
        stage.outcome(&mut watch, &alice).await;
        let path = stage.home.ok(&["home", "path", "alice@team"]);
        let soul = std::path::Path::new(path.trim_end()).join("SOUL.md");
        std::fs::write(soul, "Be quick.\n").unwrap();
        stage.home.ok(&["send", "alice@team", "second please"]);
        let second = stage.outcome(&mut watch, &alice).await.run;
        let given = stage.noted("stdin-2");
        assert!(given.contains("have changed since your last run"), "{given}");
        assert!(given.contains("| Be quick.\n"), "{given}");
        let blocks = transcript(&client, second.id).await;
        assert_eq!(blocks, [(Prompt, given), (Text, "done".to_owned())]);

        // Its program has lost the session, and begins another one in the same run.
        stage.home.ok(&["send", "alice@team", "third please"]);
        let third = stage.outcome(&mut watch, &alice).await.run;
        let blocks = transcript(&client, third.id).await;
        let kinds: Vec<_> = blocks.iter().map(|(kind, _)| *kind).collect();
        assert_eq!(kinds, [Prompt, Notice, System, Prompt, Text], "{blocks:?}");
        assert_eq!(blocks[0].1, stage.noted("stdin-3"));
        assert!(blocks[2].1.contains("| Be quick.\n"), "{}", blocks[2].1);
        assert_eq!(blocks[3].1, stage.noted("stdin-4"));
    });
}

#[test]
fn codex_is_billed_for_the_run_and_not_for_the_thread() {
    let stage = Stage::new("");
    let script = "tools; total=$((n * 100))\n\
        echo '{\"type\":\"thread.started\",\"thread_id\":\"t-1\"}'\n\
        echo '{\"type\":\"item.completed\",\"item\":{\"id\":\"i0\",\"type\":\"agent_message\",\"text\":\"done\"}}'\n\
        echo '{\"type\":\"turn.completed\",\"usage\":{\"input_tokens\":'$total',\"output_tokens\":'$((n * 20))'}}'";
    block_on(async {
        let mut watch = Watch::now(&stage.client()).await;
        let alice = stage.begin("codex", script, ", model: openai/m-1").await;
        for n in 1..=3 {
            let run = stage.outcome(&mut watch, &alice).await.run;
            assert_eq!(run.state, RunState::Succeeded, "{run:?}");
            assert_eq!((run.usage.input, run.usage.output), (Some(100), Some(20)), "run {n}");
            if n < 3 {
                stage.home.ok(&["send", "alice@team", "more"]);
            }
        }
        let second = stage.noted("args-2");
        assert!(second.starts_with("exec\nresume\n") && second.ends_with("t-1\n-\n"), "{second}");
        let home = stage.variable(1, "CODEX_HOME").unwrap();
        assert!(home.starts_with(stage.home.path().to_str().unwrap()), "{home}");
        assert_eq!(stage.variable(2, "CODEX_HOME"), Some(home), "its sessions are there");
    });
}
