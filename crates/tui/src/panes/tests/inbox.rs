use agent_worker_protocol::{
    AttentionItem, AttentionKind, Cause, Delivery, DeliveryState, EventBody, InboxMessage,
    InboxPage, MessageDetail, MessageId, Queue, Queued, Reader, RunId, Target, Timestamp, WaitsFor,
};

use crate::{
    model::{
        acts::Act,
        place::{Place, Subject, Tab},
        requests::{Reply, Request},
    },
    tests::{NOW, Story, message, review, team},
};

fn reviewer() -> Target {
    "reviewer@review".parse().unwrap()
}

fn delivery(seq: i64, state: DeliveryState) -> Delivery {
    team::delivery(MessageId::new(seq), &reviewer(), state)
}

fn mail(seq: i64, sender: &str, text: &str, delivery: Delivery) -> InboxMessage {
    InboxMessage::new(message(seq, sender, text), delivery)
}

/// One message in each state.
fn page() -> InboxPage {
    use DeliveryState::{Acked, Dead, Held, Leased, Pending, Waiting};
    let in_run = Delivery { run: Some(RunId::new(8)), attempts: 1, ..delivery(4, Leased) };
    let waiting = Delivery {
        not_before: Some(Timestamp(NOW + 90_000)),
        attempts: 1,
        last_error: Some("the provider is away".to_owned()),
        ..delivery(3, Waiting)
    };
    let dead = Delivery {
        attempts: 3,
        last_error: Some("provider timeout".to_owned()),
        ..delivery(2, Dead)
    };
    let held_reason = Some("40 runs lie between it and a person".to_owned());
    let messages = vec![
        mail(1, "system", "kickoff: the diff is attached", delivery(1, Acked)),
        mail(2, "coder", "@reviewer (1) history, ids used to be integers", dead),
        mail(3, "tester", "@reviewer 2 failures: inbox_ack_is_monotonic", waiting),
        mail(4, "user", "@all keep the schema as it is, add columns only.", in_run),
        mail(5, "coder", "@reviewer again", Delivery { held_reason, ..delivery(5, Held) }),
        mail(6, "tester", "@reviewer one more", delivery(6, Pending)),
    ];
    let count = 6;
    InboxPage { messages, count, ..InboxPage::default() }
}

fn inbox() -> Story {
    let mut story = Story::review();
    story.open(Subject::Agent(reviewer()), Tab::Inbox);
    assert!(story.asks().contains(&Request::Inbox(reviewer())));
    story.answer(Request::Inbox(reviewer()), Reply::Inbox(page()));
    story
}

fn select(story: &mut Story, seq: i64) {
    story.press("g");
    for _ in seq..6 {
        story.press("j");
    }
}

