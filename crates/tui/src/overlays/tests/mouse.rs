//! The mouse over boxes: clicks in their lists, and beside them.

use crate::{
    app::Msg,
    model::{Focus, Reply, Request, Subject, Tab, Window, known::files::Found},
    mouse::{Mouse, MouseKind},
    tests::{Story, question, team},
};

impl Story {
    /// A button is pressed in this cell.
    pub(super) fn button(&mut self, kind: MouseKind, (x, y): (u16, u16)) -> &mut Self {
        self.tell(Msg::Mouse(Mouse { kind, x, y }))
    }

    /// A button is pressed on the first of these words on the screen.
    pub(super) fn button_on(&mut self, kind: MouseKind, words: &str) -> &mut Self {
        let screen = self.screen();
        let mut rows = screen.lines().enumerate();
        let found = rows.find_map(|(y, row)| Some((row.split_once(words)?.0.chars().count(), y)));
        let (x, y) = found.unwrap_or_else(|| panic!("{words}: {screen}"));
        self.button(kind, (u16::try_from(x).unwrap(), u16::try_from(y).unwrap()))
    }

    /// The marked line of the list over the panes.
    fn marked(&self) -> Option<String> {
        self.app.overlays.last().and_then(|overlay| overlay.choice())
    }
}

#[test]
fn a_click_marks_a_line_of_a_list_and_a_double_click_takes_it() {
    let mut story = Story::review();
    let tester = "tester tester@review";
    story.press("f").button_on(MouseKind::Click, tester);
    assert_eq!(story.marked().as_deref(), Some(tester));
    story.button_on(MouseKind::DoubleClick, "coder coder@review");
    story.button_on(MouseKind::RightClick, "coder coder@review");
    assert_eq!(story.marked().as_deref(), Some(tester), "no click was before it");
    story.button_on(MouseKind::DoubleClick, tester);
    assert!(story.app.overlays.is_empty(), "{}", story.screen());
    let subject = Subject::Agent("tester@review".parse().unwrap());
    assert_eq!(story.app.model.place.subject, subject);
}

/// The list of everything with a name, with its mark below the lines that are shown first, and the
/// place of one of its lines.
fn scrolled() -> (Story, (u16, u16)) {
    let mut story = Story::team();
    story.press("f");
    for _ in 0..20 {
        story.press("down");
    }
    let screen = story.screen();
    let top = screen.lines().position(|line| line.contains("─ jump ─")).unwrap();
    (story, (40, u16::try_from(top + 5).unwrap()))
}

/// The box, without the mark.
fn lines(story: &Story) -> String {
    story.overlay().replace('\u{276f}', " ")
}

#[test]
fn a_click_in_a_list_that_was_scrolled_moves_no_line() {
    let (mut story, fifth) = scrolled();
    let before = lines(&story);
    story.button(MouseKind::Click, fifth);
    assert_eq!(lines(&story), before);
    let marked = story.marked().unwrap();
    assert!(before.lines().nth(5).unwrap().contains(&marked), "{marked}: {before}");
    story.press("up").press("up").press("up");
    let above = story.overlay();
    let first = above.lines().nth(3).unwrap();
    assert!(first.contains(&story.marked().unwrap()), "it scrolls when the mark is above: {above}");
    story.press("down").button(MouseKind::Click, fifth).button(MouseKind::DoubleClick, fifth);
    assert!(story.app.overlays.is_empty(), "{}", story.screen());
}

#[test]
fn other_lines_of_a_list_that_was_clicked_begin_at_the_first() {
    let (mut story, fifth) = scrolled();
    story.button(MouseKind::Click, fifth).type_in("e");
    let (before, first) = (lines(&story), story.marked());
    story.press("down");
    assert_ne!(story.marked(), first);
    assert_eq!(lines(&story), before);
}

#[test]
fn going_up_in_a_list_that_was_clicked_and_down_again_moves_its_lines_once() {
    let (mut story, fifth) = scrolled();
    story.button(MouseKind::Click, fifth);
    for _ in 0..6 {
        story.press("up");
    }
    let above = lines(&story);
    for _ in 0..6 {
        story.press("down");
        assert_eq!(lines(&story), above);
    }
}

/// The help of a channel in a window of this height, with its last line marked.
fn help_at_its_end(height: u16) -> Story {
    let mut story = Story::review().sized(80, height);
    story.open_channel().press("?");
    for _ in 0..40 {
        story.press("pgdn");
    }
    story
}

#[test]
fn a_list_that_was_clicked_fills_a_window_that_grows() {
    let mut story = help_at_its_end(24);
    story.button_on(MouseKind::Click, "marked: ").tell(Msg::Resize(80, 60));
    assert_eq!(story.overlay(), help_at_its_end(60).overlay());
}

