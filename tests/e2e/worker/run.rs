//! Runs of an agent, from the first report to the last.

use agent_worker_protocol::{
    BackendConfig, BlockKind, FailureClass, RunConfig, Usage, WorkerReport,
};
use serde_json::{Value, json};

use super::support::{
    daemon::{Call, Daemon, Loss, TAKE},
    mock,
    worker::{Ended, Worker, transcript},
};

/// The end of a run that plays one turn.
async fn played(daemon: &Daemon, steps: &str) -> Ended {
    Worker::run(mock(&daemon.url, &format!("- do: {steps}"))).await.end().await
}

fn block(kind: BlockKind, name: &str, text: &str) -> (BlockKind, Option<String>, String) {
    let name = (!name.is_empty()).then(|| name.to_owned());
    (kind, name, text.to_owned())
}

const SCRIPT: &str = r#"
- { when: something else, do: [{ say: no }] }
- when: "review (?<what>\\w+)\nand"
  do:
    - think: reading ${{ match.what }}
    - { call: channel_send, with: { message: "at ${{ match.what }}" }, as: sent }
    - say: First, look at ${{ sent.id }} and at ${{ sent.list.1 }}.
    - usage: { input: 12, output: 3, cost: 0.5 }
    - sleep: 1ms
    - say: Done.
"#;

#[tokio::test]
async fn a_run_goes_from_its_mail_to_its_final_text() {
    let daemon = Daemon::with_mail(&["please review main", "and be quick"]).await;
    daemon.answer("channel_send", json!({ "id": "msg_9", "list": [1, 2] }));
    let config = RunConfig { system: Some("Be kind.".to_owned()), ..mock(&daemon.url, SCRIPT) };
    let Ended { reports, code } = Worker::run(config).await.end().await;
    assert_eq!(code, Some(0));

    let arguments = json!({ "message": "at main" });
    let blocks = transcript(&reports);
    assert_eq!(blocks[0], block(BlockKind::System, "", "Be kind."));
    assert_eq!(blocks[1].0, BlockKind::Prompt);
    assert!(blocks[1].2.contains("\n> please review main\n"), "{}", blocks[1].2);
    let answer = "{\"id\":\"msg_9\",\"list\":[1,2]}";
    assert_eq!(
        blocks[2..],
        [
            block(BlockKind::Thinking, "", "reading main"),
            block(BlockKind::ToolCall, "channel_send", &arguments.to_string()),
            block(BlockKind::ToolResult, "channel_send", answer),
            block(BlockKind::Text, "", "First, look at msg_9 and at 2."),
            block(BlockKind::Text, "", "Done."),
        ]
    );
    let usage = Usage { input: Some(12), output: Some(3), ..Usage::default() };
    let text = "First, look at msg_9 and at 2.\nDone.".to_owned();
    assert_eq!(
        besides_transcript(&reports),
        [
            &WorkerReport::Started,
            &WorkerReport::Chose { turn: 1 },
            &WorkerReport::Used { usage, cost: Some(0.5) },
            &WorkerReport::Finished { text, acted: true },
        ]
    );
    assert_eq!(reports[0], WorkerReport::Started);
    assert!(matches!(reports.last(), Some(WorkerReport::Finished { .. })));
}

fn besides_transcript(reports: &[WorkerReport]) -> Vec<&WorkerReport> {
    use WorkerReport::{Block, BlockEnd, Delta};
    let is_other =
        |report: &&WorkerReport| !matches!(report, Block { .. } | Delta { .. } | BlockEnd { .. });
    reports.iter().filter(is_other).collect()
}

#[tokio::test]
async fn every_call_has_its_arguments_and_a_key_of_its_own() {
    let daemon = Daemon::with_mail(&["hello"]).await;
    daemon.answer("channel_send", json!({}));
    let send = "{ call: channel_send, with: { message: hi, to: [bob] } }";
    played(&daemon, &format!("[{send}, {send}]")).await;
    let calls = daemon.later_calls();
    assert_eq!(calls.len(), 2);
    assert_eq!(Value::from(calls[0].arguments.clone()), json!({ "message": "hi", "to": ["bob"] }));
    assert!(!calls[0].key.is_empty());
    assert_ne!(calls[0].key, calls[1].key);
}

#[tokio::test]
async fn a_long_text_is_said_in_pieces() {
    let daemon = Daemon::with_mail(&["hello"]).await;
    let text = "one two three four ".repeat(40);
    let Ended { reports, .. } = played(&daemon, &format!("[{{ say: '{text}' }}]")).await;
    let pieces =
        reports.iter().filter(|report| matches!(report, WorkerReport::Delta { .. })).count();
    assert!((20..=60).contains(&pieces), "{pieces}");
    assert_eq!(transcript(&reports)[1].2, text);
}

