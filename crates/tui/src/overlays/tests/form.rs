//! Forms, of any length.

use crate::{
    model::{
        Reply, Request,
        known::files::{Found, Setting},
    },
    screen,
    tests::Story,
};

/// A form with a field for each of twelve params, on 80x24.
fn long() -> Story {
    let mut story = Story::review();
    story.press("s");
    let param = |number: u8| {
        let name = format!("param-{number}");
        Setting { name, default: None, about: None }
    };
    let params = (1..=12).map(param).collect();
    let file = Found { path: "long.yaml".to_owned(), params };
    story.answer(Request::Files, Reply::Files(vec![file]));
    story.type_in("long.yaml");
    story
}

/// The row of the box that the caret is in.
fn at_caret(story: &Story) -> String {
    let (_, y) = screen::draw(&story.app).caret.unwrap();
    let screen = story.screen();
    let row = screen.lines().nth(usize::from(y)).unwrap_or_default();
    let overlay = story.overlay();
    let is_in_box = |line: &&str| row.contains(line) && line.starts_with('│');
    overlay.lines().find(is_in_box).unwrap_or_default().to_owned()
}

#[test]
fn the_field_with_the_caret_is_seen_in_a_form_of_any_length() {
    let mut story = long();
    let mut names = vec!["file".to_owned(), "tag".to_owned()];
    names.extend((1..=12).map(|number| format!("param-{number}")));
    for name in names.iter().chain(&names) {
        let row = at_caret(&story);
        assert!(row.contains(&format!(" {name} ")), "{name}: {}", story.screen());
        story.press("tab");
    }
}

#[test]
fn what_is_wrong_is_seen_in_a_form_of_any_length() {
    let mut story = long();
    story.press("enter");
    assert!(story.overlay().contains("`param-1` needs a value"), "{}", story.screen());
}
