use agent_worker_protocol::{AttentionItem, AttentionKind, FailureClass};

use super::*;

fn document(version: i64, at: i64) -> Document {
    Document {
        scope: review(),
        file: "notes.md".to_owned(),
        version,
        owner: None,
        author: "coder".parse().unwrap(),
        bytes: 100,
        updated_at: Timestamp(at),
    }
}

#[test]
fn what_happens_stands_between_what_is_said() {
    let mut story = talked(3);
    story.happens(EventBody::DocumentChanged(document(14, NOW - 300_000)));
    let mut failed = run(9, "coder@review");
    (failed.state, failed.attempt) = (RunState::Failed, 3);
    failed.error = Some("provider timeout after 120 s".to_owned());
    failed.ended_at = Some(Timestamp(NOW - 200_000));
    story.happens(EventBody::RunChanged(Box::new(failed)));
    story.needs(vec![AttentionItem {
        kind: AttentionKind::Dead,
        subject: "coder@review".to_owned(),
        scope: review(),
        reason: "1 message was given up".to_owned(),
        hint: None,
        since: Timestamp(NOW - 200_000),
    }]);
    says(&mut story, Message { created_at: Timestamp(NOW - 100_000), ..said(4) });
    insta::assert_snapshot!(rows(&story).join("\n").trim_start(), @r"
    ────────────────────── Tue 18 Feb ──────────────────────
     13:56 tester   message 1.
     13:56 coder    message 2.
     13:56 tester   message 3.
     14:01 ~        notes.md v14 by coder
     14:02 ~        coder run_9 failed, attempt 3/3: provider
                    timeout after 120 s (t try again, o open)
     14:04 coder    message 4.
    ");
    story.press("K").press("K");
    assert_eq!(story.press("t").acts(), []);
    story.wait(200);
    assert_eq!(story.press("y").acts(), [Act::RetryRun(RunId::new(9))]);
    story.press("K").press("c");
    assert_eq!(story.app.model.place, Place::at(Subject::Workflow(review()), Tab::Documents));
}

#[test]
fn a_run_whose_model_was_unavailable_is_told_without_an_attempt() {
    let mut story = talked(3);
    let mut failed = run(9, "coder@review");
    (failed.state, failed.class) = (RunState::Failed, Some(FailureClass::Unavailable));
    failed.error = Some("connection refused".to_owned());
    failed.ended_at = Some(Timestamp(NOW - 200_000));
    story.happens(EventBody::RunChanged(Box::new(failed)));
    let told = rows(&story).join("\n");
    assert!(told.contains("coder run_9 failed: connection"), "{told}");
}

#[test]
fn what_happened_before_is_read_from_the_log_once() {
    let mut story = channel_of(3, 3);
    story.open(Subject::Workflow(review()), Tab::Channel);
    story.answer(request(Side::Newest), page((1..=3).map(said).collect(), false));
    let asked = Request::Story(review(), None);
    assert!(story.asks().contains(&asked), "{:?}", story.effects);
    let body = EventBody::DocumentChanged(document(13, NOW - 598_500));
    let log = |kind: &str, body: serde_json::Value| LoggedEvent {
        seq: 40,
        scope: review(),
        kind: kind.to_owned(),
        subject: "notes.md".to_owned(),
        run: None,
        actor: "coder".to_owned(),
        at: Timestamp(NOW - 598_500),
        body,
    };
    let events = vec![
        log(body.kind(), serde_json::to_value(&body).unwrap()["body"].clone()),
        log("of.tomorrow", serde_json::json!({ "what": 1 })),
    ];
    let epoch = "e".to_owned();
    let log = EventPage { events, more: true, next: Some(40), epoch, oldest: 1, newest: 100 };
    story.answer(asked, Reply::Log(log.clone()));
    let pane = story.main_pane();
    let at = pane.lines().position(|line| line.ends_with("~        notes.md v13 by coder"));
    assert!(pane.lines().nth(at.unwrap() - 1).unwrap().ends_with("message 1."), "{pane}");
    // The first message is older than what was read: there may be more between. It is read when
    // the view moves.
    assert_eq!(story.asks(), []);
    let more = Request::Story(review(), Some(40));
    story.press("k");
    assert_eq!(story.asks(), std::slice::from_ref(&more));
    story.answer(more, Reply::Log(EventPage { more: false, next: None, ..log }));
    assert_eq!(story.asks(), []);
    assert_eq!(story.main_pane().matches("notes.md v13").count(), 1);
}

#[test]
fn a_filter_shows_what_is_said_or_what_happened() {
    let mut story = talked(3);
    story.happens(EventBody::DocumentChanged(document(14, NOW - 300_000)));
    let shown = |story: &Story| {
        let pane = story.main_pane();
        (pane.contains("message 3."), pane.contains("notes.md v14"))
    };
    assert_eq!(shown(&story), (true, true));
    let mut picked = |text: &str| {
        story.press("F").type_in(text).press("enter");
        shown(&story)
    };
    assert_eq!(picked("members"), (true, false));
    assert_eq!(picked("happened"), (false, true));
    assert_eq!(picked("everything"), (true, true));
}
