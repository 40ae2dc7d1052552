use agent_worker_protocol::{Hit, ResourceId};

use super::*;
use crate::tests::{long_text, team::hits};

/// A message of this number with `lines` lines: `Said 1.`, `Said 2.` and so on.
fn long(seq: i64, lines: usize) -> Message {
    let lines: Vec<_> = (1..=lines).map(|line| format!("Said {line}.")).collect();
    Message { content: lines.join("\n"), ..said(seq) }
}

#[test]
fn a_match_in_the_folded_part_of_a_message_is_shown() {
    for (lines, wanted, is_folded) in [(15, 3, true), (15, 14, false), (60, 44, false)] {
        let mut story = channel_of(30, 30);
        let short = (2..=30).map(said);
        story.open_channel_with(std::iter::once(long(1, lines)).chain(short).collect());
        story.press("/").type_in(&format!("said {wanted}.")).press("enter");
        assert_eq!(talk(&story).selected, Some(Mark::message(1)));
        let pane = story.main_pane();
        assert!(pane.contains(&format!("Said {wanted}.")), "{pane}");
        assert_eq!(pane.contains("more lines, Enter"), is_folded, "{pane}");
    }
}

#[test]
fn a_match_that_is_broken_over_rows_is_shown() {
    let wanted: Vec<_> = (1_500..1_507).map(|number| format!("Word{number}")).collect();
    let mut story = channel_of(30, 30);
    let broken = Message { content: words(1_000), ..said(1) };
    story.open_channel_with(std::iter::once(broken).chain((2..=30).map(said)).collect());
    story.press("/").type_in(&wanted.join(" ")).press("enter");
    assert_eq!(talk(&story).selected, Some(Mark::message(1)));
    let pane = story.main_pane();
    assert!(wanted.iter().all(|word| pane.contains(word)), "{pane}");
}

#[test]
fn a_match_that_is_loaded_for_it_is_shown_unfolded() {
    let mut story = talked(1);
    story.press("R");
    story.answer(request(Side::Newest), page((51..=90).map(said).collect(), true));
    story.press("/").type_in("said 44.").press("enter");
    let (scope, group, text) = (review(), Conversation::Channel, "said 44.".to_owned());
    let asked = Request::Find { scope, group, text, side: Side::Before(MessageId::new(51)) };
    story.answer(asked, page(vec![long(6, 60)], true));
    let around = request(Side::Around(MessageId::new(6)));
    assert_eq!(story.asks(), std::slice::from_ref(&around));
    story.answer(around, page(vec![said(5), long(6, 60), said(7)], true));
    let pane = story.main_pane();
    assert!(pane.contains("Said 44."), "{pane}");
}

#[test]
fn the_whole_text_of_a_message_that_is_found_begins_at_the_match() {
    let mut story = channel_of(30, 30);
    story.open_channel_with(std::iter::once(long(1, 60)).chain((2..=30).map(said)).collect());
    story.press("/").type_in("said 30.").press("enter").press("o");
    let screen = story.screen();
    assert_eq!(screen.lines().nth(1).map(str::trim), Some("Said 30."), "{screen}");
}

#[test]
fn a_message_that_a_search_in_everything_has_found_is_shown_whole_from_the_word_on() {
    let content = "a line\n".repeat(100) + "the cursor\n" + &"a line\n".repeat(100);
    let mut story = channel_of(2, 2);
    story.open_channel_with(
        [1, 2].map(|seq| Message { content: content.clone(), ..said(seq) }).into(),
    );
    let hit = hits("cursor").hits.remove(0);
    story.go_to_found(Hit { scope: review(), message: Some(MessageId::new(1)), ..hit });
    let first = |story: &Story| story.screen().lines().nth(1).map(|row| row.trim().to_owned());
    story.press("o");
    assert_eq!(first(&story).as_deref(), Some("the cursor"), "{}", story.screen());
    story.press("q").press("J").press("o");
    assert_eq!(first(&story).as_deref(), Some("a line"), "another message was not found");
}

#[test]
fn the_ends_of_long_messages_are_searched_too() {
    let resource = Some(ResourceId::new(5));
    let cut = Message { resource, ..message(2, "coder", "l0 to l9") };
    let mut story = channel_of(3, 3);
    story.open_channel_with(vec![message(1, "tester", "l300"), cut.clone(), said(3)]);
    let asked = |side| {
        let (scope, group, text) = (review(), Conversation::Channel, "l300".to_owned());
        Request::Find { scope, group, text, side }
    };
    let selected = |story: &Story| talk(story).selected.map(|mark| mark.seq);
    story.press("/").type_in("l300").press("enter");
    let older = asked(Side::Before(MessageId::new(3)));
    assert_eq!(story.asks(), std::slice::from_ref(&older));
    story.answer(older, page(vec![cut], true));
    assert_eq!(selected(&story), Some(2));
    let screen = story.screen();
    assert!(screen.contains("the match is in the whole text: o opens it"), "{screen}");
    let whole = Request::Resource(review(), ResourceId::new(5), "l300".to_owned());
    story.press("o");
    assert!(story.asks().contains(&whole), "{:?}", story.effects);
    let lines: Vec<_> = (0..400).map(|line| format!("l{line}")).collect();
    story.answer(whole, long_text(5, lines.join("\n")));
    assert_eq!(story.screen().lines().nth(1).map(str::trim), Some("l300"), "{}", story.screen());
    story.press("q").press("n");
    assert_eq!(selected(&story), Some(1), "what is loaded holds it");
    story.press("N");
    assert_eq!(story.asks(), [asked(Side::After(MessageId::new(1)))]);
    story.disconnect().press("N");
    assert_eq!((selected(&story), story.asks()), (Some(1), Vec::new()), "only a daemon can tell");
}
