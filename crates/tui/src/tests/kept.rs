//! Bookmarks and layouts are kept, listed and opened again.

use agent_worker_protocol::{EventBody, Schedule, ScheduleState};

use super::{
    story::{Story, review},
    team::pr,
};
use crate::model::{
    Focus,
    effects::{Effect, Record},
    layouts::{Bookmark, Layout},
    place::{Item, Place, Subject, Tab},
};

/// What is written to the disk.
fn kept(story: &Story) -> Layout {
    let kept = story.effects.iter().find_map(|effect| match effect {
        Effect::Store(Record::Layout(layout)) => Some(layout.clone()),
        _ => None,
    });
    kept.unwrap_or_else(|| panic!("nothing is kept: {:?}", story.effects))
}

fn save(story: &mut Story, name: &str) {
    story.press("\\").type_in("save this").press("enter");
    assert!(story.overlay().contains("save this layout as"), "{}", story.overlay());
    story.type_in(name).press("enter");
}

#[test]
fn a_layout_is_saved_by_name_and_opened_from_anywhere() {
    let mut story = Story::review().sized(200, 60);
    story.open(Subject::Workflow(review()), Tab::Agents);
    story.press("|").press("&").type_in("agent:co*").press("enter");
    story.press("O").type_in("agent").press("enter");
    story.press("tab");
    assert_eq!(story.app.model.selection.focus, Focus::Dock);
    save(&mut story, "board");
    assert_eq!(kept(&story).named.keys().collect::<Vec<_>>(), ["board"]);
    story.press("tab").press("|").press("esc").press("esc");
    story.open_channel();
    story.press("\\");
    let line = "board: Agents of workflow review:main, side panel, sorted";
    assert!(story.overlay().contains(line), "{}", story.overlay());
    story.press("enter");
    let model = &story.app.model;
    assert_eq!(model.place, Place::at(Subject::Workflow(review()), Tab::Agents));
    assert_eq!((model.display.dock, model.selection.focus), (Some(true), Focus::Dock));
    assert_eq!(model.selection.sorts[&Tab::Agents].field, "agent");
    assert_eq!(model.selection.queries[&Tab::Agents].text, "agent:co*");
    let screen = story.screen();
    assert!(screen.contains("layout board"), "{screen}");
}

#[test]
fn a_layout_is_renamed_replaced_and_removed() {
    let mut story = Story::review();
    story.open_channel();
    save(&mut story, "one");
    save(&mut story, "two");
    save(&mut story, "two");
    assert!(story.screen().contains("layout two is replaced"), "{}", story.screen());
    story.press("\\").type_in("rename layout one").press("enter");
    for _ in 0..3 {
        story.press("backspace");
    }
    story.type_in("two").press("enter");
    assert!(story.overlay().contains("`two` exists already"), "{}", story.overlay());
    story.type_in("-b").press("enter");
    assert_eq!(kept(&story).named.keys().collect::<Vec<_>>(), ["two", "two-b"]);
    story.press(":").type_in("remove layout two-b").press("enter");
    assert_eq!(kept(&story).named.keys().collect::<Vec<_>>(), ["two"]);
}

#[test]
fn a_layout_of_what_is_gone_says_so() {
    let mut story = Story::review();
    story.open(Subject::Agent("coder@review".parse().unwrap()), Tab::Info);
    save(&mut story, "coder");
    story.open_channel();
    let target = "coder@review".parse().unwrap();
    story.happens(EventBody::AgentRemoved { target });
    let before = story.app.model.place.clone();
    story.press("\\").type_in("coder:").press("enter");
    assert!(story.screen().contains("is gone"), "{}", story.screen());
    assert_eq!(story.app.model.place, before);
}

