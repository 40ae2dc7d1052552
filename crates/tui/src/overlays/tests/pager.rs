//! A whole text, in windows of several widths.

use crate::{
    app::Msg,
    model::{Effect, Window},
    tests::Story,
};

/// A text of lines that take two rows each on 80x24.
fn pager() -> Story {
    let mut story = Story::review();
    let line = |number: u32| format!("line {number} {}\n", "of it ".repeat(20));
    let text: String = (1..=100).map(line).collect();
    story.app.open(Window::pager("a text".to_owned(), &text));
    story
}

/// The number of the first line whose beginning is on the screen.
fn first(story: &Story) -> Option<u32> {
    let screen = story.screen();
    let number = |row: &str| row.trim().strip_prefix("line ")?.split(' ').next()?.parse().ok();
    screen.lines().find_map(number)
}

#[test]
fn a_text_begins_at_its_first_match_also_in_the_first_line() {
    let text = "a line\n".repeat(100) + "the end\n" + &"a line\n".repeat(100);
    for (find, row, seen) in
        [("line", "a line", 21), ("the end", "the end", 121), ("absent", "a line", 21)]
    {
        let mut story = Story::review();
        story.app.open(Window::finding("a text", &text, find));
        let screen = story.screen();
        assert_eq!(screen.lines().nth(1).map(str::trim), Some(row), "{screen}");
        assert!(screen.contains(&format!(" {seen} of 201 lines")), "{screen}");
    }
}

#[test]
fn a_wider_window_shows_the_same_part_of_a_text() {
    let mut story = pager();
    story.press("G").press("pgup").press("pgup").press("pgup");
    let before = first(&story).unwrap();
    assert!(before > 50, "{}", story.screen());
    story.tell(Msg::Resize(200, 24));
    let after = first(&story);
    assert!(after == Some(before) || after == Some(before - 1), "{}", story.screen());
    story.tell(Msg::Resize(80, 24));
    assert!(first(&story).is_some_and(|first| first.abs_diff(before) < 2), "{}", story.screen());
}

#[test]
fn what_is_selected_stays_so_in_a_wider_window() {
    let mut story = pager();
    for key in ["j", "j", "j", "j", "V"] {
        story.press(key);
    }
    story.tell(Msg::Resize(200, 24)).press("y");
    let copied = story.effects.iter().find_map(|effect| match effect {
        Effect::Copy(text) => Some(text.as_str()),
        _ => None,
    });
    assert!(copied.is_some_and(|text| text.starts_with("line 3 ") && !text.contains("line 4")));
}

#[test]
fn the_end_of_a_text_fills_a_wider_window() {
    let mut story = pager();
    story.press("G").tell(Msg::Resize(200, 24));
    let screen = story.screen();
    let rows = screen.lines().filter(|row| row.trim().starts_with("line ")).count();
    assert!(rows >= 20, "{screen}");
    let before = first(&story).unwrap();
    story.press("k");
    assert_eq!(first(&story), Some(before - 1));
}
