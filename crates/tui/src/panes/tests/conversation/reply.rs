//! A reply carries what it answers, from the key to the wire.

use agent_worker_protocol::{Document, EventBody, MessageId, Timestamp};

use crate::{
    model::{Address, Effect, Record, Reply, Request, writing::drafts::Draft},
    tests::{
        Story, message,
        story::{NOW, review},
    },
};

fn channel() -> Story {
    let mut story = Story::review();
    story.open_channel_with(vec![
        message(1, "coder", "what is it?"),
        message(2, "tester", "a cursor"),
    ]);
    story
}

/// What the last thing that happened sends, with what it answers.
fn sends(story: &Story) -> Vec<(String, Option<i64>)> {
    let sends = story.effects.iter().filter_map(|effect| match effect {
        Effect::Ask(Request::Send(sending)) => {
            Some((sending.text.clone(), sending.reply_to.map(MessageId::number)))
        }
        _ => None,
    });
    sends.collect()
}

/// What is kept on disk by the last thing that happened.
fn kept(story: &Story) -> Vec<Draft> {
    let kept = story.effects.iter().filter_map(|effect| match effect {
        Effect::Store(Record::Draft(_, draft)) => Some(draft.clone()),
        _ => None,
    });
    kept.collect()
}

fn answered(story: &Story) -> Option<i64> {
    story.app.model.writing.composer.reply_to.map(MessageId::number)
}

#[test]
fn a_reply_is_sent_with_the_message_that_it_answers() {
    let mut story = channel();
    story.press("K").press("K").press("r");
    assert!(story.screen().contains("   reply to msg_1   "), "{}", story.screen());
    story.type_in("this").press("enter");
    assert_eq!(sends(&story), [("> what is it?\n@coder this".to_owned(), Some(1))]);
    story.fail_send(None);
    story.press("enter");
    assert_eq!(sends(&story).len(), 1, "it is sent again as it was");
    assert_eq!(answered(&story), Some(1));
    let sending = story.app.model.writing.composer.sending.clone().unwrap();
    assert_eq!(sending.reply_to, Some(MessageId::new(1)));
}

#[test]
fn no_reply_is_offered_to_a_line_without_a_sender() {
    let mut story = channel();
    assert!(story.screen().contains(" r reply"), "{}", story.screen());
    let document = Document {
        scope: review(),
        file: "notes.md".to_owned(),
        version: 1,
        owner: None,
        author: "coder".parse().unwrap(),
        bytes: 40,
        updated_at: Timestamp(NOW),
    };
    story.happens(EventBody::DocumentChanged(document)).press("K");
    assert!(story.screen().contains("❯"), "{}", story.screen());
    assert!(!story.screen().contains(" r reply"), "{}", story.screen());
    story.press("K");
    assert!(story.screen().contains(" r reply"), "{}", story.screen());
}

#[test]
fn a_reply_waits_while_a_message_to_the_same_is_on_its_way() {
    let mut story = channel();
    story.press("i").type_in("one").press("enter");
    let sent = story.asks().pop().unwrap();
    story.press("esc").press("K").press("r");
    assert!(story.screen().contains("the message is on its way"), "{}", story.screen());
    let composer = &story.app.model.writing.composer;
    assert!(!composer.is_open && composer.text() == "one", "{composer:?}");
    story.answer(sent, Reply::Done(None)).press("K").press("r").type_in("two").press("enter");
    assert_eq!(sends(&story), [("> a cursor\n@tester two".to_owned(), Some(2))]);
}

#[test]
fn a_text_is_not_given_to_whom_another_is_on_its_way() {
    let mut story = channel();
    story.press("i").type_in("one").press("enter").press("esc");
    story.select_agent("coder@review").press("i").type_in("two").press("ctrl+t");
    story.type_in("review:main").press("enter");
    assert!(story.app.overlays.is_empty(), "{}", story.screen());
    let composer = &story.app.model.writing.composer;
    assert_eq!(
        (composer.address.to_string(), composer.text()),
        ("coder@review".into(), "two".into())
    );
    assert!(story.screen().contains("the message is on its way"), "{}", story.screen());
}

