//! Every table is filtered in one line and sorted by any of its values.

use agent_worker_protocol::Target;

use super::{story::Story, team::pr};
use crate::model::{
    effects::{Effect, Record},
    place::{Subject, Tab},
};

fn member(name: &str) -> Subject {
    Subject::Agent(Target::member(name.parse().unwrap(), pr()))
}

fn review() -> Subject {
    Subject::Workflow(pr())
}

fn table(subject: Subject, tab: Tab) -> Story {
    let mut story = Story::team().sized(120, 40);
    story.visit(subject, tab);
    story
}

fn filter(story: &mut Story, text: &str) {
    story.press("&").press("ctrl+u").type_in(text).press("enter");
}

fn lines(story: &Story) -> Vec<String> {
    story.app.pane().lines(&story.app.model).0
}

/// Every table, and a filter that lets some of its lines through.
fn tables() -> Vec<(Subject, Tab, &'static str)> {
    vec![
        (Subject::All, Tab::Agents, "state:running cost:>0.01"),
        (review(), Tab::Agents, "unread:>0 -agent:re*"),
        (Subject::All, Tab::Runs, "state:failed cost:>0.1 agent:co*"),
        (member("reviewer"), Tab::History, "took:>1m"),
        (member("reviewer"), Tab::Inbox, "from:tester"),
        (member("reviewer"), Tab::Queue, "cause:mention*"),
        (review(), Tab::Documents, "version:>5"),
        (review(), Tab::Proposals, "status:active"),
        (review(), Tab::Schedules, "agent:reviewer"),
        (review(), Tab::Events, "kind:message*"),
        (Subject::Talk(pr(), "coder+user".parse().unwrap()), Tab::Members, "kind:agent"),
    ]
}

#[test]
fn every_table_is_filtered_and_whole_again() {
    for (subject, tab, text) in tables() {
        let mut story = table(subject, tab);
        let all = lines(&story);
        filter(&mut story, text);
        let some = lines(&story);
        assert!(!some.is_empty() && some.len() < all.len(), "{tab:?}: {all:#?} {some:#?}");
        assert!(story.screen().contains(&format!("&{text}")), "{tab:?}: {}", story.screen());
        assert!(story.effects.contains(&Effect::Store(Record::Filter(text.to_owned()))), "{tab:?}");
        let fields = story.app.pane().fields(&story.app.model);
        assert!(fields.iter().any(|field| text.contains(field)), "{tab:?}");
        story.press("esc");
        assert_eq!(lines(&story), all, "{tab:?}");
        filter(&mut story, "thereisnosuchword");
        assert_eq!(lines(&story), Vec::<String>::new(), "{tab:?}");
        story.press("esc");
        assert_eq!(lines(&story).len(), all.len(), "{tab:?}");
    }
}

#[test]
fn every_table_that_can_be_sorted_is_by_each_of_its_values() {
    for (subject, tab, _) in tables() {
        if tab == Tab::Events {
            continue;
        }
        let mut story = table(subject, tab);
        let mut all = lines(&story);
        all.sort();
        for field in story.app.pane().fields(&story.app.model) {
            for _ in 0..2 {
                story.press("O").type_in(field).press("enter");
                let sort = story.app.model.selection.sorts[&tab];
                assert_eq!(sort.field, *field, "{tab:?}");
                assert!(story.screen().contains(&format!("by {field}")), "{tab:?}");
                let mut sorted = lines(&story);
                sorted.sort();
                assert_eq!(sorted, all, "{tab:?} by {field}: nothing is lost");
            }
        }
    }
}

#[test]
fn keys_act_on_the_line_that_is_shown() {
    let mut story = table(Subject::All, Tab::Runs);
    filter(&mut story, "state:failed");
    story.press("O").type_in("run").press("enter").press("O").type_in("run").press("enter");
    let first = lines(&story)[0].clone();
    story.press("g").press("enter");
    let run = first.split_whitespace().find(|word| word.starts_with("run_")).unwrap().to_owned();
    assert!(story.screen().contains(&run), "{run}: {}", story.screen());
}

#[test]
fn what_cannot_be_understood_stays_in_the_line_and_says_what_to_write() {
    let mut story = table(Subject::All, Tab::Runs);
    filter(&mut story, "cost:>much");
    assert!(story.overlay().contains("is not a number: write 0.1"), "{}", story.overlay());
    story.press("ctrl+u").type_in("colour:red").press("enter");
    assert!(story.overlay().contains("unknown field `colour`"), "{}", story.overlay());
    story.press("esc");
    assert!(story.app.model.selection.queries.is_empty());
}

#[test]
fn earlier_filters_come_back() {
    let mut story = table(Subject::All, Tab::Runs);
    filter(&mut story, "state:failed");
    filter(&mut story, "cost:>0.1");
    filter(&mut story, "state:failed");
    story.press("&").press("ctrl+u");
    for (key, text) in [("up", "> state:failed"), ("up", "> cost:>0.1"), ("down", "> state:failed")]
    {
        story.press(key);
        assert!(story.overlay().contains(text), "{key}: {}", story.overlay());
    }
    assert_eq!(story.app.model.selection.filters, ["cost:>0.1", "state:failed"]);
}

#[test]
fn where_there_is_no_table_nothing_is_filtered() {
    let mut story = table(review(), Tab::Channel);
    story.press("&");
    assert!(story.app.overlays.is_empty());
    assert!(story.screen().contains("not a table: / searches"), "{}", story.screen());
}
