use super::*;
use crate::app::Msg;

fn go(story: &mut Story, text: &str) {
    story.press("@").type_in(text).press("enter");
}

fn selected(story: &Story) -> Option<i64> {
    talk(story).selected.map(|mark| mark.seq)
}

#[test]
fn a_message_from_ten_minutes_ago_is_six_keys_away() {
    // One message a second, the first of them ten minutes ago.
    let mut story = talked(90);
    go(&mut story, "9m");
    assert_eq!(selected(&story), Some(60));
    assert!(rows(&story)[0].contains("message 60."), "{:?}", rows(&story));
    go(&mut story, "13:57");
    assert_eq!(selected(&story), Some(48));
    story.press("G");
    assert_eq!(selected(&story), None);
}

#[test]
fn a_time_after_the_newest_message_is_its_end() {
    let mut story = talked(90);
    go(&mut story, "20m");
    assert_eq!(selected(&story), Some(1), "nothing is older");
    go(&mut story, "2s");
    assert_eq!(selected(&story), None);
    assert!(story.screen().contains("no message since 14:06:10"), "{}", story.screen());
}

#[test]
fn a_time_that_is_not_loaded_is_asked_for() {
    let mut story = talked(1);
    story.press("R");
    story.answer(request(Side::Newest), page((51..=90).map(said).collect(), true));
    go(&mut story, "595s");
    let asked = Request::Since(review(), Conversation::Channel, Timestamp(NOW - 595_000));
    assert_eq!(story.asks(), std::slice::from_ref(&asked));
    story.answer(asked.clone(), page(vec![said(5)], true));
    assert_eq!(story.asks(), [request(Side::Around(MessageId::new(5)))]);
    story.answer(asked, page(Vec::new(), false));
    assert_eq!(selected(&story), None, "nothing came since");
}

#[test]
fn what_is_no_time_is_said_where_it_is_written() {
    let mut story = talked(9);
    go(&mut story, "soon");
    assert!(story.overlay().contains("`soon` is not a time: write 10m"), "{}", story.overlay());
    story.type_in("er");
    assert!(!story.overlay().contains("is not a time"), "{}", story.overlay());
    story.press("esc");
    assert!(story.app.overlays.is_empty());
}

#[test]
fn without_a_connection_only_what_is_loaded_is_gone_to() {
    let mut story = talked(1);
    story.press("R");
    story.answer(request(Side::Newest), page((51..=90).map(said).collect(), true));
    story.disconnect();
    go(&mut story, "595s");
    assert!(story.overlay().contains("not connected"), "{}", story.overlay());
}

#[test]
fn away_from_the_end_the_place_of_the_message_and_its_time_are_shown() {
    let mut story = talked(90);
    story.tell(Msg::Resize(120, 24));
    assert!(!story.screen().contains("of 90"), "{}", story.screen());
    story.press("g");
    assert!(story.screen().contains("1 of 90 13:56:13"), "{}", story.screen());
    go(&mut story, "9m");
    assert!(story.screen().contains("60 of 90 13:57:12"), "{}", story.screen());
}
