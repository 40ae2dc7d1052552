//! A daemon that does not talk to this control room: what that is called, and what helps.

use agent_worker_client::{ClientError, mirror::Connection};
use agent_worker_protocol::error::ErrorCode;

use super::{Model, Reach};

/// Why the daemon does not talk to this control room, if that is so.
pub fn of(model: &Model) -> Option<&ClientError> {
    match model.connection.feed.connection() {
        Connection::Refused { error } if model.connection.reach == Reach::Found => Some(error),
        _ => None,
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

/// What helps; `again` is the key that asks again.
pub fn help(error: &ClientError, again: &str) -> String {
    let code = match error {
        ClientError::Refused(body) => Some(body.code),
        _ => None,
    };
    let known = error.hint().map(|hint| format!("What helps: {hint}."));
    known.unwrap_or_else(|| {
        let help = match code {
            Some(ErrorCode::Unauthorized) => {
                return format!("{again} reads the token in daemon.json anew.");
            }
            Some(ErrorCode::Denied) => "Open the control room outside of any run.",
            _ => "See what answers there with `agent-worker daemon status`.",
        };
        help.to_owned()
    })
}

/// What is the case and what helps, in a line or two; `again` is the key that asks again.
pub fn sentence(error: &ClientError, again: &str) -> String {
    format!("{error}. {} {again} asks again.", help(error, again))
}

#[cfg(test)]
mod tests {
    use agent_worker_protocol::error::ErrorBody;

    use super::*;

    fn refused(code: ErrorCode, hint: Option<&str>) -> ClientError {
        let hint = hint.map(ToOwned::to_owned);
        ClientError::Refused(ErrorBody { code, message: "no".to_owned(), hint })
    }

    #[test]
    fn e_9_every_refusal_has_a_name_and_says_what_to_do() {
        for (code, brief) in [
            (ErrorCode::Unauthorized, "not allowed (401)"),
            (ErrorCode::Denied, "not allowed (403)"),
            (ErrorCode::UpgradeRequired, "another version (426)"),
            (ErrorCode::Invalid, "refused (400)"),
        ] {
            assert_eq!(super::brief(&refused(code, None)), brief);
            assert_ne!(help(&refused(code, None), "R"), "");
            let hinted = sentence(&refused(code, Some("do this")), "R");
            assert_eq!(hinted, "no. What helps: do this. R asks again.");
        }
        let stranger = ClientError::Garbled { what: "it".to_owned(), detail: "odd".to_owned() };
        assert_eq!(super::brief(&stranger), "not understood");
        let told = sentence(&stranger, "R");
        assert!(told.contains("agent-worker daemon"), "{told}");
    }
}
