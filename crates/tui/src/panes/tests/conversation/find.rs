use super::*;

/// A message of this number with so many lines: `Said 1.`, `Said 2.` and so on.
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
fn a_match_that_is_loaded_for_it_is_shown_unfolded() {
    let mut story = talked(1);
    story.press("R");
    story.answer(request(Side::Newest), page((51..=90).map(said).collect(), true));
    story.press("/").type_in("said 44.").press("enter");
    let (scope, group, text) = (review(), Conversation::Channel, "said 44.".to_owned());
    let asked = Request::Find { scope, group, text, side: Side::Before(MessageId::new(51)) };
    story.answer(asked, page(vec![long(6, 60)], true));
    let around = request(Side::Around(MessageId::new(6)));
    assert_eq!(story.asks(), [around.clone()]);
    story.answer(around, page(vec![said(5), long(6, 60), said(7)], true));
    let pane = story.main_pane();
    assert!(pane.contains("Said 44."), "{pane}");
}
