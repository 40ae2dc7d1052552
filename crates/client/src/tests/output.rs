use std::time::Duration;

use agent_worker_protocol::{BlockKind, RunState};
use tokio::time::Instant;

use super::*;
use crate::tests::script::{Part, Reply, Script, broken_after, client, event, length, within};

fn block(n: i64, state: &str) -> Part {
    event("block", "", &json!({ "n": n, "kind": "text", "state": state, "name": null, "at": 5 }))
}

fn delta(n: i64, off: i64, text: &str) -> Part {
    event("delta", "", &json!({ "n": n, "off": off, "text": text }))
}

fn end() -> Part {
    event("end", "", &json!({ "state": "succeeded", "error": null }))
}

fn output(script: &Script) -> RunOutput {
    let mut output = RunOutput::follow(&client(), RunId::new(3));
    output.link.dial = script.dial();
    output
}

/// All items in words, to the end.
async fn all(output: &mut RunOutput) -> Vec<String> {
    let mut words = Vec::new();
    while let Some(item) = within(output.next()).await {
        words.push(match item {
            Ok(OutputItem::Connected) => "connected".to_owned(),
            Ok(OutputItem::Disconnected { .. }) => "disconnected".to_owned(),
            Ok(OutputItem::Output(OutputEvent::Block { n, kind, state, .. })) => {
                assert_eq!(kind, BlockKind::Text);
                format!("{n} {state:?}")
            }
            Ok(OutputItem::Output(OutputEvent::Delta { n, off, text })) => {
                format!("{n}+{off} {text}")
            }
            Ok(OutputItem::Output(OutputEvent::End { state, .. })) => {
                assert_eq!(state, RunState::Succeeded);
                "end".to_owned()
            }
            Err(error) => format!("error: {error}"),
        });
    }
    words
}

#[tokio::test(start_paused = true)]
async fn a_replay_gives_only_what_is_new() {
    let script = Script::new(vec![
        Reply::Stream(vec![
            block(0, "open"),
            delta(0, 0, "hé"),
            block(0, "done"),
            block(1, "open"),
            delta(1, 0, "one "),
            block(2, "open"),
            delta(2, 0, "{\"a\""),
            delta(1, 4, "two"),
            Part::Broken,
        ]),
        Reply::Stream(vec![
            block(0, "done"),
            delta(0, 0, "hé"),
            block(1, "done"),
            delta(1, 0, "one two three"),
            block(2, "open"),
            delta(2, 0, "{\"a\""),
            delta(2, 4, ":1}"),
            block(2, "done"),
            event("heartbeat", "", &json!({})),
            event("news_of_a_newer_daemon", "", &json!([])),
            end(),
            Part::Silence,
        ]),
    ]);
    let words = all(&mut output(&script)).await;
    let wanted = [
        "connected",
        "0 Open",
        "0+0 hé",
        "0 Done",
        "1 Open",
        "1+0 one ",
        "2 Open",
        "2+0 {\"a\"",
        "1+4 two",
        "disconnected",
        "connected",
        "1 Done",
        "1+7  three",
        "2+4 :1}",
        "2 Done",
        "end",
    ];
    assert_eq!(words, wanted);
    assert_eq!(script.dialled()[0].uri, "http://127.0.0.1:1/runs/run_3/output");
}

/// What a run says, first as it comes, then as it is stored.
const SAID: [&str; 2] = ["héllo 世界 ", "and goodbye"];

#[tokio::test(start_paused = true)]
async fn a_cut_after_any_byte_loses_nothing_and_doubles_nothing() {
    let live = || {
        let begun =
            [block(0, "open"), delta(0, 0, "héllo "), delta(0, 7, "世界 "), block(0, "done")];
        let on = [block(1, "open"), delta(1, 0, SAID[1]), block(1, "done"), end()];
        begun.into_iter().chain(on).collect::<Vec<_>>()
    };
    let stored = || {
        let texts = SAID
            .iter()
            .zip(0..)
            .flat_map(|(text, n)| [block(n, "open"), delta(n, 0, text), block(n, "done")]);
        texts.chain([end()]).collect::<Vec<_>>()
    };
    for bytes in 0..length(&live()) {
        let script = Script::new(vec![broken_after(&live(), bytes).0, Reply::Stream(stored())]);
        let (mut texts, mut words) = ([String::new(), String::new()], Vec::new());
        let mut output = output(&script);
        while let Some(item) = within(output.next()).await {
            match item.unwrap() {
                OutputItem::Output(OutputEvent::Delta { n, off, text }) => {
                    let known = &mut texts[usize::try_from(n).unwrap()];
                    assert_eq!(usize::try_from(off).unwrap(), known.len(), "after {bytes} bytes");
                    known.push_str(&text);
                }
                OutputItem::Output(OutputEvent::Block { n, state, .. }) => words.push((n, state)),
                OutputItem::Output(OutputEvent::End { .. })
                | OutputItem::Connected
                | OutputItem::Disconnected { .. } => {}
            }
        }
        assert_eq!(texts, SAID, "after {bytes} bytes");
        let wanted = [BlockState::Open, BlockState::Done];
        let wanted: Vec<_> = (0..2).flat_map(|n| wanted.map(|state| (n, state))).collect();
        assert_eq!(words, wanted, "after {bytes} bytes");
    }
}

#[tokio::test(start_paused = true)]
async fn a_run_may_be_silent_unless_its_daemon_is_heard() {
    let script = Script::new(vec![Reply::Stream(vec![
        block(0, "open"),
        Part::Wait(Duration::from_mins(15)),
        end(),
    ])]);
    assert_eq!(all(&mut output(&script)).await, ["connected", "0 Open", "end"]);

    let script = Script::new(vec![
        Reply::Stream(vec![Part::Text(": here\n\n".to_owned()), Part::Silence]),
        Reply::Stream(vec![end()]),
    ]);
    let began = Instant::now();
    let words = all(&mut output(&script)).await;
    assert_eq!(words, ["connected", "disconnected", "connected", "end"]);
    assert_eq!(began.elapsed().as_secs(), 25);
}

#[tokio::test(start_paused = true)]
async fn a_run_that_is_not_there_is_an_error() {
    let body = r#"{"error":{"code":"not_found","message":"no run_3","hint":null}}"#;
    let script = Script::new(vec![Reply::Status(404, body)]);
    assert_eq!(all(&mut output(&script)).await, ["error: no run_3"]);
}

#[test]
fn text_that_overlaps_is_cut_where_it_was_seen() {
    let mut seen = Seen::default();
    let mut news = |off, text: &str| {
        seen.news_of(OutputEvent::Delta { n: 0, off, text: text.to_owned() }).map(|event| {
            let OutputEvent::Delta { off, text, .. } = event else { panic!("{event:?}") };
            (off, text)
        })
    };
    assert_eq!(news(0, "aé"), Some((0, "aé".to_owned())));
    assert_eq!(news(0, "aé"), None);
    assert_eq!(news(1, "é"), None);
    assert_eq!(news(3, ""), None);
    assert_eq!(news(1, "éb"), Some((3, "b".to_owned())));
    // Not the text that was seen: given with its place.
    assert_eq!(news(3, "éc"), Some((3, "éc".to_owned())));
    // Something is missing: given with its place.
    assert_eq!(news(9, "x"), Some((9, "x".to_owned())));
    assert_eq!(news(i64::MAX, "x"), Some((i64::MAX, "x".to_owned())));
}
