use agent_worker_protocol::{
    Delivery, DeliveryDetail, DeliveryState, Message, MessageDetail, MessageId, Reader, Reason,
    ResourceId, RunId, RunState, Timestamp,
};

use crate::{
    model::{
        effects::Effect,
        place::{Place, Subject, Tab},
        requests::{Reply, Request},
    },
    tests::{NOW, Story, long_text, message, run},
};

fn delivery(name: &str, state: DeliveryState, run: i64) -> DeliveryDetail {
    let delivery = Delivery {
        message: MessageId::new(4),
        agent: format!("{name}@review").parse().unwrap(),
        state,
        reason: Reason::All,
        wakes: true,
        attempts: 1,
        held_reason: None,
        not_before: None,
        last_error: None,
        run: Some(RunId::new(run)),
        marked: false,
    };
    DeliveryDetail { delivery, marked_at: None }
}

fn told() -> Message {
    let run = Some(RunId::new(5));
    Message { run, ..message(4, "tester", "@all 2 failures: `inbox_ack_is_monotonic`") }
}

fn detail() -> MessageDetail {
    let mut wrote = run(5, "tester@review");
    (wrote.state, wrote.ended_at) = (RunState::Succeeded, Some(Timestamp(NOW - 10_000)));
    let mut woken = run(8, "reviewer@review");
    woken.cause = Some(MessageId::new(4));
    MessageDetail {
        message: told(),
        bytes: 40,
        root: MessageId::new(1),
        deliveries: vec![
            delivery("reviewer", DeliveryState::Leased, 8),
            delivery("coder", DeliveryState::Acked, 7),
        ],
        read_by: vec![Reader {
            name: "coder".parse().unwrap(),
            run: Some(RunId::new(7)),
            at: Some(Timestamp(NOW)),
        }],
        sent_by: Some(wrote),
        runs: vec![woken],
        more_runs: false,
    }
}

fn opened() -> Story {
    let mut story = Story::review().sized(120, 40);
    story.open_channel_with(vec![message(1, "user", "@reviewer please review"), told()]);
    story.press("enter");
    story
}

/// What is in the box.
fn inside(story: &Story) -> String {
    let screen = story.screen();
    let rows =
        screen.lines().skip(2).filter(|line| line.contains('┌') || line.matches('│').count() >= 2);
    let rows = rows.filter_map(|line| line.split_once(['┌', '│'])?.1.rsplit_once(['┐', '│']));
    rows.map(|(row, _)| row.trim_end()).collect::<Vec<_>>().join("\n")
}

#[test]
fn a_message_is_shown_with_who_got_it_and_what_it_led_to() {
    let mut story = opened();
    assert_eq!(story.asks(), [Request::Message(MessageId::new(4))]);
    let request = Request::Message(MessageId::new(4));
    story.answer(request, Reply::Message(Box::new(detail())));
    insta::assert_snapshot!(inside(&story), @r"
    ─ msg_4 ──────────────────────────────────────────────────────────────────────────────────────────
     @all 2 failures: `inbox_ack_is_monotonic`

     by          tester
     at          2025-02-18 13:57:32 +00:00
     in          channel of @review
     run         run_5 of tester  ✓ succeeded, 1m 2s, $0.0900
     to          all (2): reviewer coder
                 reviewer    in run_8, attempt 1
                 coder       acknowledged in run_7
     read by     coder 14:06
     woke        run_8 of reviewer  ⠿ running, 1m 12s, $0.0900
     began with  msg_1
    ");
}

#[test]
fn what_is_known_is_shown_before_the_daemon_answers() {
    let story = opened();
    let screen = story.screen();
    assert!(screen.contains("in          channel of @review"), "{screen}");
    assert!(screen.contains("run         run_5"), "{screen}");
}

#[test]
fn the_cause_of_a_message_is_the_run_that_wrote_it() {
    let mut story = opened();
    story.press("c");
    let tester = "tester@review".parse().unwrap();
    assert_eq!(story.app.model.place, Place::at(Subject::Agent(tester), Tab::Run));
    assert!(story.app.overlays.is_empty());
}

#[test]
fn a_long_text_is_asked_for_and_shown_in_the_pager() {
    let resource = Some(ResourceId::new(3));
    let long = Message { resource, ..message(4, "tester", "the beginning") };
    let mut story = Story::review();
    story.open_channel_with(vec![long]);
    story.press("o");
    let request = Request::Resource(crate::tests::review(), ResourceId::new(3), String::new());
    assert!(story.asks().contains(&request), "{:?}", story.effects);
    story.answer(request, long_text(3, "the beginning and the end".to_owned()));
    assert!(story.app.overlays.len() == 1 && story.screen().contains("lines"));
    assert!(story.screen().contains("the beginning and the end"), "{}", story.screen());
}

#[test]
fn the_text_is_copied_without_what_does_harm() {
    let mut story = Story::review();
    story.open_channel_with(vec![message(4, "tester", "a\u{1b}]52;c;eA==\u{7}b")]);
    story.press("enter").press("y");
    let [Effect::Copy(text)] = story.effects.as_slice() else { panic!("{:?}", story.effects) };
    assert!(!text.contains('\u{1b}') && !text.contains('\u{7}'), "{text:?}");
}

#[test]
fn what_could_not_be_loaded_is_not_asked_for_again_and_again() {
    let mut story = opened();
    let trouble = crate::model::requests::RequestError {
        code: None,
        message: "no daemon answers".to_owned(),
        hint: None,
        is_unsure: false,
    };
    let request = Box::new(Request::Message(MessageId::new(4)));
    story.tell(crate::app::Msg::Answer(request, Err(trouble)));
    assert_eq!(story.asks(), []);
    story.press("j");
    assert_eq!(story.asks(), []);
    story.press("esc").press("enter");
    assert_eq!(story.asks(), [Request::Message(MessageId::new(4))]);
}
