use std::io;

use agent_worker_protocol::ErrorBody;

use super::*;
use crate::exit::with_hint;

#[test]
fn a_question_that_broke_off_tells_why_no_daemon_answers() {
    let source = io::Error::other("the daemon ended before it was ready");
    let gone = ClientError::Unreachable { base: "/home".to_owned(), source };
    let (code, message) = (ErrorCode::ShuttingDown, "the daemon is ending".to_owned());
    let ending = ClientError::Refused(ErrorBody { code, message, hint: None });
    for (lost, why) in [
        (gone, "no daemon answers at /home: the daemon ended before it was ready"),
        (ending, "the daemon is ending"),
    ] {
        assert!(is_of_lost(&lost));
        let error = Asked::default().broken_off(&"bob".parse().unwrap(), Some(lost));
        let (told, hint) = (with_hint(&error.into()), "agent-worker peek bob");
        assert!(told.ends_with(&format!(": {why}\nhint: {hint}")), "{told}");
    }
}
