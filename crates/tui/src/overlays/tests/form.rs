//! Forms, of any length.

use crate::{
    model::{
        Reply, Request, Subject, Tab,
        known::files::{Found, Setting},
    },
    mouse::MouseKind,
    screen,
    tests::{Story, review},
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

/// A start form that lists a file for each number.
fn listing(numbers: impl Iterator<Item = u8>) -> Story {
    let mut story = Story::review();
    story.press("s");
    let file = |at: u8| Found { path: format!("flow-{at}.yaml"), params: Vec::new() };
    story.answer(Request::Files, Reply::Files(numbers.map(file).collect()));
    story
}

fn marked(story: &Story) -> Option<usize> {
    story.app.overlays.last().unwrap().marked()
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

#[test]
fn what_is_wrong_is_seen_whole_and_above_the_files() {
    let mut story = Story::review();
    story.press("s");
    let setting = Setting { name: "of_a_long_name".repeat(6), default: None, about: None };
    let files = [("flow.yaml", vec![setting]), ("flow-2.yaml", Vec::new())];
    let files = files.map(|(path, params)| Found { path: path.to_owned(), params });
    story.answer(Request::Files, Reply::Files(files.to_vec()));
    story.type_in("flow.yaml").press("enter");
    let overlay = story.overlay();
    assert!(overlay.contains("needs a value"), "{overlay}");
}

#[test]
fn enter_takes_the_file_that_was_chosen_after_the_last_letter() {
    let mut story = listing(10..50);
    story.type_in("flow-2").press("down").press("enter");
    assert_eq!(story.asks(), []);
    let overlay = story.overlay();
    assert!(overlay.contains("flow-21.yaml") && !overlay.contains("flow-20"), "{overlay}");
    story.press("enter");
    let start = Request::Start { path: "flow-21.yaml".to_owned(), tag: None, params: Vec::new() };
    assert_eq!(story.asks(), [start]);

    let mut story = listing(10..50);
    story.press("down").type_in("flow").press("enter");
    let start = Request::Start { path: "flow".to_owned(), tag: None, params: Vec::new() };
    assert_eq!(story.asks(), [start], "a letter after it asks for what is written");
}

#[test]
fn the_list_of_files_moves_by_pages() {
    let mut story = listing(10..50);
    story.press("pgdn").press("pgdn");
    assert_eq!(marked(&story), Some(12));
    story.press("pgup");
    assert_eq!(marked(&story), Some(6));
}

#[test]
fn the_wheel_leaves_the_mark_while_no_file_is_listed() {
    let mut story = listing(10..50);
    story.press("down").press("down").press("shift+tab").button(MouseKind::WheelDown, (40, 12));
    story.press("shift+tab");
    assert_eq!(marked(&story), Some(2), "{}", story.overlay());
}

#[test]
fn one_file_is_counted_as_one() {
    let story = listing(10..11);
    assert!(story.overlay().contains("1 of 1 file "), "{}", story.overlay());
}

#[test]
fn a_failed_workflow_is_started_again_under_its_tag() {
    let mut story = Story::team();
    story.visit(Subject::Workflow("@release:v2".parse().unwrap()), Tab::Channel);
    story.press("s").type_in("release.yaml").press("enter");
    let (path, tag) = ("release.yaml".to_owned(), Some("v2".to_owned()));
    assert_eq!(story.asks(), [Request::Start { path, tag, params: Vec::new() }]);
}

#[test]
fn a_new_agent_is_of_the_workflow_that_is_shown() {
    let mut story = Story::review();
    story.open_channel().press("plus");
    let form = story.overlay();
    assert!(form.contains("new agent in @review"), "{form}");
    story.type_in("zoe");
    story.press("enter");
    let (scope, name) = (review(), "zoe".to_owned());
    assert_eq!(story.asks(), [Request::New { scope, name, model: None }]);
}