#[test]
fn an_inbox_says_of_each_message_where_it_is() {
    let mut story = inbox();
    select(&mut story, 5);
    insta::assert_snapshot!(story.main_pane(), @r"
     msg_6 13:58 tester   @reviewer one more     pending
    ❯msg_5 13:57 coder    @reviewer again        held
     msg_4 13:57 user     @all keep the schema … in this run
     msg_3 13:57 tester   @reviewer 2 failures:… again 14:07
     msg_2 13:56 coder    @reviewer (1) history… dead letter
     msg_1 13:56 system   kickoff: the diff is … acknowledged
    ─ msg_5 ─────────────────────────────────────────────────
     @reviewer again

     to reviewer
     held: 40 runs lie between it and a person
    ");
}

#[test]
fn what_needs_the_person_is_selected_with_its_reason() {
    for (kind, seq, reason) in [
        (AttentionKind::Held, 5, "held: 40 runs lie between it and a person"),
        (AttentionKind::Dead, 2, "dead letter, after 3 attempts: provider timeout"),
    ] {
        let mut story = Story::review();
        story.needs(vec![AttentionItem {
            kind,
            subject: reviewer().to_string(),
            scope: review(),
            reason: reason.to_owned(),
            hint: None,
            since: Timestamp(NOW - 60_000),
        }]);
        story.press("a");
        story.answer(Request::Inbox(reviewer()), Reply::Inbox(page()));
        let pane = story.main_pane();
        assert!(pane.contains(&format!("❯msg_{seq}")) && pane.contains(reason), "{pane}");
        // Also where it was looked at before, with something else selected.
        select(&mut story, 6);
        story.press("a");
        assert!(story.main_pane().contains(&format!("❯msg_{seq}")), "{}", story.main_pane());
    }
}

#[test]
fn what_needs_the_person_is_found_behind_what_is_shown_of_an_inbox() {
    let mut story = Story::review();
    story.needs(vec![AttentionItem {
        kind: AttentionKind::Dead,
        subject: reviewer().to_string(),
        scope: review(),
        reason: "1 message: provider timeout".to_owned(),
        hint: None,
        since: Timestamp(NOW - 60_000),
    }]);
    story.press("a");
    let (mut newest, mut unfinished) = (page(), page());
    newest.messages.retain(|mail| mail.delivery.message > MessageId::new(2));
    newest.more = true;
    unfinished.messages.retain(|mail| mail.delivery.state != DeliveryState::Acked);
    story.answer(Request::Inbox(reviewer()), Reply::Inbox(newest));
    let line = story.app.pane().line(&story.app.model).unwrap_or_default();
    assert!(line.starts_with("older messages are not shown"), "{line}");
    let request = Request::Unfinished(reviewer());
    assert!(story.asks().contains(&request), "{:?}", story.effects);
    story.answer(request.clone(), Reply::Inbox(unfinished));
    let pane = story.main_pane();
    assert!(pane.contains("❯msg_2"), "{pane}");
    assert_eq!(pane.matches("msg_5 ").count(), 1, "{pane}");
    story.press("a");
    assert!(!story.asks().contains(&request), "{:?}", story.effects);
}

#[test]
fn what_failed_says_how_often_and_why() {
    let mut story = inbox().sized(120, 40);
    select(&mut story, 2);
    let pane = story.main_pane();
    assert!(pane.contains("dead letter, after 3 attempts: provider timeout"), "{pane}");
    select(&mut story, 3);
    let pane = story.main_pane();
    assert!(
        pane.contains("waiting until 14:07:42, after 1 attempt: the provider is away"),
        "{pane}"
    );
}

#[test]
fn an_inbox_is_kept_true_by_the_feed_and_its_selection_stays() {
    let mut story = inbox();
    select(&mut story, 4);
    let new = message(7, "coder", "@reviewer and another");
    let deliveries = vec![delivery(7, DeliveryState::Pending)];
    story.happens(EventBody::MessageSent { message: Box::new(new), deliveries });
    story.happens(EventBody::DeliveryChanged(Box::new(delivery(4, DeliveryState::Acked))));
    let pane = story.main_pane();
    let lines: Vec<_> = pane.lines().collect();
    assert!(lines[0].contains("msg_7") && lines[0].ends_with("pending"), "{pane}");
    assert!(lines[3].starts_with("❯msg_4") && lines[3].ends_with("acknowledged"), "{pane}");
}

#[test]
fn what_happens_while_an_inbox_is_on_its_way_is_not_lost() {
    let mut story = Story::review();
    story.open(Subject::Agent(reviewer()), Tab::Inbox);
    story.happens(EventBody::DeliveryChanged(Box::new(delivery(4, DeliveryState::Acked))));
    story.answer(Request::Inbox(reviewer()), Reply::Inbox(page()));
    let pane = story.main_pane();
    let line = pane.lines().find(|line| line.contains("msg_4")).unwrap();
    assert!(line.ends_with("acknowledged"), "{pane}");
}

#[test]
fn what_is_shown_stays_while_a_new_picture_is_fetched() {
    let mut story = inbox();
    let before = story.main_pane();
    story.disconnect();
    assert_eq!(story.main_pane(), before);
    story.app.model.known.inboxes.distrust();
    assert_eq!(story.main_pane(), before);
}

#[test]
fn d_6_looking_at_an_inbox_acks_nothing_and_moves_no_cursor() {
    let mut story = Story::review();
    story.open(Subject::Agent(reviewer()), Tab::Inbox);
    let mut asked = story.asks();
    story.answer(Request::Inbox(reviewer()), Reply::Inbox(page()));
    asked.extend(story.asks());
    for key in
        ["j", "k", "G", "g", "pgdn", "pgup", "enter", "j", "esc", "o", "q", "3", "2", "]", "["]
    {
        story.press(key);
        asked.extend(story.asks());
    }
    asked.retain(|request| {
        !matches!(
            request,
            Request::Inbox(_)
                | Request::Queue(_)
                | Request::Message(_)
                | Request::Runs(..)
                | Request::Run(_)
        )
    });
    assert_eq!(asked, []);
    assert!(story.screen().contains(crate::panes::inbox::LOOKING), "{}", story.screen());
}

#[test]
fn an_act_is_about_the_selected_message() {
    let tried = |seq: i64, key: &str| {
        let mut story = inbox();
        select(&mut story, seq);
        let screen = story.press(key).wait(200).screen();
        (story.press("y").acts(), screen)
    };
    assert_eq!(tried(2, "t").0, [Act::RetryMessage(MessageId::new(2))]);
    assert_eq!(tried(5, "L").0, [Act::ReleaseMessage(MessageId::new(5))]);
    let (acts, screen) = tried(6, "t");
    assert_eq!(acts, []);
    assert!(screen.contains("only a dead letter can be retried"), "{screen}");
    assert!(tried(1, "X").1.contains("it is done already"));
    assert!(tried(4, "X").1.contains("it is in a run, which x stops"));
}

#[test]
fn dropping_asks_for_the_number_of_the_message() {
    let mut story = inbox();
    select(&mut story, 5);
    story.press("X").type_in("msg_5").press("enter");
    assert_eq!(story.acts(), [Act::Drop(MessageId::new(5))]);
}

#[test]
fn the_cause_of_mail_is_its_line_in_the_channel() {
    let mut story = inbox();
    select(&mut story, 2);
    story.press("c");
    assert_eq!(story.app.model.place, Place::at(Subject::Workflow(review()), Tab::Channel));
    let around = crate::model::known::talks::Side::Around(MessageId::new(2));
    let asks = story.asks();
    assert!(matches!(asks.as_slice(), [.., Request::Page(_, _, side, _)] if *side == around));
}

#[test]
fn who_has_read_it_is_shown_below_once_it_is_known() {
    let mut story = inbox();
    assert!(story.asks().contains(&Request::Message(MessageId::new(6))));
    let detail = |seq: i64| MessageDetail {
        message: message(seq, "tester", "@reviewer one more"),
        bytes: 20,
        root: MessageId::new(1),
        deliveries: Vec::new(),
        read_by: vec![Reader {
            name: "coder".parse().unwrap(),
            run: None,
            at: Some(Timestamp(NOW)),
        }],
        sent_by: None,
        runs: Vec::new(),
        more_runs: false,
    };
    // Only one is asked for at a time; who runs past a message asks nothing of it.
    story.press("j").press("j").press("j");
    assert_eq!(story.asks(), []);
    let request = Request::Message(MessageId::new(6));
    story.answer(request, Reply::Message(Box::new(detail(6))));
    assert_eq!(story.asks(), [Request::Message(MessageId::new(3))]);
    story.press("g");
    assert!(story.main_pane().contains("read by: coder 14:06"), "{}", story.main_pane());
}

fn queued(position: i64, waits_for: WaitsFor, text: &str) -> Queued {
    Queued {
        position,
        reason: Cause::Mention,
        sender: Some("tester".parse().unwrap()),
        message: Some(MessageId::new(7 - position)),
        group: None,
        state: Some(DeliveryState::Pending),
        attempts: 0,
        since: Some(Timestamp(NOW - 60_000)),
        not_before: None,
        waits_for,
        text: text.to_owned(),
        hint: None,
    }
}

fn queue() -> Queue {
    let later = Queued {
        not_before: Some(Timestamp(NOW + 90_000)),
        attempts: 1,
        ..queued(2, WaitsFor::Backoff, "it is tried again at 14:07:42")
    };
    let held = Queued {
        state: Some(DeliveryState::Held),
        hint: Some("agent-worker release msg_4".to_owned()),
        ..queued(3, WaitsFor::Held, "the loop guard holds it")
    };
    let turn = queued(1, WaitsFor::Run, "run_8 is live: it reads this, or this is next");
    Queue { queue: vec![turn, later, held], more: false }
}

fn waiting() -> Story {
    let mut story = inbox();
    story.press("3");
    assert_eq!(story.asks(), [Request::Queue(reviewer())]);
    story.answer(Request::Queue(reviewer()), Reply::Queue(queue()));
    story
}

#[test]
fn a_time_of_the_next_attempt_that_has_passed_is_not_shown() {
    let mut story = inbox();
    assert!(story.main_pane().contains("again 14:07"), "{}", story.main_pane());
    story.app.model.now += 90_000;
    assert!(!story.main_pane().contains("again 14:07"), "{}", story.main_pane());
    let mut story = waiting();
    assert!(story.main_pane().contains("until 14:07"), "{}", story.main_pane());
    story.app.model.now += 90_000;
    assert!(!story.main_pane().contains("until 14:07"), "{}", story.main_pane());
}

#[test]
fn a_queue_says_what_each_of_it_waits_for() {
    let mut story = waiting();
    story.press("G");
    insta::assert_snapshot!(story.main_pane(), @r"
     ⧗ mention by tester      msg_6 since 14:05  live run
     ⧗ mention by tester      msg_5 since 14:05  until 14:07
    ❯⧗ mention by tester      msg_4 since 14:05  held
    ─ 3 of 3 ────────────────────────────────────────────────
     @all keep the schema as it is, add columns only.

     the loop guard holds it
     what would help: agent-worker release msg_4
    ");
}

#[test]
fn a_queue_that_has_changed_while_it_was_on_its_way_is_asked_for_again() {
    let mut story = waiting();
    let changed = || EventBody::DeliveryChanged(Box::new(delivery(6, DeliveryState::Acked)));
    story.happens(changed());
    assert_eq!(story.asks(), [Request::Queue(reviewer())]);
    story.happens(changed());
    assert_eq!(story.asks(), [], "one is on its way");
    story.answer(Request::Queue(reviewer()), Reply::Queue(queue()));
    assert_eq!(story.asks(), [Request::Queue(reviewer())]);
    story.answer(Request::Queue(reviewer()), Reply::Queue(queue()));
    assert_eq!(story.asks(), []);
}

#[test]
fn held_mail_is_released_from_the_queue_too() {
    let mut story = waiting();
    story.press("G").press("L").wait(200);
    assert_eq!(story.press("y").acts(), [Act::ReleaseMessage(MessageId::new(4))]);
}

#[test]
fn enter_shows_the_message_whole() {
    let mut story = inbox();
    story.press("enter");
    assert!(story.app.overlays.iter().all(|overlay| overlay.message().is_some()));
    assert_eq!(story.app.overlays.len(), 1);
    assert!(story.screen().contains("─ msg_6"), "{}", story.screen());
}

#[test]
fn an_act_is_done_to_all_marked_messages_that_it_means_something_for() {
    let mark = |story: &mut Story, seqs: &[i64]| {
        for seq in seqs {
            select(story, *seq);
            story.press("*");
        }
    };
    let mut story = inbox().sized(120, 24);
    mark(&mut story, &[5, 2]);
    let screen = story.screen();
    assert!(screen.contains("2 marked") && screen.contains("msg_5*"), "{screen}");
    story.press("L").wait(200);
    assert!(story.screen().contains("1 marked message is left out"), "{}", story.screen());
    assert_eq!(story.press("y").acts(), [Act::ReleaseMessage(MessageId::new(5))]);
    assert!(!story.screen().contains("marked"), "{}", story.screen());
    mark(&mut story, &[3, 1, 6]);
    story.press("X");
    let asked = story.overlay();
    assert!(asked.contains("drop 2 messages"), "{asked}");
    assert!(asked.contains("1 marked message is left out"), "{asked}");
    story.type_in("2").press("enter");
    let drop = |seq| Act::Drop(MessageId::new(seq));
    assert_eq!(story.acts(), [Act::Each(vec![drop(6), drop(3)])]);
}

#[test]
fn why_nothing_is_done_to_marked_messages_is_said_of_the_first() {
    let mut story = inbox();
    for seq in [1, 4] {
        select(&mut story, seq);
        story.press("*");
    }
    story.press("X");
    let refused = "nothing to do for the marked messages: it is in a run, which x stops";
    assert!(story.screen().contains(refused), "{}", story.screen());
}

#[test]
fn marks_end_with_escape_and_with_the_inbox() {
    let mut story = inbox();
    story.press("*").press("*");
    assert!(!story.screen().contains("marked"), "the same key ends one: {}", story.screen());
    story.press("*").press("esc");
    assert!(!story.screen().contains("marked"), "{}", story.screen());
    story.press("*").press("t");
    let refused = "nothing to do for the marked messages: only a dead letter can be retried";
    assert!(story.screen().contains(refused), "{}", story.screen());
    story.press("]").press("[");
    assert!(!story.screen().contains("1 marked"), "{}", story.screen());
}

#[test]
fn a_dead_letter_is_not_said_to_wait_beside_its_agent() {
    let mut story = waiting().sized(200, 60);
    let mut all = queue();
    all.queue.push(queued(4, WaitsFor::Dead, "it has failed"));
    story.answer(Request::Queue(reviewer()), Reply::Queue(all));
    let screen = story.press("1").screen();
    assert!(screen.contains("queue: 3 waiting, 1 dead"), "{screen}");
    assert!(screen.contains("msg_3    dead letter"), "{screen}");
}
