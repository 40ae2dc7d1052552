//! Which line of the tree is selected, and what is shown, while things happen.

use agent_worker_protocol::target::Scope;

use super::story::{Story, agent};
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