#[test]
fn a_click_beside_a_box_does_what_esc_does_unless_a_text_would_be_lost() {
    let beside = (0, 12);
    let mut story = Story::review();
    story.press("f").button(MouseKind::Click, (1, 23));
    assert_eq!(story.app.overlays.len(), 1, "the last line tells its keys");
    story.button(MouseKind::Click, beside);
    assert!(story.app.overlays.is_empty(), "{}", story.screen());
    story.press("?").type_in("legend").button(MouseKind::Click, beside);
    assert!(story.overlay().contains("type to filter"), "first the filter: {}", story.overlay());
    story.button(MouseKind::Click, beside);
    assert!(story.app.overlays.is_empty(), "{}", story.screen());
    story.press("s").type_in("x").button(MouseKind::Click, beside);
    assert_eq!(story.app.overlays.len(), 1);
    story.press("backspace").button(MouseKind::Click, beside);
    assert!(story.app.overlays.is_empty(), "{}", story.screen());
    story.app.open(Window::pager("a text".to_owned(), "it takes the whole screen"));
    story.button(MouseKind::Click, beside);
    assert_eq!(story.app.overlays.len(), 1);
}

#[test]
fn a_double_click_beside_a_box_opens_nothing_below_it() {
    let mut story = Story::review().sized(200, 60);
    story.press("f").button_on(MouseKind::Click, "# channel");
    assert!(story.app.overlays.is_empty(), "{}", story.screen());
    story.button_on(MouseKind::DoubleClick, "# channel");
    assert_eq!(story.app.model.selection.focus, Focus::Nav, "it is selected");
    story.button_on(MouseKind::Click, "# channel").button_on(MouseKind::DoubleClick, "# channel");
    assert_eq!(story.app.model.selection.focus, Focus::Main, "it is opened");
}

#[test]
fn options_are_marked_and_chosen_with_the_mouse_and_nothing_is_cast_by_it() {
    let asked = question(7, "coder@review", &["yes", "no"]);
    let mut story = Story::review();
    story.asks_person(&asked).app.open(Window::Question(Box::new(asked)));
    story.button_on(MouseKind::DoubleClick, "2  no");
    assert_eq!(story.app.overlays.len(), 1, "no option is marked yet");
    story.button_on(MouseKind::Click, "2  no");
    assert!(story.screen().contains("\u{276f} 2  no"), "{}", story.screen());
    story.button_on(MouseKind::DoubleClick, "2  no");
    assert!(story.app.model.prompt.question.is_some() && story.acts().is_empty());

    let mut story = Story::team();
    story.visit(Subject::Workflow(team::pr()), Tab::Proposals);
    story.press("v").button_on(MouseKind::Click, "2  no");
    assert!(story.screen().contains("\u{276f} 2  no"), "{}", story.screen());
    story.button_on(MouseKind::DoubleClick, "2  no").button_on(MouseKind::Click, "1  yes");
    assert!(story.overlay().contains("\u{276f} 2  no"), "what was chosen stays");
    assert!(story.overlay().contains("why:") && story.acts().is_empty());
}

#[test]
fn a_double_click_takes_a_file_into_its_field_and_starts_nothing() {
    let mut story = Story::review();
    story.press("s");
    let file = |path: &str| Found { path: path.to_owned(), params: Vec::new() };
    story.answer(Request::Files, Reply::Files(vec![file("one.yaml"), file("two.yaml")]));
    story.button_on(MouseKind::Click, "two.yaml").button_on(MouseKind::DoubleClick, "two.yaml");
    assert_eq!(story.asks(), []);
    let overlay = story.overlay();
    assert!(overlay.contains("two.yaml") && !overlay.contains("one.yaml"), "{overlay}");
}

#[test]
fn the_wheel_moves_in_the_list_of_files_which_tells_how_many_there_are() {
    let mut story = Story::review();
    story.press("s");
    let file = |at: u8| Found { path: format!("flow-{at}.yaml"), params: Vec::new() };
    story.answer(Request::Files, Reply::Files((10..50).map(file).collect()));
    assert!(story.overlay().contains("40 of 40 files"), "{}", story.overlay());
    for (kind, marked) in
        [(MouseKind::WheelDown, 3), (MouseKind::WheelDown, 6), (MouseKind::WheelUp, 3)]
    {
        story.button(kind, (40, 12));
        let overlay = story.app.overlays.last().unwrap();
        assert_eq!(overlay.marked(), Some(marked), "{}", story.overlay());
    }
    story.type_in("flow-2");
    assert!(story.overlay().contains("10 of 40 files"), "{}", story.overlay());
}

#[test]
fn a_click_marks_what_a_search_has_found() {
    let mut story = Story::team();
    story.press("S").paste("cursor").settle();
    story.button_on(MouseKind::Click, "res_19");
    assert!(story.screen().contains("\u{276f} res_19"), "{}", story.screen());
}

#[test]
fn a_click_marks_a_key_of_the_help_and_no_heading() {
    let mut story = Story::review();
    story.open_channel().press("?").button_on(MouseKind::Click, "reply to the selected message");
    assert!(story.overlay().contains("\u{276f} r "), "{}", story.overlay());
    story.button_on(MouseKind::Click, "Moving").button_on(MouseKind::DoubleClick, "Moving");
    assert!(story.overlay().contains("\u{276f} r "), "{}", story.overlay());
    story.button_on(MouseKind::Click, "write here").button_on(MouseKind::DoubleClick, "write here");
    assert!(story.app.overlays.is_empty(), "{}", story.screen());
    assert!(story.app.model.writing.composer.is_open);
}
