//! What programs print, as they were seen to print it, and what is made of it.

use std::{
    collections::BTreeMap,
    os::unix::process::ExitStatusExt,
    path::{Path, PathBuf},
    process::ExitStatus,
    time::Duration,
};

use agent_worker_protocol::{
    Backend, BackendConfig, Command, FailureClass, McpTransport, Ordered, Over, Price,
    ProgramConfig, RunConfig, SessionConfig, SessionTurn, Tool, TurnRole, Usage, WorkerReport,
    run::BlockKind::{self, Text, Thinking, ToolCall, ToolResult},
};
use serde_json::json;

use super::{
    adapter::Adapter,
    by_hand::by_hand,
    claude::Claude,
    codex::Codex,
    cursor::Cursor,
    find::find,
    judge::{Closing, Fault, Trouble, judge},
    kept::Kept,
    launch::Launch,
    run_program::{Program, bridge},
    running::Ended,
    story::Story,
};
use crate::{
    acts::Acts,
    backend::tell,
    failure::Failure,
    history::{History, Seen},
    model::Kind,
    own_tools::OwnTools,
    prompt::{self, Known, Prompt},
    reports::{Reports, tests::Kept as Told},
    session::Session,
    tools::Tools,
    transcript::Transcript,
};

/// What a program has printed.
fn printed(name: &str) -> String {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/fixtures/programs");
    std::fs::read_to_string(folder.join(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
}

pub fn run_of(backend: Backend) -> RunConfig {
    let program = ProgramConfig {
        backend,
        command: None,
        model: None,
        env: vec![],
        base_url: None,
        key: None,
        price: None,
        scratch: String::new(),
        keep: String::new(),
    };
    let backend = BackendConfig::Program(Box::new(program));
    RunConfig { backend, cwd: None, ..prompt::tests::config() }
}

/// What came of what a program printed.
struct Heard {
    outcome: Result<String, Trouble>,
    reports: Vec<WorkerReport>,
    has_acted: bool,
}

impl Heard {
    fn blocks(&self) -> Vec<(BlockKind, String)> {
        let mut blocks: Vec<(BlockKind, String)> = Vec::new();
        for report in &self.reports {
            match report {
                WorkerReport::Block { kind, name, .. } => {
                    let name = name.as_deref().map(|name| format!("{name}: "));
                    blocks.push((*kind, name.unwrap_or_default()));
                }
                WorkerReport::Delta { n, text } => {
                    blocks[usize::try_from(*n).unwrap()].1.push_str(text);
                }
                _ => {}
            }
        }
        blocks
    }

    fn used(&self) -> (Usage, Option<f64>) {
        let mut used = (Usage::default(), None);
        for report in &self.reports {
            if let WorkerReport::Used { usage, cost } = report {
                let cost = cost.map(|cost| used.1.unwrap_or(0.0) + cost).or(used.1);
                used = (used.0.plus(*usage), cost);
            }
        }
        used
    }

    fn kept(&self) -> Option<Kept> {
        let turn = self.reports.iter().rev().find_map(|report| match report {
            WorkerReport::Turn { content, .. } => Some(content),
            _ => None,
        });
        turn.map(|content| serde_json::from_str(content).unwrap())
    }

    fn failure(self) -> Failure {
        let run = run_of(Backend::Claude);
        let program = Program::of(&run).unwrap();
        self.outcome.unwrap_err().into_failure(&program)
    }
}

/// Lets a program of this run print this, and end with this code.
async fn heard(run: &RunConfig, text: &str, stderr: &str, code: i32) -> Heard {
    let told = Told::default();
    let reports = Reports::to(told.clone());
    let transcript = Transcript::new(reports.clone());
    let context = prompt::tests::context(vec![]);
    let session = Session {
        config: run,
        history: History::default(),
        prompt: Prompt::compose(run, &context),
        context,
        tools: Tools::at("http://127.0.0.1:1/mcp", "none").unwrap(),
        own_tools: OwnTools::of(run, &transcript).await.unwrap(),
        acts: Acts::default(),
        transcript: &transcript,
        reports: &reports,
    };
    let program = Program::of(run).unwrap();
    let resume = program.kept.as_ref().map(|kept| kept.session.clone());
    let mut story = Story::new(&session, &program, resume.as_deref());
    let (mut claude, mut codex) = (Claude::of(&program), Codex::of(&program));
    let mut cursor = Cursor::of(&program);
    for line in text.lines() {
        let event = serde_json::from_str(line).unwrap();
        match program.config.backend {
            Backend::Claude => claude.hear(&event, &mut story),
            Backend::Cursor => cursor.hear(&event, &mut story),
            _ => codex.hear(&event, &mut story),
        }
    }
    let ended = Ended {
        status: Some(ExitStatus::from_raw(code)),
        was_told: false,
        complaints: stderr.to_owned(),
        name: program.name().to_owned(),
    };
    let closing = story.end();
    story.book();
    let outcome = judge(closing, &ended, resume.is_some());
    let has_acted = session.acts.has_any();
    Heard { outcome, reports: told.reports(), has_acted }
}

/// An exit code, as the system tells it.
const fn exit(code: i32) -> i32 {
    code << 8
}

fn input_and_output(heard: &Heard) -> (Option<i64>, Option<i64>) {
    let (usage, _) = heard.used();
    (usage.input, usage.output)
}

#[tokio::test]
async fn what_claude_does_is_told_as_it_happens() {
    let run = run_of(Backend::Claude);
    let heard = heard(&run, &printed("claude/flow.jsonl"), "", exit(0)).await;
    assert_eq!(heard.outcome, Ok("Done: I sent my review.".to_owned()));
    let blocks = heard.blocks();
    let kinds: Vec<_> = blocks.iter().map(|(kind, _)| *kind).collect();
    assert_eq!(
        kinds,
        [Thinking, Text, ToolCall, ToolResult, ToolCall, ToolResult, ToolCall, ToolResult, Text],
        "each thing once, though it is printed as it grows and whole"
    );
    assert_eq!(blocks[0].1, "I should read my inbox.");
    assert_eq!(blocks[2].1, "my_inbox: {}");
    assert_eq!(blocks[4].1, "channel_send: {\"message\":\"@coder the diff looks good\"}");
    assert_eq!(blocks[5].1, "channel_send: {\"id\":\"m-2\"}");
    assert!(heard.has_acted);
    let (usage, cost) = heard.used();
    assert_eq!((usage.input, usage.output, usage.cache_read), (Some(400), Some(80), Some(0)));
    assert!(cost.is_some_and(|cost| (cost - 0.0024).abs() < 1e-9), "{cost:?}");
    let used_at_once = heard.reports.iter().find_map(|report| match report {
        WorkerReport::Used { usage, .. } => Some(usage.input),
        _ => None,
    });
    assert_eq!(used_at_once, Some(Some(100)), "a budget can end a run in the middle");
    let kept = heard.kept().unwrap();
    assert_eq!(kept.session, "859fee96-89f0-478b-96ac-c423730f020e");
}

#[tokio::test]
async fn an_answer_of_claude_whose_stream_breaks_is_cut_and_the_next_one_is_told() {
    let streamed = |event: serde_json::Value| json!({ "type": "stream_event", "event": event });
    let whole = |id: &str, block: serde_json::Value| {
        let content = [block];
        json!({ "type": "assistant", "message": { "id": id, "content": content } })
    };
    let text = |text: &str| json!({ "type": "text", "text": text });
    let call = json!({ "type": "tool_use", "id": "t1", "name": "my_inbox_ack", "input": {} });
    let result = json!([{ "type": "tool_result", "tool_use_id": "t1", "content": "done" }]);
    let piece = |index: u64, piece: &str| {
        let delta = json!({ "type": "text_delta", "text": piece });
        streamed(json!({ "type": "content_block_delta", "index": index, "delta": delta }))
    };
    let block = |kind: &str, index: u64| {
        let kind = format!("content_block_{kind}");
        streamed(json!({ "type": kind, "index": index, "content_block": text("") }))
    };
    let mut stop = streamed(json!({ "type": "message_stop" }));
    stop["abandoned_blocks"] = json!({ "api_message_id": "msg_1", "from_block_index": 1 });
    let lines = [
        streamed(json!({ "type": "message_start", "message": { "id": "msg_1" } })),
        block("start", 0),
        piece(0, "I begin."),
        whole("msg_1", text("I begin.")),
        block("stop", 0),
        block("start", 1),
        piece(1, "Let me loo"),
        block("stop", 1),
        stop.clone(),
        whole("msg_2", text("Instead I do this one.")),
        whole("msg_2", call),
        json!({ "type": "user", "message": { "content": result } }),
        json!({ "type": "result", "subtype": "success", "is_error": false, "result": "" }),
    ];
    for says_so in [true, false] {
        let told = lines.iter().filter(|line| says_so || **line != stop);
        let told: Vec<_> = told.map(ToString::to_string).collect();
        let heard = heard(&run_of(Backend::Claude), &told.join("\n"), "", exit(0)).await;
        assert_eq!(heard.outcome, Ok("Instead I do this one.".to_owned()));
        let blocks = heard.blocks();
        let texts: Vec<_> = blocks.iter().map(|(_, text)| text.as_str()).collect();
        let expected = [
            "I begin.",
            "Let me loo",
            "Instead I do this one.",
            "my_inbox_ack: {}",
            "my_inbox_ack: done",
        ];
        assert_eq!(texts, expected);
        let cut = heard.reports.iter().filter_map(|report| match report {
            WorkerReport::BlockEnd { n, cut: true } => Some(*n),
            _ => None,
        });
        assert_eq!(cut.collect::<Vec<_>>(), [1]);
    }
}

#[tokio::test]
async fn an_answer_beside_a_last_call_is_the_answer_of_a_program_that_ends_without_a_word() {
    for (tool, answer) in [("my_inbox_ack", "I fixed it."), ("channel_send", "")] {
        let call =
            format!(r#"{{"type":"tool_use","id":"t1","name":"mcp__daemon__{tool}","input":{{}}}}"#);
        let lines = [
            r#"{"type":"system","subtype":"init","session_id":"s-1","mcp_servers":[]}"#.to_owned(),
            r#"{"type":"assistant","message":{"content":[{"type":"text","text":"I fixed it."}]}}"#
                .to_owned(),
            format!(r#"{{"type":"assistant","message":{{"content":[{call}]}}}}"#),
            r#"{"type":"result","subtype":"success","is_error":false,"result":"","usage":{}}"#
                .to_owned(),
        ];
        let heard = heard(&run_of(Backend::Claude), &lines.join("\n"), "", exit(0)).await;
        assert_eq!(heard.outcome, Ok(answer.to_owned()), "{tool}");
    }
}

#[tokio::test]
async fn what_codex_announces_before_a_call_is_not_its_answer() {
    for (tool, answer) in [("my_inbox_ack", "I fixed it."), ("channel_send", "")] {
        let said = r#"{"id":"i0","type":"agent_message","text":"I fixed it."}"#;
        let call = format!(
            r#"{{"id":"i1","type":"mcp_tool_call","tool":"{tool}","arguments":{{}},"status":"completed"}}"#
        );
        let items = [said, call.as_str()]
            .map(|item| format!(r#"{{"type":"item.completed","item":{item}}}"#));
        let end = r#"{"type":"turn.completed","usage":{}}"#;
        let lines = format!("{}\n{end}", items.join("\n"));
        let heard = heard(&run_of(Backend::Codex), &lines, "", exit(0)).await;
        assert_eq!(heard.outcome, Ok(answer.to_owned()), "{tool}");
    }
}

#[tokio::test]
async fn texts_beside_a_last_call_are_paragraphs_of_the_answer() {
    let message = |part: serde_json::Value| {
        let content = [part];
        json!({ "type": "assistant", "message": { "content": content } })
    };
    let said = |text: &str| message(json!({ "type": "text", "text": text }));
    let item = |item: serde_json::Value| json!({ "type": "item.completed", "item": item });
    let told = |text: &str| item(json!({ "type": "agent_message", "text": text }));
    let result = json!({ "type": "result", "subtype": "success", "is_error": false, "result": "" });
    let (one, other) = ("I checked it.", "All is fine.");
    let id = "t1";
    let called = json!({ "type": "tool_use", "id": id, "name": "my_inbox_ack", "input": {} });
    let of_codex = json!({ "type": "mcp_tool_call", "id": id, "tool": "my_inbox_ack",
                           "arguments": {}, "status": "completed" });
    let of_cursor = json!({ "type": "tool_call", "subtype": "started", "call_id": id,
                            "tool_call": { "my_inbox_ack": { "args": {} } } });
    for (backend, lines) in [
        (Backend::Claude, [said(one), said(other), message(called), result.clone()]),
        (
            Backend::Codex,
            [told(one), told(other), item(of_codex), json!({ "type": "turn.completed" })],
        ),
        (Backend::Cursor, [said(one), said(other), of_cursor, result]),
    ] {
        let lines = lines.map(|line| line.to_string());
        let heard = heard(&run_of(backend), &lines.join("\n"), "", exit(0)).await;
        assert_eq!(heard.outcome, Ok("I checked it.\n\nAll is fine.".to_owned()), "{backend:?}");
    }
}

#[tokio::test]
async fn what_claude_costs_is_estimated_until_it_is_told() {
    let whole = printed("claude/flow.jsonl");
    let is_end = |line: &&str| line.contains(r#""type":"result""#);
    let killed: Vec<_> = whole.lines().filter(|line| !is_end(line)).collect();
    let killed = killed.join("\n");
    // It tells 0.0024 dollars for four requests of 100 tokens in and 20 out.
    for (input, output, estimated, all) in [(2.0, 10.0, 0.0016, 0.0024), (5.0, 25.0, 0.004, 0.004)]
    {
        let mut run = run_of(Backend::Claude);
        let BackendConfig::Program(config) = &mut run.backend else { panic!() };
        let price = Price { input, output, cache_read: None, cache_write: None, over: None };
        config.price = Some(price);
        for (text, code, expected) in [(&killed, exit(143), estimated), (&whole, exit(0), all)] {
            let (_, cost) = heard(&run, text, "", code).await.used();
            assert!(cost.is_some_and(|cost| (cost - expected).abs() < 1e-9), "{cost:?}");
        }
    }
}

#[tokio::test]
async fn many_requests_of_a_turn_do_not_cost_what_one_long_prompt_does() {
    let (cache_read, cache_write) = (None, None);
    let over = Over { tokens: 400, input: 20.0, output: 20.0, cache_read, cache_write };
    let price = Price { input: 2.0, output: 10.0, cache_read, cache_write, over: Some(over) };
    let mut run = run_of(Backend::Codex);
    let BackendConfig::Program(config) = &mut run.backend else { panic!() };
    config.price = Some(price);
    // 500 tokens in and 100 out, of all requests together.
    let (_, cost) = heard(&run, &printed("codex/flow.jsonl"), "", exit(0)).await.used();
    assert!(cost.is_some_and(|cost| (cost - 0.002).abs() < 1e-9), "{cost:?}");
}

#[tokio::test]
async fn a_run_is_not_billed_for_the_runs_before_it() {
    let run = run_of(Backend::Claude);
    let claude = heard(&run, &printed("claude/resume.jsonl"), "", exit(0)).await;
    assert_eq!(input_and_output(&claude), (Some(100), Some(20)));
    let (_, cost) = claude.used();
    assert!(cost.is_some_and(|cost| (cost - 0.0006).abs() < 1e-9), "{cost:?}");

    let cut = heard(&run, &printed("claude/cut-once.jsonl"), "", exit(0)).await;
    assert_eq!(input_and_output(&cut), (Some(200), Some(21)), "a broken answer has cost something");

    let mut run = run_of(Backend::Codex);
    let first = heard(&run, &printed("codex/flow.jsonl"), "", exit(0)).await;
    assert_eq!(input_and_output(&first), (Some(500), Some(100)));
    let mut kept = first.kept().unwrap();
    kept.session = "01a1ffdf-d8b1-7c81-bfae-ea6d80f34d87".to_owned();
    kept.total = Some(Usage { input: Some(400), output: Some(80), ..Usage::default() });
    run.session = Some(session(&kept));
    let second = heard(&run, &printed("codex/resume.jsonl"), "", exit(0)).await;
    assert_eq!(input_and_output(&second), (Some(100), Some(20)));
    assert_eq!(second.kept().unwrap().total.unwrap().input, Some(500));
}

#[tokio::test]
async fn tokens_with_which_claude_shortens_its_conversation_are_counted() {
    let usage = json!({ "input_tokens": 100, "output_tokens": 20, "cache_read_input_tokens": 5 });
    let of_model = |input: i64, output: i64| {
        json!({ "inputTokens": input, "outputTokens": output, "cacheCreationInputTokens": 7,
                "costUSD": 0.25 })
    };
    for (models, expected, cost) in [
        (json!({ "a": of_model(900, 70), "b": of_model(30, 4) }), (930, 74, Some(14)), Some(0.5)),
        (json!({ "a": { "costUSD": 0.5 } }), (100, 20, None), Some(0.5)),
        (json!({}), (100, 20, None), None),
    ] {
        let end = json!({ "type": "result", "subtype": "success", "is_error": false,
                          "result": "done", "usage": usage,
                          "model_usage_since_last_result": models });
        let heard = heard(&run_of(Backend::Claude), &end.to_string(), "", exit(0)).await;
        let (input, output, cache_write) = expected;
        let cache_read = Some(5);
        let (input, output) = (Some(input), Some(output));
        let all = Usage { input, output, cache_read, cache_write, reasoning: None };
        assert_eq!(heard.used(), (all, cost), "{models}");
    }
}

#[tokio::test]
async fn work_is_not_lost_for_an_impossible_usage() {
    let told = printed("claude/flow.jsonl").replace("\"input_tokens\":100", "\"input_tokens\":-1");
    let heard = heard(&run_of(Backend::Claude), &told, "", exit(0)).await;
    assert!(heard.outcome.is_ok());
    let (usage, _) = heard.used();
    assert!(usage.is_plausible(), "{usage:?}");
    let notice = heard.blocks().into_iter().find(|(kind, _)| *kind == BlockKind::Notice);
    assert!(notice.unwrap().1.ends_with("is impossible and is not counted"));
}

#[tokio::test]
async fn what_a_session_uses_after_an_impossible_total_is_counted() {
    let flow = printed("codex/flow.jsonl");
    for impossible in [i64::MAX, -1] {
        let mut run = run_of(Backend::Codex);
        for (output, counted) in [(100, Some(100)), (impossible, None), (150, Some(50))] {
            let told = format!("\"output_tokens\":{output}");
            let told = flow.replace("\"output_tokens\":100", &told);
            let heard = heard(&run, &told, "", exit(0)).await;
            let used = heard.used().0.output.filter(|output| *output > 0);
            assert_eq!(used, counted, "{output}, with {impossible} on the way");
            run.session = Some(session(&heard.kept().unwrap()));
        }
    }
}

/// What a run has kept of a session that knows nothing of a system prompt.
fn kept_of(session: &str, seen: Seen) -> Kept {
    Kept {
        session: session.to_owned(),
        seen,
        total: None,
        cost: None,
        known: Known::default(),
        takes_system: false,
        by_hand: None,
    }
}

/// A session that an earlier run kept.
fn session(kept: &Kept) -> SessionConfig {
    let told = Told::default();
    kept.store(&Reports::to(told.clone()));
    let turns = told.reports().into_iter().find_map(|report| match report {
        WorkerReport::Turn { role, content, tokens } => Some(SessionTurn { role, content, tokens }),
        _ => None,
    });
    SessionConfig { turns: turns.into_iter().collect(), ..SessionConfig::default() }
}

#[tokio::test]
async fn what_codex_does_is_told_as_it_happens() {
    let run = run_of(Backend::Codex);
    let heard = heard(&run, &printed("codex/flow.jsonl"), "", exit(0)).await;
    assert_eq!(heard.outcome, Ok("Done: I sent my review.".to_owned()));
    let blocks = heard.blocks();
    let kinds: Vec<_> = blocks.iter().map(|(kind, _)| *kind).collect();
    assert_eq!(
        kinds,
        [Thinking, Text, ToolCall, ToolResult, ToolCall, ToolResult, ToolCall, ToolResult, Text]
    );
    assert_eq!(blocks[4].1, "channel_send: {\"message\":\"@coder the diff looks good\"}");
    assert!(blocks[5].1.contains("m-2"), "{:?}", blocks[5]);
    assert_eq!(heard.kept().unwrap().session, "01a1ffdf-5279-7c60-8115-f21d941a7853");
}

#[tokio::test]
async fn a_failure_is_what_its_program_means_by_it() {
    use FailureClass::{Permanent, Transient, Unavailable};
    let (claude, codex) = (Backend::Claude, Backend::Codex);
    let cases = [
        (claude, "claude/no-mcp.jsonl", "", 0, Transient, "did not reach the daemon's tools"),
        (claude, "claude/mcp-401.jsonl", "", 0, Transient, "did not reach the daemon's tools"),
        (claude, "claude/too-long.jsonl", "", 1, Permanent, "prompt is too long"),
        (claude, "claude/cut-off.jsonl", "", 1, Permanent, "too_long: its model"),
        (claude, "claude/killed.jsonl", "", 143, Transient, "exited with 143"),
        (claude, "claude/flow.jsonl", "", 1, Transient, "it reported success and exited with 1"),
        (claude, "claude/bad-key.jsonl", "", 1, Permanent, "refused the key or log-in"),
        (claude, "claude/no-model.jsonl", "", 1, Permanent, "model not found"),
        (claude, "claude/429.jsonl", "", 1, Unavailable, "429"),
        (claude, "claude/529.jsonl", "", 1, Unavailable, "529"),
        (claude, "claude/unreachable.jsonl", "", 1, Unavailable, "Connection refused"),
        (codex, "codex/bad-key.jsonl", "", 1, Permanent, "refused the key or log-in"),
        (codex, "codex/400.jsonl", "", 1, Permanent, "the request (Invalid value: 'x'.)"),
        (codex, "codex/no-model.jsonl", "", 1, Permanent, "model not found"),
        (codex, "codex/500-forever.jsonl", "", 1, Unavailable, "high demand"),
        (codex, "codex/at-capacity.jsonl", "", 1, Unavailable, "at capacity"),
        (codex, "codex/killed.jsonl", "", 143, Transient, "exited with 143"),
    ];
    for (backend, file, stderr, code, class, says) in cases {
        let run = run_of(backend);
        let failure = heard(&run, &printed(file), stderr, exit(code)).await.failure();
        assert_eq!(failure.class, class, "{file}: {}", failure.error);
        assert!(failure.error.contains(says), "{file}: {}", failure.error);
        // What its file says is read only when it is started again.
        let cure = if says == "model not found" {
            "agent-worker stop @review:pr-1 and agent-worker start"
        } else {
            "agent-worker resume alice@review:pr-1"
        };
        let mends = failure.error.contains(cure);
        assert_eq!(mends, class == Permanent, "{file}: {}", failure.error);
    }
}

#[tokio::test]
async fn a_key_that_a_server_repeats_is_not_told() {
    let key = std::env::var("PATH").unwrap();
    let mut run = run_of(Backend::Codex);
    let BackendConfig::Program(config) = &mut run.backend else { panic!() };
    config.key = Some("PATH".parse().unwrap());
    let why = format!("unexpected status 401 Unauthorized: {key} is not known");
    let again = json!({ "type": "error", "message": format!("Reconnecting... 1/2 ({why})") });
    let failed = json!({ "type": "turn.failed", "error": { "message": why } });
    let heard = heard(&run, &format!("{again}\n{failed}\n"), "", exit(1)).await;
    let told = format!("{:?}", heard.reports);
    assert!(told.contains("… is not known") && !told.contains(&key), "{told}");
    let failure = heard.outcome.unwrap_err().into_failure(&Program::of(&run).unwrap());
    let told = failure.error;
    assert!(told.contains("… is not known") && !told.contains(&key), "{told}");
}

#[tokio::test]
async fn a_program_that_prints_nothing_is_judged_by_its_complaint() {
    use FailureClass::{Permanent, Transient, Unavailable};
    let required = printed("codex/mcp-required.stderr");
    for (stderr, code, class, says) in [
        (required.as_str(), exit(1), Transient, "did not reach the daemon's tools"),
        ("Invalid API key · Please run /login", exit(1), Permanent, "refused the key or log-in"),
        ("API Error: 529 overloaded", exit(1), Unavailable, "529"),
        ("error: unknown option '--flag'", exit(1), Permanent, "its version may be too old"),
        ("error: unexpected argument '-x' found\n\nUsage: x", exit(2), Permanent, "argument '-x'"),
        ("tool: no unknown option here", exit(1), Transient, "no unknown option here"),
        ("", exit(0), Transient, "exited with 0 without a result"),
        ("", 9, Transient, "was ended by signal 9"),
    ] {
        let failure = heard(&run_of(Backend::Codex), "", stderr, code).await.failure();
        assert_eq!(failure.class, class, "{stderr}: {}", failure.error);
        assert!(failure.error.contains(says), "{stderr}: {}", failure.error);
    }
}

#[tokio::test]
async fn the_complaint_that_is_told_decides() {
    use FailureClass::{Transient, Unavailable};
    let log = "2026-11-01T10:00:00Z ERROR rmcp::transport::worker: error: 401 Unauthorized";
    let crash = "thread 'main' panicked at main.rs:7";
    for (stderr, code, class, says) in [
        (format!("{log}\n{crash}"), exit(101), Transient, crash),
        (format!("{crash}\n{log}"), exit(101), Transient, crash),
        ("API Error: 529 overloaded\n  at x.js:1".to_owned(), exit(1), Unavailable, "529"),
        ("status 401\nAPI Error: 529 overloaded".to_owned(), exit(1), Unavailable, "529"),
    ] {
        let failure = heard(&run_of(Backend::Codex), "", &stderr, code).await.failure();
        assert_eq!(failure.class, class, "{stderr}: {}", failure.error);
        assert!(failure.error.contains(says), "{stderr}: {}", failure.error);
    }
}

#[test]
fn a_limit_that_time_lifts_is_waited_for_and_an_empty_account_is_not() {
    let quota = "You exceeded your current quota, please check your plan and billing details.";
    let gemini = format!("{quota} * Quota exceeded for metric: requests. Please retry in 28.8s.");
    let body =
        format!(r#"{{"error":{{"code":429,"message":"{gemini}","status":"RESOURCE_EXHAUSTED"}}}}"#);
    let exhausted = format!("{quota} (RESOURCE_EXHAUSTED)");
    let openai = format!("{quota} (insufficient_quota)");
    for (text, status, kind, seconds) in [
        (gemini.as_str(), None, Kind::RateLimited, Some(29)),
        (gemini.as_str(), Some(429), Kind::RateLimited, Some(29)),
        (body.as_str(), None, Kind::RateLimited, Some(29)),
        (exhausted.as_str(), None, Kind::RateLimited, None),
        (openai.as_str(), Some(429), Kind::Spent, None),
        (openai.as_str(), None, Kind::Spent, None),
        (quota, None, Kind::Spent, None),
        ("You've hit your monthly spend limit", None, Kind::Spent, None),
        ("You're out of usage credits", None, Kind::Spent, None),
        ("You've hit your limit · resets 3pm", None, Kind::RateLimited, None),
        ("You've hit your session limit · resets 3pm", None, Kind::RateLimited, None),
        ("You've hit your weekly limit · resets Monday", None, Kind::RateLimited, None),
    ] {
        let closing = Closing::Failed(Fault { status, text: text.to_owned(), retry_after: None });
        let ended = Ended {
            status: Some(ExitStatus::from_raw(exit(1))),
            was_told: false,
            complaints: String::new(),
            name: "gemini".to_owned(),
        };
        let judged = judge(Some(closing), &ended, false);
        let Err(Trouble::Model(found, fault)) = &judged else { panic!("{text}: {judged:?}") };
        let waits = seconds.map(Duration::from_secs);
        assert_eq!((*found, fault.retry_after), (kind, waits), "{text}");
    }
}

#[test]
fn a_server_that_no_program_can_reach_is_unavailable() {
    for text in [
        "Cannot connect to API: Unable to connect. Is the computer able to access the url?",
        "Unable to connect. Is the computer able to access the url?",
        "TypeError: fetch failed",
        "API Error: Connection error.",
    ] {
        let closing = Closing::Failed(Fault { text: text.to_owned(), ..Fault::default() });
        let ended = Ended {
            status: Some(ExitStatus::from_raw(exit(1))),
            was_told: false,
            complaints: String::new(),
            name: "opencode".to_owned(),
        };
        let judged = judge(Some(closing), &ended, false);
        assert!(matches!(judged, Err(Trouble::Model(Kind::Unavailable, _))), "{judged:?}");
    }
}

#[tokio::test]
async fn what_a_model_declines_is_not_asked_again_for_a_day() {
    let codex = "stream disconnected before completion: Incomplete response returned, reason: \
                 content_filter";
    let failed = json!({ "type": "turn.failed", "error": { "message": codex } });
    let claude = "API Error: This model's safeguards flagged this message.";
    let ended = json!({ "type": "result", "subtype": "success", "is_error": true,
                        "result": claude });
    for (backend, event, text) in
        [(Backend::Codex, failed, codex), (Backend::Claude, ended, claude)]
    {
        let heard = heard(&run_of(backend), &event.to_string(), "", exit(1)).await;
        let failure = heard.failure();
        assert_eq!(failure.class, FailureClass::Permanent, "{}", failure.error);
        let told = format!("refused the request ({text}); agent-worker resume alice@review:pr-1");
        assert!(failure.error.contains(&told), "{}", failure.error);
    }
}

#[tokio::test]
async fn a_server_that_recovers_is_waited_for() {
    for (backend, file, asked) in
        [(Backend::Claude, "claude/429-once.jsonl", 2), (Backend::Codex, "codex/429-once.jsonl", 2)]
    {
        let heard = heard(&run_of(backend), &printed(file), "", exit(0)).await;
        assert_eq!(heard.outcome, Ok("recovered".to_owned()), "{file}");
        let away: Vec<_> = heard
            .reports
            .iter()
            .filter_map(|report| match report {
                WorkerReport::Away { attempt, error, .. } => Some((*attempt, error.clone())),
                _ => None,
            })
            .collect();
        assert!(
            matches!(&away[..], [(n, error)] if *n == asked && error.contains("429")),
            "{away:?}"
        );
    }
}

#[tokio::test]
async fn claude_says_of_a_connection_that_was_cut_that_no_answer_came() {
    for (status, error, told) in [
        (json!(null), "unknown", "no answer"),
        (json!(null), "server_error", "server_error"),
        (json!(418), "unknown", "unknown (418)"),
    ] {
        let event = json!({ "type": "system", "subtype": "api_retry", "attempt": 1,
                            "max_retries": 3, "retry_delay_ms": 500, "error_status": status,
                            "error": error });
        let heard = heard(&run_of(Backend::Claude), &event.to_string(), "", exit(1)).await;
        let notice = (BlockKind::Notice, format!("claude: {told}: it is asked again"));
        assert!(heard.blocks().contains(&notice), "{:?}", heard.blocks());
    }
}

#[tokio::test]
async fn codex_tells_why_it_asks_again_whether_it_counts_or_not() {
    let offline = "waiting for network (Connection failed: error sending request)";
    for (message, attempt, of, why) in [
        (format!("Reconnecting... {offline}"), 2, 2, offline),
        ("Reconnecting... 2/5 (high demand)".to_owned(), 3, 6, "high demand"),
        ("Reconnecting... 2/5 (read (os error 104))".to_owned(), 3, 6, "read (os error 104)"),
    ] {
        let text = json!({ "type": "error", "message": message }).to_string();
        let heard = heard(&run_of(Backend::Codex), &text, "", exit(1)).await;
        let told = heard.reports.iter().find_map(|report| match report {
            WorkerReport::Away { error, attempt, of, .. } => Some((error.as_str(), *attempt, *of)),
            _ => None,
        });
        assert_eq!(told, Some((why, attempt, of)), "{message}");
        let notice = (BlockKind::Notice, format!("codex: {why}: it is asked again"));
        assert!(heard.blocks().contains(&notice), "{:?}", heard.blocks());
    }
}

#[tokio::test]
async fn a_session_that_is_gone_begins_anew() {
    let mut run = run_of(Backend::Codex);
    let seen = Seen { message: 3, document: None };
    let kept = kept_of("gone", seen);
    run.session = Some(session(&kept));
    assert_eq!(Program::of(&run).unwrap().seen(), Some(seen));
    let stderr = printed("codex/unknown-session.stderr");
    let resumed = heard(&run, "", &stderr, exit(1)).await;
    assert_eq!(resumed.outcome, Err(Trouble::UnknownSession));
    let killed = heard(&run, "", &stderr, exit(143)).await.failure();
    assert!(killed.error.contains("exited with 143"), "{}", killed.error);

    let mut run = run_of(Backend::Claude);
    run.session = Some(session(&kept));
    let gone = heard(&run, &printed("claude/unknown-session.jsonl"), "", exit(1)).await;
    assert_eq!(gone.outcome, Err(Trouble::UnknownSession));
    let too_long = heard(&run, &printed("claude/too-long.jsonl"), "", exit(1)).await;
    assert!(
        matches!(too_long.outcome, Err(Trouble::Model(Kind::Overflow, _))),
        "{:?}",
        too_long.outcome
    );

    run.session.as_mut().unwrap().begins_anew = true;
    assert_eq!(Program::of(&run).unwrap().kept, None, "the user has ended it");
}

#[tokio::test]
async fn a_denied_call_has_done_nothing() {
    let heard = heard(&run_of(Backend::Claude), &printed("claude/denied.jsonl"), "", exit(0)).await;
    assert!(heard.outcome.is_ok());
    assert!(!heard.has_acted);
}

#[tokio::test]
async fn a_failed_call_is_told_with_its_reason() {
    let heard =
        heard(&run_of(Backend::Codex), &printed("codex/tool-timeout.jsonl"), "", exit(0)).await;
    let results: Vec<_> =
        heard.blocks().into_iter().filter(|(kind, _)| *kind == BlockKind::ToolResult).collect();
    assert!(results[0].1.contains("timed out awaiting tools/call"), "{results:?}");
    assert!(!heard.has_acted);
}

#[tokio::test]
async fn a_failed_call_is_told_apart_from_one_that_worked() {
    for (text, is_error, told) in [
        ("<tool_use_error>Blocked", true, "error: <tool_use_error>Blocked"),
        ("Error: it is locked", true, "Error: it is locked"),
        ("denied: no answer", true, "denied: no answer"),
        ("it is locked", true, "error: it is locked"),
        ("it is locked", false, "it is locked"),
        ("", true, "error: "),
    ] {
        let call = json!([{ "type": "tool_use", "id": "t1", "name": "Bash", "input": {} }]);
        let result = json!([{ "type": "tool_result", "tool_use_id": "t1", "content": text,
                              "is_error": is_error }]);
        let lines = [("assistant", call), ("user", result)]
            .map(|(kind, content)| json!({ "type": kind, "message": { "content": content } }))
            .map(|line| line.to_string());
        let heard = heard(&run_of(Backend::Claude), &lines.join("\n"), "", exit(0)).await;
        let blocks = heard.blocks();
        assert!(blocks[1].1.starts_with(&format!("shell: {told}")), "{blocks:?}");
    }
    for (status, code, told) in [
        ("failed", json!(1), "shell: no such file\n(exit code 1)"),
        ("failed", json!(null), "shell: error: no such file"),
        ("declined", json!(null), "shell: error: no such file"),
        ("completed", json!(0), "shell: no such file"),
    ] {
        let item = json!({ "id": "item_1", "type": "command_execution", "command": "make",
                           "aggregated_output": "no such file", "exit_code": code,
                           "status": status });
        let event = json!({ "type": "item.completed", "item": item }).to_string();
        let heard = heard(&run_of(Backend::Codex), &event, "", exit(0)).await;
        assert_eq!(heard.blocks()[1].1, told, "{item}");
    }
}

#[tokio::test]
async fn calls_that_a_program_leaves_without_a_result_are_told_when_it_is_done() {
    let started = |id: &str, kind: &str| {
        let item = json!({ "id": id, "type": kind, "status": "in_progress" });
        json!({ "type": "item.started", "item": item }).to_string()
    };
    let (one, other) = (started("i1", "command_execution"), started("i2", "web_search"));
    let done = json!({ "type": "turn.completed" }).to_string();
    let failed = json!({ "type": "turn.failed", "error": { "message": "broke" } }).to_string();
    for (lines, told) in [
        (format!("{one}\n{done}"), Some("`shell` was")),
        (format!("{one}\n{other}\n{done}"), Some("`fetch`, `shell` were")),
        (format!("{one}\n{failed}"), None),
        (one, None),
        (done, None),
    ] {
        let heard = heard(&run_of(Backend::Codex), &lines, "", exit(0)).await;
        let notice = heard.blocks().into_iter().find(|(kind, _)| *kind == BlockKind::Notice);
        let told = told.map(|who| format!("codex: {who} left without a result"));
        assert_eq!(notice.map(|(_, text)| text), told, "{lines}");
    }
}

#[tokio::test]
async fn a_result_that_is_not_text_is_named_by_its_type() {
    let content = json!([
        { "type": "text", "text": "A cat:" },
        { "type": "image", "data": "iVBORw0KGgo=", "mimeType": "image/png" },
        { "type": "resource", "resource": { "uri": "cat:1", "text": "It is grey." } },
    ]);
    let item = json!({ "id": "t1", "type": "mcp_tool_call", "server": "pictures", "tool": "show",
                       "arguments": {}, "result": { "content": content }, "error": null,
                       "status": "completed" });
    let of_codex = json!({ "type": "item.completed", "item": item });
    let call = json!([{ "type": "tool_use", "id": "t1", "name": "mcp__pictures__show",
                        "input": {} }]);
    let result = json!([{ "type": "tool_result", "tool_use_id": "t1", "content": content }]);
    let [call, result] = [("assistant", call), ("user", result)]
        .map(|(kind, content)| json!({ "type": kind, "message": { "content": content } }));
    for (backend, lines) in
        [(Backend::Codex, of_codex.to_string()), (Backend::Claude, format!("{call}\n{result}"))]
    {
        let heard = heard(&run_of(backend), &lines, "", exit(0)).await;
        let told = "mcp__pictures__show: A cat:\n[image]\nIt is grey.".to_owned();
        assert_eq!(heard.blocks()[1], (ToolResult, told), "{backend:?}");
    }
}

#[tokio::test]
async fn a_command_that_ends_badly_may_have_done_something() {
    for (status, code, has_acted) in [
        ("failed", json!(1), true),
        ("failed", json!(null), false),
        ("declined", json!(null), false),
    ] {
        let item = json!({ "id": "item_1", "type": "command_execution", "command": "make",
                           "aggregated_output": "", "exit_code": code, "status": status });
        let event = json!({ "type": "item.completed", "item": item }).to_string();
        let heard = heard(&run_of(Backend::Codex), &event, "", exit(0)).await;
        assert_eq!(heard.has_acted, has_acted, "{item}");
    }
    for (server, has_acted) in [("tickets", true), ("daemon", false)] {
        let item = json!({ "id": "item_1", "type": "mcp_tool_call", "server": server,
                           "tool": "open", "arguments": {}, "status": "failed" });
        let event = json!({ "type": "item.completed", "item": item }).to_string();
        let heard = heard(&run_of(Backend::Codex), &event, "", exit(0)).await;
        assert_eq!(heard.has_acted, has_acted, "{item}");
    }
    for (tool, text, has_acted) in [
        ("Bash", "Exit code 1", true),
        ("Bash", "Permission to use Bash has been denied", false),
        ("Bash", "denied: no decision was made, and nothing was done", false),
        ("mcp__tickets__open", "it is locked", true),
        ("mcp__daemon__channel_send", "it is locked", false),
        ("Edit", "the text was not found", false),
    ] {
        let call = json!([{ "type": "tool_use", "id": "t1", "name": tool, "input": {} }]);
        let result = json!([{ "type": "tool_result", "tool_use_id": "t1", "content": text,
                              "is_error": true }]);
        let lines = [("assistant", call), ("user", result)]
            .map(|(kind, content)| json!({ "type": kind, "message": { "content": content } }))
            .map(|line| line.to_string());
        let heard = heard(&run_of(Backend::Claude), &lines.join("\n"), "", exit(0)).await;
        assert_eq!(heard.has_acted, has_acted, "{tool}: {text}");
    }
    for (result, has_acted) in [
        (json!({ "failure": { "exitCode": 1 } }), true),
        (json!({ "rejected": { "reason": "" } }), false),
    ] {
        let call = json!({ "shellToolCall": { "args": {}, "result": result } });
        let event = json!({ "type": "tool_call", "subtype": "completed", "call_id": "t1",
                            "tool_call": call });
        let heard = heard(&run_of(Backend::Cursor), &event.to_string(), "", exit(0)).await;
        assert_eq!(heard.has_acted, has_acted, "{event}");
    }
}

#[tokio::test]
async fn a_tool_of_another_server_that_is_called_like_one_that_looks_may_have_done_something() {
    for (server, called, has_acted) in
        [("tickets", "mcp__tickets__read: {}", true), ("daemon", "read: {}", false)]
    {
        let item = json!({ "id": "item_1", "type": "mcp_tool_call", "server": server,
                           "tool": "read", "arguments": {}, "status": "completed" });
        let event = json!({ "type": "item.completed", "item": item }).to_string();
        let heard = heard(&run_of(Backend::Codex), &event, "", exit(0)).await;
        assert_eq!(heard.blocks()[0].1, called);
        assert_eq!(heard.has_acted, has_acted, "{server}");
    }
}

/// The arguments that a program would get.
fn arguments(run: &RunConfig, resume: Option<&str>) -> Vec<String> {
    let program = Program::of(run).unwrap();
    let mut launch = Launch::of(&program).unwrap();
    let mut claude = Claude::of(&program);
    claude.prepare(&mut launch, "hello", resume).unwrap();
    launch.arguments()
}

#[test]
fn a_program_gets_the_tools_of_its_agent_and_no_others() {
    let folder = tempfile::tempdir().unwrap();
    let stub = stub(folder.path(), "claude");
    let mut run = run_of(Backend::Claude);
    let BackendConfig::Program(config) = &mut run.backend else { panic!() };
    config.command = Some(Command { args: vec!["--first".to_owned()], ..command(&stub) });
    config.scratch = folder.path().join("scratch").display().to_string();
    run.tools = vec![Tool::Read, Tool::Shell, Tool::Fetch];
    run.permissions.ask = vec![Tool::Shell];
    run.permissions.deny = vec![Tool::Fetch];
    let tickets = json!({ "command": "tickets", "env": { "TOKEN": "a literal token" } });
    let tickets = json!({ "name": "tickets", "server": tickets });
    run.servers = vec![serde_json::from_value(tickets).unwrap()];
    let given = arguments(&run, Some("s-1"));
    let after = |name: &str| {
        let at = given.iter().position(|argument| argument == name).unwrap();
        given[at + 1].as_str()
    };
    assert_eq!(given[0], "--first");
    assert_eq!(after("--tools"), "Read,Bash");
    assert_eq!(
        after("--allowedTools"),
        "mcp__daemon,mcp__tickets,Read",
        "what is asked for is not allowed"
    );
    // It would run `ls` unasked without the rule, and give up after 5 minutes without the time.
    assert_eq!(after("--settings"), r#"{"permissions":{"ask":["Bash"]}}"#);
    assert_eq!(after("--permission-mode"), "default");
    assert_eq!(after("--permission-prompt-tool"), "mcp__daemon__permission_prompt");
    let in_file = |name: &str| std::fs::read_to_string(after(name)).unwrap();
    let servers: serde_json::Value = serde_json::from_str(&in_file("--mcp-config")).unwrap();
    assert_eq!(servers["mcpServers"]["daemon"]["timeout"], 2_000_000_000);
    assert_eq!(servers["mcpServers"]["tickets"]["env"]["TOKEN"], "a literal token");
    let system = in_file("--system-prompt-file");
    assert_eq!(system, "You are careful.");
    assert_eq!(after("--resume"), "s-1");
    assert!(!given.contains(&system), "arguments are for all to read: {given:?}");
    for secret in ["secret-token", "a literal token"] {
        assert!(given.iter().all(|argument| !argument.contains(secret)), "{given:?}");
    }
    assert!(given.iter().all(|argument| argument != "hello"), "the prompt is no argument");
    run.tools.clear();
    let given = arguments(&run, None);
    assert!(given.iter().any(|argument| argument == "dontAsk"), "nothing to ask for: {given:?}");
    assert!(given.iter().all(|argument| argument != "--permission-prompt-tool"), "{given:?}");
    let at = given.iter().position(|argument| argument == "--tools").unwrap();
    assert_eq!(given[at + 1], "", "without this it has all of its own");
}

#[test]
fn a_folder_for_temporary_files_that_cannot_be_made_is_said_to_come_from_tmpdir() {
    let folder = tempfile::tempdir().unwrap();
    let mut run = run_of(Backend::Claude);
    let BackendConfig::Program(config) = &mut run.backend else { panic!() };
    config.command = Some(command(&stub(folder.path(), "claude")));
    let scratch = folder.path().join("missing/scratch").display().to_string();
    config.scratch.clone_from(&scratch);
    let launch = || Launch::of(&Program::of(&run).unwrap()).unwrap();
    let written = launch().write_temporary("mcp.json", "{}").unwrap_err();
    let started = launch().start(None).err().unwrap();
    for failure in [written, started] {
        assert!(failure.error.starts_with(&format!("cannot create `{scratch}`: No such file")));
        assert!(failure.error.contains(": set TMPDIR to a directory"), "{}", failure.error);
    }
}

/// The value of a variable in the environment of Claude Code.
fn variable_of_claude(name: &str) -> Option<String> {
    let folder = tempfile::tempdir().unwrap();
    let mut run = run_of(Backend::Claude);
    let BackendConfig::Program(config) = &mut run.backend else { panic!() };
    config.command = Some(command(&stub(folder.path(), "claude")));
    config.scratch = folder.path().join("scratch").display().to_string();
    let program = Program::of(&run).unwrap();
    let mut launch = Launch::of(&program).unwrap();
    Claude::of(&program).prepare(&mut launch, "hello", None).unwrap();
    launch.variable(name)
}

#[test]
fn claude_reads_no_file_that_a_message_names() {
    assert_eq!(variable_of_claude("CLAUDE_CODE_DISABLE_ATTACHMENTS").as_deref(), Some("1"));
}

#[test]
fn claude_runs_no_command_that_goes_on_after_its_answer() {
    assert_eq!(variable_of_claude("CLAUDE_CODE_DISABLE_BACKGROUND_TASKS").as_deref(), Some("1"));
}

/// From the program's documents: it was not tried.
#[tokio::test]
async fn what_cursor_prints_is_told_as_it_happens() {
    let run = run_of(Backend::Cursor);
    let heard = heard(&run, &printed("cursor/flow.jsonl"), "", exit(0)).await;
    assert_eq!(heard.outcome, Ok("Done: I sent my review.".to_owned()));
    let blocks: Vec<_> = heard.blocks().into_iter().map(|(_, text)| text).collect();
    assert_eq!(
        blocks,
        [
            "I'll read the README.md file",
            "read: {\"path\":\"README.md\"}",
            "read: # Project\n",
            "channel_send: {\"message\":\"@coder the diff looks good\"}",
            "channel_send: {\"id\":\"msg_2\"}",
            "write: {\"path\":\"notes.txt\",\"fileText\":\"one\",\"toolCallId\":\"toolu_vrtx_03\"}",
            "write: error: permission denied",
            "Done: I sent my review.",
        ]
    );
    assert_eq!(heard.kept().unwrap().session, "c6b62c6f-7ead-4fd6-9922-e952131177ff");
    assert!(heard.has_acted);
}

#[tokio::test]
async fn messages_of_cursor_that_follow_each_other_are_paragraphs() {
    let said = |parts: serde_json::Value| {
        serde_json::json!({ "type": "assistant", "message": { "content": parts } }).to_string()
    };
    let part = |text: &str| serde_json::json!({ "type": "text", "text": text });
    let lines = [
        said([part("I look"), part(" at it.")].into()),
        said([part("")].into()),
        said([part("It is fine.")].into()),
        r#"{"type":"result","subtype":"success","is_error":false,"result":"x"}"#.to_owned(),
    ];
    let heard = heard(&run_of(Backend::Cursor), &lines.join("\n"), "", exit(0)).await;
    assert_eq!(heard.outcome, Ok("I look at it.\n\nIt is fine.".to_owned()));
}

#[tokio::test]
async fn what_cursor_says_before_a_last_call_is_not_run_together_to_its_answer() {
    for (tool, answer) in [("my_inbox_ack", "I fixed it."), ("channel_send", "")] {
        let said = |text: &str| {
            let parts = json!([{ "type": "text", "text": text }]);
            json!({ "type": "assistant", "message": { "content": parts } })
        };
        let call = |id: &str, tool: &str| {
            let arguments = json!({ "providerIdentifier": "daemon", "toolName": tool, "args": {} });
            let call = json!({ "mcpToolCall": { "args": arguments, "result": { "success": {} } } });
            json!({ "type": "tool_call", "subtype": "completed", "call_id": id,
                    "tool_call": call })
        };
        let end = json!({ "type": "result", "subtype": "success", "is_error": false,
                          "result": "I look.I fixed it." });
        let lines =
            [said("I look."), call("t1", "my_inbox"), said("I fixed it."), call("t2", tool), end]
                .map(|line| line.to_string());
        let heard = heard(&run_of(Backend::Cursor), &lines.join("\n"), "", exit(0)).await;
        assert_eq!(heard.outcome, Ok(answer.to_owned()), "{tool}");
    }
}

#[tokio::test]
async fn a_failure_of_cursor_is_on_its_standard_error() {
    use FailureClass::{Permanent, Transient};
    for (stderr, class, says) in [
        ("Error: Not logged in. Run cursor-agent login", Permanent, "refused the key or log-in"),
        ("Error: something", Transient, "Error: something"),
    ] {
        let failure = heard(&run_of(Backend::Cursor), "", stderr, exit(1)).await.failure();
        assert_eq!(failure.class, class, "{stderr}: {}", failure.error);
        assert!(failure.error.contains(says), "{stderr}: {}", failure.error);
    }
}

#[test]
fn cursor_is_told_of_its_tools_in_a_home_of_its_own() {
    let folder = tempfile::tempdir().unwrap();
    let mut run = run_of(Backend::Cursor);
    let BackendConfig::Program(config) = &mut run.backend else { panic!() };
    let stub = stub(folder.path(), "cursor-agent");
    config.command = Some(Command { mode: Some("print".to_owned()), ..command(&stub) });
    config.keep = folder.path().join("keep").display().to_string();
    let config = config.clone();
    run.tools = vec![Tool::Read, Tool::Shell];
    run.permissions.ask = vec![Tool::Shell];
    let prepared = |run: &RunConfig| {
        let program = Program::of(run).unwrap();
        let mut launch = Launch::of(&program).unwrap();
        Cursor::of(&program).prepare(&mut launch, "hello", Some("c-1")).map(|_| launch.arguments())
    };
    let refused = prepared(&run).unwrap_err();
    assert!(
        refused.error.contains("add CURSOR_API_KEY to the agent's `env:`"),
        "{}",
        refused.error
    );
    let mut keyed = config;
    keyed.env = vec!["CURSOR_API_KEY".parse().unwrap()];
    run.backend = BackendConfig::Program(keyed);
    let given = prepared(&run).unwrap();
    assert_eq!(given[given.len() - 2..], ["--resume", "c-1"]);
    let read = |name: &str| {
        let path = folder.path().join("keep/cursor/.cursor").join(name);
        serde_json::from_str::<serde_json::Value>(&std::fs::read_to_string(path).unwrap()).unwrap()
    };
    let server = &read("mcp.json")["mcpServers"]["daemon"];
    assert_eq!(server["headers"]["Authorization"], "Bearer ${env:AGENT_WORKER_TOKEN}");
    let permissions = &read("cli-config.json")["permissions"];
    assert_eq!(permissions["allow"], serde_json::json!(["Read(**)", "Mcp(daemon:*)"]));
    let denied = serde_json::json!(["Write(**)", "Shell(*)", "WebFetch(*)"]);
    assert_eq!(permissions["deny"], denied, "nobody can be asked");
}

#[test]
fn a_program_starts_the_daemons_tools_itself_where_its_agent_says_so() {
    let folder = tempfile::tempdir().unwrap();
    let mut run = run_of(Backend::Claude);
    run.mcp = McpTransport::Stdio;
    let BackendConfig::Program(config) = &mut run.backend else { panic!() };
    config.command = Some(command(&stub(folder.path(), "program")));
    config.keep = folder.path().join("keep").display().to_string();
    config.scratch = folder.path().join("scratch").display().to_string();
    config.env = vec!["CURSOR_API_KEY".parse().unwrap()];
    let program = Program::of(&run).unwrap();
    let begun = || Launch::of(&program).unwrap();

    let given = arguments(&run, None);
    let at = given.iter().position(|argument| argument == "--mcp-config").unwrap();
    let servers = std::fs::read_to_string(&given[at + 1]).unwrap();
    let servers: serde_json::Value = serde_json::from_str(&servers).unwrap();
    let server = &servers["mcpServers"]["daemon"];
    assert_eq!((&server["type"], &server["command"]), (&"stdio".into(), &bridge().into()));
    assert_eq!(server["args"], serde_json::json!(["mcp"]));
    assert_eq!(server["env"]["AGENT_WORKER_TOKEN"], "${AGENT_WORKER_TOKEN}", "no secret is shown");

    let mut launch = begun();
    Codex::of(&program).prepare(&mut launch, "hello", None).unwrap();
    let given = launch.arguments();
    let has = |argument: &str| given.iter().any(|given| given == argument);
    assert!(has(&format!("mcp_servers.daemon.command=\"{}\"", bridge())), "{given:?}");
    assert!(has("mcp_servers.daemon.args=[\"mcp\"]"), "{given:?}");
    let names = given.iter().find(|given| given.starts_with("mcp_servers.daemon.env_vars="));
    assert!(names.is_some_and(|names| names.contains("\"AGENT_WORKER_TOKEN\"")), "{given:?}");
    assert!(given.iter().all(|given| !given.contains("mcp_servers.daemon.url")), "{given:?}");

    Cursor::of(&program).prepare(&mut begun(), "hello", None).unwrap();
    let path = folder.path().join("keep/cursor/.cursor/mcp.json");
    let servers: serde_json::Value =
        serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    let server = &servers["mcpServers"]["daemon"];
    assert_eq!((&server["command"], server.get("url")), (&bridge().into(), None));
    assert_eq!(server["env"]["AGENT_WORKER_TOKEN"], "${env:AGENT_WORKER_TOKEN}");
}

#[tokio::test]
async fn a_session_that_goes_on_is_told_a_system_prompt_that_has_changed() {
    let folder = tempfile::tempdir().unwrap();
    for (backend, file) in
        [(Backend::Codex, "codex/flow.jsonl"), (Backend::Cursor, "cursor/flow.jsonl")]
    {
        let mut run = run_of(backend);
        let BackendConfig::Program(config) = &mut run.backend else { panic!() };
        config.command = Some(command(&stub(folder.path(), "program")));
        config.keep = folder.path().join("keep").display().to_string();
        config.env = vec!["CURSOR_API_KEY".parse().unwrap()];
        let given = |run: &RunConfig| {
            let program = Program::of(run).unwrap();
            let mut launch = Launch::of(&program).unwrap();
            let prompt = match backend {
                Backend::Codex => Codex::of(&program).prepare(&mut launch, "hello", Some("s")),
                _ => Cursor::of(&program).prepare(&mut launch, "hello", Some("s")),
            };
            prompt.unwrap()
        };
        for system in ["You are careful.", "You are quick."] {
            run.system = Some(system.to_owned());
            let told = given(&run);
            assert!(told.contains(system) && told.ends_with("\n\nhello"), "{told}");
            let kept = heard(&run, &printed(file), "", exit(0)).await.kept().unwrap();
            run.session = Some(session(&kept));
            assert_eq!(given(&run), "hello", "it knows {system}");
        }
        run.system = None;
        let told = given(&run);
        assert!(told.contains("They no longer hold") && told.ends_with("\n\nhello"), "{told}");
        let kept = heard(&run, &printed(file), "", exit(0)).await.kept().unwrap();
        run.session = Some(session(&kept));
        assert_eq!(given(&run), "hello", "it is told once");
    }
}

#[test]
fn a_system_prompt_is_in_the_transcript_of_a_run_that_is_given_one() {
    use BlockKind::{Prompt as Asked, System};
    let told = |run: &RunConfig| {
        let told = Told::default();
        let prompt = Prompt::compose(run, &prompt::tests::context(vec![]));
        let transcript = Transcript::new(Reports::to(told.clone()));
        tell(&prompt, Program::of(run).as_ref(), &transcript);
        let outcome = Ok(String::new());
        let heard = Heard { outcome, reports: told.reports(), has_acted: false };
        heard.blocks().into_iter().map(|(kind, _)| kind).collect::<Vec<_>>()
    };
    let mut kept = kept_of("s", Seen { message: 3, document: None });
    for (backend, takes_system, expected) in [
        (Backend::Claude, false, &[System, Asked][..]),
        (Backend::Gemini, false, &[System, Asked]),
        (Backend::Opencode, false, &[System, Asked]),
        (Backend::Codex, false, &[Asked]),
        (Backend::Cursor, false, &[Asked]),
        (Backend::Acp, false, &[Asked]),
        (Backend::Acp, true, &[System, Asked]),
    ] {
        let mut run = run_of(backend);
        assert_eq!(told(&run), [System, Asked], "{backend:?} begins");
        kept.takes_system = takes_system;
        run.session = Some(session(&kept));
        assert_eq!(told(&run), expected, "{backend:?} goes on");
    }
}

#[test]
fn a_session_that_an_earlier_version_kept_is_told_the_whole_system_prompt() {
    let mut run = run_of(Backend::Codex);
    let content = r#"{"session":"s","seen":{"message":3,"document":null},"system":7}"#.to_owned();
    let turn = SessionTurn { role: TurnRole::Program, content, tokens: None };
    run.session = Some(SessionConfig { turns: vec![turn], ..SessionConfig::default() });
    let program = Program::of(&run).unwrap();
    assert_eq!(program.kept.as_ref().unwrap().session, "s");
    assert!(program.changed_system().unwrap().ends_with("\n\nYou are careful.\n\n"));
}

#[test]
fn a_session_is_gone_on_with_by_hand_under_the_variables_of_its_command() {
    let run = run_of(Backend::Codex);
    let BackendConfig::Program(mut config) = run.backend else { panic!() };
    config.command = serde_json::from_value(json!({
        "program": "codex", "env": { "PROXY": "http://p", "TOKEN": "$CODEX_TOKEN" },
    }))
    .unwrap();
    let by_hand = by_hand(&config, "s-1").unwrap();
    assert_eq!(by_hand.args, ["resume", "s-1"]);
    let declared = [("PROXY", "http://p"), ("TOKEN", "$CODEX_TOKEN")];
    let declared = declared.map(|(name, value)| (name.to_owned(), value.to_owned()));
    assert_eq!(by_hand.declared, BTreeMap::from(declared), "no value of a key is kept");
}

/// A program of this backend, with a server of its own.
fn served_by_house(backend: Backend) -> ProgramConfig {
    let BackendConfig::Program(mut config) = run_of(backend).backend else { panic!() };
    config.model = Some("m-1".to_owned());
    config.base_url = Some("http://127.0.0.1:1".to_owned());
    config.key = Some("HOUSE_KEY".parse().unwrap());
    *config
}

fn variable(name: &str, value: &str) -> BTreeMap<String, String> {
    BTreeMap::from([(name.to_owned(), value.to_owned())])
}

#[test]
fn a_session_is_gone_on_with_by_hand_on_the_model_and_server_of_its_runs() {
    const CLAUDE: [&str; 2] = ["ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN"];
    for (backend, args, address, keys) in [
        (Backend::Claude, ["--model", "m-1", "--resume", "s-1"], "ANTHROPIC_BASE_URL", &CLAUDE[..]),
        (
            Backend::Gemini,
            ["-m", "m-1", "-r", "s-1"],
            "GOOGLE_GEMINI_BASE_URL",
            &["GEMINI_API_KEY"],
        ),
    ] {
        let mut config = served_by_house(backend);
        let there = by_hand(&config, "s-1").unwrap();
        assert_eq!(there.args, args);
        assert_eq!(there.env, variable(address, "http://127.0.0.1:1"));
        let blank = keys.iter().map(|name| ((*name).to_owned(), String::new()));
        let blank: BTreeMap<_, _> = blank.collect();
        let mut declared = blank.clone();
        declared.extend(variable(keys[0], "$HOUSE_KEY"));
        assert_eq!(there.declared, declared, "no value of a key is kept");
        config.key = None;
        let keyless = by_hand(&config, "s-1").unwrap();
        assert_eq!(keyless.declared, blank, "the user's own key is not for that server");
        config.base_url = None;
        let usual = by_hand(&config, "s-1").unwrap();
        assert_eq!((usual.env, usual.declared), (BTreeMap::new(), BTreeMap::new()));
        assert_eq!(usual.args, args, "it is the agent's model with a log-in too");
    }
}

#[test]
fn opencode_goes_on_by_hand_with_the_servers_that_it_knows_itself_alone() {
    let mut config = served_by_house(Backend::Opencode);
    assert_eq!(by_hand(&config, "s-1"), None);
    config.base_url = None;
    let known = by_hand(&config, "s-1").unwrap();
    assert_eq!(known.args, ["-m", "m-1", "-s", "s-1"]);
    assert_eq!(known.declared, variable("HOUSE_KEY", "$HOUSE_KEY"));
}

#[test]
fn codex_gets_its_model_its_server_and_its_key_by_hand_as_in_a_run() {
    let folder = tempfile::tempdir().unwrap();
    let mut config = served_by_house(Backend::Codex);
    config.command = Some(command(&stub(folder.path(), "codex")));
    config.keep = folder.path().join("keep").display().to_string();
    let backend = BackendConfig::Program(Box::new(config.clone()));
    let run = RunConfig { backend, ..run_of(Backend::Codex) };
    let program = Program::of(&run).unwrap();
    let mut launch = Launch::of(&program).unwrap();
    Codex::of(&program).prepare(&mut launch, "hello", None).unwrap();
    let given = launch.arguments();

    let there = by_hand(&config, "s-1").unwrap();
    let (options, last) = there.args.split_at(there.args.len() - 2);
    assert_eq!(last, ["resume", "s-1"]);
    for setting in [
        "model=\"m-1\"",
        "model_providers.agent_worker.base_url=\"http://127.0.0.1:1\"",
        "model_providers.agent_worker.env_key=\"HOUSE_KEY\"",
    ] {
        assert!(options.iter().any(|option| option == setting), "{options:?}");
    }
    let is_same = given.windows(options.len()).any(|given| given == options);
    assert!(is_same, "{options:?} in {given:?}");
    assert_eq!(there.env, variable("CODEX_HOME", &format!("{}/codex", config.keep)));
    assert_eq!(there.declared, variable("HOUSE_KEY", "$HOUSE_KEY"));

    (config.base_url, config.key) = (None, None);
    config.env = vec!["OPENAI_API_KEY".parse().unwrap()];
    let usual = by_hand(&config, "s-1").unwrap();
    assert_eq!(usual.args, ["-c", "model=\"m-1\"", "resume", "s-1"]);
    assert_eq!(usual.declared, BTreeMap::new(), "its terminal program does not read that key");
}

/// A program of an agent that is this file.
pub fn command(file: &Path) -> Command {
    Command {
        program: file.display().to_string(),
        args: Vec::new(),
        env: Ordered::default(),
        mode: None,
    }
}

/// A file that could be started.
pub fn stub(folder: &Path, name: &str) -> PathBuf {
    use std::os::unix::fs::PermissionsExt;
    let path = folder.join(name);
    std::fs::write(&path, "#!/bin/sh\n").unwrap();
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
    path
}

#[test]
fn a_program_that_may_not_be_started_is_told_apart_from_a_missing_one() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("stub");
    let mut run = run_of(Backend::Claude);
    let BackendConfig::Program(config) = &mut run.backend else { panic!() };
    config.command = Some(command(&file));
    let error = || find(&Program::of(&run).unwrap()).unwrap_err().error;
    let (again, anew) = ("then agent-worker resume alice", "agent-worker stop @review:pr-1 and");
    let missing = format!("program `{}` not found: install it, {again}", file.display());
    assert!(error().starts_with(&missing) && error().contains(anew), "{}", error());
    std::fs::write(&file, "#!/bin/sh\n").unwrap();
    let told = format!("`{0}` is not executable: chmod +x {0}, then", file.display());
    assert!(error().starts_with(&told), "{}", error());
}

#[tokio::test]
async fn a_program_that_is_given_too_much_is_not_tried_again() {
    let folder = tempfile::tempdir().unwrap();
    let mut run = run_of(Backend::Claude);
    let BackendConfig::Program(config) = &mut run.backend else { panic!() };
    config.command = Some(command(&stub(folder.path(), "claude")));
    config.scratch = folder.path().join("scratch").display().to_string();
    let mut launch = Launch::of(&Program::of(&run).unwrap()).unwrap();
    launch.arg("x".repeat(4 << 20));
    let failure = launch.start(None).err().unwrap();
    assert_eq!(failure.class, FailureClass::Permanent, "{}", failure.error);
    let mends = failure.error.ends_with("then agent-worker resume alice@review:pr-1");
    assert!(mends, "{}", failure.error);
}

#[test]
fn codex_gives_each_server_its_own_variables_and_takes_none_of_them_for_its_own() {
    let folder = tempfile::tempdir().unwrap();
    let mut run = run_of(Backend::Codex);
    let BackendConfig::Program(config) = &mut run.backend else { panic!() };
    config.command = Some(command(&stub(folder.path(), "codex")));
    config.keep = folder.path().join("keep").display().to_string();
    let prints = |name: &str, variable: &str, value: &str| {
        json!({ "name": name, "server": {
            "command": "printenv", "args": [variable], "env": { variable: value }
        } })
    };
    let remote = |name: &str, token: &str| {
        let server = json!({ "url": "http://127.0.0.1:1", "headers": { "T": token } });
        json!({ "name": name, "server": server })
    };
    let servers = [
        prints("one", "API_TOKEN", "the first"),
        prints("two", "API_TOKEN", "a \"second\""),
        prints("home", "HOME", "/elsewhere"),
        remote("a-b", "third"),
        remote("a_b", "fourth"),
    ];
    run.servers = servers.map(|server| serde_json::from_value(server).unwrap()).to_vec();
    let program = Program::of(&run).unwrap();
    let mut launch = Launch::of(&program).unwrap();
    let home = launch.variable("HOME");
    Codex::of(&program).prepare(&mut launch, "hello", None).unwrap();
    assert_eq!((launch.variable("HOME"), launch.variable("API_TOKEN")), (home, None));
    let given = launch.arguments();
    let hidden = "shell_environment_policy.exclude=[\"AGENT_WORKER_SECRET_*\"]";
    assert!(given.iter().any(|given| given == hidden), "commands see them: {given:?}");
    let set = |key: &str| {
        let key = format!("mcp_servers.{key}=");
        given.iter().find_map(|given| given.strip_prefix(&key)).unwrap()
    };
    let list = |key: &str| serde_json::from_str::<Vec<String>>(set(key)).unwrap();
    for (name, value) in [("one", "the first"), ("two", "a \"second\""), ("home", "/elsewhere")] {
        assert_eq!(set(&format!("{name}.command")), "\"sh\"");
        let mut server = std::process::Command::new("sh");
        server.args(list(&format!("{name}.args")));
        for variable in list(&format!("{name}.env_vars")) {
            server.env(&variable, launch.variable(&variable).unwrap());
        }
        let printed = String::from_utf8(server.output().unwrap().stdout).unwrap();
        assert_eq!(printed.trim_end(), value, "{name}");
    }
    for (name, value) in [("a-b", "third"), ("a_b", "fourth")] {
        let headers = set(&format!("{name}.env_http_headers"));
        let variable = headers.split('"').nth(3).unwrap();
        assert_eq!(launch.variable(variable).as_deref(), Some(value), "{headers}");
    }
    assert!(given.iter().all(|given| !given.contains("the first")), "{given:?}");
}

#[test]
fn codex_writes_its_environment_to_no_file() {
    let folder = tempfile::tempdir().unwrap();
    let mut run = run_of(Backend::Codex);
    let BackendConfig::Program(config) = &mut run.backend else { panic!() };
    config.command = Some(command(&stub(folder.path(), "codex")));
    config.keep = folder.path().join("keep").display().to_string();
    let program = Program::of(&run).unwrap();
    let mut launch = Launch::of(&program).unwrap();
    Codex::of(&program).prepare(&mut launch, "hello", None).unwrap();
    let given = launch.arguments();
    let is_off = given.windows(2).any(|pair| pair == ["-c", "features.shell_snapshot=false"]);
    assert!(is_off, "{given:?}");
}

#[test]
fn codex_reads_its_instructions_from_a_file_of_its_own() {
    let folder = tempfile::tempdir().unwrap();
    let mut run = run_of(Backend::Codex);
    let BackendConfig::Program(config) = &mut run.backend else { panic!() };
    config.command = Some(command(&stub(folder.path(), "codex")));
    config.keep = folder.path().join("keep").display().to_string();
    // It may be longer than an argument.
    run.system = Some(format!("Be \"{}\" \u{7f}careful.", "\n".repeat(60 << 10)));
    let program = Program::of(&run).unwrap();
    let mut launch = Launch::of(&program).unwrap();
    let prompt = Codex::of(&program).prepare(&mut launch, "hello", None).unwrap();
    assert_eq!(prompt, "hello");
    let given = launch.arguments();
    assert!(given.iter().all(|given| !given.contains("careful")), "arguments are for all to read");
    let home = PathBuf::from(launch.variable("CODEX_HOME").unwrap());
    let written = std::fs::read_to_string(home.join("config.toml")).unwrap();
    let told = written.strip_prefix("developer_instructions = ").unwrap();
    let told: String = serde_json::from_str(told).unwrap();
    assert!(told.starts_with(run.system.as_deref().unwrap()), "{told:?}");
}

#[test]
fn a_failure_without_a_text_is_told_with_the_complaint() {
    for (complaints, told) in [
        ("", "gemini: no model has answered"),
        ("quota: none\n", "gemini: no model has answered: quota: none"),
    ] {
        let ended = Ended {
            status: Some(ExitStatus::from_raw(exit(0))),
            was_told: true,
            complaints: complaints.to_owned(),
            name: "gemini".to_owned(),
        };
        let trouble = judge(Some(Closing::Failed(Fault::default())), &ended, false).unwrap_err();
        let run = run_of(Backend::Gemini);
        let failure = trouble.into_failure(&Program::of(&run).unwrap());
        assert_eq!((failure.class, failure.error.as_str()), (FailureClass::Transient, told));
    }
}

#[test]
fn closings_of_a_program_that_was_told_to_end_count() {
    let ended = Ended {
        status: Some(ExitStatus::from_raw(15)),
        was_told: true,
        complaints: String::new(),
        name: "gemini".to_owned(),
    };
    let judged = judge(Some(Closing::Done("done".to_owned())), &ended, false);
    assert_eq!(judged, Ok("done".to_owned()));
}