#[tokio::test]
async fn a_script_that_fits_nothing_says_so_and_names_nobody() {
    let daemon = Daemon::with_mail(&["@bob hello", "@alice hello"]).await;
    let script = "[{ when: goodbye, do: [] }, { do: [{ say: no }] }]";
    let backend = BackendConfig::Mock { script: script.to_owned(), played: vec![1] };
    let config = RunConfig { backend, ..mock(&daemon.url, "") };
    let Ended { reports, code } = Worker::run(config).await.end().await;
    let text = "No turn of the script fits msg_1, msg_2.".to_owned();
    assert_eq!(transcript(&reports)[1], block(BlockKind::Text, "", &text));
    assert_eq!(reports.last(), Some(&WorkerReport::Finished { text, acted: false }));
    assert_eq!(code, Some(0));
}

#[tokio::test]
async fn an_agent_without_a_script_says_how_to_give_it_one() {
    let daemon = Daemon::with_mail(&["hello"]).await;
    let Ended { reports, code } = Worker::run(mock(&daemon.url, "[]")).await.end().await;
    let Some(WorkerReport::Finished { text, .. }) = reports.last() else { panic!("{reports:?}") };
    assert!(text.starts_with("This agent has no script. "), "{text}");
    assert!(text.contains("`--script FILE`") && text.contains("`script: FILE`"), "{text}");
    assert_eq!(code, Some(0));
}

#[tokio::test]
async fn a_refused_call_is_an_answer_and_the_script_goes_on() {
    let daemon = Daemon::with_mail(&["hello"]).await;
    daemon.refuse("channel_send", "no member `bobb`; did you mean `bob`?");
    let steps = "[{ call: channel_send, with: { to: bobb } }, { call: fly, as: x }, { say: done }]";
    let Ended { reports, code } = played(&daemon, steps).await;
    assert_eq!(
        transcript(&reports)[1..],
        [
            block(BlockKind::ToolCall, "channel_send", "{\"to\":\"bobb\"}"),
            block(
                BlockKind::ToolResult,
                "channel_send",
                "error: no member `bobb`; did you mean `bob`?"
            ),
            block(BlockKind::ToolCall, "fly", "{}"),
            block(BlockKind::ToolResult, "fly", "error: no tool `fly`"),
            block(BlockKind::Text, "", "done"),
        ]
    );
    assert_eq!(code, Some(0));
}

#[tokio::test]
async fn a_call_whose_answer_was_lost_is_made_again_with_its_key() {
    let daemon = Daemon::with_mail(&["hello"]).await;
    daemon.answer("channel_send", json!({ "id": "msg_9" }));
    daemon.lose("channel_send", &[Loss::Torn, Loss::Unavailable, Loss::Torn]);
    daemon.lose(TAKE, &[Loss::Torn, Loss::Unavailable]);
    let steps =
        "[{ call: channel_send, with: { message: hi }, as: sent }, { say: '${{ sent.id }}' }]";
    let Ended { reports, code } = played(&daemon, steps).await;
    assert_eq!(
        reports.last(),
        Some(&WorkerReport::Finished { text: "msg_9".to_owned(), acted: true })
    );
    assert_eq!(code, Some(0));
    let of = |tool: &str| -> Vec<Call> {
        daemon.calls().into_iter().filter(|call| call.tool == tool).collect()
    };
    for (tool, times) in [("channel_send", 4), (TAKE, 3)] {
        let calls = of(tool);
        assert_eq!(calls, vec![calls[0].clone(); times], "{tool}");
    }
}

/// The last report of a run that failed, which its transcript tells as well.
fn failed(Ended { reports, code }: &Ended) -> (FailureClass, &str, Option<String>) {
    let Some(WorkerReport::Failed { class, error, retry_after }) = reports.last() else {
        panic!("{reports:?}")
    };
    assert_eq!(*code, Some(1));
    if let Some(last) = transcript(reports).last() {
        assert_eq!((last.0, &last.2), (BlockKind::Error, error));
    }
    (*class, error, retry_after.map(|span| span.to_string()))
}

#[tokio::test]
async fn an_answer_that_never_comes_is_a_failure_in_the_end() {
    let daemon = Daemon::with_mail(&["hello"]).await;
    daemon.answer("channel_send", json!({}));
    daemon.lose("channel_send", &[Loss::Unavailable; 20]);
    let ended = played(&daemon, "[{ call: channel_send }, { say: no }]").await;
    let (class, error, _) = failed(&ended);
    assert_eq!(class, FailureClass::Transient);
    assert!(error.starts_with("`channel_send`: no answer from the daemon: "), "{error}");
    assert_eq!(daemon.later_calls().len(), 7);
}

