use agent_worker_client::ClientError;
use agent_worker_protocol::error::{ErrorBody, ErrorCode};

use super::*;
use crate::tests::Story;

#[test]
fn a_refusal_is_printed_at_once() {
    let mut story = Story::blank();
    assert!(!is_whole(&story.app.model, 0));
    story.tell(Msg::Reach(Reach::Found, None));
    assert!(!is_whole(&story.app.model, 0));
    let (code, message) = (ErrorCode::Unauthorized, "invalid token".to_owned());
    story.tell(Msg::FeedEnded(ClientError::Refused(ErrorBody { code, message, hint: None })));
    assert!(is_whole(&story.app.model, 0));
}
