//! The log of events on the screen.

use std::ops::RangeInclusive;

use agent_worker_client::FeedItem;
use agent_worker_protocol::{
    Conversation, EventBody, EventPage, Group, LoggedEvent, Message, MessageId, Reset, Timestamp,
};

use crate::{
    app::Msg,
    model::{
        place::{Subject, Tab},
        requests::{LogPage, Reply, Request},
    },
    tests::{NOW, Story, channel, message, review, snapshot},
};

fn logged(seq: i64) -> LoggedEvent {
    LoggedEvent {
        seq,
        scope: review(),
        kind: "message.sent".to_owned(),
        subject: format!("msg_{seq}"),
        run: None,
        actor: "user".to_owned(),
        at: Timestamp(NOW + seq),
        body: serde_json::Value::Null,
    }
}

/// The daemon answers with these as the newest.
fn load(story: &mut Story, seqs: RangeInclusive<i64>) {
    assert_eq!(asked(story), [LogPage::Newest]);
    answer(story, LogPage::Newest, seqs.map(logged).collect(), None);
}

/// The daemon answers with this page, and where the one behind it begins.
fn answer(story: &mut Story, page: LogPage, events: Vec<LoggedEvent>, next: Option<i64>) {
    let (epoch, newest) = ("e".to_owned(), events.last().map_or(0, |event| event.seq));
    let events = EventPage { events, more: next.is_some(), next, epoch, oldest: 1, newest };
    story.answer(Request::Log(None, page), Reply::Log(events));
}

/// The pages of the log that are asked for.
fn asked(story: &Story) -> Vec<LogPage> {
    let asks = story.asks().into_iter().filter_map(|request| match request {
        Request::Log(None, page) => Some(page),
        _ => None,
    });
    asks.collect()
}

/// Something happens.
fn happens(story: &mut Story) {
    let message = Box::new(message(1, "coder", "hello"));
    story.happens(EventBody::MessageSent { message, deliveries: Vec::new() });
}

/// How many events are listed, and which one is selected.
fn listed(story: &Story) -> (usize, Option<usize>) {
    let (lines, at) = story.app.pane().lines(&story.app.model);
    (lines.len(), at)
}

#[test]
fn events_of_another_database_are_not_among_those_of_this_one() {
    let mut story = Story::review();
    story.open(Subject::All, Tab::Events);
    load(&mut story, 91..=100);
    story.press("k");
    assert_eq!(listed(&story), (10, Some(8)));
    story.disconnect();
    let reset = Reset { epoch: "f".to_owned(), seq: 5, reason: "it was restored".to_owned() };
    story.tell(Msg::Feed(FeedItem::Reset(reset)));
    let mut older = snapshot();
    (older.epoch, older.seq) = ("f".to_owned(), 5);
    story.tell(Msg::Snapshot(Ok(Box::new(older))));
    load(&mut story, 1..=5);
    assert_eq!(listed(&story), (5, Some(4)), "{}", story.screen());
}

#[test]
fn a_long_field_of_an_event_stands_apart_from_its_value() {
    let mut story = Story::review();
    story.open(Subject::All, Tab::Events);
    assert_eq!(asked(&story), [LogPage::Newest]);
    let body = serde_json::json!({ "only_if_unread": true });
    answer(&mut story, LogPage::Newest, vec![LoggedEvent { body, ..logged(91) }], None);
    assert!(story.screen().contains("only_if_unread true"), "{}", story.screen());
}

#[test]
fn a_message_is_shown_in_its_conversation_or_alone_where_that_is_unknown() {
    let mut story = Story::review();
    story.open(Subject::All, Tab::Events);
    load(&mut story, 91..=100);
    story.press("enter");
    let shown = story.app.overlays.last().and_then(|overlay| overlay.message());
    assert_eq!(shown, Some(MessageId::new(100)), "{}", story.screen());
    story.press("esc");
    let group = Conversation::Direct("coder".parse().unwrap(), "user".parse().unwrap());
    let begun = Group { name: group.clone(), ..channel(&review(), 0, 0) };
    story.happens(EventBody::GroupChanged(begun));
    let said = Message { group: group.clone(), ..message(101, "coder", "hello") };
    story.happens(EventBody::MessageSent { message: Box::new(said), deliveries: Vec::new() });
    story.press("enter");
    assert_eq!(story.app.model.place.subject, Subject::Talk(review(), group));
}

#[test]
fn an_event_of_a_workflow_that_is_gone_leads_nowhere_and_says_so() {
    let mut story = Story::review();
    story.open(Subject::All, Tab::Events);
    load(&mut story, 91..=100);
    story.happens(EventBody::WorkflowRemoved { scope: review() });
    let place = story.app.model.place.clone();
    story.press("enter");
    assert!(story.screen().contains("workflow review:main is gone"), "{}", story.screen());
    assert_eq!(story.app.model.place, place);
}

