//! The log of events on the screen.

use std::ops::RangeInclusive;

use agent_worker_client::FeedItem;
use agent_worker_protocol::{
    channel::Message,
    conversation::Conversation,
    event::{EventBody, EventPage, LoggedEvent, Reset},
    id::MessageId,
    time::Timestamp,
};

use crate::{
    app::Msg,
    model::{
        place::{Subject, Tab},
        requests::{Reply, Request},
    },
    tests::{NOW, Story, message, review, snapshot},
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
    let request = Request::Log(None, None);
    assert!(story.asks().contains(&request), "{:?}", story.effects);
    let page = EventPage {
        newest: *seqs.end(),
        events: seqs.map(logged).collect(),
        more: false,
        next: None,
        epoch: "e".to_owned(),
        oldest: 1,
    };
    story.answer(request, Reply::Log(page));
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
fn a_message_is_shown_in_its_conversation_or_alone_where_that_is_unknown() {
    let mut story = Story::review();
    story.open(Subject::All, Tab::Events);
    load(&mut story, 91..=100);
    story.press("enter");
    let shown = story.app.overlays.last().and_then(|overlay| overlay.message());
    assert_eq!(shown, Some(MessageId::new(100)), "{}", story.screen());
    story.press("esc");
    let group = Conversation::Direct("coder".parse().unwrap(), "user".parse().unwrap());
    let said = Message { group: group.clone(), ..message(101, "coder", "hello") };
    story.happens(EventBody::MessageSent { message: Box::new(said), deliveries: Vec::new() });
    story.press("enter");
    assert_eq!(story.app.model.place.subject, Subject::Talk(review(), group));
}

#[test]
fn while_an_event_is_selected_no_more_are_kept_than_twice_as_many() {
    let happens = |story: &mut Story| {
        let message = Box::new(message(1, "coder", "hello"));
        story.happens(EventBody::MessageSent { message, deliveries: Vec::new() });
    };
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
