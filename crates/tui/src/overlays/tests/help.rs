//! The help: its lines are marked, and do what their keys do.

use crate::tests::Story;

/// The help of a channel that has focus.
fn help() -> Story {
    let mut story = Story::review();
    story.open_channel().press("?");
    story
}

/// That the help is still there, with this notice.
fn assert_told(story: &Story, words: &str) {
    let told = story.app.model.prompt.notice.as_ref().map(|notice| notice.text.as_str());
    assert_eq!((story.app.overlays.len(), told), (1, Some(words)), "{}", story.screen());
    assert!(story.acts().is_empty() && story.sends().is_empty(), "{:?}", story.effects);
}

#[test]
fn enter_on_a_line_of_the_help_does_what_its_key_does() {
    let mut story = help();
    story.type_in("write here").press("enter");
    assert!(story.app.overlays.is_empty(), "{}", story.screen());
    assert!(story.app.model.writing.composer.is_open);
    let mut story = help();
    story.press("enter");
    assert!(story.app.model.writing.composer.is_open, "the first line is marked");
}

#[test]
fn a_line_that_means_nothing_where_the_help_was_opened_says_so() {
    for words in ["look at it in $EDITOR", "retry failed work"] {
        let mut story = help();
        story.type_in(words).press("enter");
        assert_told(&story, &format!("not where the help was opened: {words}"));
    }
    let mut story = Story::review();
    story.open_channel().press("i").type_in("half").press("f1").press("enter");
    assert_told(&story, "not where the help was opened: send it");
}

#[test]
fn the_marked_line_of_the_help_is_seen_from_the_first_to_the_last() {
    let mut story = help();
    assert!(story.overlay().contains("\u{276f} i "), "{}", story.overlay());
    story.press("down");
    assert!(story.overlay().contains("\u{276f} r "), "{}", story.overlay());
    for _ in 0..40 {
        story.press("pgdn");
    }
    assert!(story.overlay().contains("\u{276f} * "), "{}", story.overlay());
    for _ in 0..40 {
        story.press("pgup");
    }
    let overlay = story.overlay();
    assert!(overlay.contains("\u{276f} i ") && overlay.contains(" Channel "), "{overlay}");
    story.type_in("legend").press("down").press("esc");
    assert!(story.overlay().contains("\u{276f} i "), "another list: {}", story.overlay());
}
