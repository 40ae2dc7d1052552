use agent_worker_client::ClientError;
use agent_worker_protocol::{ErrorBody, ErrorCode};

use super::*;
use crate::{
    app::Msg,
    model::{Place, Tab},
    tests::{
        Story,
        story::{review, snapshot},
    },
};

#[test]
fn a_refusal_is_printed_at_once() {
    let mut story = Story::blank();
    assert!(!is_whole(&story.app.model, &Awaited::default()));
    story.tell(Msg::Reach(Reach::Found, None));
    assert!(!is_whole(&story.app.model, &Awaited::default()));
    let (code, message) = (ErrorCode::Unauthorized, "invalid token".to_owned());
    story.tell(Msg::FeedEnded(ClientError::Refused(ErrorBody { code, message, hint: None })));
    assert!(is_whole(&story.app.model, &Awaited::default()));
}

#[test]
fn a_target_that_is_not_there_is_an_error_once_it_is_known_what_is() {
    let agent = |target: &str| Place::of(Subject::Agent(target.parse().unwrap()));
    let workflow = |scope| Place::at(Subject::Workflow(scope), Tab::Channel);
    for (place, problem) in [
        (agent("coder@review"), None),
        (agent("nosuch@review"), Some("agent `nosuch@review` not found")),
        (workflow(review()), None),
        (workflow("@nosuch".parse().unwrap()), Some("workflow `@nosuch` not found")),
    ] {
        let mut story = Story::blank();
        story.app.model.selection.awaited = Some(place);
        assert_eq!(missing(&[&story.app.model]), None);
        let story = story.live(snapshot());
        assert_eq!(missing(&[&story.app.model]).as_deref(), problem);
    }
}

#[test]
fn a_member_that_no_daemon_knows_is_an_error() {
    let as_member = |name: &str| {
        let mut story = Story::blank();
        story.app.model.settings.identity = name.parse().unwrap();
        story.live(snapshot())
    };
    let (ghost, coder) = (as_member("ghost").app.model, as_member("coder").app.model);
    let problem = "ghost is not a member of any workflow";
    assert_eq!(missing(&[&ghost]).as_deref(), Some(problem));
    assert_eq!(missing(&[&ghost, &coder]), None);
}