#[tokio::test]
async fn a_run_that_is_over_is_not_tried_again() {
    let daemon = Daemon::with_mail(&["hello"]).await;
    daemon.answer("channel_send", json!({}));
    daemon.lose("channel_send", &[Loss::Ended; 2]);
    let ended = played(&daemon, "[{ call: channel_send }, { say: no }]").await;
    assert!(failed(&ended).1.contains("run_ended"), "{ended:?}");
    assert_eq!(daemon.later_calls().len(), 1);

    let config = RunConfig { token: "other".to_owned(), ..mock(&daemon.url, "[]") };
    let ended = Worker::run(config).await.end().await;
    assert!(failed(&ended).1.contains("401"), "{ended:?}");
}

#[tokio::test]
async fn without_a_daemon_a_run_has_begun_and_fails() {
    let ended = Worker::run(mock("http://127.0.0.1:1", "[]")).await.end().await;
    assert_eq!(ended.reports[0], WorkerReport::Started);
    assert_eq!(failed(&ended).0, FailureClass::Transient);
}

#[tokio::test]
async fn an_answer_that_makes_no_sense_is_a_failure() {
    let daemon = Daemon::with_mail(&[]).await;
    daemon.answer("team_members", json!({ "members": 3 }));
    let ended = played(&daemon, "[]").await;
    assert!(failed(&ended).1.starts_with("what the daemon answered to `context_take`"));
}

#[tokio::test]
async fn a_document_is_shown_and_need_not_be_there() {
    let daemon = Daemon::with_mail(&[]).await;
    let document = json!({
        "file": "notes.md", "content": "# Plan", "version": 2, "owner": null, "chars": 6,
        "more": false
    });
    daemon.answer("team_doc_read", document);
    let ended = played(&daemon, "[]").await;
    assert!(transcript(&ended.reports)[0].2.contains("\n> # Plan\n"));
    assert_eq!(
        ended.reports.last(),
        Some(&WorkerReport::Finished { text: String::new(), acted: false })
    );
}

#[tokio::test]
async fn a_script_fails_as_it_says() {
    use FailureClass::{Overflow, Permanent, Transient, Unavailable};
    let daemon = Daemon::with_mail(&["hello"]).await;
    for (steps, class, retry_after) in [
        ("[{ say: half }, { fail: rate_limited 5s }, { say: no }]", Unavailable, Some("5s")),
        ("[{ fail: rate_limited }]", Unavailable, None),
        ("[{ fail: unavailable }]", Unavailable, None),
        ("[{ fail: transient }]", Transient, None),
        ("[{ fail: permanent }]", Permanent, None),
        ("[{ fail: overflow }]", Overflow, None),
        ("[{ call: my_inbox, as: x }, { say: '${{ x.y }}' }]", Permanent, None),
    ] {
        let ended = played(&daemon, steps).await;
        let (told, error, after) = failed(&ended);
        assert_eq!((told, after.as_deref()), (class, retry_after), "{steps}: {error}");
        assert!(!error.contains(&format!("({})", class.as_str())), "its class is told beside it");
    }
}

#[tokio::test]
async fn a_script_that_cannot_be_read_is_a_failure() {
    let daemon = Daemon::with_mail(&["hello"]).await;
    let ended = Worker::run(mock(&daemon.url, "do: []")).await.end().await;
    assert_eq!(failed(&ended).0, FailureClass::Permanent);
}

#[tokio::test]
async fn a_command_knows_the_run_and_its_output_is_told() {
    let daemon = Daemon::with_mail(&["hello"]).await;
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("here"), "").unwrap();
    let script = "
- do:
    - shell: 'echo $AGENT_WORKER_TOKEN $AGENT_WORKER_HOME $AGENT_WORKER_URL; ls; cat; exit 3'
    - shell: 'printf half; echo more >&2; kill -9 $$'
    - shell: 'true'
";
    let cwd = Some(folder.path().to_str().unwrap().to_owned());
    let config = RunConfig { cwd, ..mock(&daemon.url, script) };
    let ended = Worker::run(config).await.end().await;
    let blocks = transcript(&ended.reports);
    let results: Vec<_> = blocks
        .iter()
        .filter(|block| block.0 == BlockKind::ToolResult)
        .map(|block| block.2.as_str())
        .collect();
    let first = format!("run-token /state {}\nhere\nexit 3", daemon.url);
    assert_eq!(results[0], first);
    assert!(results[1].starts_with("halfmore\nsignal: 9"), "{}", results[1]);
    assert_eq!(results[2], "exit 0");
    let call: Value = serde_json::from_str(&blocks[5].2).unwrap();
    assert_eq!((blocks[5].1.as_deref(), call), (Some("shell"), json!({ "command": "true" })));
}
