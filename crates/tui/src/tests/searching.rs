//! Every pane that has lines is searched with `/`, and has focus once it is gone to.

use agent_worker_protocol::Target;

use super::{story::Story, team::pr};
use crate::model::{
    Focus,
    place::{Subject, Tab},
};

fn member(name: &str) -> Subject {
    Subject::Agent(Target::member(name.parse().unwrap(), pr()))
}

fn searched(subject: Subject, tab: Tab, text: &str) -> Story {
    let mut story = Story::team().sized(120, 40);
    story.visit(subject, tab).settle();
    story.app.model.selection.focus = Focus::Main;
    story.press("/");
    assert!(story.overlay().contains("search"), "{}", story.screen());
    story.type_in(text).press("enter").settle();
    story
}

#[test]
fn every_pane_that_has_lines_is_searched() {
    let review = || Subject::Workflow(pr());
    for (subject, tab, text) in [
        (review(), Tab::Agents, "queued"),
        (review(), Tab::Documents, "notes"),
        (review(), Tab::Proposals, "sqlite"),
        (review(), Tab::Schedules, "inbox"),
        (review(), Tab::Events, "inclusive"),
        (Subject::All, Tab::Runs, "coder"),
        (member("reviewer"), Tab::Run, "cursor"),
        (member("reviewer"), Tab::Inbox, "failures"),
        (member("reviewer"), Tab::Queue, "mention"),
        (member("reviewer"), Tab::History, "run_"),
        (member("reviewer"), Tab::Prompt, "reviewer"),
        (member("reviewer"), Tab::Info, "notes.md"),
    ] {
        let mut story = searched(subject, tab, text);
        let told = |story: &Story| story.app.model.prompt.notice.as_ref().map(|it| it.text.clone());
        let first = told(&story).unwrap_or_default();
        assert!(first.starts_with("match 1 of"), "{tab:?}: {first}\n{}", story.screen());
        assert!(story.main_pane().to_lowercase().contains(text), "{tab:?}\n{}", story.screen());
        story.press("n");
        assert!(told(&story).unwrap_or_default().starts_with("match "), "{tab:?}");
        story.press("esc").press("n");
        assert!(told(&story).unwrap_or_default().starts_with("nothing is searched"), "{tab:?}");
    }
}

#[test]
fn a_search_goes_through_a_whole_transcript_and_into_its_texts() {
    let mut story = searched(member("reviewer"), Tab::Run, "unread_after_ack");
    assert!(story.main_pane().contains("unread_after_ack"), "{}", story.screen());
    story.press("o");
    assert!(story.screen().contains("unread_after_ack"), "{}", story.screen());
    story.press("q").press("/").press("ctrl+u").type_in("is nowhere").press("enter");
    assert!(story.screen().contains("no match for is nowhere"), "{}", story.screen());
}

#[test]
fn what_is_typed_takes_the_place_of_what_was_searched_for_last() {
    let mut story = searched(member("reviewer"), Tab::Run, "is nowhere");
    story.press("/").press("enter");
    assert!(story.screen().contains("no match for is nowhere"), "{}", story.screen());
    story.press("/").type_in("is elsewhere").press("enter");
    assert!(story.screen().contains("no match for is elsewhere"), "{}", story.screen());
    story.press("/").press("home").type_in("it ").press("enter");
    assert!(story.screen().contains("no match for it is elsewhere"), "{}", story.screen());
}

#[test]
fn keys_act_on_what_was_gone_to() {
    let mut story = Story::team();
    for key in ["2", "a"] {
        story.app.model.selection.focus = Focus::Nav;
        story.press(key);
        assert_eq!(story.app.model.selection.focus, Focus::Main, "{key}");
    }
    story.app.model.selection.focus = Focus::Nav;
    story.press("f").type_in("coder@").press("enter");
    assert_eq!(story.app.model.selection.focus, Focus::Main);
}