#[test]
fn a_bookmark_of_what_is_gone_says_so_and_selects_nothing_else() {
    let mut story = Story::team();
    story.visit(Subject::Workflow(pr()), Tab::Schedules).press("\"");
    story.visit(Subject::Workflow(pr()), Tab::Documents).press("\"");
    let documents = story.app.model.place.clone();
    let first = story.app.model.mirror().schedules_of(&pr()).next().unwrap().clone();
    let over = Schedule { state: ScheduleState::Completed, ..first };
    story.happens(EventBody::ScheduleChanged(Box::new(over)));
    story.press("'").type_in("schedule").press("enter");
    assert!(story.screen().contains("schedule main of reviewer"), "{}", story.screen());
    assert!(story.screen().contains(" is gone"), "{}", story.screen());
    assert_eq!(story.app.model.place, documents);
    story.press("'").press("enter");
    assert!(!story.screen().contains(" is gone"), "a document is there: {}", story.screen());
}

#[test]
fn what_is_selected_is_bookmarked_and_found_again() {
    let mut story = Story::review().sized(120, 40);
    story.open_channel();
    story.press("'");
    assert!(story.screen().contains("no bookmarks yet"), "{}", story.screen());
    story.press("K").press("K").press("\"");
    let mark = kept(&story).bookmarks.remove(0);
    let id = "msg_3".parse().unwrap();
    assert_eq!(mark.item, Some(Item::Message(id)), "{}", story.screen());
    assert!(mark.label.starts_with("msg_3 coder: "), "{}", mark.label);
    story.select_agent("tester@review");
    story.press("\"");
    assert_eq!(kept(&story).bookmarks[1].item, None);
    story.press("'");
    let list = story.overlay();
    let at = |words: &str| list.find(words).unwrap_or_else(|| panic!("{words}: {list}"));
    assert!(at("tester") < at("msg_3 coder"), "the newest is the first: {list}");
    story.type_in("msg_3").press("enter");
    assert_eq!(story.app.model.place, Place::at(Subject::Workflow(review()), Tab::Channel));
    story.press("\"");
    assert_eq!(kept(&story).bookmarks.len(), 1, "the same key removes it");
    story.press("'").type_in("remove bookmark tester").press("enter");
    assert_eq!(kept(&story).bookmarks, Vec::<Bookmark>::new());
}

/// The text that was last kept on disk.
fn draft(story: &Story) -> Option<&str> {
    story.effects.iter().rev().find_map(|effect| match effect {
        Effect::Store(Record::Draft(_, draft)) => Some(draft.text.as_str()),
        _ => None,
    })
}

#[test]
fn what_is_typed_while_a_message_is_on_its_way_is_kept_behind_it() {
    let mut story = Story::review();
    story.open_channel().press("i").type_in("one").press("enter").type_in("two").wait(600);
    assert_eq!(draft(&story), Some("one\ntwo"));
    assert_eq!(draft(story.paste("!").press("esc")), Some("one\ntwo!"));
    story.press("i");
    assert_eq!(story.app.model.writing.composer.text(), "one", "the box is as it was");
    story.fail_send(None);
    assert_eq!(draft(&story), Some("one"), "the rest is with the sent messages");

    let mut story = Story::review();
    story.open_channel().press("i").type_in("one").press("enter").type_in("two").press("esc");
    story.select_agent("coder@review").press("i");
    story.fail_send(None);
    assert_eq!(draft(&story), Some("one"), "also while another box is open");
}

#[test]
fn what_is_kept_is_a_file_that_stays_readable() {
    let mut story = Story::review();
    story.open_channel();
    story.press("\"");
    save(&mut story, "talk");
    let layout = kept(&story);
    let text = serde_json::to_string(&layout).unwrap();
    assert_eq!(serde_json::from_str::<Layout>(&text).unwrap(), layout);
    assert!(text.contains(r#""tab":"channel""#), "{text}");
    let old: Layout = serde_json::from_str(r#"{"hidden":{"Runs":["cost"]}}"#).unwrap();
    assert!(!old.shows(Tab::Runs, "cost") && old.named.is_empty() && old.bookmarks.is_empty());
}