#[test]
fn what_is_written_without_a_reply_answers_no_message() {
    let mut story = channel();
    story.press("i").type_in("hello").press("enter");
    assert_eq!(sends(&story), [("hello".to_owned(), None)]);
    assert!(!story.screen().contains("reply to"), "{}", story.screen());
}

#[test]
fn a_draft_keeps_what_it_answers_until_its_text_is_deleted() {
    let mut story = channel();
    story.press("r").type_in("no");
    let effects = story.press("esc").effects.clone();
    assert_eq!(kept(&story).last().and_then(|draft| draft.reply_to), Some(MessageId::new(2)));
    assert!(!effects.is_empty());
    story.press("i");
    assert_eq!(answered(&story), Some(2), "{}", story.screen());
    story.press("esc").select_agent("coder@review");
    story.press("i");
    assert_eq!(answered(&story), None, "another address has a draft of its own");
    story.press("esc").open_channel();
    story.press("i");
    assert_eq!(answered(&story), Some(2));
    let letters = story.app.model.writing.composer.text().chars().count();
    for _ in 0..letters {
        story.press("backspace");
    }
    assert_eq!(answered(&story), None, "nothing is left of the reply");
    story.type_in("new").press("enter");
    assert_eq!(sends(&story), [("new".to_owned(), None)]);
}

#[test]
fn a_reply_with_another_address_answers_no_message() {
    let mut story = channel();
    story.press("r").type_in("no");
    let other = Address::Agent("coder@review".parse().unwrap());
    story.app.perform(vec![Effect::Retarget(other.clone())]);
    assert_eq!((answered(&story), &story.app.model.writing.composer.address), (None, &other));
}

#[test]
fn a_text_that_gets_the_address_it_has_stays_kept() {
    let mut story = channel();
    story.press("i").type_in("half").press("esc").press("i");
    let own = story.app.model.writing.composer.address.clone();
    story.app.perform(vec![Effect::Retarget(own.clone())]);
    assert_eq!(story.app.model.writing.composer.text(), "half");
    assert_eq!(story.app.model.writing.drafts.text(&own), "half");
    story.press("esc");
    assert!(kept(&story).iter().all(|draft| draft.text == "half"), "{:?}", story.effects);
}

#[test]
fn a_text_that_gets_another_address_stands_behind_what_was_begun_there() {
    let mut story = channel();
    story.press("i").type_in("begun").press("esc");
    let channel = story.app.model.writing.composer.address.clone();
    story.select_agent("coder@review").press("i").type_in("more");
    let coder = story.app.model.writing.composer.address.clone();
    story.app.perform(vec![Effect::Retarget(channel.clone())]);
    assert_eq!(story.app.model.writing.composer.text(), "begun\nmore");
    story.press("esc");
    let drafts = &story.app.model.writing.drafts;
    assert_eq!((drafts.text(&channel), drafts.text(&coder)), ("begun\nmore", ""));
    assert_eq!(kept(&story).pop().map(|draft| draft.text), Some("begun\nmore".to_owned()));
    story.app.perform(vec![Effect::Write(channel.clone(), String::new(), None)]);
    for _ in 0.."begun\nmore".len() {
        story.press("backspace");
    }
    story.press("esc");
    assert_eq!(story.app.model.writing.drafts.text(&channel), "", "an empty text is kept too");
}

#[test]
fn the_newest_reply_decides_what_a_begun_text_answers() {
    let mut story = channel();
    story.press("i").type_in("begun").press("esc").press("K").press("r");
    assert_eq!(answered(&story), Some(2));
    story.press("esc").press("K").press("r");
    assert_eq!(answered(&story), Some(1));
    assert!(story.app.model.writing.composer.text().starts_with("begun\n> a cursor"));
}

#[test]
fn a_reply_from_a_whole_message_carries_it_too() {
    let mut story = channel();
    story.press("K").press("enter").press("r");
    assert_eq!(answered(&story), Some(2), "{}", story.screen());
}
