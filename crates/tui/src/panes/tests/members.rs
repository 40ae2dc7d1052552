use agent_worker_protocol::{Conversation, EventBody, Group};

use crate::{
    model::place::{Place, Subject, Tab},
    tests::{Story, agent, channel, review},
};

fn pair() -> Conversation {
    Conversation::direct("coder".parse().unwrap(), "reviewer".parse().unwrap())
}

fn opened() -> Story {
    let mut story = Story::review();
    let mut coder = agent("coder@review");
    coder.role = Some("writes the code".to_owned());
    story.happens(EventBody::AgentChanged(Box::new(coder)));
    story.happens(EventBody::GroupChanged(Group { name: pair(), ..channel(&review(), 3, 3) }));
    story.open(Subject::Talk(review(), pair()), Tab::Members);
    story
}

#[test]
fn members_are_told_with_what_they_are_and_do() {
    let story = opened();
    insta::assert_snapshot!(story.main_pane(), @r"
    ❯coder          agent     ◦ idle             writes the …
     reviewer       agent     ⠿ thinking
    ");
}

#[test]
fn enter_opens_what_a_member_does() {
    let mut story = opened();
    story.press("j").press("enter");
    let reviewer = "reviewer@review".parse().unwrap();
    assert_eq!(story.app.model.place, Place::at(Subject::Agent(reviewer), Tab::Run));
}

#[test]
fn a_member_that_is_gone_is_still_named() {
    let mut story = opened();
    let target = "coder@review".parse().unwrap();
    story.happens(EventBody::AgentRemoved { target });
    assert!(story.main_pane().contains("coder          is gone"), "{}", story.main_pane());
}
