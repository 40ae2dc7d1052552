//! Several lines are copied together, and threads have a line in the margin.

use agent_worker_protocol::{Message, MessageId};

use crate::{
    model::{Effect, Window},
    tests::{Story, message},
};

fn copied(story: &Story) -> Option<&str> {
    story.effects.iter().find_map(|effect| match effect {
        Effect::Copy(text) => Some(text.as_str()),
        _ => None,
    })
}

/// Six messages: the third and the fifth answer the second, and the sixth answers the fifth.
fn thread() -> Story {
    let answer = |seq, to: Option<i64>, text: &str| Message {
        reply_to: to.map(MessageId::new),
        ..message(seq, "coder", text)
    };
    let mut story = Story::review().sized(110, 24);
    story.open_channel_with(vec![
        answer(1, None, "before"),
        answer(2, None, "what is it?"),
        answer(3, Some(2), "a cursor"),
        answer(4, None, "something else"),
        answer(5, Some(2), "a long answer\nof two lines"),
        answer(6, Some(5), "thanks"),
    ]);
    story
}

/// What stands in the margin before a text.
fn margin(story: &Story, text: &str) -> char {
    let screen = story.screen();
    let line =
        screen.lines().find(|line| line.contains(text)).unwrap_or_else(|| panic!("{screen}"));
    line[..line.find(text).unwrap()].chars().next_back().unwrap()
}

#[test]
fn an_answer_has_a_mark_and_the_thread_of_the_selected_message_a_line() {
    let mut story = thread();
    let margins = |story: &Story| {
        let texts = ["before", "what is", "a cursor", "something", "a long", "of two", "thanks"];
        texts.map(|text| margin(story, text)).iter().collect::<String>()
    };
    assert_eq!(margins(&story), "  └ └ └");
    story.press("K").press("K");
    assert_eq!(margins(&story), " ┌├│├│└", "{}", story.screen());
    story.press("K");
    assert_eq!(margins(&story), "  └ └ └", "the selected one is in no thread");
}

#[test]
fn several_messages_are_copied_with_who_said_them() {
    let mut story = thread();
    story.press("K").press("v").press("k").press("K");
    assert!(story.screen().contains("3 selected"), "{}", story.screen());
    story.press("y");
    let text = copied(&story).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines.len(), 4, "{text}");
    assert!(lines[0].ends_with(" coder: something else"), "{text}");
    assert!(lines[1].ends_with(" coder: a long answer") && lines[2] == "of two lines", "{text}");
    assert!(!story.screen().contains("selected"), "{}", story.screen());
    story.press("y");
    assert_eq!(copied(&story), Some("something else"), "then the selected one alone");
}

#[test]
fn escape_ends_what_is_selected_together_first() {
    let mut story = thread();
    story.press("K").press("v").press("K").press("G").press("g");
    assert!(story.screen().contains("6 selected"), "{}", story.screen());
    story.press("esc");
    assert!(!story.screen().contains("6 selected"), "{}", story.screen());
    story.press("y");
    assert_eq!(copied(&story), Some("before"));
}

#[test]
fn lines_of_a_whole_text_are_copied() {
    let mut story = Story::review();
    let text: String = (1..=50).map(|line| format!("line {line}\n")).collect();
    story.app.open(Window::pager("text", &text));
    story.press("j").press("V").press("j").press("j").press("y");
    assert_eq!(copied(&story), Some("line 2\nline 3\nline 4"));
    story.press("V").press("G");
    assert!(story.screen().contains("49 selected"), "{}", story.screen());
    assert!(story.screen().contains("line 50"), "{}", story.screen());
    story.press("esc").press("y");
    assert_eq!(copied(&story).map(str::len), Some(text.len()), "all of it again");
}
