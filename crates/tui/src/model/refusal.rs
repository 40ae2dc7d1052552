//! A daemon that does not talk to this control room, or does not answer: what that is called, and
//! what helps.

use agent_worker_client::{ClientError, mirror::Connection};
use agent_worker_protocol::ErrorCode;

use super::{Model, Reach};
use crate::action::Action;

/// Why the daemon does not talk to this control room, or that it runs and does not answer, if that
/// is so.
pub fn of(model: &Model) -> Option<&ClientError> {
    match model.connection.feed.connection() {
        _ if model.connection.reach != Reach::Found => None,
        Connection::Refused { error }
        | Connection::Reconnecting { error: error @ ClientError::Silent { .. }, .. } => Some(error),
        _ => None,
    }
}

/// The same as a title.
pub fn title(error: &ClientError) -> &'static str {
    match error {
        ClientError::Silent { .. } => "The daemon does not answer.",
        _ => "The daemon does not talk to this control room.",
    }
}

/// In a few words, with the number that the answer came with.
pub fn brief(error: &ClientError) -> String {
    let ClientError::Refused(body) = error else { return "not understood".to_owned() };
    let words = match body.code {
        ErrorCode::Unauthorized | ErrorCode::Denied => "not allowed",
        ErrorCode::UpgradeRequired => "another version",
        _ => "refused",
    };
    format!("{words} ({})", body.code.status())
}

/// Returns what helps against it, as a sentence.
pub fn help(model: &Model, error: &ClientError) -> String {
    match error.hint() {
        Some(hint) => format!("What helps: {hint}."),
        None if error.is(ErrorCode::Unauthorized) => {
            format!("{} reads the token in daemon.json anew.", model.key(Action::Refresh))
        }
        None if error.is(ErrorCode::Denied) => {
            "Open the control room outside of any run.".to_owned()
        }
        None => {
            let status = model.connection.at_its_machine("agent-worker daemon status");
            format!("See what answers there with `{status}`.")
        }
    }
}

/// What is the case and what helps, in a line or two.
pub fn sentence(model: &Model, error: &ClientError) -> String {
    format!("{error}. {} {} asks again.", help(model, error), model.key(Action::Refresh))
}

#[cfg(test)]
mod tests {
    use agent_worker_client::remote::ssh_line;
    use agent_worker_protocol::ErrorBody;

    use super::*;
    use crate::tests::Story;

    fn refused(code: ErrorCode, hint: Option<&str>) -> ClientError {
        let hint = hint.map(ToOwned::to_owned);
        ClientError::Refused(ErrorBody { code, message: "no".to_owned(), hint })
    }

    #[test]
    fn e_9_every_refusal_has_a_name_and_says_what_to_do() {
        let mut model = Story::blank().app.model;
        for (code, brief) in [
            (ErrorCode::Unauthorized, "not allowed (401)"),
            (ErrorCode::Denied, "not allowed (403)"),
            (ErrorCode::UpgradeRequired, "another version (426)"),
            (ErrorCode::Invalid, "refused (400)"),
        ] {
            assert_eq!(super::brief(&refused(code, None)), brief);
            assert_ne!(help(&model, &refused(code, None)), "");
            let hinted = sentence(&model, &refused(code, Some("do this")));
            assert_eq!(hinted, "no. What helps: do this. R asks again.");
        }
        let stranger = ClientError::Garbled { what: "it".to_owned(), detail: "odd".to_owned() };
        assert_eq!(super::brief(&stranger), "not understood");
        let stranger = refused(ErrorCode::Invalid, None);
        let told = sentence(&model, &stranger);
        assert!(told.contains("with `agent-worker daemon status`"), "{told}");
        (model.connection.is_remote, model.connection.host) = (true, "me@box".to_owned());
        let told = sentence(&model, &stranger);
        let status = ssh_line("me@box", "agent-worker daemon status");
        assert!(told.contains(&format!("`{status}`")), "{told}");
    }
}