#[test]
fn the_times_of_an_event_are_read_as_times() {
    let mut story = Story::review().sized(120, 40);
    story.open(Subject::All, Tab::Events);
    assert_eq!(asked(&story), [LogPage::Newest]);
    let body = serde_json::json!({ "spoke_at": NOW, "not_before": NOW + 1_000, "cause": 7 });
    answer(&mut story, LogPage::Newest, vec![LoggedEvent { body, ..logged(100) }], None);
    let screen = story.screen();
    for told in ["spoke_at    14:06:12", "not_before  14:06:13", "cause       7"] {
        assert!(screen.contains(told), "{told}: {screen}");
    }
}

#[test]
fn a_filter_tells_how_many_events_it_lets_through_itself() {
    let mut story = Story::review();
    story.open(Subject::All, Tab::Events);
    load(&mut story, 91..=100);
    for (text, told) in [("nosuch", "no line matches"), ("kind:message", "10 lines match")] {
        story.press("&").press("ctrl+u").type_in(text).press("enter");
        assert!(story.screen().contains(told), "{text}: {}", story.screen());
    }
}

#[test]
fn while_an_event_is_selected_no_more_are_kept_than_twice_as_many() {
    let mut story = Story::review();
    story.open(Subject::All, Tab::Events);
    load(&mut story, 91..=100);
    story.press("k");
    for _ in 0..5_000 {
        happens(&mut story);
    }
    let (lines, at) = story.app.pane().lines(&story.app.model);
    assert!(lines.len() <= 4_000, "{}", lines.len());
    assert!(lines[at.unwrap()].contains(" msg_99 "), "{}", lines[at.unwrap()]);
    let note = story.app.pane().note(&story.app.model).text();
    assert!(note.ends_with("+ below"), "{note}");
    story.press("G");
    load(&mut story, 5_001..=5_100);
    happens(&mut story);
    assert_eq!(listed(&story), (101, Some(100)));
}

#[test]
fn the_first_event_is_one_key_away_and_the_log_goes_on_from_there_without_a_gap() {
    let mut story = Story::review();
    story.open(Subject::All, Tab::Events);
    answer(&mut story, LogPage::Newest, (81..=100).map(logged).collect(), Some(81));
    story.press("g");
    assert_eq!((asked(&story), listed(&story)), (vec![LogPage::OLDEST], (20, Some(0))));
    answer(&mut story, LogPage::OLDEST, (1..=30).map(logged).collect(), Some(30));
    story.press("g");
    assert_eq!((asked(&story), listed(&story)), (vec![], (30, Some(0))));
    let note = story.app.pane().note(&story.app.model).text();
    assert_eq!(note, "paused, 29+ below");
    happens(&mut story);
    assert_eq!(listed(&story), (30, Some(0)), "event 101 does not follow event 30");
    story.type_in("jjjjjjjjj");
    assert_eq!((asked(&story), listed(&story)), (vec![LogPage::After(30)], (30, Some(9))));
    happens(&mut story);
    answer(&mut story, LogPage::After(30), (31..=101).map(logged).collect(), None);
    assert_eq!(listed(&story), (102, Some(9)), "event 102 came meanwhile");
    story.press("G");
    assert_eq!((asked(&story), listed(&story)), (vec![], (102, Some(101))));
}

#[test]
fn the_first_event_that_is_asked_for_does_not_come_after_the_newest_was_gone_to() {
    let mut story = Story::review();
    story.open(Subject::All, Tab::Events);
    answer(&mut story, LogPage::Newest, (81..=100).map(logged).collect(), Some(81));
    story.press("g").press("G");
    answer(&mut story, LogPage::OLDEST, (1..=30).map(logged).collect(), Some(30));
    assert_eq!(listed(&story), (20, Some(19)));
}

#[test]
fn the_first_error_is_looked_for_until_it_is_found() {
    let mut story = Story::review();
    story.open(Subject::All, Tab::Events);
    answer(&mut story, LogPage::Newest, (81..=100).map(logged).collect(), Some(81));
    story.press("!").press("g");
    answer(&mut story, LogPage::OLDEST, (1..=30).map(logged).collect(), Some(30));
    assert_eq!(asked(&story), [LogPage::After(30)]);
    assert!(story.main_pane().contains("loading"), "{}", story.screen());
    let body = serde_json::json!({ "state": "dead" });
    let dead = LoggedEvent { kind: "delivery.changed".to_owned(), body, ..logged(31) };
    answer(&mut story, LogPage::After(30), vec![dead, logged(32)], Some(32));
    assert_eq!((asked(&story), listed(&story)), (vec![], (1, Some(0))));
}

#[test]
fn the_first_error_is_looked_for_in_twenty_pages_at_a_time() {
    let mut story = Story::review();
    story.open(Subject::All, Tab::Events);
    answer(&mut story, LogPage::Newest, (981..=1_000).map(logged).collect(), Some(981));
    story.press("!");
    for (key, pages) in [("g", 0..20), ("j", 20..40)] {
        story.press(key);
        for number in pages {
            let page = LogPage::After(number * 10);
            assert_eq!(asked(&story), [page]);
            let (first, last) = (number * 10 + 1, number * 10 + 10);
            answer(&mut story, page, (first..=last).map(logged).collect(), Some(last));
        }
        assert_eq!(asked(&story), []);
    }
    let told = story.app.model.prompt.notice.as_ref().map(|notice| notice.text.as_str());
    assert_eq!(told, Some("nothing of this kind up to event 400: j looks further"));
}
