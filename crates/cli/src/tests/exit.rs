use std::io;

use agent_worker_protocol::ErrorBody;

use super::*;

#[test]
fn an_error_is_told_with_its_causes_and_what_helps() {
    let source = io::Error::from_raw_os_error(111);
    let error = ClientError::Unreachable { base: "http://127.0.0.1:1".to_owned(), source };
    let error = anyhow::Error::from(error);
    insta::assert_snapshot!(described(&error), @r"
    error: no daemon answers at http://127.0.0.1:1
    caused by: Connection refused (os error 111)
    hint: agent-worker daemon status
    ");
    assert_eq!(exit_of(&error), Exit::NoDaemon);
}

#[test]
fn a_refusal_of_the_daemon_cannot_act_on_the_terminal() {
    let error = anyhow::Error::from(ClientError::Refused(ErrorBody {
        code: ErrorCode::Conflict,
        message: "paused: \x1b[2J\x1b]0;x\x07 no key".to_owned(),
        hint: Some("agent-worker resume alice".to_owned()),
    }));
    insta::assert_snapshot!(described(&error), @r"
    error: paused: ⟦esc⟧ no key
    hint: agent-worker resume alice
    ");
    assert_eq!(exit_of(&error), Exit::Failed);
}

#[test]
fn what_the_command_line_refuses_has_its_own_code() {
    let error = anyhow::Error::from(Refusal::no_daemon().hint("agent-worker list"));
    assert_eq!(
        (exit_of(&error), hint_of(&error).as_deref()),
        (Exit::NoDaemon, Some("agent-worker list"))
    );
    assert_eq!(exit_of(&Refusal::usage("no").into()), Exit::Usage);
}
