//! The options of a question: more of them than there is room for.

use agent_worker_protocol::question::Question;

use crate::{
    model::Window,
    tests::{Story, question},
};

/// A question that is open in a small window.
fn asked(asked: Question) -> Story {
    let mut story = Story::review().sized(80, 24);
    story.asks_person(&asked).app.open(Window::Question(Box::new(asked)));
    story
}

/// A question of forty lines with twenty options.
fn long() -> Story {
    let lines: Vec<String> = (0..40).map(|at| format!("line {at}")).collect();
    let options = (0..20).map(|at| format!("opt {at}")).collect();
    asked(Question { text: lines.join("\n"), options, ..question(7, "coder@review", &[]) })
}

#[test]
fn the_options_of_a_question_scroll_to_the_marked_one() {
    let mut story = long();
    let shown = story.overlay();
    assert!(shown.contains("33 more rows: PgDn, 12 more options"), "{shown}");
    assert!(shown.contains("line 6") && shown.contains("8  opt 7"), "{shown}");
    for _ in 0..20 {
        story.press("down");
    }
    let shown = story.overlay();
    assert!(shown.contains("\u{276f}    opt 19") && shown.contains("    opt 12"), "{shown}");
    assert!(shown.contains("line 6") && !shown.contains("more option"), "{shown}");
}

#[test]
fn a_page_key_scrolls_a_question_by_what_is_shown_of_it() {
    let mut story = long();
    let shown = story.press("pgdn").overlay();
    assert!(shown.contains("line 7 ") && shown.contains("line 15"), "{shown}");
    assert!(!shown.contains("line 6"), "{shown}");
    let shown = story.press("pgup").overlay();
    assert!(shown.contains("line 0") && !shown.contains("line 7"), "{shown}");
}
