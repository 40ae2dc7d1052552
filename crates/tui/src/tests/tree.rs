//! Which line of the tree is selected, and what is shown, while things happen.

use agent_worker_protocol::{event::EventBody, target::Scope};

use super::{
    story::{Story, agent, review},
    team::pr,
};
use crate::model::{
    NavId,
    place::{Subject, Tab},
};

#[test]
fn a_tab_of_the_global_scope_stays_on_the_screen_while_things_happen() {
    let mut story = Story::review();
    story.agent_is(&agent("bob@global"));
    story.open(Subject::Workflow(Scope::global()), Tab::Events);
    let model = &story.app.model;
    assert_eq!(model.selection.tree.selected, NavId::Channel(Scope::global()));
    let place = model.place.clone();
    story.agent_is(&agent("tester@review"));
    assert_eq!(story.app.model.place, place);
}

#[test]
fn what_the_filter_of_the_tree_hides_stays_on_the_screen_until_it_is_gone() {
    let mut story = Story::review();
    story.press("/").type_in("coder").press("enter");
    let tester = agent("tester@review");
    story.open(Subject::Agent(tester.target.clone()), Tab::Run);
    let place = story.app.model.place.clone();
    story.agent_is(&agent("reviewer@review"));
    assert_eq!(story.app.model.place, place);
    assert!(!story.screen().contains("◦ tester"), "{}", story.screen());
    story.happens(EventBody::AgentRemoved { target: tester.target });
    assert_ne!(story.app.model.place, place);
}

#[test]
fn the_first_line_that_the_filter_of_the_tree_leaves_is_one_step_down() {
    let mut story = Story::review();
    story.press("/").type_in("e").press("enter").press("j");
    let first = &story.app.model.selection.tree.selected;
    assert_eq!(*first, NavId::Workflow(review()), "{}", story.screen());
}

#[test]
fn the_shown_tab_is_whole_on_the_narrowest_screen() {
    let agent = agent("reviewer@review:pr-123").target;
    for subject in [Subject::Workflow(pr()), Subject::Agent(agent), Subject::All] {
        for (at, tab) in subject.tabs().iter().enumerate() {
            let mut story = Story::team().sized(60, 20);
            story.open(subject.clone(), *tab);
            let screen = story.screen();
            let line = screen.lines().nth(1).unwrap();
            let shown = line.split_once(&format!("[{} {}", at + 1, tab.label().1));
            assert!(shown.is_some_and(|(_, rest)| rest.contains(']')), "{line}");
        }
    }
}
