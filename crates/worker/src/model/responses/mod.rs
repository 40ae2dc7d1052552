//! OpenAI's Responses.
//!
//! Nothing is stored by the server: reasoning comes encrypted and is sent back in its place.

mod answer;
mod request;
mod said;

use super::{Dialect, Difference, Differences, Request, Told};

/// The dialect, with the learned differences of a server.
#[derive(Debug, Default)]
pub struct Responses {
    differences: Differences,
}

/// Parts of a refusal, and the part of a request that it refuses. The first that fits is learned.
const LEARNED: [(&[&str], Difference); 8] = [
    (&["reasoning.summary"], Difference::NoSummary),
    (&["reasoning summaries"], Difference::NoSummary),
    (&["xhigh"], Difference::LowerEffort),
    (&["reasoning.effort"], Difference::NoEffort),
    (&["encrypted"], Difference::NoEncrypted),
    (&["include"], Difference::NoEncrypted),
    (&["max_output_tokens"], Difference::NoLongest),
    (&["reasoning"], Difference::NoThinking),
];

impl Dialect for Responses {
    type Reader = answer::Answer;

    fn path(base: &str) -> String {
        let version = if base.is_empty() { "/v1" } else { "" };
        format!("{base}{version}/responses")
    }

    fn body(&self, model: &str, request: &Request<'_>) -> Vec<u8> {
        request::whole(model, request, &self.differences)
    }

    fn learn(&self, refusal: &Told) -> bool {
        self.differences.learn(refusal, &LEARNED)
    }
}
